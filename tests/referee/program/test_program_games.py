"""Games that are programs: what they may do wrong ends their match, in words, and nothing else."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from protocol.errors import ArenaError
from referee.catalog.finding import find_source
from referee.catalog.identity import code_of
from referee.catalog.loading import find_game, load
from referee.limits import Limits
from referee.match.scoring import ending
from referee.program import engine
from referee.program.engine import ProgramError
from referee.program.file import Confinement
from referee.rules.chance import Chance
from referee.rules.game import Game
from referee.sandbox import PYTHON, Launcher, Program
from referee.testing import check_game, checking
from referee.testing.trial import Case
from tests.referee.sandbox.sandboxed import need

NIM = Path(__file__).with_name("nim.py")
MakeGame = Callable[..., Path]


@pytest.fixture
def make_game(tmp_path: Path) -> MakeGame:
    """Return a maker of folders with a game that does something wrong, by words for it."""

    def make(*wrong: str, more: str = "", name: str = "stones") -> Path:
        folder = tmp_path / name
        folder.mkdir()
        shutil.copy(NIM, folder / "game.py")
        words = json.dumps(["{python}", "game.py", *wrong])
        (folder / "game.toml").write_text(f"command = {words}\n{more}")
        return folder

    return make


def dealt(kind: type[Game], seed: str = "1") -> Game:
    return kind(seats=2, options=kind.options_type(), chance=Chance(seed))


def played(kind: type[Game]) -> Game:
    """Play by the first legal moves to the end."""
    game = dealt(kind)
    while seats := game.deciders():
        moves = {}
        for seat in seats:
            game.view(seat)
            found = game.read(seat, game.default(seat))
            assert not isinstance(found, str), found
            moves[seat] = found
        game.apply(moves)
    return game


@pytest.mark.slow
def test_it_keeps_the_contract_of_a_game(make_game: MakeGame) -> None:
    """But for the step that asks other processes, which takes seconds: `check-game` is tested."""
    (folder := make_game()).joinpath("rules.md").write_text("# Stones\n")
    steps = {*checking.STEPS} - {"processes"}
    kind = find_game(str(folder))
    results = check_game(kind, only=steps, cases=[Case(kind, 2)])
    assert {each.step for each in results if each.state != "ok"} == {
        *("world", "numbered", "draws", "events", "keyed", "resample", "hidden"),
    }


PILES = """
import json, sys

CARD = {"type": "integer", "minimum": 1, "maximum": 4, "description": "A card."}
CARDS = {"type": "array", "description": "Cards.", "minItems": 1, "maxItems": 2, "items": CARD}
FORM = {"type": "object", "properties": {"cards": CARDS}, "required": ["cards"],
        "additionalProperties": False}
HAND = {"hand": [1, 2]}
ASKS = [{"seat": 0, "decision": "lay", "limits": HAND},
        {"seat": 1, "decision": "show", "legal": [{"cards": [1]}, {"cards": [1, 2]}]}]
turns = {}
for line in sys.stdin:
    message = json.loads(line)
    kind, match = message["type"], message.get("match")
    answer = {"type": "view", "view": HAND}
    if kind == "hello":
        answer = {"type": "game", "name": "piles", "title": "Each lays cards.", "seats": [2],
                  "decisions": {"lay": FORM, "show": FORM}, "can": ["check"]}
    elif kind in ("new", "apply"):
        turn = turns[match] = turns.get(match, -1) + 1
        answer = {"type": "state", "places": [1, 1], "reason": "played"}
        if turn < 2:
            asks = [{**ASKS[turn], "view": HAND, "default": {"cards": [1]}}]
            answer = {"type": "state", "asks": asks}
            if turn == 0:
                answer["table"] = {"pack": [1, 2, 3, 4]}
    elif kind == "check":
        good = message["move"]["cards"] in ([1], [2], [1, 2], [2, 1])
        answer = {"type": "checked", "refused": "" if good else "not in your hand"}
    elif kind == "sample":
        answer = {"type": "move", "move": {"cards": [1 + message["seed"] % 2]}}
    if kind != "end":
        print(json.dumps(answer), flush=True)
"""


def test_lists_in_what_it_hands_out_are_copies(make_game: MakeGame) -> None:
    (folder := make_game()).joinpath("game.py").write_text(PILES)
    check_game(find_game(str(folder)), only=["handed"])


@pytest.mark.parametrize(
    ("wrong", "step", "says"),
    [
        ("remembers", "alone", "keep all that a match has in the match"),
        ("huge", "json", r"left is 1152921504606846976, beyond 2\*\*53"),
    ],
)
def test_its_author_is_told_what_is_wrong_and_not_what_to_do_in_python(
    make_game: MakeGame, wrong: str, step: str, says: str
) -> None:
    kind = find_game(str(make_game(wrong)))
    with pytest.raises(AssertionError, match=says):
        check_game(kind, only=[step], cases=[Case(kind, 2)])
    assert {*checking._OF_PROGRAMS} <= {*checking.STEPS}


SAID = {
    "unknown decision": "it asks for 'steal', which it never declared",
    "seat that is not there": "it asks seat 2, and there are 2",
    "moves beside the schema": "the schema of 'take' refuses the legal move",
    "no moves": "needs a list of `legal` moves",
    "twice": "it asks a seat twice",
    "places": "the places are [2, 2]",
    "one place": "the places are [1]",
    "scores": "1 scores for 2 seats",
    "unsaid scores": "it has scores, and `score` does not say what they count",
    "numbers": "the number 'x' is no one of its `measures`",
    "colours": "Expected `str` matching regex",
    "no reason": "no `reason` says why",
    "hang": "has not answered 'apply' in the 0.5 s that it may take",
    "sleep": "s in all); does it flush its standard output after each line?",
    "die": "it exited with code 1 (out of stones)",
    "killed": "SIGSEGV",
    "closes": "it closed its standard output",
    "raise": "KeyError: 'no such stone'",
    "flood": "a line of more than 4194304 bytes",
    "memory": "it ran out of memory: 64 MiB allowed",
    "no json": "not JSON",
    "nan": "not JSON",
    "a list": "Expected `object`, got `array`",
    "another message": "Invalid value 'view'",
    "empty": "an empty line",
    "says error": "refuses 'apply': I cannot go on at all",
}


@pytest.mark.parametrize("wrong", SAID)
def test_what_is_wrong_is_said_and_the_next_match_is_played(
    make_game: MakeGame, wrong: str
) -> None:
    kind = find_game(str(make_game(wrong, more="answer_seconds = 0.5\nmemory_mb = 64\n")))
    with pytest.raises(ProgramError) as raised:
        played(kind)
    assert SAID[wrong] in str(raised.value)
    assert "\n" not in str(raised.value)
    assert dealt(kind).deciders() == [0]


@pytest.mark.parametrize(
    ("end", "said"),
    [
        ({"numbers": {}}, "the number 'n' of its `measures` is missing"),
        ({"numbers": {"n": 1e300}}, "the number 1e\\+300 is too large to be stored"),
        ({"numbers": {"n": 1}, "scores": [1, -1e300]}, "the number -1e\\+300 is too large"),
    ],
)
def test_an_end_that_cannot_be_stored_is_said(
    make_game: MakeGame, end: dict[str, object], said: str
) -> None:
    about = {"measures": {"n": "a number"}, "score": "points"}
    folder = make_game("about", json.dumps(about), json.dumps(end))
    with pytest.raises(ProgramError, match=said):
        ending(played(find_game(str(folder))), {})


@pytest.mark.parametrize("end", ["n", "half"], ids=["a line", "part of a line"])
def test_what_it_says_unasked_is_no_answer(make_game: MakeGame, end: str) -> None:
    kind = find_game(str(make_game("more", end)))
    for _ in range(2):
        with pytest.raises(ProgramError, match="answered 'apply' wrongly: it wrote more than one"):
            played(kind)
    assert dealt(kind).view(0)["left"] == 9


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ("dies at once", "it exited with code 1 (no stones here)"),
        ("no name", "missing required field `name`"),
        ("bad schema", "decisions.take: the keyword 'patternProperties' is not known here"),
        ("gaps", "the numbers of seats [2, 4] have gaps"),
    ],
)
def test_a_program_that_is_no_game_is_refused(make_game: MakeGame, wrong: str, says: str) -> None:
    with pytest.raises(ArenaError, match=re.escape(says)):
        find_game(str(make_game(wrong)))


FILES = {
    "": "key 'command' of game.toml is missing",
    "command = []": "cannot be []",
    "command = ['./game']\n": "there is no program",
    "command = ['./game.py']\n": "is not executable; try `chmod +x ",
    "command = ['nothing-of-the-kind']\n": "no program 'nothing-of-the-kind' on the PATH",
    "command = ['{python}', 'game.py']\nfiles = ['gone']\n": "`files` names 'gone'",
    "command = ['{python}', 'game.py']\nfiles = ['../x']\n": "`files` names '../x'",
    "command = ['{python}', 'game.py']\nmemory = 3\n": "Did you mean 'memory_mb'?",
    "command = ['{python}', 'game.py']\nmemory_mb = 1\n": "a whole number at least 16",
    "command = [": "Invalid",
    f"command = {'[' * 5000}{']' * 5000}": "nested too deep",
    f"command = ['./game']\n#{' ' * (1 << 20)}": "cannot be read: it is larger than 1024 KiB.",
}


def test_a_file_with_a_mistake_is_said(make_game: MakeGame) -> None:
    file = make_game() / "game.toml"
    for text, words in FILES.items():
        file.write_text(text)
        with pytest.raises(ArenaError, match=f"^{file}.*{re.escape(words)}"):
            find_game(str(file.parent))


def test_a_match_is_lost_with_its_process_and_no_other_is(make_game: MakeGame) -> None:
    kind = find_game(str(make_game("die")))
    waiting = dealt(kind)
    with pytest.raises(ProgramError):
        played(kind)
    with pytest.raises(ProgramError, match="has ended, and with it all its matches"):
        waiting.apply({0: {"take": 1}})
    later = dealt(kind)
    later.apply({0: {"take": 1}})
    with pytest.raises(ProgramError, match="has ended, and with it all its matches"):
        waiting.apply({0: {"take": 1}})
    assert later.deciders() == [1]


def test_a_program_stays_the_game_that_it_was(make_game: MakeGame, tmp_path: Path) -> None:
    folder = make_game("another game", str(tmp_path / "mark"))
    kind = load(find_source(str(folder)), Confinement("none"))
    assert played(kind).reason == "last"
    (tmp_path / "mark").touch()
    kind.engine.stop()  # type: ignore[attr-defined]
    with pytest.raises(ProgramError, match="it is another game than the last time"):
        played(kind)


@pytest.mark.slow
def test_few_programs_run_that_nobody_plays(
    make_game: MakeGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert engine._MOST_RUNNING == 4
    monkeypatch.setattr(engine, "_MOST_RUNNING", 1)
    kinds: list[Any] = [
        load(find_source(str(make_game(name=f"stones{number}"))), Confinement("none"))
        for number in range(3)
    ]
    held = dealt(kinds[0])
    for kind in kinds[1:]:
        played(kind)
    assert [kind.engine.is_running for kind in kinds] == [True, False, True]
    held.apply({0: {"take": 1}})
    assert dealt(kinds[1]).deciders() == [0]


def test_its_code_is_its_files_and_a_changed_program_is_loaded_anew(make_game: MakeGame) -> None:
    folder = make_game()
    before = code_of(find_game(str(folder)))
    (folder / "rules.md").write_text("Rules.\n")
    (folder / ".hidden").write_text("x")
    assert code_of(find_game(str(folder))) == before
    (folder / "data").write_text("x")
    assert code_of(find_game(str(folder))) != before
    text = (folder / "game.py").read_text()
    (folder / "game.py").write_text(text.replace('"stones",', '"pebbles",'))
    assert find_game(str(folder)).name == "pebbles"


@pytest.mark.parametrize("sandbox", ["landlock", "bwrap", "none"])
def test_it_runs_in_every_sandbox(make_game: MakeGame, sandbox: str) -> None:
    need(sandbox)
    kind: Any = load(find_source(str(make_game())), Confinement(sandbox))
    for _ in range(3):  # it raises an error for an end of a match that it does not know
        game = played(kind)
    assert (kind.name, game.reason, game.places()) == ("stones", "last", [1, 2])
    assert game.view(0) == {"game": "stones", "seat": 0, "decision": None, "left": 0}


def test_the_sandbox_keeps_it_from_secrets(make_game: MakeGame, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("hidden")
    folder = make_game("secrets", str(secret))
    with pytest.raises(ProgramError, match="Permission denied"):
        played(find_game(str(folder)))
    open_to_all = load(find_source(str(folder)), Confinement("none"))
    assert played(open_to_all).reason == "last"  # so that it was the sandbox


@pytest.mark.parametrize("sandbox", ["landlock", "bwrap", "none"])
def test_it_cannot_reach_a_bot_but_without_a_sandbox(make_game: MakeGame, sandbox: str) -> None:
    """Neither signals nor memory: a bot's process is another's, as are bots to each other."""
    need(sandbox)
    with Launcher(sandbox) as launcher:
        limits = Limits(sandbox=sandbox)  # type: ignore[arg-type]
        waits = Program((PYTHON, "-c", "input()"), str(make_game(name="bot")))
        bot = launcher.start(waits, limits)
        kind = load(find_source(str(make_game("reaches", str(bot.pid)))), Confinement(sandbox))
        with pytest.raises(ProgramError) as raised:
            played(kind)
        assert Path(f"/proc/{bot.pid}").is_dir()
        launcher.stop(bot)
    said = "\n".join(raised.value.said)
    if sandbox == "none":
        assert "kill done" in said
    else:
        assert all(f"{what} refused" in said for what in ("kill", "mem", "environ")), said

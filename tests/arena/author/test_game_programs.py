"""Games that are programs: `arena new-game --lang`, and the kits, alike in all languages."""

import json
import re
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

from arena.author.new import languages
from arena.author.new_game import find_program_language, lacking, program_languages, write_program
from referee.catalog.loading import find_game
from referee.program.file import read_game_file
from referee.rules.chance import Chance
from referee.rules.game import Game, twin
from referee.sandbox import PYTHON
from referee.turn.verdict import last_word
from tests.arena.conftest import ROOT, Arena
from tests.golden import Golden

LANGUAGES = program_languages()
HERE = [name for name in LANGUAGES if not lacking(languages()[name])]
"""The languages that can be tried on this machine."""
GUESS = Path(__file__).with_name("guess")
"""A game in every language that uses all that a kit has."""
SUFFIX = {"python": "py", "javascript": "js", "cpp": "cpp", "rust": "rs"}
FASTER = ["CXXFLAGS=-std=c++17 -O0 -Wall -Wextra", "RUSTFLAGS="]
"""What is said to `make` so that building takes half the time."""

Message = dict[str, Any]

each_built_slow = pytest.mark.parametrize(
    "language",
    [
        pytest.param(name, marks=[pytest.mark.slow] if languages()[name].build else [])
        for name in HERE
    ],
)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("programs")


def made(home: Path, language: str, name: str = "my_game") -> Path:
    """Return a new game in a language, built: as it is begun, or `guess` instead."""
    folder = home / language / name
    if folder.exists():
        return folder
    write_program(folder, language)
    if name == "guess":
        file = f"game.{SUFFIX[language]}"
        about = (GUESS / "about.json").read_text()
        (folder / "about.json").write_text(about)
        (folder / file).write_text((GUESS / file).read_text().replace("@ABOUT@", about))
    if languages()[language].build:
        done = subprocess.run(
            ["make", "-s", "-C", folder, *FASTER], capture_output=True, text=True, check=True
        )
        assert (done.stdout, done.stderr) == ("", "")
    return folder


def talked(folder: Path, *messages: Message) -> "subprocess.CompletedProcess[str]":
    """Send messages to a game, outside of any sandbox."""
    said = "".join(f"{json.dumps(message)}\n" for message in messages)
    command = read_game_file(folder).command
    words = [sys.executable if word == PYTHON else word for word in command]
    return subprocess.run(words, input=said, cwd=folder, capture_output=True, text=True, timeout=60)


def answered(folder: Path, *messages: Message) -> list[Message]:
    """Return what a game answers."""
    done = talked(folder, *messages)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_language_is_tried_here(language: str) -> None:
    if missing := lacking(languages()[language]):
        pytest.skip(f"NO {' AND NO '.join(missing)} HERE: NO GAME IN {language.upper()} IS TRIED")


# --- the command


def test_the_command_writes_a_game_and_says_what_to_do_next(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    done = arena("new-game", "four", "--lang", "c++")
    assert "C++ needs make and c++, which are not found on the PATH." in " ".join(
        done.stderr.split()
    )
    next_ = "make -C four; arena check-game ./four; arena play ./four human sensible"
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (0, f"Next: {next_}")
    assert '"name": "four"' in Path("four/game.cpp").read_text()
    assert Path("four/rules.md").read_text().startswith("# Four\n")


def test_a_mistake_is_named_and_nothing_written(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("full").mkdir()
    Path("full/file").touch()
    for words in (
        *("four --lang pyton", "four --lang go", "four-in-a-row --lang cpp", "duel --lang cpp"),
        *(f"{'x' * 41} --lang cpp", "full --lang cpp", "four --single --lang cpp"),
    ):
        done = arena("new-game", *words.split())
        assert done.exit_code == 2
        golden(done.stderr)
        assert [path.name for path in tmp_path.iterdir()] == ["full"]
    assert [find_program_language(word)[0] for word in ("C++", "node", "rs", "py")] == [
        *("cpp", "javascript", "rust", "python"),
    ]


# --- the game that is begun


def course(kind: type[Game], seed: int) -> list[Any]:
    """Return all that is seen of a match that is played at random, with copies on the way."""
    rng, seen = Random(seed), []
    options = kind.options_type() if seed else kind.options_type(size=4)  # type: ignore[call-arg]
    game = kind(seats=2, options=options, chance=Chance(f"{seed}"))
    while seats := game.deciders():
        moves = {}
        for seat in seats:
            decision = game.decision(seat)
            moves[seat] = game.sample(seat, rng)
            seen.append([seat, decision, game.view(seat), game.describe(seat, moves[seat])])
        seen.append([game.view(seat) for seat in range(2)])
        game = twin(game, rng)
        game.apply(moves)
    return [*seen, game.reason, game.places(), game.scores(), game.numbers()]


@pytest.mark.slow
def test_the_programs_in_all_languages_play_the_same_matches(home: Path) -> None:
    courses = {}
    for language in HERE:
        kind = find_game(str(made(home, language)))
        courses[language] = [course(kind, seed) for seed in (0, 1, 2, 17, 25)]
    reasons = {each[-4] for each in courses["python"]}
    assert reasons == {"line", "full"}
    for language in HERE:
        assert courses[language] == courses["python"], language


# --- the kits


def new(match: int, **changes: Any) -> Message:
    message = {"type": "new", "match": match, "seats": 2, "options": {"high": 100}, "seed": "7"}
    return message | changes


def of(kind: str, match: int, **more: Any) -> Message:
    return {"type": kind, "match": match, **more}


def guesses(match: int, *numbers: int, **more: Any) -> Message:
    moves = [{"seat": seat, "move": {"guess": number}} for seat, number in enumerate(numbers)]
    return of("apply", match, moves=moves, **more)


TALK: list[Message] = [
    {"type": "hello", "protocol": 1},
    new(1),
    new(2, seats=3, seed="ñ€😀"),
    new(3, options={"high": 13}),
    of("check", 1, seat=0, move={"guess": 101}),
    of("check", 1, seat=0, move={"guess": 99, "why": "a\u0001b😀"}),
    of("sample", 1, seat=1, seed=2**47 + 1),
    of("show", 1, seat=None),
    of("show", 2, seat=2),
    of("copy", 1, to=4),
    of("copy", 1, to=5, seed="other"),
    of("resample", 1, to=6, seat=1, seed="8"),
    guesses(1, 50, 60),
    guesses(4, 50, 60),
    guesses(5, 50, 60),
    guesses(6, 50, 60),
    of("view", 1, seat=0),
    of("end", 1),
    guesses(2, 1, 2, 3, withdrawn=[1]),
    guesses(2, 1, 2, 3),
    guesses(4, 100, 1),
]


@pytest.mark.slow
def test_the_kits_of_all_languages_answer_alike(home: Path) -> None:
    talk = {language: answered(made(home, language, "guess"), *TALK) for language in HERE}
    python = talk["python"]
    assert len(python) == len(TALK) - 1
    kinds = [answer["type"] for answer in python]
    assert kinds[:4] == ["game", "state", "state", "error"]
    assert python[1]["called"] == ["ñandú", "two"]
    assert python[3]["text"] == "nobody plays with 13 números"
    assert python[5] == {"type": "checked", "move": {"guess": 99}}
    assert sorted(python[0]["can"]) == ["check", "copy", "describe", "resample", "show"]
    at, other = TALK.index(guesses(1, 50, 60)), TALK.index(of("copy", 1, to=5, seed="other"))
    hits = [python[n]["asks"][0]["view"]["hits"] for n in (other, *range(at, at + 4))]
    assert (hits[0], hits[1]) == ([0, 0], hits[2]), "a copy has the chance of its seed"
    assert len({*map(str, (hits[1], *hits[3:]))}) == 3

    def plainly(answer: Message) -> Message:
        """Return what is not nothing, which some leave out."""
        more = {"can": sorted(answer["can"])} if "can" in answer else {}
        empty = ("refused", "numbers")
        kept = {key: value for key, value in answer.items() if value or key not in empty}
        return {key: value for key, value in kept.items() if value != ""} | more

    for language, answers in talk.items():
        assert [*map(plainly, answers)] == [*map(plainly, python)], language


@each_built_slow
def test_chance_is_the_same_in_all_languages(language: str, home: Path) -> None:
    vectors = json.loads((ROOT / "tests" / "vectors" / "chance_of_programs.json").read_text())
    asked, wanted = [], []
    for each in vectors["below"]:
        asked.append({**each, "shuffle": False})
        wanted.append(str(each["number"]))
    for each in vectors["shuffled"]:
        asked.append({**each, "limit": each["items"], "shuffle": True})
        wanted.append(" ".join(map(str, each["order"])))
    folder = made(home, language, "guess")
    messages = [of("describe", 1, seat=0, move=move) for move in asked]
    answers = answered(folder, new(1), *messages)[1:]
    assert [answer["text"] for answer in answers] == wanted


ERRORS = {
    "python": "KeyError: 'seed'",
    "javascript": "TypeError: names is not iterable (cannot read property undefined)",
    "cpp": 'game: game.cpp:(line): no member seed in: {"limit": 6}',
    "rust": 'game.rs:(line): there is no "seed" in {"limit":6}',
}
"""What a program says last of a member that is not there."""


@each_built_slow
def test_what_goes_wrong_in_a_game_is_said_with_its_words(language: str, home: Path) -> None:
    messages = [new(1), of("describe", 1, seat=0, move={"limit": 6})]
    done = talked(made(home, language, "guess"), *messages)
    assert done.returncode != 0
    assert len(done.stdout.splitlines()) == 1
    assert re.sub(r":\d+:", ":(line):", last_word(done.stderr)) == ERRORS[language]

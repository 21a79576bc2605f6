"""Games that are programs: `arena new-game --lang`, and the kits, alike in all languages."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

from arena.author.new import languages
from arena.author.new_game import find_program_language, lacking, program_languages, write_program
from referee.chance import Chance
from referee.game import Game, twin
from referee.loading import find_game
from referee.program.file import read_game_file
from referee.sandbox import PYTHON
from referee.verdict import last_word
from tests.arena.conftest import ARENA, ROOT, Arena

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


def arena_in(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [*ARENA, *words], cwd=folder, env=environment, capture_output=True, text=True, timeout=120
    )


def answered(folder: Path, *messages: Message) -> list[Message]:
    """Return what a game answers to some messages, outside of any sandbox."""
    done = talked(folder, *messages)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def talked(folder: Path, *messages: Message) -> "subprocess.CompletedProcess[str]":
    words = read_game_file(folder).command
    return subprocess.run(
        [sys.executable if word == PYTHON else word for word in words],
        input="".join(f"{json.dumps(message)}\n" for message in messages),
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
    )


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
    assert done.exit_code == 0
    assert done.stdout.splitlines()[-1] == (
        "Next: make -C four; arena check-game ./four; arena play ./four human sensible"
    )
    assert sorted(path.name for path in Path("four").iterdir()) == [
        *("Makefile", "bots", "game.cpp", "game.toml", "game_kit.hpp", "kit.hpp", "rules.md"),
    ]
    assert '"name": "four"' in Path("four/game.cpp").read_text()
    assert Path("four/rules.md").read_text().startswith("# Four\n")


def test_what_runs_in_the_arena_is_begun_without_a_language(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert arena("new-game", "four").exit_code == 0
    files = [path for path in Path("four").rglob("*") if path.is_file()]
    assert sorted(path.relative_to("four").as_posix() for path in files) == [
        *("README.md", "four/__init__.py", "four/bots/kit.py", "four/bots/sensible.py"),
        *("four/game.py", "four/rules.md", "pyproject.toml", "tests/test_game.py"),
    ]


def test_a_mistake_is_named_and_nothing_written(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("full").mkdir()
    Path("full/file").touch()
    for words, error in (
        ("four --lang pyton", "no game can be begun in 'pyton'. Did you mean 'python'?"),
        ("four --lang go", "no game can be begun in 'go'."),
        ("four-in-a-row --lang cpp", "a game is called by small letters, digits and _"),
        ("duel --lang cpp", "'duel' is a bundled game; give yours another name."),
        (f"{'x' * 41} --lang cpp", "the name of a game that is a program has at most 40"),
        ("full --lang cpp", "full exists and is not empty; name a new folder."),
        ("four --single --lang cpp", "--single writes a class in Python"),
    ):
        done = arena("new-game", *words.split())
        assert done.exit_code == 2
        assert error in " ".join(done.stderr.split())
        assert sorted(path.name for path in tmp_path.iterdir()) == ["full"]
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


@pytest.mark.slow
@pytest.mark.skipif("rust" not in HERE, reason="NO RUST HERE")
def test_it_passes_all_steps_of_the_check(home: Path) -> None:
    """That in C++ is checked by docs/game-program.md."""
    done = arena_in(made(home, "rust"), "check-game", ".", "--format", "json")
    steps = {step["step"]: step for step in json.loads(done.stdout)["steps"]}
    assert {name for name, step in steps.items() if step["state"] == "failed"} == set()
    skipped = {name for name, step in steps.items() if step["state"] == "skipped"}
    assert skipped == {"world", "numbered", "draws", "events", "keyed"}
    assert done.returncode == 0


@pytest.mark.slow  # it plays many matches
@pytest.mark.parametrize("language", [name for name in HERE if not languages()[name].build])
def test_what_needs_no_build_passes_some_steps_of_the_check(language: str, home: Path) -> None:
    steps = ["fields", "schemas", "ends-withdrawn", "stable", "resample", "scene", "described"]
    words = [word for step in steps for word in ("--step", step)]
    done = arena_in(made(home, language), "check-game", ".", *words)
    assert done.returncode == 0, done.stdout


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
    for language, answers in talk.items():
        answers[0]["can"].sort()
        for answer in answers:  # what they leave out where it is nothing
            for key, nothing in (("refused", ""), ("numbers", {})):
                if answer.get(key) == nothing:
                    del answer[key]
        assert answers == [*map(plainly, python)], language


def plainly(answer: Message) -> Message:
    return {key: value for key, value in answer.items() if value != ""}


def hits_of(state: Message) -> list[int]:
    hits: list[int] = state["asks"][0]["view"]["hits"]
    return hits


@each_built_slow
def test_a_copy_has_the_chance_of_its_seed(language: str, home: Path) -> None:
    answers = answered(made(home, language, "guess"), *TALK)
    at = TALK.index(guesses(1, 50, 60))
    mine, same, other, resampled = (hits_of(answers[at + each]) for each in range(4))
    assert mine == same
    assert len({*map(str, (mine, other, resampled))}) == 3
    assert hits_of(answers[TALK.index(of("copy", 1, to=5, seed="other"))]) == [0, 0]


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


@pytest.mark.slow  # two commands, as the game's folder is where they are started
def test_the_arena_shows_what_went_wrong_in_a_game(home: Path, tmp_path: Path) -> None:
    shutil.copytree(made(home, "python"), tmp_path / "my_game")
    file = tmp_path / "my_game" / "game.py"
    wrong = 'raise ValueError("a rule is wrong")'
    file.write_text(file.read_text().replace("self.mark(moves[self.to_move])", wrong))
    done = arena_in(tmp_path, "play", "./my_game", "random", "random")
    assert done.returncode != 0
    assert "'my_game' is gone" in done.stderr
    assert "ValueError: a rule is wrong" in done.stderr
    assert 'game.py", line' in done.stderr
    checked = arena_in(tmp_path, "check-game", "./my_game", "--step", "ends-random")
    assert checked.returncode == 1
    assert 'game.py", line' in checked.stdout

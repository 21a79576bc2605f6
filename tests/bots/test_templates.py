"""The templates of `arena new`: every language plays every game, and all play it alike."""

import json
import os
import subprocess
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from arena.author.new import TEMPLATES
from referee.folder import ideas_of
from referee.games import GAMES
from tests.bots.driver import Message
from tests.bots.template_cases import (
    HERE,
    LANGUAGES,
    NEAR,
    PAIRS,
    Built,
    answers,
    built,
    conversation,
    line,
    play,
    recorded,
)

ECHO = "tod_und_leben"
"""The template that answers the first legal move, whatever is asked."""
SIMPLER = ("shell",)
"""The languages that play simpler than Python, and read only what the referee writes."""
ALIKE = [name for name in HERE if name not in SIMPLER]


def pairs(languages: Iterable[str]) -> pytest.MarkDecorator:
    """Run a test for languages with every game; in `make test` with some of them."""
    here = set(languages)
    found = [
        pytest.param(*pair, marks=[] if pair in NEAR else pytest.mark.soak)
        for pair in PAIRS
        if pair[0] in here
    ]
    return pytest.mark.parametrize(("language", "game"), found)


every_game = pytest.mark.parametrize("game", GAMES)
every_language = pytest.mark.parametrize("language", HERE)


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of all that is built, shared by the processes of one session."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture
def echo(language: str, home: Path) -> Built:
    return built(language, ECHO, home)


def hello(**changes: Any) -> Message:
    return {"type": "hello", "protocol": 1, "name": "test"} | changes


def beginning(**changes: Any) -> Message:
    message = {"type": "start", "match": "3f9a-0", "game": "duel", "seat": 1, "seats": 2}
    clock = {"judge": "cpu", "move_time": 1.0, "bank": 0.0, "increment": 0.0}
    return message | {"options": {}, "table": {}, "clock": clock, "seed": 2**53} | changes


def asked(number: int, *legal: Any, view: Any = None, **changes: Any) -> Message:
    message = {"type": "ask", "id": number, "decision": "any", "view": view or {}}
    return message | {"legal": list(legal), "clock": {"move_time": 1.0, "bank": 0.0}} | changes


def told(*messages: Message) -> bytes:
    return b"".join(map(line, messages))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_language_is_tried_here(language: str) -> None:
    if missing := LANGUAGES[language].lacking:
        title = LANGUAGES[language].title.upper()
        pytest.skip(f"NO {' AND NO '.join(missing)} HERE: NOTHING IN {title} IS BUILT OR TRIED")


@pytest.mark.parametrize("language", LANGUAGES)
def test_there_is_a_template_of_every_game(language: str) -> None:
    ending = LANGUAGES[language].ending
    found = {path.name for path in (TEMPLATES / language).iterdir() if path.is_file()}
    assert {f"{game}.{ending}" for game in GAMES} <= found
    assert ("Makefile" in found) == LANGUAGES[language].builds


def test_the_languages_are_the_folders() -> None:
    folders = {path.name for path in TEMPLATES.iterdir() if path.is_dir()}
    assert folders - {"__pycache__"} == set(LANGUAGES)


@every_game
def test_an_idea_needs_what_a_view_holds_or_the_options(game: str) -> None:
    views = [asked.message["view"] for asked in recorded(game)]
    for idea in ideas_of(GAMES[game]) or ():
        assert idea.text.endswith(".")
        assert {*idea.fields} <= {*views[0], "options"}, idea


@every_game
def test_every_decision_comes_up(game: str) -> None:
    assert {asked.message["decision"] for asked in recorded(game)} == set(GAMES[game].decisions)


@pairs(HERE)
def test_it_is_built_without_a_word(language: str, game: str, home: Path) -> None:
    bot = built(language, game, home)
    assert bot.printed == ""
    for name in LANGUAGES[language].files or []:
        assert (bot.folder / name).exists()


@pairs(name for name in ALIKE if name != "python")
def test_it_answers_as_python_does(language: str, game: str, home: Path) -> None:
    moves = [answers(built(name, game, home), conversation(game)) for name in (language, "python")]
    for _, _, _, message in recorded(game):
        number = message["id"]
        assert moves[0][number] == moves[1][number], message
    assert moves[0].keys() == moves[1].keys()


@pairs(["python", *(name for name in SIMPLER if name in HERE)])
def test_its_answers_are_legal(language: str, game: str, home: Path) -> None:
    moves = answers(built(language, game, home), conversation(game))
    for position, seat, _, message in recorded(game):
        move = moves[message["id"]]
        reason = position.refusal(seat, move)
        assert reason is None, f"{move}: {reason} {message}"


@pairs(HERE)
def test_it_plays_whole_matches_in_one_process(language: str, game: str, home: Path) -> None:
    with built(language, game, home).started() as program:
        program.greet()
        for seed in range(2):
            play(program, game, seed)
        assert program.leave() == 0


@every_language
def test_it_ends_when_its_input_does(echo: Built) -> None:
    assert answers(echo, told(hello())) == {}


PRINTED = {
    "python": ("import kit\n", "import kit\nprint('loading')\n"),
    "javascript": ('require("./kit.js");\n', 'require("./kit.js");\nconsole.log("loading");\n'),
    "c": ("return run(", 'puts("loading");\n    fflush(stdout);\n    return run('),
    "cpp": ("return kit::run(", 'std::cout << "loading" << std::endl;\n    return kit::run('),
    "go": ("Run(choose)", 'os.Stdout.WriteString("loading\\n")\n\tRun(choose)'),
}
"""What is printed by a bot before it plays, in place of what; others have no way to catch that."""


@pytest.mark.parametrize("language", [name for name in HERE if name in PRINTED])
def test_what_is_printed_before_it_plays_is_no_reply(language: str, tmp_path: Path) -> None:
    bot = built(language, ECHO, tmp_path)
    source = bot.folder / LANGUAGES[language].bot
    text = source.read_text()
    assert text.count(PRINTED[language][0]) == 1
    text = text.replace(*PRINTED[language])
    if language == "go":
        text = text.replace("package main\n", 'package main\n\nimport "os"\n')
    source.write_text(text)
    if LANGUAGES[language].builds:
        subprocess.run(["make", "-C", bot.folder], check=True, capture_output=True)
    with bot.started() as program:
        program.tell(hello())
        assert program.hear() == {"type": "ready"}
        assert program.leave() == 0
        assert "loading" in program.errors()


@every_language
def test_it_ignores_messages_and_fields_that_it_does_not_know(echo: Built) -> None:
    rumour = {"type": "rumour", "id": 8, "of": [1, {"legal": [{"type": "ask"}]}]}
    messages = (
        hello(weather="fine"),
        rumour,
        beginning(mood=None),
        asked(7, {"card": "4E"}, {"card": "5E"}, hurry={"up": True}),
        rumour,
        {"type": "end", "places": [1, 2], "reason": "retreat", "applause": 1e3},
    )
    assert answers(echo, told(*messages)) == {7: {"card": "4E"}}


@every_language
def test_a_line_may_be_long(echo: Built) -> None:
    long = asked(1, {"card": "4E"}, {"card": "5E"}, view={"log": ["ñ" * 50_000]})
    messages = told(hello(), beginning(), long, asked(2, {"card": "6E"}))
    assert answers(echo, messages) == {1: {"card": "4E"}, 2: {"card": "6E"}}


@every_language
def test_what_goes_wrong_in_a_choice_ends_it_with_a_message(echo: Built) -> None:
    with echo.started() as program:
        program.greet()
        program.tell(beginning())
        program.tell(asked(1))  # no move is legal
        with pytest.raises(EOFError):
            program.hear()
        assert program.process.wait(10) != 0
        assert program.errors().strip()


@pytest.mark.parametrize("language", ALIKE)
def test_the_order_of_keys_does_not_matter(echo: Built) -> None:
    messages = hello(), beginning(), asked(3, {"action": "attack", "cards": ["B3"]})
    text = told(*(dict(reversed(message.items())) for message in messages))
    assert answers(echo, text) == {3: {"action": "attack", "cards": ["B3"]}}


TEXTS = [
    "",
    "plain",
    'with "quotes", \\ and /',
    "\b\f\n\r\t\x1f\x7f",
    "¡olé! ñ 的 😀",
    "\u2028\u2029\ufeff",
    '"legal":[{"type":"ask","id":1}]',
]
NUMBERS = [0, -1, 2**31, -(2**53), 2**53, 0.25, -1.5e-3, 1e300]
MOVES = [
    {"say": TEXTS},
    {"numbers": NUMBERS, "words": [True, False, None], "empty": [[], {}, ""]},
    {"": {" a ": [[[{"b": [{}]}]]], "é\n": 1}},
    json.loads('{"deep":' * 30 + "1" + "}" * 30),
]


@pytest.mark.parametrize("language", ALIKE)
@pytest.mark.parametrize("escaped", [False, True], ids=["raw", "escaped"])
def test_it_reads_and_writes_any_json(escaped: bool, echo: Built) -> None:
    asks = [asked(n, move, {"no": 1}, view={"as": MOVES}) for n, move in enumerate(MOVES, 1)]
    spell = partial(json.dumps, ensure_ascii=escaped, indent="\t" if escaped else None)
    lines = (spell(message).replace("\n", " ") for message in (hello(), beginning(), *asks))
    text = "".join(f"{each}\n" for each in lines).encode()
    assert answers(echo, text) == dict(enumerate(MOVES, 1))

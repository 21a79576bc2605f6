"""The starters of `arena new`: every language plays every game, and knows nothing of it."""

import json
import os
import subprocess
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from arena.author.new import TEMPLATES
from referee.catalog.folder import ideas_of
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
    laid_out,
    line,
    recorded,
    replies,
)

ECHO = "tod_und_leben"
"""A game without decisions: its bot makes any legal move, whatever is asked."""

SIMPLER = ("shell",)
"""The languages without dice, which read only what the referee writes."""

ALIKE = [name for name in HERE if name not in SIMPLER]


def pairs(languages: Iterable[str]) -> pytest.MarkDecorator:
    """Run a test for languages with every game; in `make test` with some of them."""
    here = set(languages)
    found = [
        pytest.param(*pair, marks=[] if pair in NEAR else pytest.mark.slow)
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


def test_a_language_has_a_starter_and_a_kit_and_nothing_for_a_game() -> None:
    folders = {path.name for path in TEMPLATES.iterdir() if path.is_dir()}
    assert folders - {"__pycache__"} == {*LANGUAGES}
    for language, kind in LANGUAGES.items():
        found = {path.name for path in (TEMPLATES / language).iterdir() if path.is_file()}
        more = {"modules.toml"} if language == "python" else set()  # by which packages are imported
        assert found - more == {kind.bot, kind.kit, *(["Makefile"] if kind.build else [])}


@every_game
def test_every_decision_comes_up_and_an_idea_needs_what_a_view_holds_or_the_options(
    game: str,
) -> None:
    messages = [asked.message for asked in recorded(game)]
    assert {message["decision"] for message in messages} == {*GAMES[game].decisions}
    for idea in ideas_of(GAMES[game]) or ():
        assert idea.text.endswith(".")
        assert {*idea.fields} <= {*messages[0]["view"], "options"}, idea


@pytest.mark.quick(1)
@pairs(HERE)
def test_it_is_built_without_a_word_and_answers_by_moves_that_it_was_shown(
    language: str, game: str, home: Path
) -> None:
    bot = built(language, game, home)
    assert bot.printed == ""
    assert all((bot.folder / name).exists() for name in LANGUAGES[language].files or [])
    moves = answers(bot, conversation(game))
    places = set()
    for _, _, _, message in recorded(game):
        shown = message.get("legal") or message["samples"]
        assert moves[message["id"]] in shown, message
        places.add(shown.index(moves[message["id"]]) > 0)
    assert len(moves) == sum(1 for _ in recorded(game))
    if GAMES[game].decisions:
        assert places == ({False} if language in SIMPLER else {False, True})


@pytest.mark.quick(1)
@every_language
def test_it_answers_alike_when_all_is_repeated(language: str, home: Path) -> None:
    bot = built(language, "guerra", home)
    assert answers(bot, conversation("guerra")) == answers(bot, conversation("guerra"))


PRINTED = {
    "python": ("import kit\n", "import kit\nprint('loading')\n"),
    "javascript": ('require("./kit.js");\n', 'require("./kit.js");\nconsole.log("loading");\n'),
    "c": ("return run(", 'puts("loading");\n    fflush(stdout);\n    return run('),
    "cpp": ("return kit::run(", 'std::cout << "loading" << std::endl;\n    return kit::run('),
    "go": ("Run(choose)", 'os.Stdout.WriteString("loading\\n")\n\tRun(choose)'),
}
"""What is printed by a bot before it plays, in place of what; others have no way to catch that."""


@pytest.mark.quick(1)
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
    if LANGUAGES[language].build:
        subprocess.run(["make", "-C", bot.folder], check=True, capture_output=True)
    with bot.started() as program:
        program.greet()
        assert program.leave() == 0
        assert "loading" in program.errors()


@every_language
def test_it_ignores_what_it_does_not_know_and_a_line_may_be_long(echo: Built) -> None:
    rumour = {"type": "rumour", "id": 8, "of": [1, {"legal": [{"type": "ask"}]}]}
    messages = (
        *(hello(weather="fine"), rumour, beginning(mood=None)),
        *(asked(7, {"card": "4E"}, hurry={"up": True}), rumour),
        asked(8, {"card": "5E"}, view={"log": ["ñ" * 50_000]}),
        asked(9, {"card": "6E"}),
        {"type": "end", "places": [1, 2], "reason": "retreat", "applause": 1e3},
    )
    expected = {7: {"card": "4E"}, 8: {"card": "5E"}, 9: {"card": "6E"}}
    assert answers(echo, told(*messages)) == expected


@every_language
def test_what_goes_wrong_in_a_choice_ends_it_with_a_message(echo: Built) -> None:
    with echo.started() as program:
        program.greet()
        program.tell(beginning())
        program.tell(asked(1))  # no move is listed, and there are no samples
        with pytest.raises(EOFError):
            program.hear()
        assert program.process.wait(10) != 0
        assert program.errors().strip()


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
def test_it_reads_and_writes_any_json_in_any_order(escaped: bool, echo: Built) -> None:
    asks = [asked(n, move, view={"as": MOVES}) for n, move in enumerate(MOVES, 1)]
    if escaped:
        asks = [dict(reversed(ask.items())) for ask in asks]
    spell = partial(json.dumps, ensure_ascii=escaped, indent="\t" if escaped else None)
    lines = (spell(message).replace("\n", " ") for message in (hello(), beginning(), *asks))
    text = "".join(f"{each}\n" for each in lines).encode()
    assert answers(echo, text) == dict(enumerate(MOVES, 1))


@every_language
def test_listed_moves_come_before_samples_and_a_view_may_hold_both_words(echo: Built) -> None:
    no = {"no": 1}
    within = {"legal": no, "samples": [no], "of": {"legal": [no]}, "said": '"legal":[{"no":1}]'}
    moves: list[dict[str, Any]] = [
        {"say": 'a "}" and a \\', "deep": {"of": [{}, [1, -2.5, []], "", None, True]}},
        {"legal": [no], "samples": [[no]]},
        {},
    ]
    messages = [hello(), beginning()]
    for number, move in enumerate(moves):
        messages.append(asked(2 * number, move, view=within, samples=[no], decision="samples"))
        sampled = asked(2 * number + 1, view=within, limits=within, samples=[move])
        del sampled["legal"]
        messages.append(sampled)
    expected = {2 * n + k: move for n, move in enumerate(moves) for k in (0, 1)}
    assert answers(echo, told(*messages)) == expected


# The kits: what a program of an author's reads and writes by them
VIEW = {
    "hand": ["C1", 'é"\\\n', "😀"],
    "markers": [[0, 1], [20, 3]],
    "who": {"with": 2, "none": None},
    "flag": True,
    "half": 0.5,
    "word": "one two",
}

BUILT = {
    "hand": VIEW["hand"],
    "first": "C1",
    "count": 3,
    "sum": 23,
    "ally": 2,
    "absent": [False, False],
    "flag": True,
    "twice": 1.0,
    "seat": 1,
    "option": 40,
    "of": {"a": [], "none": None, "say": 'with "quotes" \\'},
    "samples": 2,
}
"""What the programs in `kits/` answer to that view, all alike."""

KITS = Path(__file__).parent / "kits"


@pytest.fixture
def author(language: str, home: Path) -> Built:
    """A bot whose program uses the kit as an author may."""
    source = KITS / LANGUAGES[language].bot
    return laid_out(language, home / f"{language}-author", GAMES[ECHO], source.read_text())


@pytest.mark.quick(1)
@every_language
def test_an_author_reads_a_view_and_writes_a_move(language: str, author: Built) -> None:
    start = beginning(options={"deck": 40})
    ask = asked(1, view=VIEW, samples=[{"n": 1}, {"n": 2}])
    expected = {"id": 1, "move": BUILT, "note": 'a "word"'}
    if language in SIMPLER:
        few = {key: BUILT[key] for key in ("first", "seat", "ally", "option")}
        expected |= {"move": few, "note": "a word"}
    assert replies(author, told(hello(), start, ask)) == [expected]


NAMED = {"go": "cannot unmarshal", "shell": 'there is no "with" in: {"type":"ask"'}
"""What is said by kits that do not name the author's own line, which reads `with`."""


@pytest.mark.parametrize("language", [name for name in HERE if name != "javascript"])
def test_what_is_not_there_ends_the_bot_and_is_named(language: str, author: Built) -> None:
    with author.started() as program:
        program.greet()
        program.tell(beginning(options={"deck": 40}))
        program.tell(asked(1, view={"hand": 7, "who": {}}))
        with pytest.raises(EOFError):
            program.hear()
        assert program.process.wait(10) != 0
        said = program.errors()
    assert "with" in said or language == "go"
    assert (NAMED.get(language) or reads_with(language)) in said


def reads_with(language: str) -> str:
    """Return where the author's program reads `with`, as messages name it."""
    name = LANGUAGES[language].bot
    lines = (KITS / name).read_text().splitlines()
    number = next(number for number, text in enumerate(lines, 1) if '"with"' in text)
    return f'{name}", line {number}' if language == "python" else f"{name}:{number}"

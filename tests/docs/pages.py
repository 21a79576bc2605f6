"""The pages of the documentation as scripts, for those who write them.

A page is done from top to bottom as a reader would, in one new folder that is also the home:
`arena` and `python` are this project's, COLUMNS is 80, and NO_COLOR is set. Each fenced block is

- commands, if it is called `sh` or `console` (there, what follows `$ `; the rest is output). A
  command is one line, or several joined by backslashes. `cd` lasts; variables do not. Every
  command must exit with 0. What is left in the background, its output in a file, ends with the
  page;
- a program or a file that the reader writes, if a comment says where: it is executable if it
  begins with `#!`, and some command or other file must name it;
- data or text (`json`, `toml`, `yaml`, `ini`, `nginx`, `csv`, `mermaid`, `text`, `transcript`, or
  nothing). JSON and TOML must parse.

Anything else fails, so that no program is left out silently. What readers need not see stands in
comments before a block, one or several; they begin with a small letter:

    <!-- file: mine/bot.py -->   the block is this file, in the folder where the reader is
    <!-- given: COMMANDS -->     a script in bash, over several lines if need be, done here,
                                 unseen; prepares what the reader is taken to have. $PROJECT is
                                 the folder of this project
    <!-- exits: 1 -->            with this code ends the last command of the block
    <!-- exact -->               the commands of the block print what it shows below them; `…`
                                 stands for any text in a line; alone in a line it, or `...`,
                                 stands for any lines. A command with nothing below is not
                                 compared
    <!-- like -->                the same, but for figures: any number may be another one, with
                                 as many digits as it likes, a rank an interval, and the rows
                                 of a table in another order. For what a drawn seed decides
    <!-- output -->              the block is what the last command printed, seen or given
    <!-- as: COMMAND -->         done instead of the block's first command, where that cannot be
                                 done here, such as `make demo`
    <!-- types: g -->            the commands are done at a terminal, where somebody answers
                                 every prompt (`> `) so
    <!-- commands -->            before a paragraph or a table: what stands there in `code`, in
                                 the first column of a table, and begins with `arena` is done
    <!-- not run: REASON -->     the block is left out, for a reason: it needs another machine,
                                 the network, many minutes

Before figures that were measured stands `<!-- measured: ... -->`, which `tests.docs.figures` reads.

The match `3f9a-0`, after the name of a league, is a real one of it: with a fault if one has a
fault, and of the bot that the command names. `code` in a line may be a command too; it is not done,
but its options must be there. A league that takes long can be made small: `--deals 5`.
"""

import json
import re
import textwrap
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]


def pages_of(root: Path) -> list[str]:
    """Return the pages of a clone, as paths in it."""
    found = [
        *root.glob("*.md"),
        *(root / "docs").rglob("*.md"),
        *(root / "referee").rglob("*.md"),
        *root.glob("tests/README.md"),
    ]
    return [str(path.relative_to(root)) for path in sorted(found)]


PAGES = pages_of(ROOT)

SHELL, CONSOLE = "sh", "console"
TEXTS = ("", "csv", "ini", "json", "mermaid", "nginx", "text", "toml", "transcript", "yaml")
COMPARED = ("exact", "like")
MARKS = ("as", "commands", *COMPARED, "exits", "file", "given", "not run", "output", "types")
MEASURED = "measured"

_PARTS = re.compile(
    r"^ *<!--\s*(?P<comment>.*?)\s*-->"
    r"|^(?P<indent> *)(?P<fence>`{3,}|~{3,})(?P<info>[^\n]*)\n(?P<text>.*?)^ *(?P=fence) *$"
    r"|^(?P<table>\|[^\n]*\n)+"
    r"|^\S[^\n]*|^(?P<code>    +\S[^\n]*\n?)",
    re.MULTILINE | re.DOTALL,
)
_LOOKS_RUN = re.compile(r"^(\$ |#!|arena [a-z])", re.MULTILINE)


class PageError(AssertionError):
    """What is wrong with a page, and where."""

    def __init__(self, page: str, line: int, words: str) -> None:
        super().__init__(f"{page}:{line}: {words}")


class Command(NamedTuple):
    """What a reader types in line `line`; what it `shows`, if that is to be compared.

    Unless that `is_exact`, figures may be others.
    """

    line: int
    words: str
    shows: str | None = None
    is_exact: bool = True
    exits: int = 0
    types: str | None = None


class File(NamedTuple):
    """A file that the reader writes."""

    line: int
    path: str
    text: str


class Output(NamedTuple):
    """What the last command must have printed."""

    line: int
    text: str


class NotRun(NamedTuple):
    """A block that is left out, and why."""

    line: int
    reason: str


Step = Command | File | Output | NotRun
Marks = dict[str, str]


def read(page: str) -> list[Step]:
    """Return the steps of a page, named by its path in the project; PageError if one is unclear."""
    return steps_of(page, (ROOT / page).read_text(encoding="utf-8"))


def steps_of(page: str, text: str) -> list[Step]:
    """Return the steps of the text of a page."""
    steps = list(_Parsed(page, text).steps())
    for at, step in enumerate(steps):
        if isinstance(step, File) and not _is_used(step, [*steps[:at], *steps[at + 1 :]]):
            raise PageError(page, step.line, f"{step.path} is written, but nothing uses it")
    return steps


def _is_used(file: File, others: Sequence[Step]) -> bool:
    path = Path(file.path)
    words = {path.stem if path.suffix == ".py" else path.name, *path.parts}
    texts = [other.words for other in others if isinstance(other, Command)]
    texts += [other.text for other in others if isinstance(other, File)]
    return any(re.search(rf"\b{re.escape(word)}\b", text) for word in words for text in texts)


class _Parsed:
    """A page on its way to steps."""

    def __init__(self, page: str, text: str) -> None:
        self.page = page
        self.text = text
        self.marks: Marks = {}
        self.line = 0

    def steps(self) -> Iterator[Step]:
        for found in _PARTS.finditer(self.text):
            self.line = self.text.count("\n", 0, found.start()) + 1
            if found["comment"] is not None:
                yield from self.comment(found["comment"])
                continue
            marks, self.marks = self.marks, {}
            if found["fence"]:
                text = textwrap.dedent(found["text"]) if found["indent"] else found["text"]
                yield from self.block(found["info"].strip(), text, marks)
            elif "commands" in marks:
                yield from self.commands(list(self.spans(found.start())), marks)
            elif marks:
                raise self.error(f"no block follows the comment {next(iter(marks))!r}")
            elif found[0].startswith(("```", "~~~")):
                raise self.error("this block has no end")
            elif found["code"] and _LOOKS_RUN.match(found["code"].strip()):
                raise self.error("commands stand in blocks of ```sh or ```console")
        if self.marks:
            raise self.error(f"no block follows the comment {next(iter(self.marks))!r}")

    def error(self, words: str) -> PageError:
        return PageError(self.page, self.line, words)

    def comment(self, text: str) -> Iterator[Step]:
        mark, _, value = (part.strip() for part in text.partition(":"))
        if not mark[:1].islower() or mark == MEASURED:
            return
        if mark not in MARKS:
            raise self.error(f"{mark!r} is none of the comments that are known: {MARKS}")
        if (mark in ("commands", *COMPARED, "output")) == bool(value):
            raise self.error(f"the comment {mark!r} has {'no' if value else 'a'} value")
        if mark == "given":
            yield Command(self.line, value)
        else:
            self.marks[mark] = value

    def block(self, info: str, text: str, marks: Marks) -> Iterator[Step]:
        at = self.line + 1
        if "not run" in marks:
            yield NotRun(at, marks["not run"])
        elif "file" in marks:
            self.parse(info, text)
            yield File(at, marks["file"], text)
        elif "output" in marks:
            yield Output(at, text)
        elif info in (SHELL, CONSOLE):
            commands = list((_script if info == SHELL else _typed)(text, at))
            yield from self.commands(commands, marks)
        elif info not in TEXTS or _LOOKS_RUN.search(text):
            raise self.error(
                f"what stands here ({info or 'text'}) is not run: see tests/docs/pages.py"
            )
        elif marks:
            raise self.error(f"the comment {next(iter(marks))!r} is not for such a block")
        else:
            self.parse(info, text)

    def commands(self, commands: list[Command], marks: Marks) -> Iterator[Step]:
        if not commands:
            raise self.error("there is no command in this block")
        is_compared = not marks.keys().isdisjoint(COMPARED)
        if is_compared and all(command.shows is None for command in commands):
            raise self.error("the block shows no output")
        instead = [marks["as"]] if "as" in marks else []
        words = [*instead, *(command.words for command in commands[len(instead) :])]
        for command, done in zip(commands, words, strict=True):
            yield command._replace(
                words=done,
                shows=command.shows if is_compared else None,
                is_exact="like" not in marks,
                types=marks.get("types"),
                exits=int(marks.get("exits", 0)) if command is commands[-1] else 0,
            )

    def spans(self, start: int) -> Iterator[Command]:
        """Yield the commands in the lines of a paragraph or table that begins there."""
        part = self.text[start:].partition("\n\n")[0]
        part = re.sub(r"^(\|(?:\\\||[^|])*).*$", r"\1", part, flags=re.MULTILINE)
        for found in re.finditer(r"`(arena [^`]*)`", part):
            line = self.line + part.count("\n", 0, found.start())
            yield Command(line, " ".join(found[1].replace(r"\|", "|").split()))

    def parse(self, info: str, text: str) -> None:
        try:
            if info == "toml":
                tomllib.loads(text)
            elif info == "json":
                _parse_json(text)
        except ValueError as error:
            raise self.error(f"this is no {info}: {error}") from None


def _parse_json(text: str) -> None:
    """Parse values, one after the other; an object or list that holds `…` is empty."""
    rest = re.sub(r"(?<=[{\[])…(?=[}\]])", "", text).strip()
    while rest:
        _, end = json.JSONDecoder().raw_decode(rest)
        rest = rest[end:].lstrip()


def _script(text: str, at: int) -> Iterator[Command]:
    """Yield the commands of a script."""
    for found in re.finditer(r"^[ \t]*([^\s#](?:.*\\\n)*.*)$", text, re.MULTILINE):
        yield Command(at + text.count("\n", 0, found.start()), found[1].strip())


def _typed(text: str, at: int) -> Iterator[Command]:
    """Yield the commands of a session, with what is shown below them."""
    for found in re.finditer(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", text, re.MULTILINE):
        line = at + text.count("\n", 0, found.start())
        words = re.sub(r"\\\n> ?", "\\\n", found[1])
        yield Command(line, words, shows=found[2] or None)


def comments(text: str, name: str) -> Iterator[tuple[int, str]]:
    """Yield line and value of the comments in the text of a page that have a name."""
    for found in _PARTS.finditer(text):
        mark, _, value = (found["comment"] or "").partition(":")
        if mark.strip() == name:
            yield text.count("\n", 0, found.start()) + 1, " ".join(value.split())


def prose(text: str) -> str:
    """Return the text of a page without its blocks and comments."""

    def kept(found: re.Match[str]) -> str:
        return "" if found["fence"] or found["comment"] is not None else found[0]

    return _PARTS.sub(kept, text)

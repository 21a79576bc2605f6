"""Changes to the bots of a `league.toml` by command; whatever else stands there stays as it is."""

import errno
import fcntl
import os
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import tomlkit
from tomlkit.exceptions import TOMLKitError

from arena.folders import unwritten
from arena.league.file import LeagueFileError, file_of, read_text
from arena.league.plan import LeaguePlan
from arena.text import composed
from protocol.errors import ArenaError
from referee.options import suggestion

_MARK = b"\xef\xbb\xbf"
"""What some editors write before the text."""
_COMMENT = r"[ \t]*#[^\n]*\n"
_KEPT = ("key", "disqualified")
"""What belongs to a name rather than to its files, and outlives them."""


def add_bot(folder: Path, entry: Mapping[str, Any]) -> LeaguePlan:
    """Add a `[[bot]]` with these keys after the others, and return the league as it is then.

    Raises ArenaError if its name is taken, it cannot be found, or the league's file is wrong or
    cannot be written; then the file is as it was. The other functions here raise likewise.
    """
    return _changed(folder, str(entry["name"]), lambda text: text.add(entry))


def replace_bot(folder: Path, name: str, entry: Mapping[str, Any]) -> LeaguePlan:
    """Give the bot of a name these keys and no others, and return the league as it is then.

    Its `key`, and why it is disqualified, stay unless the entry says otherwise: they belong to
    the name. Raises ArenaError also if there is no such bot.
    """
    return _changed(
        folder,
        str(entry.get("name", name)),
        lambda text: text.replace(name, {"name": name, **entry}),
    )


def remove_bot(folder: Path, name: str) -> LeaguePlan:
    """Take the bot of a name out, and the comments above it; return the league as it is then.

    Raises ArenaError also if there is no such bot.
    """
    return _changed(folder, "", lambda text: text.remove(name))


def set_key(folder: Path, name: str, key: str, value: Any) -> LeaguePlan:
    """Set one key of the bot of a name, or take it out with None; return the league as it is then.

    Raises ArenaError also if there is no such bot.
    """
    return _changed(folder, "", lambda text: text.set(name, {key: value}))


def check_changeable(folder: Path) -> None:
    """Raise ArenaError if a league's file could not be changed now, before work is spent on it."""
    file, text = file_of(folder)
    read_text(file, text, "read")
    _Text(file, text)
    for path in (file, Path(os.path.realpath(file)).parent):
        if not os.access(path, os.W_OK, effective_ids=True):
            raise unwritten(path, PermissionError(errno.EACCES, os.strerror(errno.EACCES)))


def _changed(folder: Path, name: str, change: Callable[["_Text"], None]) -> LeaguePlan:
    """Change a league's file, in which the bot of a name, if one is given, must then be there."""
    while True:
        file, _ = file_of(folder)
        with _held(Path(os.path.realpath(file))) as real:
            _, before = file_of(folder)
            read_text(file, before, "read")  # what is wrong already is told by its line
            text = _Text(file, before)
            try:
                change(text)
                league = read_text(file, text.checked(), "read")
            except LeagueFileError as error:
                raise ArenaError(error.what) from None
            except TOMLKitError:
                raise _unchangeable(file) from None
            for bot in league.lost:
                if bot.name == composed(name):
                    raise ArenaError(f"bot {bot.name!r}: {bot.problem}")
            if file_of(folder)[1] == before:  # an editor knows nothing of the lock
                _replace(real, text.checked())
                return league


@contextmanager
def _held(file: Path) -> Iterator[Path]:
    """Keep other commands from changing a file until the end; wait for them before.

    The lock is on the file itself, and leaves nothing behind; whoever has waited while another
    was put in its place takes the lock of that one.
    """
    while True:
        try:
            descriptor = os.open(file, os.O_RDWR | os.O_CLOEXEC)
        except OSError as error:
            raise unwritten(file, error) from None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(descriptor), file.stat()):
                    yield file
                    return
        finally:
            os.close(descriptor)


def _replace(file: Path, text: str) -> None:
    """Put a text in the place of a file's, whole or not at all, with the same mode and owner."""
    new = file.with_name(f".{file.name}")
    try:
        now, mark = file.stat(), _begins_with_mark(file)
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as output:
            if (now.st_uid, now.st_gid) != (os.geteuid(), os.getegid()):
                with suppress(PermissionError):  # who may write here need not own it
                    os.fchown(descriptor, now.st_uid, now.st_gid)
            os.fchmod(descriptor, now.st_mode & 0o7777)
            output.write(mark + text.encode())
            output.flush()
            os.fsync(descriptor)
        new.replace(file)
        _keep_entries(file.parent)
    except OSError as error:
        raise unwritten(file, error) from None
    finally:
        new.unlink(missing_ok=True)


def _begins_with_mark(file: Path) -> bytes:
    with file.open("rb") as source:
        return _MARK if source.read(len(_MARK)) == _MARK else b""


def _keep_entries(folder: Path) -> None:
    """Let the disk have the names of a folder's files."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


# --- the text


@dataclass(eq=False)
class _Piece:
    """A part of a file: from the header of a table, or of a `[[bot]]`, up to the next."""

    lead: str
    """The comments right above it."""
    body: str
    """From the header to the last key."""
    below: str = ""
    """The comments right below it."""
    rest: str = ""
    """Empty lines, and comments that stand by themselves."""
    name: str | None = None
    """The bot's, if it is one."""

    def __str__(self) -> str:
        return self.lead + self.body + self.below + self.rest


class _Text:
    """The text of a league's file, in pieces, and the tables that it is to say."""

    def __init__(self, file: Path, text: str) -> None:
        self._file = file
        self._tables = tomllib.loads(text)
        self._bots: list[dict[str, Any]] = self._tables.pop("bot", [])
        self._end = "\r\n" if re.match(r"[^\n]*\r\n", text) else "\n"
        self._pieces = _pieces(text if text.endswith("\n") else text + self._end)
        if [piece.name for piece in self._own] != [bot["name"] for bot in self._bots]:
            raise ArenaError(
                f"{file}: a command can change only bots that are tables of their own, [[bot]]; "
                f"write them so, or edit the file by hand."
            )

    @property
    def _own(self) -> list[_Piece]:
        """The pieces that are bots."""
        return [piece for piece in self._pieces if piece.name is not None]

    def _find(self, name: str) -> int:
        """Return the number of the bot of a name; raise ArenaError if there is none."""
        names = [composed(bot["name"]) for bot in self._bots]
        if composed(name) not in names:
            known = suggestion(name, names) if names else "It has no bots."
            raise ArenaError(f"there is no bot {name!r} in {self._file}. {known}")
        return names.index(composed(name))

    def add(self, entry: Mapping[str, Any]) -> None:
        """Add a bot below the others, or else at the end."""
        last = self._own[-1] if self._bots else self._pieces[-1]
        at = self._pieces.index(last) + 1
        new = _Piece("", _with("[[bot]]\n", entry, self._end), name=entry["name"])
        if self._bots:
            new.rest = last.rest or self._end * (at < len(self._pieces))
            last.rest = ""
        if not re.search(r"(?:\A|\n)\r?\n\Z", last.rest):
            last.rest += self._end
        self._pieces.insert(at, new)
        self._bots.append(dict(entry))

    def remove(self, name: str) -> None:
        """Take a bot out, and the gap below it; comments that stand by themselves stay."""
        number = self._find(name)
        at = self._pieces.index(self._own[number])
        before, piece = self._pieces[at - 1], self._pieces[at]
        before.rest += piece.rest.lstrip("\r\n")
        if at + 1 == len(self._pieces):
            before.rest = before.rest.rstrip() + self._end if before.rest.strip() else ""
        del self._pieces[at], self._bots[number]

    def replace(self, name: str, entry: Mapping[str, Any]) -> None:
        """Give a bot other keys; those that it had and need not keep are taken out."""
        old = self._bots[self._find(name)]
        gone = {key: None for key in old if key not in _KEPT}
        self.set(name, {**gone, **entry})

    def set(self, name: str, keys: Mapping[str, Any]) -> None:
        """Set keys of a bot, or take out those that are None."""
        number = self._find(name)
        piece = self._own[number]
        now = self._bots[number]
        new = {key: value for key, value in keys.items() if now.get(key) != value}
        piece.body = _with(piece.body, new, self._end)
        table = {**now, **new}
        self._bots[number] = {key: value for key, value in table.items() if value is not None}

    def checked(self) -> str:
        """Return the text; raise ArenaError unless it says just what it is to say."""
        text = "".join(map(str, self._pieces))
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise ArenaError(
                f"{text[error.start : error.end]!r} is not UTF-8; a league's file can hold "
                f"nothing else."
            ) from None
        if _read(text) != self._tables | ({"bot": self._bots} if self._bots else {}):
            raise _unchangeable(self._file)
        return text


def _unchangeable(file: Path) -> ArenaError:
    return ArenaError(f"{file}: a command cannot make this change; edit the file by hand.")


def _with(body: str, keys: Mapping[str, Any], end: str) -> str:
    """Return the text of a `[[bot]]` with keys set, or taken out if they are None."""
    document = tomlkit.parse(body)
    table: Any = cast("Any", document)["bot"][0]
    for key, value in keys.items():
        if value is not None:
            table[key] = value
        elif key in table:
            del table[key]
    return re.sub("\r?\n", end, tomlkit.dumps(document))


def _pieces(text: str) -> list[_Piece]:
    """Return a file in pieces, which together are its text; the first may be without a header."""
    found = list(map(_piece, _parts(text)))
    for piece, following in pairwise(found):
        above = re.search(rf"(?:(?<=\n)|\A)(?:{_COMMENT})+\Z", piece.rest)
        if above:
            following.lead, piece.rest = above[0], piece.rest[: above.start()]
    for piece in found:
        below = re.match(f"(?:{_COMMENT})*", piece.rest)
        assert below
        piece.below, piece.rest = below[0], piece.rest[below.end() :]
    return found


def _parts(text: str) -> Iterator[str]:
    """Yield a text in parts that are TOML each, all but the first from a header on."""
    part = ""
    for line in _lines(text):
        if part and line.lstrip(" \t").startswith("[") and _read(part) is not None:
            yield part
            part = ""
        part += line
    yield part


def _piece(part: str) -> _Piece:
    """Return the piece of a part of a file, where nothing but comments follows its last key."""
    tables = _read(part)
    lines, rest = _lines(part), ""
    while len(lines) > 1 and _read("".join(lines[:-1])) == tables:
        rest = lines.pop() + rest
    match tables:
        case {"bot": [{"name": str(name)}], **others} if not others:
            return _Piece("", "".join(lines), rest=rest, name=name)
    return _Piece("", "".join(lines), rest=rest)


def _lines(text: str) -> list[str]:
    return re.findall(r"[^\n]*\n", text)


def _read(text: str) -> dict[str, Any] | None:
    """Return the tables of a text; None if it is not TOML, as it ends within something."""
    try:
        return tomllib.loads(text)
    except ValueError:
        return None

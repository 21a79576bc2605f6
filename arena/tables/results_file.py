"""Plain results files, JSON lines, CSV or PGN, for people who want nothing but a table."""

import csv
import json
import re
import sys
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import msgspec

from arena.league.bot import check_name
from arena.stats.outcomes import Deals, Result
from arena.stats.scores import Scores, Seated
from arena.tables.field import Field
from arena.text import composed, safe, unguarded
from protocol.errors import ArenaError
from referee.match.scoring import Number, is_number
from referee.rules.options import suggestion

STANDARD_INPUT = Path("-")
"""What is typed for a results file that comes through a pipe."""

_MATCH = '{"places": {"A": 1, "B": 2}}'  # how one is written
_REQUIRED = ("match", "bot", "place")
_COLUMNS = (*_REQUIRED, "deal", "score")
_INDEX = "(index)"
_PLACE = re.compile(r"[0-9]{1,9}(\.0*)?")  # 1.0 is how pandas writes it beside empty cells
_TAG = re.compile(r'\s*\[\s*(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\]\s*')
_TAG_BEGINS = re.compile(rb'\s*\[\s*\w+\s+"')
_ASIDE = ("%", "; ")  # how a line of PGN begins that is for people
_COMMENT = re.compile("[{;]")
_PLACES = {"1-0": (1, 2), "0-1": (2, 1), "1/2-1/2": (1, 1)}
_LINE_LIMIT = 1 << 20  # bytes, the newline included
_SHOWN = 40  # characters of somebody's text in a message


def read_results(path: Path, *, scores: bool = False) -> Field:
    """Return the field of a results file, or of standard input for `-`, perhaps with scores.

    Raises ArenaError with the file, the line and the remedy if anything is wrong: no line is
    passed over.
    """
    name = "standard input" if path == STANDARD_INPUT else str(path)
    try:
        with nullcontext(sys.stdin.buffer) if path == STANDARD_INPUT else path.open("rb") as stream:
            return _field(name, _Lines(name, stream), scores=scores)
    except FileNotFoundError:
        raise ArenaError(
            f"there is no league and no results file {name!r}: no such folder or file."
        ) from None
    except OSError as error:
        raise ArenaError(f"{name} cannot be read: {error.strerror}.") from None


class _Lines:
    """The lines of a file as text, counted, blank ones included; ArenaError if that fails."""

    def __init__(self, name: str, stream: BinaryIO) -> None:
        self._name = name
        self._stream = stream
        self._is_pgn = False
        self.number = 0
        """The number of the last line that was read."""

    def __iter__(self) -> Iterator[str]:
        while line := self._stream.readline(_LINE_LIMIT + 1):
            if not self.number:
                line = self._usual(line)
            self.number += 1
            if len(line) > _LINE_LIMIT:
                raise self.error("a line of more than 1 MiB; give every match a line of its own.")
            try:
                yield line.decode("utf-8-sig" if self.number == 1 else "utf-8")
            except UnicodeDecodeError:
                if not self._is_pgn:
                    raise self.error("not UTF-8; save the file with that encoding.") from None
                yield line.decode("latin-1")  # as the standard of PGN has it

    def _usual(self, line: bytes) -> bytes:
        """Return the first line of a file; turn UTF-16, as Excel's, and ends in CR into ours."""
        rest = b""
        if line.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
            try:
                line = (line + self._stream.read()).decode("utf-16").encode()
            except UnicodeDecodeError:
                self.number = 1
                raise self.error("not UTF-16, as it begins; save the file as UTF-8.") from None
        elif b"\r" in line.rstrip(b"\r\n"):
            rest = self._stream.read()
        else:
            self._is_pgn = _TAG_BEGINS.match(line) is not None
            return line
        whole = re.sub(rb"\r\n?", b"\n", line + rest)
        self._is_pgn = _TAG_BEGINS.match(whole) is not None
        self._stream = BytesIO(whole)
        return self._stream.readline(_LINE_LIMIT + 1)

    def error(self, what: str, line: int = 0) -> ArenaError:
        """Return the error about a line, by default the last one."""
        return ArenaError(f"{self._name}:{line or self.number}: {what}")


def _field(name: str, lines: _Lines, *, scores: bool) -> Field:
    played = _Played(lines, are_scores_kept=scores)
    rest = iter(lines)
    for first in rest:  # that is not blank: it shows the form, and the form reads the rest
        if _tags_of(first)[0] or first.startswith(_ASIDE):
            _read_pgn(chain([first], rest), lines, played)
        elif first.lstrip().startswith(("{", "[")):
            _read_json(chain([first], rest), lines, played)
        elif first.strip():
            _read_csv(chain([first], rest), lines, played, max(",;\t", key=first.count))
    if not lines.number:
        raise ArenaError(f"{name} is empty; a results file has lines such as {_MATCH}.")
    if not played.bots:
        raise ArenaError(f"{name} holds no match, so there is nothing to rate.")
    bots = tuple(sorted(played.named or played.bots))
    return Field(
        name=safe(name),
        bots=bots,
        deals=played.deals(),
        by_seat=False,
        scores=played.scores() if scores and played.is_any_scored else None,
    )


class _Played:
    """What was played according to a file; equal results are kept once."""

    def __init__(self, lines: _Lines, *, are_scores_kept: bool) -> None:
        self.named: frozenset[str] = frozenset()
        """All bots there are, if the file says so."""
        self.bots: set[str] = set()
        """The bots of the matches."""
        self.is_any_scored = False
        """Whether a match says what its bots scored."""
        self._are_scores_kept = are_scores_kept
        self._scored: defaultdict[str, list[Seated]] = defaultdict(list)
        """By deal; those of matches by themselves each under the number of its line."""
        self._error = lines.error
        self._results: dict[Result, Result] = {}
        self._alone: Counter[Result] = Counter()
        self._dealt: defaultdict[str, list[Result]] = defaultdict(list)

    def add(
        self, line: int, places: Mapping[str, int], deal: str, scores: Mapping[str, Number] | None
    ) -> None:
        """Count a match, which is a deal of its own unless it names one."""
        bots = tuple(sorted(places))
        result = Result(bots, tuple([places[bot] for bot in bots]))
        known = self._results.get(result)
        if known is None:
            if fault := self._fault(*result):
                raise self._error(fault, line)
            self._results[result] = known = result
        if scores is not None and scores.keys() != places.keys():
            one = min(scores.keys() ^ places.keys())
            raise self._error(
                f"{_quoted(one)} has a place or a score, and not both; give scores to all bots of "
                f"a match, or to none.",
                line,
            )
        self.is_any_scored |= scores is not None
        if self._are_scores_kept:
            own = None if scores is None else tuple([scores[bot] for bot in bots])
            self._scored[f"deal {deal}" if deal else f"line {line}"].append((known.bots, own))
        if deal:
            self._dealt[deal].append(known)
        else:
            self._alone[known] += 1

    def deals(self) -> Deals:
        """Return the deals, named or not."""
        deals: Counter[tuple[Result, ...]] = Counter(
            {(result,): count for result, count in self._alone.items()}
        )
        deals.update(tuple(sorted(results)) for results in self._dealt.values())
        return deals

    def scores(self) -> Scores:
        """Return what was scored, if that is kept."""
        found = Scores()
        for matches in self._scored.values():
            found.add(matches)
        return found

    def name_bots(self, bots: list[str]) -> None:
        """Take the names of all bots, which are given once and first."""
        if self.named or self.bots:
            raise self._error("bots are named once, before the first match.")
        if not bots:
            raise self._error("bots are empty; name them, or leave the line out.")
        for bot in bots:
            if fault := self._fault_of_name(bot):
                raise self._error(fault)
        twice, count = Counter(bots).most_common(1)[0]
        if count > 1:
            raise self._error(f"two bots are called {twice!r}; give one another name.")
        self.named = frozenset(bots)

    def _fault(self, bots: tuple[str, ...], places: tuple[int, ...]) -> str | None:
        """Return what is wrong with a match; note its bots if nothing is."""
        if not bots:
            return f"places are empty; a match is written {_MATCH}."
        for bot in bots:
            if fault := self._fault_of_name(bot):
                return fault
        if len(bots) == 1:
            return (
                f"a match of one bot, {bots[0]!r}, which is compared with nobody; add the others, "
                f"or take the match out."
            )
        (best, first), (worst, last) = (f(zip(places, bots, strict=True)) for f in (min, max))
        if best < 1:
            return _no_place(first, best)
        if worst > len(bots):
            return (
                f"the place of {last!r} is {worst} among {len(bots)} bots; places go from 1, for "
                f"the best, to {len(bots)}, and are not points."
            )
        if best > 1:
            return f"the best place, of {first!r}, is {best}; places start at 1."
        self.bots.update(bots)
        return None

    def _fault_of_name(self, bot: str) -> str | None:
        if bot in self.bots:
            return None
        try:
            check_name(bot)
        except ArenaError as error:
            return str(error)
        if self.named and bot not in self.named:
            return f"there is no bot {bot!r} among those named. {suggestion(bot, self.named)}"
        return None


class _Line(msgspec.Struct, forbid_unknown_fields=True):
    """One line of JSON: a match, or the names of all bots."""

    places: dict[str, int] | None = None
    deal: str | int | None = None
    match: str | int | None = None
    bots: list[str] | None = None
    scores: dict[str, Number] | None = None


_decode = msgspec.json.Decoder(_Line).decode


def _read_json(texts: Iterable[str], lines: _Lines, played: _Played) -> None:
    seen: dict[str, int] = {}
    for text in texts:
        if text.isspace():
            continue
        try:
            line = _decode(text)
        except (msgspec.DecodeError, RecursionError) as error:
            raise lines.error(_misread(text, error)) from None
        places, deal, match, bots = line.places, line.deal, line.match, line.bots
        keys = 1 + len(places or ()) + (deal is not None) + (match is not None)
        scores = line.scores
        keys += 0 if scores is None else 1 + len(scores)
        if text.count(":") != keys:  # or one stands in a name
            json.loads(text, object_pairs_hook=lambda pairs: _check_keys(pairs, lines))
        if deal == "" or match == "":
            raise lines.error("deal or match is empty; name it, or leave it out.")
        if bots is not None:
            if line != _Line(bots=bots):
                raise lines.error("bots are named on a line of their own, without a match.")
            played.name_bots([composed(bot) for bot in bots])
            continue
        if places is None:
            raise lines.error(f"places are missing; a match is written {_MATCH}.")
        if match is not None:
            first = seen.setdefault(str(match), lines.number)
            if first != lines.number:
                raise lines.error(
                    f"match {_quoted(str(match))} is also on line {first}; take one out, or give "
                    f"it another name."
                )
        if not all(map(str.isascii, places)):
            places = {composed(bot): place for bot, place in places.items()}
            scores = scores and {composed(bot): score for bot, score in scores.items()}
            if len(places) < len(line.places or ()):
                raise lines.error("one bot's name is written in two ways here; take one out.")
        played.add(lines.number, places, "" if deal is None else str(deal), scores)


def _misread(text: str, error: Exception) -> str:
    """Return why a line is none that the decoder takes."""
    try:
        line = json.loads(text)
    except json.JSONDecodeError as malformed:
        return f"not JSON at column {malformed.colno}: {malformed.msg}; a match is one whole line."
    except (ValueError, RecursionError):
        return "a number too long, or lists too deep, for a match."
    if not isinstance(line, dict):
        return f"a match is written as an object, {_MATCH}, not as {_shown(line)}."
    if line.get("arena") == "league":
        return (
            "this is an exported league: `arena import NEW FILE` makes it the league NEW, which "
            "`arena rank NEW` reads."
        )
    known = _Line.__struct_fields__
    for key in line:
        if key not in known:
            return f"there is no key {_quoted(key)}. {suggestion(key, known)}"
    given = {key: value for key, value in line.items() if value is not None}
    for key in ("deal", "match"):
        if type(given.get(key, "")) not in (str, int):
            return f"{key} must be text or a whole number, not {_shown(given[key])}."
    bots, places = given.get("bots", []), given.get("places", {})
    if not isinstance(bots, list) or not all(isinstance(bot, str) for bot in bots):
        return f"bots must be a list of names, not {_shown(bots)}."
    if not isinstance(places, dict):
        return f'places must give each bot a place, {{"A": 1, "B": 2}}, not {_shown(places)}.'
    scores = given.get("scores", {})
    if not isinstance(scores, dict):
        return f'scores must give each bot a number, {{"A": 2.5, "B": -1}}, not {_shown(scores)}.'
    for bot, score in scores.items():
        if not is_number(score):
            return _no_score(bot, score)
    wrong = (_no_place(*item) for item in places.items() if type(item[1]) is not int)
    return next(wrong, f"no match: {error}.")


def _check_keys(pairs: list[tuple[str, Any]], lines: _Lines) -> None:
    for key, count in Counter(key for key, _ in pairs).items():
        if count > 1:
            raise lines.error(f"the key {_quoted(key)} is there twice in one object; take one out.")


class _Match(NamedTuple):
    """One match of a CSV file, as far as its rows were read."""

    line: int
    places: dict[str, int]
    deal: str
    scores: dict[str, Number]


def _read_csv(texts: Iterable[str], lines: _Lines, played: _Played, delimiter: str) -> None:
    rows = _rows(texts, lines, delimiter)
    header = [name.lower() for name in next(rows, [])]
    if header[:1] == [""]:
        header[0] = _INDEX  # as pandas writes it
    _check_header(header, lines)
    at_match, at_bot, at_place = map(header.index, _REQUIRED)
    at_deal = header.index("deal") if "deal" in header else None
    at_score = header.index("score") if "score" in header else None
    matches: dict[str, _Match] = {}
    for row in rows:
        if len(row) != len(header):
            raise lines.error(
                f"this row has {len(row)} cells, and the header {len(header)}; give both as many."
            )
        name, deal = row[at_match], "" if at_deal is None else row[at_deal]
        if not name:
            raise lines.error("the cell of the match is empty; name the match.")
        match = matches.get(name)
        if match is None:
            match = matches[name] = _Match(lines.number, {}, deal, {})
        if match.deal != deal:
            raise lines.error(
                f"match {_quoted(name)} is of deal {_quoted(deal)} here and of "
                f"{_quoted(match.deal)} on line {match.line}; a match has one deal."
            )
        bot, place = sys.intern(composed(unguarded(row[at_bot]))), row[at_place]
        if bot in match.places:
            raise lines.error(
                f"bot {_quoted(bot)} is already in match {_quoted(name)}, which begins on line "
                f"{match.line}; take a row out, or give the match another name."
            )
        if not _PLACE.fullmatch(place):
            raise lines.error(_no_place(bot, place))
        match.places[bot] = int(float(place))
        if at_score is not None and row[at_score]:
            match.scores[bot] = _score(bot, row[at_score], lines)
    for match in matches.values():
        played.add(match.line, match.places, match.deal, match.scores or None)


def _read_pgn(texts: Iterable[str], lines: _Lines, played: _Played) -> None:
    """Read games of chess: who has White and Black, and the result; moves are passed over."""
    tags: dict[str, str] = {}
    began, is_in_moves, is_in_comment = lines.number, False, False
    for text in texts:
        found, rest = ([], text) if is_in_comment else _tags_of(text)
        for name, value in found:
            if tags and (is_in_moves or name in tags):
                _add_game(tags, began, lines, played)
                tags = {}
            if not tags:
                began = lines.number
            is_in_moves = False
            tags[name] = value
        if is_in_comment or not text.startswith(_ASIDE):
            is_in_comment = _ends_in_comment(rest, is_in_comment)
            is_in_moves = is_in_moves or bool(rest.strip())
    if tags:
        _add_game(tags, began, lines, played)


def _tags_of(text: str) -> tuple[list[tuple[str, str]], str]:
    """Return the tags that a line of PGN begins with, and the rest of it."""
    found, at = [], 0
    while tag := _TAG.match(text, at):
        found.append((tag[1].lower(), re.sub(r"\\(.)", r"\1", tag[2])))
        at = tag.end()
    return found, text[at:]


def _ends_in_comment(text: str, is_in_comment: bool) -> bool:
    """Return whether a line of PGN ends within braces, given whether it begins so."""
    at = 0
    while True:
        if is_in_comment:
            at = text.find("}", at) + 1
            if not at:
                return True
        sign = _COMMENT.search(text, at)
        if sign is None or sign[0] == ";":
            return False
        is_in_comment, at = True, sign.end()


def _add_game(tags: Mapping[str, str], line: int, lines: _Lines, played: _Played) -> None:
    places = _PLACES.get(tags.get("result", "*"))
    if places is None:
        said = (
            f"but {_quoted(tags['result'])}" if "result" in tags else "as its tag Result is missing"
        )
        raise lines.error(
            f"this game has no result such as 1-0 or 1/2-1/2, {said}; correct it, or take the "
            f"game out.",
            line,
        )
    bots = [composed(tags.get(side, "?")) for side in ("white", "black")]
    if "?" in bots:
        raise lines.error("this game does not say which two play it; name White and Black.", line)
    if bots[0] == bots[1]:
        raise lines.error(f"this game has {bots[0]!r} on both sides; take it out.", line)
    played.add(line, dict(zip(bots, places, strict=True)), "", None)


def _score(bot: str, text: str, lines: _Lines) -> Number:
    """Return the score in a cell, which is written as in JSON."""
    try:
        found: Number = msgspec.json.decode(text, type=Number)
    except msgspec.MsgspecError:
        raise lines.error(_no_score(bot, text)) from None
    return found


def _rows(texts: Iterable[str], lines: _Lines, delimiter: str) -> Iterator[list[str]]:
    """Yield the stripped cells of every row that has any; a row is one line."""
    reader = csv.reader(texts, delimiter=delimiter, skipinitialspace=True)
    done = 0
    try:
        for row in reader:
            if reader.line_num > done + 1 or (row and row[-1].endswith("\n")):
                break
            done += 1
            cells = [cell.strip() for cell in row]
            if any(cells):
                yield cells
        else:
            return
    except csv.Error as error:
        if "new-line character" in str(error):
            raise lines.error("lines end in CR alone; save the file with LF or CR LF.") from None
        if reader.line_num == done + 1:
            raise lines.error(f"not CSV: {error}.") from None
    opened = lines.number - (reader.line_num - done) + 1
    raise lines.error("a quote is opened and not closed on this line.", opened)


def _check_header(header: list[str], lines: _Lines) -> None:
    missing = [name for name in _REQUIRED if name not in header]
    if len(missing) == len(_REQUIRED):
        raise lines.error(
            f"this is not a results file, which begins with a JSON object, such as {_MATCH}, or "
            f"with a CSV header, {','.join(_REQUIRED)}."
        )
    for name, count in Counter(header).items():
        if name not in (*_COLUMNS, _INDEX):
            raise lines.error(f"there is no column {_quoted(name)}. {suggestion(name, _COLUMNS)}")
        if count > 1:
            raise lines.error(f"the column {name!r} is there twice; take one out.")
    if missing:
        raise lines.error(
            f"the header lacks {' and '.join(missing)}; it must name the columns match, bot and "
            f"place, and may name deal and score."
        )


def _no_place(bot: str, place: object) -> str:
    """Return the complaint about what is no place, whoever else played."""
    return (
        f"the place of {_quoted(bot)} is {_shown(place)}; places are whole numbers, 1 for the best."
    )


def _no_score(bot: str, score: object) -> str:
    return f"the score of {_quoted(bot)} is {_shown(score)}; scores are numbers, such as 2.5 or -1."


def _quoted(name: str) -> str:
    return repr(name if len(name) <= _SHOWN else name[:_SHOWN] + "…")


def _shown(value: object) -> str:
    if isinstance(value, str) and len(value) > _SHOWN:
        value = value[:_SHOWN] + "…"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 2 * _SHOWN else text[:_SHOWN] + "…"

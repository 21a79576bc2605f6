"""Programs of different authors that are alike: the same files, the same form, or shared parts.

It shows, and never judges: whoever organizes looks at both, and asks their authors.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from heapq import nlargest
from itertools import chain, combinations
from pathlib import Path
from typing import NamedTuple, TypeAlias

import msgspec

from arena.author.new import TEMPLATES, languages
from arena.author.starter import filled
from arena.league.finding import BOT_FILE, BUNDLED
from arena.organize.winnowing import fingerprints, form, language_of
from protocol.errors import ArenaError
from referee.catalog.folder import bots_of
from referee.rules.game import Game
from referee.sandbox.sources import read_at_most

LEAST_SHARE = 0.3
"""The share of fingerprints from which on a pair is shown: unrelated programs stay below."""
MOST_PAIRS = 200
"""The pairs that are shown at the most."""

_MOST_FILES = 2000  # of a program that are looked at
_MOST_BYTES = 64 << 20  # of all of them
_MOST_TEXT = 1 << 20  # of one that fingerprints are made of ...
_MOST_TEXTS = 2 << 20  # ... and of all of them
_LEAST_FORM = 40  # tokens, below which programs are the same by chance
_LEAST_SHARED = 10  # fingerprints
_COMMON = 10  # authors of whom all may have what says something about two ...
_COMMON_PART = 3  # ... or this part of all authors, a third, if these are more
_MOST_COUNTED = 3_000_000  # pairs with a fingerprint in common, which bounds time and memory
_MOST_LOOKED_AT = 10 * MOST_PAIRS  # authors of whom the versions are compared
_SHIFT = 1 << 32  # above the number of an author

_Set: TypeAlias = frozenset[int]


class Code(NamedTuple):
    """What is kept of a program to compare it: hashes, of which nothing can be read."""

    files: _Set
    """Of each file."""
    forms: _Set
    """Of each source, without its names, numbers, texts and comments."""
    prints: _Set
    """The fingerprints of its sources."""
    left: int = 0
    """How many files were not compared: too many, too large, or unreadable."""

    def without(self, other: "Code") -> "Code":
        """Return what is not in another program."""
        return Code(
            self.files - other.files,
            self.forms - other.forms,
            self.prints - other.prints,
            self.left,
        )


class Program(NamedTuple):
    """A version of a bot."""

    author: str
    """Empty for a bot that the organizer entered, who is another author for each."""
    bot: str
    number: int
    """Of its submission; 0 if it was not handed in."""
    code: Code

    @property
    def who(self) -> Hashable:
        """Whose it is."""
        return self.author or ("organizer", self.bot)


class AlikeSide(msgspec.Struct, frozen=True):
    """One of two programs that are alike."""

    author: str
    bot: str
    number: int
    share: float
    """Which part of its fingerprints the other one has too."""
    left: int
    """How many of its files were not compared."""


class Alike(msgspec.Struct, frozen=True):
    """Two programs of different authors that are alike."""

    how: str
    """`same files`, `same form`, or `shared parts`."""
    one: AlikeSide
    """The one that came first."""
    other: AlikeSide
    shared: int
    """How many fingerprints they have in common."""


class Similar(msgspec.Struct, frozen=True):
    """The pairs that are alike, those that are the most so first."""

    programs: int
    """How many versions were compared."""
    authors: int
    pairs: list[Alike]
    more: int = 0
    """How many pairs are not shown."""


# --- what is compared


def files_below(folder: Path) -> Iterator[Path]:
    """Yield the files below a folder; links are not followed."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            yield path


def code_of(paths: Iterable[Path]) -> Code:
    """Return what is kept of a program to compare it, whatever its files hold."""
    files, forms, prints = set[int](), set[int](), set[int]()
    left, size, texts = 0, 0, 0
    for number, path in enumerate(paths):
        if path.name == BOT_FILE:
            continue
        try:
            data = read_at_most(path, _MOST_BYTES - size) if number < _MOST_FILES else None
        except OSError:
            data = None
        if data is None:
            left += 1
            continue
        size += len(data)
        if data.strip():
            files.add(_hash(data))
        language = language_of(path.name, data[:80].decode(errors="replace"))
        if not language or not data:
            continue
        if b"\0" in data or len(data) > _MOST_TEXT or texts + len(data) > _MOST_TEXTS:
            left += 1
            continue
        texts += len(data)
        found = form(data.decode(errors="replace"), language)
        if len(found) >= _LEAST_FORM:
            forms.add(_hash(language.encode() + found))
        prints |= fingerprints(found, language)
    return Code(frozenset(files), frozenset(forms), frozenset(prints), left)


def _hash(data: bytes) -> int:
    return int.from_bytes(hashlib.sha256(data).digest()[:8])


@cache
def given(game: type[Game] | None) -> Code:
    """Return what all authors are given: kits, starters, bundled bots, and those of a game."""
    brought = bots_of(game) if game is not None else None
    whole = code_of(chain(files_below(BUNDLED), files_below(brought) if brought else ()))
    files, forms, prints = map(set, whole[:3])
    for name, kind in languages().items():
        start = (TEMPLATES / name / kind.bot).read_text(encoding="utf-8")
        try:
            text = filled(start, game) if game is not None else start
        except ArenaError:  # there is no starter for this game
            continue
        language = language_of(kind.bot, text)
        found = form(text, language)
        files.add(_hash(text.encode()))
        forms.add(_hash(language.encode() + found))
        prints |= fingerprints(found, language)
    return Code(frozenset(files), frozenset(forms), frozenset(prints))


# --- how it is compared


def similar(programs: Sequence[Program], base: Code) -> Similar:
    """Return which programs of different authors are alike, but for what all authors are given."""
    own = [each._replace(code=each.code.without(base)) for each in programs]
    own.sort(key=lambda each: each.number or -1)
    found: dict[frozenset[Hashable], Alike] = {}
    for how, key in _SAME.items():
        for pair in _equal(own, how, key):
            found.setdefault(_between(pair), pair)
    for pair in _sharing(own):
        found.setdefault(_between(pair), pair)
    order = [*_SAME, "shared parts"]
    pairs = sorted(
        found.values(),
        key=lambda pair: (order.index(pair.how), -max(pair.one.share, pair.other.share)),
    )
    more = max(0, len(pairs) - MOST_PAIRS)
    authors = len({each.who for each in own})
    return Similar(len(own), authors, pairs[:MOST_PAIRS], more)


_SAME: Mapping[str, Callable[[Code], _Set]] = {
    "same files": lambda code: code.files,
    "same form": lambda code: code.forms,
}


def _between(pair: Alike) -> frozenset[Hashable]:
    """Return between whom a pair is."""
    return frozenset((side.author, side.bot) for side in (pair.one, pair.other))


def _equal(programs: Sequence[Program], how: str, key: Callable[[Code], _Set]) -> Iterator[Alike]:
    """Yield, of programs that are the same, the first with the first of each other author."""
    groups: defaultdict[_Set, dict[Hashable, Program]] = defaultdict(dict)
    for each in programs:
        if key(each.code):
            groups[key(each.code)].setdefault(each.who, each)
    for group in groups.values():
        first, *others = group.values()
        for other in others:
            yield _pair(how, first, other)


def _sharing(programs: Sequence[Program]) -> Iterator[Alike]:
    """Yield, for authors who share enough, the versions that do so the most.

    Counted is first what any of their versions have, by an index of fingerprints.
    """
    versions: defaultdict[Hashable, list[Program]] = defaultdict(list)
    for each in programs:
        if each.code.prints:
            versions[each.who].append(each)
    authors = list(versions)
    unions = [frozenset[int]().union(*(v.code.prints for v in versions[who])) for who in authors]
    having: defaultdict[int, list[int]] = defaultdict(list)
    for number, union in enumerate(unions):
        for print_ in union:
            having[print_].append(number)
    most = _most_authors(map(len, having.values()), len(authors))
    common = frozenset(each for each, numbers in having.items() if len(numbers) > most)
    counted = Counter[int]()  # by both numbers as one, which takes less room than two
    for numbers in having.values():
        if 1 < len(numbers) <= most:
            counted.update(map(_as_one, combinations(numbers, 2)))
    own = Code(_NONE, _NONE, common)
    telling = [[v._replace(code=v.code.without(own)) for v in versions[who]] for who in authors]
    sizes = [max(len(v.code.prints) for v in found) for found in telling]

    def share(both: tuple[int, int]) -> float:
        one, other = divmod(both[0], _SHIFT)
        return both[1] / max(1, min(sizes[one], sizes[other]))

    for both, _ in nlargest(_MOST_LOOKED_AT, counted.items(), share):
        one, other = divmod(both, _SHIFT)
        first = max(telling[one], key=lambda v: len(v.code.prints & unions[other]))
        second = max(telling[other], key=lambda v: len(v.code.prints & first.code.prints))
        pair = _pair("shared parts", *sorted((first, second), key=lambda v: v.number))
        if pair.shared >= _LEAST_SHARED and max(pair.one.share, pair.other.share) > LEAST_SHARE:
            yield pair


def _as_one(numbers: tuple[int, int]) -> int:
    return numbers[0] * _SHIFT + numbers[1]


_NONE: _Set = frozenset()


def _most_authors(counts: Iterable[int], authors: int) -> int:
    """Return how many authors may have a fingerprint that says something about two of them.

    What more have is common: a course's own example, or how everybody writes it. Fewer count if
    there would be too much to count.
    """
    most, pairs = max(_COMMON, authors // _COMMON_PART), 0
    for count, times in sorted(Counter(counts).items()):
        pairs += times * count * (count - 1) // 2
        if count > most or pairs > _MOST_COUNTED:
            return min(most, count - 1)
    return most


def _pair(how: str, one: Program, other: Program) -> Alike:
    shared = len(one.code.prints & other.code.prints)
    return Alike(how, _side(one, shared), _side(other, shared), shared)


def _side(each: Program, shared: int) -> AlikeSide:
    share = shared / len(each.code.prints) if each.code.prints else 1.0
    return AlikeSide(each.author, each.bot, each.number, share, each.code.left)

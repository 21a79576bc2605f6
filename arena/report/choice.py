"""Which matches of a league are worth a look, and as many of them as there is room for."""

from bisect import insort
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple
from itertools import zip_longest
from operator import attrgetter, itemgetter
from statistics import mean
from typing import Any, Literal, get_args

import msgspec

from arena.report.frames import frames_of, packed
from arena.store.rows import BotVersion, StoredMatch, WholeMatch
from referee.rules.game import Game

Pick = Literal["best", "closest", "faulty", "sample"]
PICKS: tuple[Pick, ...] = get_args(Pick)
"""Matches of the best third of line-ups, of the third closest in rating, with faults, and any."""

_Lineup = frozenset[BotVersion]
_Key = Callable[[_Lineup], float]
_OF_A_LINEUP = 4  # matches that are looked at, of one line-up
_FEW = 3  # line-ups that are always among the first
_MOST = 400  # candidates of a pick, and line-ups
_PART = 8  # of the room: a match that takes more waits until the others had theirs
_MISFITS = 20  # in a row, after which no smaller one is looked for


def in_turn(
    candidates: Mapping[Pick, Sequence[StoredMatch]], picks: Collection[Pick]
) -> Iterator[tuple[StoredMatch, list[Pick]]]:
    """Yield matches, each once, with all they were picked for: one of each pick in turn."""
    wanted = [pick for pick in PICKS if pick in picks]
    why: dict[str, list[Pick]] = {}
    for pick in wanted:
        for match in candidates[pick]:
            why.setdefault(match.id, []).append(pick)
    for matches in zip_longest(*(candidates[pick] for pick in wanted)):
        for match in filter(None, matches):
            if match.id in why:
                yield match, why.pop(match.id)


def candidates(
    matches: Iterable[StoredMatch], ratings: Mapping[BotVersion, float]
) -> dict[Pick, list[StoredMatch]]:
    """Return what may be shown of a league's matches, given the ratings of its present bots.

    They are by what they may be picked for, the first choice first. Matches of others are left out,
    and those that were over before anybody was asked are no good ones. The choice depends on the
    matches alone, not on their order: an id, which is a hash, is as good as a die.
    """

    def weakness(lineup: _Lineup) -> float:
        return -mean(ratings[bot] for bot in lineup)

    def spread(lineup: _Lineup) -> float:
        return max(ratings[bot] for bot in lineup) - min(ratings[bot] for bot in lineup)

    best, closest = _Lineups(weakness), _Lineups(spread)
    faulty: list[StoredMatch] = []
    sample: list[StoredMatch] = []
    for match in matches:
        lineup = frozenset(match.bots)
        if not ratings.keys() >= lineup:
            continue
        _keep(sample, match, _MOST)
        if any(match.faults) or match.forfeits:
            _keep(faulty, match, _MOST)
        if not match.forfeits or match.decisions > len(match.forfeits):
            best.add(lineup, match)
            closest.add(lineup, match)
    return {
        "best": best.in_rounds(),
        "closest": closest.in_rounds(),
        "faulty": faulty,
        "sample": sample,
    }


def _keep(kept: list[StoredMatch], match: StoredMatch, most: int) -> None:
    """Put a match in its place by its id, if it is among the first so many."""
    if len(kept) < most or match.id < kept[-1].id:
        insort(kept, match, key=attrgetter("id"))
        del kept[most:]


class _Lineups:
    """The line-ups that come first by a key, and the first matches of each."""

    def __init__(self, key: _Key) -> None:
        self._key = key
        self._order: list[tuple[float, list[tuple[str, ...]], _Lineup]] = []
        self._kept: dict[_Lineup, list[StoredMatch]] = {}

    def add(self, lineup: _Lineup, match: StoredMatch) -> None:
        """Take a match in, unless so many other line-ups come before its own."""
        if lineup not in self._kept:
            place = (self._key(lineup), sorted(map(astuple, lineup)), lineup)
            if len(self._order) == _MOST and place[:2] > self._order[-1][:2]:
                return
            insort(self._order, place, key=itemgetter(0, 1))
            self._kept[lineup] = []
            for _, _, last in self._order[_MOST:]:
                del self._kept[last]
            del self._order[_MOST:]
        _keep(self._kept[lineup], match, _OF_A_LINEUP)

    def in_rounds(self) -> list[StoredMatch]:
        """Return a match of each line-up in the first third, then a second of each, and so on."""
        first = self._order[: max(_FEW, (len(self._order) + 2) // 3)]
        rounds = zip_longest(*(self._kept[lineup] for _, _, lineup in first))
        return [match for matches in rounds for match in filter(None, matches)][:_MOST]


class _Room:
    """The matches that were taken, and the bytes that are left for others."""

    def __init__(self, most: int) -> None:
        self.taken: list[msgspec.Raw] = []
        self.left = most

    def take(self, match: bytes) -> bool:
        """Take a match in, if it needs no more bytes than are left."""
        needed = len(match) + 1 + 5 * match.count(b"<")  # each of which is written as an escape
        if needed > self.left:
            return False
        self.left -= needed
        self.taken.append(msgspec.Raw(match))
        return True


def replays(
    game: type[Game],
    chosen: Iterable[tuple[StoredMatch, Sequence[Pick]]],
    open_match: Callable[[StoredMatch], WholeMatch],
    most: int,
) -> tuple[str, int] | None:
    """Return the JSON of the matches that fit into `most` bytes, and how many they are.

    None if none does. Large ones wait until all others had their turn: a bot that writes much is
    not to keep them out.
    """
    room = _Room(most)
    large: list[bytes] = []
    misfits = 0
    for match, picked in chosen:
        row = _row(open_match(match), game, picked)
        if len(row) > most // _PART:
            if len(large) < _MISFITS:
                large.append(row)
        elif room.take(row):
            misfits = 0
        elif (misfits := misfits + 1) == _MISFITS:
            break
    for row in large:
        room.take(row)
    if not room.taken:
        return None
    text = msgspec.json.encode({"game": game.name, "matches": room.taken}).decode()
    return text, len(room.taken)


def _row(opened: WholeMatch, game: type[Game], picked: Sequence[Pick]) -> bytes:
    return msgspec.json.encode(viewed(opened, packed(frames_of(opened, game)), picked))


def viewed(opened: WholeMatch, data: str, picked: Sequence[Pick] = ()) -> dict[str, Any]:
    """Return a match as the viewer takes it, its frames packed."""
    match = opened.match
    return {
        "id": match.id,
        "bots": opened.names,
        "places": match.places,
        "reason": match.reason,
        "decisions": match.decisions,
        **({} if match.numbers is None else {"numbers": match.numbers}),
        "faults": sum(sum(kinds.values()) for kinds in match.faults),
        "picked": picked,
        "data": data,
    }

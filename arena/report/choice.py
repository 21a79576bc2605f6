"""Which matches of a league are worth a look, and as many of them as there is room for."""

from bisect import insort
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from operator import attrgetter
from statistics import mean
from typing import Any, Literal, get_args

import msgspec

from arena.report.boards import GROUNDS
from arena.report.frames import packed
from arena.show import OpenedMatch
from arena.stored import BotVersion, StoredMatch

Pick = Literal["best", "closest", "faulty", "sample"]
PICKS: tuple[Pick, ...] = get_args(Pick)
"""Matches among the best, of those nearest to each other, with faults, and any."""

_Lineup = frozenset[BotVersion]
_OF_A_LINEUP = 4  # matches that are looked at, of one line-up
_MOST = 400  # candidates of a pick
_TOO_LARGE = 20  # matches in a row that do not fit, after which no smaller one is looked for
_OVERHEAD = 400  # bytes of a match beside what is packed, about


@dataclass
class Candidates:
    """Matches by what they may be picked for, the first choice first."""

    by_pick: dict[Pick, list[StoredMatch]] = field(default_factory=dict)

    def in_turn(self, picks: Collection[Pick]) -> Iterator[tuple[StoredMatch, list[Pick]]]:
        """Yield matches, each once, with all they were picked for: one of each pick in turn."""
        wanted = [pick for pick in PICKS if pick in picks]
        why: dict[str, list[Pick]] = {}
        for pick in wanted:
            for match in self.by_pick[pick]:
                why.setdefault(match.id, []).append(pick)
        longest = max((len(self.by_pick[pick]) for pick in wanted), default=0)
        for place in range(longest):
            for pick in wanted:
                for match in self.by_pick[pick][place : place + 1]:
                    if match.id in why:
                        yield match, why.pop(match.id)


def candidates(matches: Iterable[StoredMatch], ratings: Mapping[BotVersion, float]) -> Candidates:
    """Return what may be shown of a league's matches, given the ratings of its present bots.

    Matches of others are left out. The choice depends on the matches alone, not on their order:
    an id, which is a hash, is as good as a die.
    """
    lineups: dict[_Lineup, list[StoredMatch]] = {}
    faulty: list[StoredMatch] = []
    sample: list[StoredMatch] = []
    for match in matches:
        lineup = frozenset(match.bots)
        if not ratings.keys() >= lineup:
            continue
        _keep(lineups.setdefault(lineup, []), match, _OF_A_LINEUP)
        _keep(sample, match, _MOST)
        if any(match.faults) or match.forfeits:
            _keep(faulty, match, _MOST)

    def weakness(lineup: _Lineup) -> float:
        return -mean(ratings[bot] for bot in lineup)

    def spread(lineup: _Lineup) -> float:
        return max(ratings[bot] for bot in lineup) - min(ratings[bot] for bot in lineup)

    return Candidates(
        {
            "best": _in_rounds(lineups, weakness),
            "closest": _in_rounds(lineups, spread),
            "faulty": faulty,
            "sample": sample,
        }
    )


def _keep(kept: list[StoredMatch], match: StoredMatch, most: int) -> None:
    """Put a match in its place by its id, if it is among the first so many."""
    if len(kept) < most or match.id < kept[-1].id:
        insort(kept, match, key=attrgetter("id"))
        del kept[most:]


def _in_rounds(
    lineups: Mapping[_Lineup, Sequence[StoredMatch]], key: Callable[[_Lineup], float]
) -> list[StoredMatch]:
    """Return a match of each line-up in order, then a second of each, and so on."""
    order = sorted(lineups, key=lambda lineup: (key(lineup), sorted(map(astuple, lineup))))[:_MOST]
    return [
        match
        for place in range(_OF_A_LINEUP)
        for lineup in order
        for match in lineups[lineup][place : place + 1]
    ][:_MOST]


def replays(
    game: str,
    chosen: Iterable[tuple[StoredMatch, Sequence[Pick]]],
    open_match: Callable[[StoredMatch], OpenedMatch],
    room: int,
) -> tuple[str, int] | None:
    """Return the JSON of the matches that fit into so many bytes, and how many they are.

    None if none does.
    """
    taken: list[dict[str, Any]] = []
    left = room
    misfits = 0
    for match, picked in chosen:
        data = packed(open_match(match))
        if len(data) + _OVERHEAD > left:
            misfits += 1
            if misfits == _TOO_LARGE:
                break
            continue
        misfits = 0
        left -= len(data) + _OVERHEAD
        taken.append(
            {
                "id": match.id,
                "bots": [bot.name for bot in match.bots],
                "places": match.places,
                "reason": match.reason,
                "decisions": match.decisions,
                "faults": sum(sum(kinds.values()) for kinds in match.faults),
                "picked": picked,
                "data": data,
            }
        )
    if not taken:
        return None
    ground = {"ground": GROUNDS[game]} if game in GROUNDS else {}
    return msgspec.json.encode({"game": game, **ground, "matches": taken}).decode(), len(taken)

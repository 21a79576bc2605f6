"""The Swiss tournament: in each round, bots play others that have about as many points."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Annotated, Literal, TypeAlias

import msgspec

from arena.schedule.deal import Entrant
from arena.schedule.format_kinds import InRounds
from arena.schedule.matching import cheapest_pairs, exchanged
from arena.schedule.rounds import Frame, Lineup, Over, Round, RoundTerms, Standings, drawn, repeated
from arena.schedule.swiss_dutch import dutch_pairs
from arena.schedule.swiss_scores import SwissScores
from arena.schedule.swiss_standings import swiss_standings
from protocol.errors import ArenaError
from referee.rules.chance import Chance
from referee.rules.words import counted

Table: TypeAlias = tuple[str, ...]

GRAIN = 240
"""Parts of a point that scores are told apart by."""


def matched_pairs(
    scores: SwissScores, field: Sequence[str], chance: Chance, number: int
) -> list[tuple[str, str]]:
    """Return the pairs of a round; in an odd field one bot has the bye.

    What comes first counts infinitely more than what follows: the bye goes to one of those who
    had the fewest; no two meet again, as far as there are such pairs; the bye goes to the lowest;
    the squares of the differences in points are small; the rest is drawn. All of it is one
    maximum-weight matching: Sauer, Cseh and Lenzner, "Improving ranking quality and fairness in
    Swiss-system chess tournaments", arXiv 2112.10522.
    """
    order: list[str | None] = [*drawn(chance, field, "swiss", number)]
    if len(order) % 2:
        order.append(None)  # who is paired with it has the bye
    score = {key: scores.by_bot[key] for key in field}
    grains = {key: _grains(each.points) for key, each in score.items()}
    byes = {key: (each.count("bye"), each.count("walkover")) for key, each in score.items()}
    ladder = {found: at for at, found in enumerate(sorted(set(grains.values())))}
    fewest = {found: at for at, found in enumerate(sorted(set(byes.values())))}
    pairs = len(order) // 2
    spread = max(grains.values()) - min(grains.values())
    differences = pairs * spread**2 + 1
    repeats = pairs * max(scores.met.values(), default=0) ** 2 + 1

    def cost(one: str | None, other: str | None) -> int:
        if one is None or other is None:
            key = one or other or ""
            bye = fewest[byes[key]] * repeats * len(ladder) + ladder[grains[key]]
            return bye * differences
        again = scores.met[one, other] ** 2 * len(ladder) * differences
        return int(again + (grains[one] - grains[other]) ** 2)

    found = cheapest_pairs(order, cost)
    return [(one, other) for one, other in found if one is not None and other is not None]


def balanced_tables(
    scores: SwissScores, field: Sequence[str], seats: int, chance: Chance, number: int
) -> list[Table]:
    """Return the tables of a round: neighbours in points sit together, who met rather not.

    Two who met count like two with a point between them. Those who are left over, the lowest of
    those who sat out least often, sit out.
    """
    order = drawn(chance, field, "swiss", number)
    grains = {key: _grains(scores.by_bot[key].points) for key in field}
    byes = {key: scores.by_bot[key].count("bye") for key in field}
    waiting = sorted(order, key=lambda key: (byes[key], grains[key]))[: len(order) % seats]
    playing = sorted((key for key in order if key not in waiting), key=lambda key: -grains[key])

    def cost(table: Sequence[str]) -> int:
        return sum(
            (grains[one] - grains[other]) ** 2 + (GRAIN * scores.met[one, other]) ** 2
            for one, other in combinations(table, 2)
        )

    return exchanged([playing[at : at + seats] for at in range(0, len(playing), seats)], cost)


def _grains(points: Fraction) -> int:
    return int(points * GRAIN)


_MORE_ROUNDS = 2  # than a knockout of the field would have


class SwissOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The table `[swiss]` of a league's file."""

    rounds: Annotated[int, msgspec.Meta(ge=1)] | None = None
    """None for two more than a knockout has, and for two seats fewer than there are bots."""
    pairing: Literal["matching", "dutch"] = "matching"
    """How pairs are found: by a maximum-weight matching, or as FIDE's Dutch system does."""
    points: Literal["win", "share"] | None = None
    """What a round brings: 1, a half or 0, or the mean share of the points; None for `win` if there
    are two seats, else for `share`."""


def check_swiss(options: SwissOptions, seats: int) -> None:
    """Raise ArenaError for options that cannot be meant with so many seats."""
    if seats != 2 and options.points == "win":
        raise ArenaError(f'points = "win" is for games of two; at tables of {seats} take it out.')
    if options.pairing == "dutch" and seats != 2:
        raise ArenaError(
            f'pairing = "dutch" pairs two bots; at tables of {seats} seats take it out.'
        )
    if options.pairing == "dutch" and options.points == "share":
        raise ArenaError('pairing = "dutch" goes by points = "win": take points out.')


class Swiss:
    """The Swiss tournament, of pairs or of larger tables; no bot goes out.

    A round won without play, as there is no opponent or it was out, brings 1 point of two seats,
    and ½, the mean, of a larger table. Who comes late has 0 points for the rounds missed.
    """

    def __init__(self, frame: Frame) -> None:
        self._frame = frame

    def next_round(
        self, past: Sequence[Round], field: Sequence[Entrant], terms: RoundTerms
    ) -> Sequence[Lineup] | Over:
        """Return the tables of the next round, each as often as it has deals."""
        scores = self._scores(past, field, terms.options)
        seats, entrants = self._frame.seats, {entrant.key: entrant for entrant in field}
        rounds = self._rounds(past, field, terms.options)
        if len(past) >= rounds:
            are = "is" if rounds == 1 else "are"
            return Over(f"{counted(rounds, 'round')} of the Swiss tournament {are} played.")
        if len(field) < seats:
            return Over(
                f"A round of the Swiss tournament needs at least {seats} bots, and {len(field)} "
                f"can play: add bots."
            )
        tables = self._tables(past, scores, sorted(entrants), terms.options, rounds)
        lineups = [tuple(entrants[key] for key in sorted(table)) for table in tables]
        return repeated((lineup, terms.deals) for lineup in lineups)

    def standings(
        self,
        past: Sequence[Round],
        field: Sequence[Entrant],
        terms: RoundTerms,
        name: Callable[[Entrant], str],
    ) -> Standings:
        """Return the table by points and tie-breaks, and the crosstable by round."""
        scores = self._scores(past, field, terms.options)
        entrants = [*(entrant for each in past for entrant in each.field), *field]
        last = {entrant.key: entrant for entrant in entrants}
        keys = [entrant.key for entrant in field]
        return swiss_standings(scores, keys, lambda key: name(last[key]), self._frame.seats)

    def _scores(
        self, past: Sequence[Round], field: Sequence[Entrant], options: SwissOptions
    ) -> SwissScores:
        seats = self._frame.seats
        win = seats == 2 and options.points != "share"
        return SwissScores(past, field, seats=seats, win=win)

    def _rounds(
        self, past: Sequence[Round], field: Sequence[Entrant], options: SwissOptions
    ) -> int:
        if options.rounds is not None:
            return options.rounds
        bots = len(past[0].field if past else field)
        rounds = max(bots - 1, 0).bit_length() + _MORE_ROUNDS  # the logarithm, rounded up
        return max(min(rounds, bots - 1), 1) if self._frame.seats == 2 else rounds

    def _tables(
        self,
        past: Sequence[Round],
        scores: SwissScores,
        field: Sequence[str],
        options: SwissOptions,
        rounds: int,
    ) -> Sequence[tuple[str, ...]]:
        chance, number = self._frame.chance, len(past) + 1
        if self._frame.seats > 2:
            return balanced_tables(scores, field, self._frame.seats, chance, number)
        if options.pairing == "dutch":
            pairs = dutch_pairs(past, scores, field, chance, rounds)
            if pairs is not None:
                return pairs
        return matched_pairs(scores, field, chance, number)


SWISS = InRounds(SwissOptions, check_swiss, Swiss, "for each table of a round")

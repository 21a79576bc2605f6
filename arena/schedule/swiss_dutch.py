"""The pairs of FIDE's Dutch system (Handbook C.04.3, of 2026), found by `caissify-pairings`.

Chess has colours, and the system pairs by them. Here each pairing is played in both seatings, so
nobody is owed a seat; but without colours it would be another system. So the library is told those
that FIDE's rules (C.04.3, E) would have given, the initial colour being white. Where no pairing is
left that gives everybody a legal one, it is told none.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal, NamedTuple

from arena.schedule.matching import cheapest_pairs
from arena.schedule.rounds import Round, drawn
from arena.schedule.swiss_scores import SwissScore, SwissScores
from protocol.errors import ArenaError, installing
from referee.rules.chance import Chance

Colour = Literal["white", "black"]
_OTHER: Mapping[Colour, Colour] = {"white": "black", "black": "white"}

_ABSOLUTE, _STRONG, _MILD, _NONE = 3, 2, 1, 0


class Preference(NamedTuple):
    """The colour that a player should get next, and how strongly (C.04.3, A.6)."""

    colour: Colour | None
    strength: int
    imbalance: int
    """How many games more were played with the other colour."""


def preference(played: Sequence[Colour]) -> Preference:
    """Return what colour is due after these."""
    if not played:
        return Preference(None, _NONE, 0)
    lead = 2 * played.count("white") - len(played)
    fewer: Colour = "black" if lead > 0 else "white"
    if abs(lead) > 1:
        return Preference(fewer, _ABSOLUTE, abs(lead))
    last = played[-1]
    if len(played) > 1 and played[-2] == last:
        return Preference(_OTHER[last], _ABSOLUTE, abs(lead) if fewer == _OTHER[last] else 0)
    if lead:
        return Preference(fewer, _STRONG, 1)
    return Preference(_OTHER[last], _MILD, 0)


def colour_of_higher(higher: Sequence[Colour], lower: Sequence[Colour], *, odd: bool) -> Colour:
    """Return the colour of the higher ranked of two players, by those they had (C.04.3, E).

    `odd` is whether the pairing number of the higher one is. The initial colour is white.
    """
    own, others = preference(higher), preference(lower)
    if own.colour is None:
        if others.colour is None:
            return "white" if odd else "black"  # E.5; nobody has played yet
        return _OTHER[others.colour]  # E.1
    if own.colour != others.colour:
        return own.colour  # E.1
    if (own.strength, own.imbalance) != (others.strength, others.imbalance):  # E.2
        stronger = (own.strength, own.imbalance) > (others.strength, others.imbalance)
        return own.colour if stronger else _OTHER[own.colour]
    for mine, theirs in zip(reversed(higher), reversed(lower), strict=False):
        if mine != theirs:
            return theirs  # E.3: the opposite of the last time that they differed
    return own.colour  # E.4


class _Told(NamedTuple):
    """What the library is told of a bot, besides its number."""

    score: SwissScore
    colours: list[Colour]
    floats: list[str]
    may_have_bye: bool


def dutch_pairs(
    past: Sequence[Round], scores: SwissScores, field: Sequence[str], chance: Chance, rounds: int
) -> list[tuple[str, str]] | None:
    """Return the pairs of a round; in an odd field one bot has the bye.

    None if no pairs are left of bots that have not met, or one must have a second bye. Raises
    ArenaError if the library is not installed.
    """
    numbered = drawn(chance, field, "swiss", "number")
    floats = {key: [*_floats(key, scores)] for key in field}
    colours = colours_given(past, scores, chance)
    none: dict[str, list[Colour]] = {key: [] for key in field}
    byes = {key: _unplayed(scores.by_bot[key]) for key in field}
    for given in (colours, none):
        told = {
            key: _Told(scores.by_bot[key], given[key], floats[key], not byes[key]) for key in field
        }
        if _can_be_paired(numbered, told, scores, last=len(past) + 1 >= rounds):
            return _ask(numbered, told, scores, len(past) + 1, rounds)
    return None


def _unplayed(score: SwissScore) -> int:
    """Return how many rounds a bot won without playing: whoever has may have no bye (C.2)."""
    return score.count("bye") + score.count("walkover")


def _floats(key: str, scores: SwissScores) -> Iterator[str]:
    """Yield for each round whether a bot met one with fewer points (down), or with more (up)."""
    for at, cell in enumerate(scores.by_bot[key].cells):
        if cell.kind == "played":
            own, other = (_before(scores.by_bot[each], at) for each in (key, cell.others[0]))
            yield "down" if own > other else "up" if own < other else "none"
        else:
            yield "down" if cell.gained else "none"


def _before(score: SwissScore, at: int) -> Fraction:
    return sum((cell.gained for cell in score.cells[:at]), Fraction())


def colours_given(
    past: Sequence[Round], scores: SwissScores, chance: Chance
) -> dict[str, list[Colour]]:
    """Return the colours that each bot would have had in the rounds that it played.

    A bot's pairing number is its place in an order that is drawn once.
    """
    found: dict[str, list[Colour]] = {key: [] for key in scores.by_bot}
    for at, each in enumerate(past):
        numbered = drawn(chance, (entrant.key for entrant in each.field), "swiss", "number")
        number = {key: place + 1 for place, key in enumerate(numbered)}
        rank = {key: (-_before(scores.by_bot[key], at), number[key]) for key in numbered}
        for higher in numbered:
            cell = scores.by_bot[higher].cells[at]
            if cell.kind == "played" and rank[higher] < rank[cell.others[0]]:
                lower = cell.others[0]
                colour = colour_of_higher(found[higher], found[lower], odd=number[higher] % 2 == 1)
                found[higher].append(colour)
                found[lower].append(_OTHER[colour])
    return found


def _can_be_paired(
    numbered: Sequence[str], told: Mapping[str, _Told], scores: SwissScores, *, last: bool
) -> bool:
    """Return whether there are pairs that break no absolute criterion (C.1 to C.3).

    Asked before the library is: it would search for long, and pair nevertheless.
    """
    due = {key: preference(each.colours) for key, each in told.items()}
    half = Fraction(len(next(iter(told.values())).score.cells), 2)

    def cost(one: str | None, other: str | None) -> int | None:
        if one is None or other is None:
            return 0 if told[one or other or ""].may_have_bye else None
        if scores.met[one, other]:
            return None
        top = last and any(told[key].score.points > half for key in (one, other))
        both = due[one].strength == due[other].strength == _ABSOLUTE
        return None if both and due[one].colour == due[other].colour and not top else 0

    bots: list[str | None] = [*numbered]
    if len(bots) % 2:
        bots.append(None)
    return 2 * len(cheapest_pairs(bots, cost)) == len(bots)


def _ask(
    numbered: Sequence[str],
    told: Mapping[str, _Told],
    scores: SwissScores,
    number: int,
    rounds: int,
) -> list[tuple[str, str]] | None:
    try:
        from caissify_pairings import generate_pairings
    except ImportError:
        raise ArenaError(
            f'pairing = "dutch" needs caissify-pairings: {installing("dutch")}.'
        ) from None
    players: list[dict[str, Any]] = [
        {
            "id": at + 1,
            "name": key,
            "score": float(told[key].score.points),
            "rating": 0,
            "starting_number": at + 1,
            "color_hist": told[key].colours,
            "float_history": told[key].floats,
            "bye_count": int(not told[key].may_have_bye),
        }
        for at, key in enumerate(numbered)
    ]
    met = {
        (one + 1, other + 1)
        for one, first in enumerate(numbered)
        for other, second in enumerate(numbered)
        if scores.met[first, second]
    }
    answer = generate_pairings("dutch", players, met, number, rounds)
    pairs = [
        (numbered[row["white_id"] - 1], numbered[row["black_id"] - 1])
        for row in answer
        if row["black_id"] is not None
    ]
    seated = {key for pair in pairs for key in pair}
    whole = len(seated) == 2 * len(pairs) == len(numbered) // 2 * 2
    return pairs if whole and not any(scores.met[pair] for pair in pairs) else None

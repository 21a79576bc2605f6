"""Which deals had the same cards in all rotations, where a reader should know: facts and a note."""

from collections.abc import Callable, Collection, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from arena.league.plan import LeaguePlan
from arena.stats.memory import Later, leads, remembering
from arena.stats.outcomes import Result
from arena.store.rows import BotVersion
from arena.store.store import Store
from arena.text import counted


class Mirroring(NamedTuple):
    """How many deals of bots that are not all bundled are mirrored, and how many are not."""

    mirrored: int = 0
    apart: int = 0
    remembering: Mapping[str, Later] = MappingProxyType({})
    """The bots that do better in the last rotations of mirrored deals than in the first ones."""


def mirroring_of(
    league: LeaguePlan,
    store: Store,
    bots: Collection[BotVersion],
    results: Mapping[int, Result],
) -> Mirroring:
    """Return it of the stored deals in which only some bots play; of no others it matters.

    `results` are theirs, by number.
    """
    found = {True: 0, False: 0}
    if league.game.has_chance and league.rotation_count > 1:
        for lineup, is_mirrored, count in store.strangers_deals():
            if set(bots) >= set(lineup):
                found[is_mirrored] += count
    named: Mapping[str, Later] = MappingProxyType({})
    if found[True]:
        tried = {bot.name for bot in league.bots if not bot.is_bundled}
        pairs = (pair for pair in store.first_and_last() if results.keys() >= {*pair})
        moves = (leads(results[first], results[last]) for first, last in pairs)
        named = remembering(
            {bot: lead for bot, lead in each.items() if bot in tried} for each in moves
        )
    return Mirroring(found[True], found[False], named)


def facts_of(found: Mirroring) -> dict[str, Any]:
    """Return the same for programs, if there are such deals."""
    if not found.mirrored and not found.apart:
        return {}
    named = {bot: {"better": of.better, "worse": of.worse} for bot, of in found.remembering.items()}
    return {
        "mirroring": {
            "mirrored": found.mirrored,
            "apart": found.apart,
            **({"remembering": named} if named else {}),
        }
    }


def notes_of(found: Mirroring, count: Callable[[int, str], str] = counted) -> Iterator[str]:
    """Yield a sentence if some of these deals are mirrored; `count` writes a number of things."""
    if not found.mirrored:
        return
    of = f"{count(found.mirrored, 'deal')} of {found.mirrored + found.apart}"
    whose = "All deals" if not found.apart else f"{of}"
    are = "is" if found.apart and found.mirrored == 1 else "are"
    yield (
        f"{whose} of bots that are not bundled {are} mirrored: a bot that found a way to remember "
        f"one match would know the cards of the next. `arena doctor` names what sandboxes leave "
        f"open."
    )
    for bot, later in found.remembering.items():
        yield (
            f"{bot} does better in the last rotations of mirrored deals than in the first: better "
            f"in {count(later.better, 'deal')}, worse in {later.worse}. It may remember cards, or "
            f"learn. Of tables of bots that do neither, one in a hundred says so."
        )

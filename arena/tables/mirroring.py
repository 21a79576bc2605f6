"""Which deals had the same cards in all rotations, where a reader should know: facts and a note."""

from collections.abc import Callable, Collection, Iterator
from typing import Any, NamedTuple

from arena.league.plan import LeaguePlan
from arena.store.rows import BotVersion
from arena.store.store import Store
from arena.text import counted


class Mirroring(NamedTuple):
    """How many deals of bots that are not all bundled are mirrored, and how many are not."""

    mirrored: int = 0
    apart: int = 0


def mirroring_of(league: LeaguePlan, store: Store, bots: Collection[BotVersion]) -> Mirroring:
    """Return it of the stored deals in which only some bots play; of no others it matters."""
    found = {True: 0, False: 0}
    if league.game.has_chance and league.rotation_count > 1:
        for lineup, is_mirrored, count in store.strangers_deals():
            if set(bots) >= set(lineup):
                found[is_mirrored] += count
    return Mirroring(found[True], found[False])


def facts_of(found: Mirroring) -> dict[str, Any]:
    """Return the same for programs, if there are such deals."""
    return {"mirroring": found._asdict()} if any(found) else {}


def notes_of(found: Mirroring, count: Callable[[int, str], str] = counted) -> Iterator[str]:
    """Yield a sentence if some of these deals are mirrored; `count` writes a number of things."""
    if not found.mirrored:
        return
    of = f"{count(found.mirrored, 'deal')} of {found.mirrored + found.apart}"
    whose = "All deals" if not found.apart else f"{of}"
    are = "is" if found.apart and found.mirrored == 1 else "are"
    yield (
        f"{whose} of bots that are not bundled {are} mirrored: a bot that found a way to remember "
        f"one match would know the cards of the next (docs/sandbox.md, 'Between bots')."
    )

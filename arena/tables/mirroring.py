"""Which deals had the same cards in all rotations, where a reader should know: facts and notes."""

from collections.abc import Iterator, Mapping
from typing import Any

from arena.stats.memory import Later, leads, remembering
from arena.tables.facet import Facet, FacetSource
from arena.text import Words


def mirroring(source: FacetSource) -> Facet | None:
    """Return how many deals of bots that are not all bundled are mirrored, and who remembers."""
    league, results = source.league, source.results
    if not league.game.has_chance or league.rotation_count == 1:
        return None
    found = {True: 0, False: 0}
    for lineup, is_mirrored, count in source.store.strangers_deals():
        if source.titles.keys() >= set(lineup):
            found[is_mirrored] += count
    if not any(found.values()):
        return None
    later: Mapping[str, Later] = {}
    if found[True]:
        tried = {bot.name for bot in league.bots if not bot.is_bundled}
        pairs = (pair for pair in source.store.first_and_last() if results.keys() >= {*pair})
        moves = (leads(results[first], results[last]) for first, last in pairs)
        later = remembering(
            {bot: lead for bot, lead in each.items() if bot in tried} for each in moves
        )
    return mirroring_facet(found[True], found[False], later, source.words)


def mirroring_facet(mirrored: int, apart: int, later: Mapping[str, Later], words: Words) -> Facet:
    """Return what is said of so many deals that are mirrored, and that are not.

    `later` are the bots that do better in the last rotations of mirrored deals.
    """
    facts: dict[str, Any] = {"mirrored": mirrored, "apart": apart}
    if later:
        facts["remembering"] = {
            bot: {"better": of.better, "worse": of.worse} for bot, of in later.items()
        }
    notes = [*_notes(mirrored, apart, later, words)] if mirrored else []
    return Facet(facts={"mirroring": facts}, notes=notes)


def _notes(mirrored: int, apart: int, later: Mapping[str, Later], words: Words) -> Iterator[str]:
    of = f"{words.counted(mirrored, 'deal')} of {words.number(mirrored + apart)}"
    whose = of if apart else "All deals"
    are = "is" if apart and mirrored == 1 else "are"
    yield (
        f"{whose} of bots that are not bundled {are} mirrored: a bot that found a way to remember "
        f"one match would know the cards of the next. `arena doctor` names what sandboxes leave "
        f"open."
    )
    for bot, its in later.items():
        yield (
            f"{bot} does better in the last rotations of mirrored deals than in the first: better "
            f"in {words.counted(its.better, 'deal')}, worse in {its.worse}. It may remember cards, "
            f"or learn. Of tables of bots that do neither, one in a hundred says so."
        )

"""Which bots were not run with the same wheels everywhere, as locks allow: facts and notes."""

from collections import Counter

from arena.store.wheels import wheels_in
from arena.tables.facet import Facet, FacetSource
from arena.text import safe


def wheels(source: FacetSource) -> Facet | None:
    """Return how many matches bots played with which wheels, on which machine, if they differ."""
    if not any([*wheels_in(name)] for name in source.store.sandbox_names()):
        return None  # as nearly always, without a look at each match
    called = {bot.version[:8]: title for bot, title in source.titles.items()}
    played: dict[str, Counter[tuple[str, str]]] = {}
    for site in source.store.sites():
        for each in wheels_in(site.sandbox):
            if title := called.get(each.version):
                played.setdefault(title, Counter())[each.digest, site.machine] += site.matches
    found = {
        title: sorted(matches.items())
        for title, matches in sorted(played.items())
        if len({digest for digest, _ in matches}) > 1
    }
    if not found:
        return None
    facts = {
        bot: [
            {"wheels": digest, "machine": machine, "matches": count}
            for (digest, machine), count in matches
        ]
        for bot, matches in found.items()
    }
    notes = []
    for bot, matches in found.items():
        parts = [
            f"{digest} in {source.words.counted(count, 'match', 'matches')} on {safe(machine)}"
            for (digest, machine), count in matches
        ]
        notes.append(
            f"{bot} was not run with the same wheels everywhere, as its lock allows several, and "
            f"may have played otherwise: {', '.join(parts)}. `arena matches --columns "
            f"match,sandbox` lists them."
        )
    return Facet(facts={"wheels": facts}, notes=notes)

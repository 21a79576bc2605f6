"""How many versions of a bot have played, below every table of present ones."""

from collections import Counter

from arena.tables.facet import Facet, FacetSource

_NAMED = 5  # of the bots with several versions


def entries(source: FacetSource) -> Facet | None:
    """Return how many versions of present bots that are not bundled have played, if several."""
    played = Counter(key for key, _ in source.store.bot_keys())
    found = {
        bot.name: played[bot.key]
        for bot in source.league.bots
        if played[bot.key] > 1 and not bot.is_bundled
    }
    if not found:
        return None
    named = sorted(found.items(), key=lambda entry: (-entry[1], entry[0]))[:_NAMED]
    shown = ", ".join(f"{bot} {count}" for bot, count in named)
    others = len(found) - len(named)
    rest = f" and of {source.words.counted(others, 'more bot')}" if others else ""
    return Facet(
        facts={"versions_so_far": found},
        notes=(
            f"Versions that have played so far: {shown}{rest}. The best of several owes more to "
            f"luck than a single one.",
        ),
    )

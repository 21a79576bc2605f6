"""Which bots were not run with the same wheels everywhere, as locks allow: facts and a note."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from arena.store.rows import BotVersion
from arena.store.store import Store
from arena.store.wheels import wheels_in
from arena.text import counted, safe

Apart: TypeAlias = Mapping[str, Mapping[tuple[str, str], int]]
"""How many matches bots played with which wheels, on which machine."""


def wheels_of(store: Store, titles: Mapping[BotVersion, str]) -> Apart:
    """Return it of the bots that had different wheels, by what they are called."""
    called = {bot.version[:8]: title for bot, title in titles.items()}
    found: dict[str, Counter[tuple[str, str]]] = {}
    for site in store.sites():
        for wheels in wheels_in(site.sandbox):
            if title := called.get(wheels.version):
                where = wheels.digest, site.machine
                found.setdefault(title, Counter())[where] += site.matches
    return {
        title: dict(sorted(matches.items()))
        for title, matches in sorted(found.items())
        if len({digest for digest, _ in matches}) > 1
    }


def facts_of(found: Apart) -> dict[str, Any]:
    """Return the same for programs, if there are such bots."""
    return (
        {
            "wheels": {
                bot: [
                    {"wheels": digest, "machine": machine, "matches": count}
                    for (digest, machine), count in matches.items()
                ]
                for bot, matches in found.items()
            }
        }
        if found
        else {}
    )


def notes_of(found: Apart, count: Callable[[int, str, str], str] = counted) -> Iterator[str]:
    """Yield a sentence on each such bot; `count` writes a number of things."""
    for bot, matches in found.items():
        parts = [
            f"{digest} in {count(number, 'match', 'matches')} on {safe(machine)}"
            for (digest, machine), number in matches.items()
        ]
        yield (
            f"{bot} was not run with the same wheels everywhere, as its lock allows several, and "
            f"may have played otherwise: {', '.join(parts)}. `arena matches --columns "
            f"match,sandbox` lists them."
        )

"""In which sandboxes matches were played, where a reader should know: facts and a note."""

from collections import Counter
from collections.abc import Collection, Mapping
from typing import TypeAlias, get_args

from arena.tables.facet import Facet, FacetSource
from arena.text import Words
from referee.limits import SandboxName

Kinds: TypeAlias = tuple[str, ...]
"""The kinds of sandbox around the bots of a match, each once, in order."""

REMOTE = "remote"
"""What stands in place of a sandbox for a bot that ran on its author's machine."""
OTHER = "other"
"""What stands for a name that no sandbox has here: an import may say anything."""
_KNOWN = {*get_args(SandboxName), REMOTE}
_SAID = {
    "none": "no protection",
    "uid": "weaker than landlock",
    REMOTE: "on its author's machine",
    OTHER: "not known here",
}
"""What is said of those that keep less from a bot than the default, or may."""


def kinds_of(name: str) -> Kinds:
    """Return the kinds of sandbox of a match, given how it is stored, with versions and devices."""
    words = (each.split(" ")[0] for each in name.split(" and "))
    return tuple(sorted({word if word in _KNOWN else OTHER for word in words}))


def is_notable(kinds: Collection[Kinds]) -> bool:
    """Return whether a reader should know of the sandboxes of some matches.

    So it is if they differ, or one may keep less from a bot than the default.
    """
    return len(kinds) > 1 or any(each in _SAID for found in kinds for each in found)


def sandboxes(source: FacetSource) -> Facet | None:
    """Return how many matches were played in which kinds, if a reader should know.

    It is said elsewhere which bots are remote; here, only the sandboxes of the others matter.
    """
    remote = any(bot.grant.remote for bot in source.league.bots)

    def matter(name: str) -> Kinds:
        return tuple(each for each in kinds_of(name) if not (remote and each == REMOTE))

    if not is_notable({kinds for name in source.store.sandbox_names() if (kinds := matter(name))}):
        return None  # as nearly always, without a look at each match
    found: Counter[Kinds] = Counter()
    for number, name, count in source.store.sandboxes():
        if number in source.results and (kinds := matter(name)):
            found[kinds] += count
    return sandboxes_facet(found, source.words)


def sandboxes_facet(
    found: Mapping[Kinds, int], words: Words, whose: str = "all matches"
) -> Facet | None:
    """Return what is said of the kinds of sandbox of so many matches, if a reader should know.

    `whose` names all of these matches.
    """
    if not is_notable(found):
        return None
    counts = dict(sorted(found.items()))
    facts = {" and ".join(kinds): count for kinds, count in counts.items()}
    return Facet(facts={"sandboxes": facts}, notes=(_note(counts, words, whose),))


def _note(found: Mapping[Kinds, int], words: Words, whose: str) -> str:
    known: set[str] = set()

    def said(kinds: Kinds) -> str:
        parts = [
            f"{kind} ({_SAID[kind]})" if kind in _SAID and kind not in known else kind
            for kind in kinds
        ]
        known.update(kinds)
        return " and ".join(parts)

    if len(found) == 1:
        [kinds] = found
        return f"{'Sandboxes' if kinds[1:] else 'Sandbox'} of {whose}: {said(kinds)}."
    parts = [
        f"{said(kinds)} in {words.counted(count, 'match', 'matches')}"
        for kinds, count in found.items()
    ]
    return f"Sandboxes: {', '.join(parts)}."

"""In which sandboxes matches were played, where a reader should know: facts and a note."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, TypeAlias, get_args

from arena.store.store import Store
from arena.text import counted
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


def sandboxes_of(store: Store, results: Collection[int], *, remote: bool) -> Mapping[Kinds, int]:
    """Return how many matches were played in which kinds, if a reader should know.

    The matches are those that had one of the results, by number. With `remote`, it is said
    elsewhere which bots are remote, and only the sandboxes of the others matter.
    """

    def matter(name: str) -> Kinds:
        return tuple(each for each in kinds_of(name) if not (remote and each == REMOTE))

    if not is_notable({kinds for name in store.sandbox_names() if (kinds := matter(name))}):
        return {}  # as nearly always, without a look at each match
    found: Counter[Kinds] = Counter()
    for number, name, count in store.sandboxes():
        if number in results and (kinds := matter(name)):
            found[kinds] += count
    return dict(sorted(found.items())) if is_notable(found) else {}


def facts_of(found: Mapping[Kinds, int]) -> dict[str, Any]:
    """Return the same for programs, if there is anything to be said."""
    return {"sandboxes": {" and ".join(kinds): n for kinds, n in found.items()}} if found else {}


def notes_of(
    found: Mapping[Kinds, int],
    count: Callable[[int, str, str], str] = counted,
    whose: str = "all matches",
) -> Iterator[str]:
    """Yield a sentence on the sandboxes, if there is anything to be said.

    `count` writes a number of things, and `whose` names all of them.
    """
    if not found:
        return
    known: set[str] = set()

    def words(kinds: Kinds) -> str:
        parts = [
            f"{kind} ({_SAID[kind]})" if kind in _SAID and kind not in known else kind
            for kind in kinds
        ]
        known.update(kinds)
        return " and ".join(parts)

    if len(found) == 1:
        [kinds] = found
        yield f"{'Sandboxes' if kinds[1:] else 'Sandbox'} of {whose}: {words(kinds)}."
    else:
        parts = [f"{words(each)} in {count(n, 'match', 'matches')}" for each, n in found.items()]
        yield f"Sandboxes: {', '.join(parts)}."

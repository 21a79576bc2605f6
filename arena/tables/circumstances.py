"""How matches were played, where a reader should know: sandboxes, wheels, cards, versions."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import Any, TypeAlias, get_args

from arena.stats.memory import Later, leads, remembering
from arena.store.wheels import wheels_in
from arena.tables.facet import Facet, FacetSource
from arena.text import Words, safe
from referee.limits import SandboxName

Kinds: TypeAlias = tuple[str, ...]
"""The kinds of sandbox around the bots of a match, each once, in order."""

REMOTE = "remote"
"""What stands in place of a sandbox for a bot that ran on its author's machine."""
OTHER = "other"
"""What stands for a name that no sandbox has here: an import may say anything."""
_NAMED = 5  # of the bots with several versions
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

    if not is_notable(
        {kinds for name in source.store.tallies.sandbox_names() if (kinds := matter(name))}
    ):
        return None  # as nearly always, without a look at each match
    found: Counter[Kinds] = Counter()
    for number, name, count in source.store.tallies.sandboxes():
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
    return Facet(facts={"sandboxes": facts}, notes=(_sandbox_note(counts, words, whose),))


def _sandbox_note(found: Mapping[Kinds, int], words: Words, whose: str) -> str:
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


def wheels(source: FacetSource) -> Facet | None:
    """Return how many matches bots played with which wheels, on which machine, if they differ."""
    if not any([*wheels_in(name)] for name in source.store.tallies.sandbox_names()):
        return None  # as nearly always, without a look at each match
    called = {bot.version[:8]: title for bot, title in source.titles.items()}
    played: dict[str, Counter[tuple[str, str]]] = {}
    for site in source.store.tallies.sites():
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
            f"may have played otherwise: {', '.join(parts)}."
        )
    return Facet(facts={"wheels": facts}, notes=notes)


def mirroring(source: FacetSource) -> Facet | None:
    """Return how many deals of bots that are not all bundled are mirrored, and who remembers."""
    league, results = source.league, source.results
    if not league.game.has_chance or league.rotation_count == 1:
        return None
    found = {True: 0, False: 0}
    for lineup, is_mirrored, count in source.store.tallies.strangers_deals():
        if source.titles.keys() >= set(lineup):
            found[is_mirrored] += count
    if not any(found.values()):
        return None
    later: Mapping[str, Later] = {}
    if found[True]:
        tried = {bot.name for bot in league.bots if not bot.is_bundled}
        pairs = (
            pair for pair in source.store.tallies.first_and_last() if results.keys() >= {*pair}
        )
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
    notes = [*_mirroring_notes(mirrored, apart, later, words)] if mirrored else []
    return Facet(facts={"mirroring": facts}, notes=notes)


def _mirroring_notes(
    mirrored: int, apart: int, later: Mapping[str, Later], words: Words
) -> Iterator[str]:
    of = f"{words.counted(mirrored, 'deal')} of {words.number(mirrored + apart)}"
    whose = of if apart else "All deals"
    are = "is" if apart and mirrored == 1 else "are"
    yield (
        f"{whose} of bots that are not bundled {are} mirrored: who could remember a match would "
        f"know the cards of the next."
    )
    for bot, its in later.items():
        yield (
            f"{bot} does better in the last rotations of mirrored deals than in the first (better "
            f"in {words.counted(its.better, 'deal')}, worse in {its.worse}): it may remember "
            f"cards, or learn."
        )


def entries(source: FacetSource) -> Facet | None:
    """Return how many versions of present bots that are not bundled have played, if several."""
    played = Counter(key for key, _ in source.store.bots.played())
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
        notes=(f"Versions that have played so far: {shown}{rest}.",),
    )

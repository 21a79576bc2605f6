"""Whether a league is what was played: every stored match is played again by the rules."""

import signal
from collections import Counter
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import msgspec

from arena.archive.proof import prove
from arena.league.file import FILE, read_asked
from arena.league.games import load_game
from arena.league.plan import DATABASE
from arena.league.seed import seal
from arena.play.spawning import kill_all, spawn
from arena.store.raw import REMEDY, Page, RawStore
from arena.store.rows import FixedSettings, deal_name
from arena.store.sqlite_file import Damage
from arena.store.store import Store
from arena.store.tournament import wrong_rounds
from arena.tables.table import Column, Table
from arena.text import counted
from protocol.errors import ArenaError, RunError
from referee.catalog.finding import Source, find_source
from referee.catalog.identity import GameFacts, code_of, facts_of
from referee.catalog.loading import load
from referee.games import GAMES
from referee.match.opening import OpeningTerms
from referee.program.file import Confinement
from referee.rules.game import Game

KEYS = ("match", "problem")

_PAGE = 50  # matches that are read and verified at a time
_AHEAD = 2  # pages a worker has before it: the one it is at and the next
_WHOLE = "(all)"

_Terms = tuple[FixedSettings, str, OpeningTerms | None]
"""What holds for all matches: the settings, the key that the seed is stretched to, the openings."""


class Verdict(msgspec.Struct):
    """What came of some matches."""

    sound: int = 0
    damaged: list[tuple[str, str]] = []
    """Ids of matches that differ, each with the first difference."""
    other_rules: dict[str, int] = {}
    """How many cannot be verified here, by the rules they were played by."""


class Verification:
    """Verifies a league's results: `run` does it, and `table` shows what was found.

    Needs the league's database alone: bots may be gone, and `league.toml` may hold anything. With
    `sealed`, what was published of its seed, the seed must be that one. Raises ArenaError if there
    is no database, and RunError if its file is damaged.
    """

    def __init__(
        self, folder: Path, workers: int, *, of_facts: bool = True, sealed: str | None = None
    ) -> None:
        self._path = folder / DATABASE
        if not self._path.exists():
            read_asked(folder)  # which says what is wrong, if it is no league at all
        self._workers = workers
        self._rows: list[dict[str, Any]] = []
        self._notes: list[str] = []
        self._other_rules: Counter[str] = Counter()
        self._sound = self._damaged = self._limits = 0
        with RawStore(self._path) as store:
            store.check_integrity()
            self.matches = store.count_rows()
            for words, count in store.loose_rows():
                self._add(None, f"{words}: {count}.")
            for words in (*store.odd_bots(), *store.timings.odd()):
                self._add(None, f"{words}.")
            self._conditions = self._read_conditions(store) if self.matches else None
        self._is_other_seed = False
        self._source: Source | None = None
        self._openings: OpeningTerms | None = None
        if (conditions := self._conditions) is not None:
            self._source = _source_of(conditions, folder)
            if of_facts and conditions.facts is not None and self._source is not None:
                self._compare_facts(conditions, conditions.facts, self._source)
            self._compare_rounds(conditions)
            self._compare_limits(folder, conditions)
            self._openings = self._read_openings(folder, conditions)
        if sealed is not None:
            self._compare_seal(sealed)

    def _add(self, match: str | None, problem: str) -> None:
        self._rows.append({"match": match, "problem": problem})

    def _read_conditions(self, store: RawStore) -> FixedSettings | None:
        try:
            return store.fixed()
        except Damage as damage:
            self._add(None, f"{damage}. No match can be verified without it.")
            return None

    def _compare_facts(self, conditions: FixedSettings, stored: GameFacts, source: Source) -> None:
        """Compare what is stored of the game with the game that is here."""
        game = load(source, _confinement(conditions))
        if code_of(game) != conditions.code:
            return  # a run plays all matches again first, and stores the facts anew
        if game.rules_version != stored.rules_version:
            return  # other rules, whose matches are counted apart
        here = facts_of(game, source).portable()
        kept = {"version": here.source.version}
        if here.source.kind != "bundled":
            kept["word"] = here.source.word  # its file may have been moved since
        if here != msgspec.structs.replace(
            stored, source=msgspec.structs.replace(stored.source, **kept)
        ):
            self._add(None, f"what is stored of the game {here.name} is not what its code says.")

    def _compare_rounds(self, conditions: FixedSettings) -> None:
        """Draw the rounds of a format that goes by results again, from the results."""
        try:
            with Store(self._path, remedy=REMEDY) as store:
                for words in wrong_rounds(store, conditions):
                    self._add(None, words)
        except (ArenaError, RunError) as error:
            self._add(None, f"its rounds cannot be drawn again: {error}")

    def _compare_limits(self, folder: Path, conditions: FixedSettings) -> None:
        """Compare the limits, of which replays know nothing, with those of the league's file."""
        try:
            asked = msgspec.to_builtins(read_asked(folder).limits)
        except ArenaError as error:
            self._notes.append(f"The stored limits could not be compared: {error}")
            return
        for name, was in msgspec.to_builtins(conditions.limits).items():
            here = asked[name]
            if here != was:
                self._limits += 1
                self._add(None, f"{name} is {was} in the database, and {here} in {FILE}.")

    def _read_openings(self, folder: Path, conditions: FixedSettings) -> OpeningTerms | None:
        """Return what openings are made from; None if there are none, or their book is not here."""
        fixed = conditions.opening
        if fixed is None:
            return None
        if fixed.plies is not None and fixed.open is not None:
            return OpeningTerms(plies=fixed.plies, open=fixed.open)
        try:
            asked = read_asked(folder)
        except ArenaError as error:
            self._notes.append(f"The openings could not be compared with their book: {error}")
            return None
        if asked.opening is not None and asked.opening.fixed() == fixed:
            return asked.opening
        why = asked.unread_book or f"{folder / FILE} names another one."
        self._notes.append(f"The openings could not be compared with their book: {why}")
        return None

    def _compare_seal(self, sealed: str) -> None:
        """Compare the seed with what was published of it."""
        found = seal(self._conditions.seed) if self._conditions is not None else None
        if found == sealed:
            self._notes.append("Its seed is the one whose SHA-256 was published.")
            return
        self._is_other_seed = True
        self._add(
            None,
            f"the SHA-256 of its seed is {found}, not the one that was published."
            if found is not None
            else "nothing was played, so that no seed is stored.",
        )

    @property
    def done(self) -> int:
        """How many matches were looked at so far."""
        return self._sound + self._damaged + self._other_rules.total()

    @property
    def problems(self) -> int:
        """How many problems were found so far."""
        return len(self._rows)

    @property
    def remedy(self) -> str:
        """What to do about the problems found so far, as the end of a sentence."""
        if self._is_other_seed:
            return "it is not the league whose seed was sealed: ask whoever published it."
        copy = "put back a copy of its database from before"
        if not self._limits:
            return f"{copy}."
        file = f"put back into {FILE} the limits that its matches were played with"
        return f"{file}." if self._limits == self.problems else f"{copy}, and {file}."

    def run(self) -> Generator[None, None, None]:
        """Verify every match, a page at each step."""
        if self._conditions is None:
            return
        with RawStore(self._path) as store:
            pages = store.pages(_PAGE)
        verdicts = _verdicts(
            self._path,
            (self._conditions, self._conditions.key, self._openings),
            self._source,
            pages,
            min(self._workers, len(pages)),
        )
        with closing(verdicts):
            for verdict in verdicts:
                self._sound += verdict.sound
                self._other_rules.update(verdict.other_rules)
                self._damaged += len(verdict.damaged)
                for match, problem in verdict.damaged:
                    self._add(match, problem)
                yield

    def table(self) -> Table:
        """Return what differs, by match."""
        rows = sorted(self._rows, key=lambda row: (row["match"] or "", row["problem"]))
        columns = (
            Column("Match", lambda row: row["match"] or _WHOLE),
            Column("What is wrong", "problem", width=40),
        )
        facts = {
            "matches": self.done,
            "differ": self._damaged,
            "other_rules": dict(sorted(self._other_rules.items())),
        }
        grids = None if rows else ()
        return Table("problems", columns, rows, facts, list(self._said()), KEYS, grids=grids)

    def _said(self) -> Iterator[str]:
        verified = self._sound + self._damaged
        differ = {0: "none differs", 1: "1 differs"}.get(self._damaged, f"{self._damaged:,} differ")
        yield f"{verified:,} {'match' if verified == 1 else 'matches'} verified; {differ}."
        for rules, count in sorted(self._other_rules.items()):
            yield (
                f"{counted(count, 'match', 'matches')} cannot be verified here: played by {rules}. "
                f"Use the release that played them."
            )
        yield from self._notes


def _source_of(conditions: FixedSettings, folder: Path) -> Source | None:
    """Return where the game is found by which a league was played; None if that is not known.

    Raises ArenaError if it is not there any more, or the user has not agreed to it.
    """
    if conditions.game in GAMES:
        return Source(conditions.game, "bundled")
    if conditions.facts is None:
        return None
    words = [conditions.facts.source.word]
    with suppress(ArenaError):  # what the league's file says now comes first
        words.insert(0, read_asked(folder).settings.game)
    for word in words:
        source = find_source(word, folder)
        game = load_game(source, _confinement(conditions))
        if game.name == conditions.game:
            return source
    raise ArenaError(
        f"{folder} was played by the game {conditions.game!r}, and {word!r} is called "
        f"{game.name!r} now: give it its name back."
    )


def _confinement(conditions: FixedSettings) -> Confinement:
    """Return the sandbox of a game that is a program: that of the league's bots."""
    return Confinement(conditions.limits.sandbox)


def _verdicts(
    path: Path,
    terms: _Terms,
    source: Source | None,
    pages: list[Page],
    workers: int,
) -> Generator[Verdict, None, None]:
    """Yield the verdict on each page, in their order, from as many processes."""
    if workers == 1:
        game = None if source is None else load(source, _confinement(terms[0]))
        with RawStore(path) as store:
            for page in pages:
                yield _verdict(store, terms, game, page)
        return
    links = []
    try:
        for _ in range(workers):  # they never get Ctrl-C: their parent does, and ends them
            started = spawn(_serve, path, terms, source, blocked=(signal.SIGINT,))
            links.append(started.link)
        ahead = _AHEAD * workers
        for number, page in enumerate(pages):
            link = links[number % workers]
            if number >= ahead:
                yield _answer(link)
            with suppress(OSError):  # it was killed, as its answer will show
                link.send(page)
        for number in range(max(0, len(pages) - ahead), len(pages)):
            yield _answer(links[number % workers])
    finally:
        kill_all()


def _serve(link: Any, path: Path, terms: _Terms, source: Source | None) -> None:
    """Answer pages with verdicts until nobody asks any more."""
    with suppress(EOFError, ConnectionError):
        try:
            game = None if source is None else load(source, _confinement(terms[0]))
            with RawStore(path) as store:
                while True:
                    link.send(_verdict(store, terms, game, link.recv()))
        except ArenaError as error:
            link.send(error)


def _answer(link: Any) -> Verdict:
    try:
        answer = link.recv()
    except (EOFError, ConnectionError):
        raise RunError("a process that verified matches was killed; verify again.") from None
    if isinstance(answer, ArenaError):
        raise answer
    assert isinstance(answer, Verdict)
    return answer


def _verdict(store: RawStore, terms: _Terms, game: type[Game] | None, page: Page) -> Verdict:
    verdict = Verdict()
    conditions, key, openings = terms
    rows = store.matches(*page)
    numbers = store.bot_numbers()  # read later than the rows, it knows all their bots
    bundled = store.bundled()
    for row in rows:
        try:
            rules = prove(row, numbers, bundled, conditions, key, game, openings)
        except ArenaError as difference:
            verdict.damaged.append((_id(row), str(difference)))
            continue
        if rules:
            verdict.other_rules[rules] = verdict.other_rules.get(rules, 0) + 1
        else:
            verdict.sound += 1
    return verdict


def _id(row: Mapping[str, Any]) -> str:
    """Return the id of a match, of which the row of its deal may be missing."""
    deal = "?" if row["name"] is None else deal_name(row["name"])
    return f"{deal}-{row['rotation']}"

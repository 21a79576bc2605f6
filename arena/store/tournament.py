"""A league whose format goes by results: its rounds so far, the next one, and what they ask for."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property

import msgspec

from arena.league.plan import LeaguePlan
from arena.schedule.asked import AskedDeals, ListedDeals
from arena.schedule.deal import BotIndex, Deal, Entrant, rotation_count
from arena.schedule.format_kinds import InRounds
from arena.schedule.formats import FORMATS
from arena.schedule.rounds import (
    Frame,
    Lineup,
    Over,
    Round,
    RoundDeal,
    RoundFormat,
    RoundTerms,
    Standings,
)
from arena.store.rounds import Drawn, StoredRound
from arena.store.rows import FixedSettings
from arena.store.sqlite_file import Damage
from arena.store.store import Store
from arena.store.under_way import under_way
from arena.text import counted
from protocol.errors import ArenaError


def asked_deals(league: LeaguePlan, store: Store | None) -> AskedDeals:
    """Return the deals that a league asks for, as far as that is known by now.

    Of a league that goes by results, it is those of all rounds, and of the next one if all are
    over. Without a `store`, nothing was played yet. Raises ArenaError as the format does.
    """
    return Tournament(league, store).asked if league.goes_by_results else league.asked


class Tournament:
    """The rounds of a league, as its database has them and its format goes on.

    A round is over when all its deals are played whole, but for those of bots that are out. While
    nothing was played, or has begun in a slow league, a round that was drawn does not bind: the
    file may change until then.
    """

    def __init__(self, league: LeaguePlan, store: Store | None) -> None:
        self._league = league
        self._store = store
        present = {bot.name: Entrant(bot.key, bot.version) for bot in league.bots}
        self._index = {entrant: BotIndex(number) for number, entrant in enumerate(present.values())}
        self._present = [present[name] for name in league.order if name in present]
        is_begun = store is not None and (
            store.db.has_matches() or any(under_way(league.folder).values())
        )
        self._rounds = store.rounds.all() if store is not None and is_begun else []
        self.past: list[Round] = []
        """The rounds that are over, with their results."""
        self._take_past()
        if self._lacking:
            self._close(frozenset())

    def _take_past(self) -> None:
        """Take rounds for over, one after another, as long as they are."""
        self._lacking: list[Lineup] = []
        self._open: Round | None = None
        self.__dict__.pop("upcoming", None)  # as it is another now
        while len(self.past) < len(self._rounds) and not self._lacking:
            assert self._store is not None
            drawn = self._rounds[len(self.past)]
            found, self._lacking = read_round(
                self._store, drawn, self._league.rounds, self._league.rotation_count
            )
            if self._lacking:
                self._open = found
            else:
                self.past.append(found)

    def _close(self, suspended: Collection[Entrant]) -> None:
        """End the last round, if nobody is left who could play what it lacks."""
        if len(self.past) + 1 < len(self._rounds):
            return  # matches were lost, and are to be played again: later rounds rest on them
        last = self._rounds[-1]
        gone = [
            number
            for number, (key, version) in enumerate(last.drawn.field)
            if (bot := Entrant(key, version)) in suspended or bot not in self._index
        ]
        out = {Entrant(*last.drawn.field[number]) for number in gone}
        if all(not out.isdisjoint(lineup) for lineup in self._lacking):
            missed = set().union(*self._lacking)
            more = [n for n in gone if Entrant(*last.drawn.field[n]) in missed]
            self._rounds[-1] = StoredRound(drawn=last.drawn, out=sorted({*last.out, *more}))
            self._take_past()

    @cached_property
    def upcoming(self) -> Drawn | Over | None:
        """What comes after the rounds that were drawn; None while one of them goes on."""
        return self._next(self._present)

    def _next(self, field: Sequence[Entrant]) -> Drawn | Over | None:
        if len(self.past) < len(self._rounds):
            return None
        terms, matches = self._league.terms, self._league.settings.matches
        found = draw(self._league.round_format, self.past, field, terms)
        if isinstance(found, Over) or matches is None:
            return found
        more = len(found.deals) * self._league.rotation_count
        played = sum(len(each.drawn.deals) for each in self._rounds) * self._league.rotation_count
        if played + more <= matches:
            return found
        if not self._rounds:
            raise ArenaError(f"matches = {matches} is less than the first round, which has {more}.")
        return Over(
            f"Round {len(self._rounds) + 1} would have {counted(more, 'match', 'matches')}, more "
            f"than are left of the {matches} that are played at most."
        )

    @property
    def asked(self) -> AskedDeals:
        """The deals of all rounds, also of the upcoming one, that present bots can play."""
        rounds = list(self._rounds)
        if isinstance(self.upcoming, Drawn):
            rounds.append(StoredRound(drawn=self.upcoming))
        return self._asked(rounds)

    @property
    def drawn(self) -> AskedDeals:
        """Those deals, without the upcoming round."""
        return self._asked(self._rounds)

    @property
    def latest(self) -> AskedDeals:
        """The deals of the round that was drawn last."""
        return self._asked(self._rounds[-1:])

    def _asked(self, rounds: Sequence[StoredRound]) -> AskedDeals:
        deals = dict.fromkeys(
            Deal(tuple(sorted(self._index[bot] for bot in lineup)), number)
            for each in rounds
            for lineup, number in counting(each)
            if self._index.keys() >= set(lineup)
        )
        return ListedDeals(lambda: deals, lambda: len(deals), self._league.rotation_count)

    def catch_up(self) -> None:
        """Store the rounds that follow, as long as all their matches are there already.

        It is so where rounds were lost, and not the matches.
        """
        while isinstance(self.upcoming, Drawn) and not self._is_lacking(self.upcoming):
            self.advance((), is_part=True)
            self._take_past()

    def _is_lacking(self, drawn: Drawn) -> bool:
        if self._store is None or (not self._rounds and not self._store.db.has_matches()):
            return True
        rotations = self._league.rotation_count
        played = self._store.rounds.places(lineups(drawn), rotations)
        return any(places is None for places in played)

    def advance(self, suspended: Collection[BotIndex], *, is_part: bool) -> Drawn | Over | None:
        """Draw and store the next round, for those who are not suspended.

        Returns None, and draws nothing, while matches of the last one are missing that could be
        played. Whoever plays only a part of a league cannot know that: there, they must all be
        stored.
        """
        assert self._store is not None
        entrants = list(self._index)
        gone = {entrants[index] for index in suspended}
        before = len(self._rounds)
        self._take_past()
        if self._lacking and not is_part:
            self._close(gone)
        found = self._next([bot for bot in self._present if bot not in gone])
        if isinstance(found, Drawn):
            self._rounds.append(StoredRound(drawn=found))
        if found is not None:
            first = max(0, before - 1)
            self._store.rounds.keep(first, self._rounds[first:])
        self.__dict__.pop("upcoming", None)
        return found

    @property
    def number(self) -> int:
        """How many rounds were drawn."""
        return len(self._rounds)

    @property
    def progress(self) -> str:
        """How far it has come, in a sentence."""
        match self.upcoming:
            case Over():
                return self.upcoming.why
            case Drawn():
                return f"Round {self.number + 1} comes next."
            case None:
                return f"Round {self.number} is being played."

    def standings(self) -> Standings:
        """Return how it stands after the rounds that are over, in the form of its format.

        While one is being played, those are in it who were when it was drawn.
        """
        field, terms = self._present, self._league.terms
        if self._open is not None:
            field, terms = list(self._open.field), self._open.terms
        return self._league.round_format.standings(self.past, field, terms, self.called)

    def called(self, bot: Entrant) -> str:
        """Return the present name of a bot."""
        return self._league.names.get(bot.key, bot.key)

    @property
    def playing(self) -> list[tuple[Lineup, int]]:
        """The line-ups of the round that is played now, or comes next, each with its deals."""
        drawn = self._rounds[len(self.past)].drawn if self._open is not None else self.upcoming
        if not isinstance(drawn, Drawn):
            return []
        return list(Counter(lineup for lineup, _ in lineups(drawn)).items())


def draw(
    form: RoundFormat, past: Sequence[Round], field: Sequence[Entrant], terms: RoundTerms
) -> Drawn | Over:
    """Return the next round of a tournament, its deals numbered line-up by line-up."""
    found = form.next_round(past, field, terms)
    if isinstance(found, Over):
        return found
    numbers = Counter(deal.lineup for each in past for deal in each.deals)
    places = {bot: number for number, bot in enumerate(field)}
    deals = []
    for lineup in found:
        deals.append(([places[bot] for bot in lineup], numbers[lineup]))
        numbers[lineup] += 1
    return Drawn(
        deals_each=terms.deals,
        options=msgspec.to_builtins(terms.options),
        field=[(bot.key, bot.version) for bot in field],
        deals=deals,
    )


def read_round(
    store: Store, stored: StoredRound, form: InRounds, rotations: int
) -> tuple[Round, list[Lineup]]:
    """Return a round with its results, and the line-ups of deals that count but are missing."""
    drawn = stored.drawn
    with store.db.explained():
        terms = terms_of(drawn, form)
    field = [Entrant(key, version) for key, version in drawn.field]
    out = frozenset(field[number] for number in stored.out)
    keys = lineups(drawn)
    deals, lacking = [], []
    for (lineup, number), places in zip(keys, store.rounds.places(keys, rotations), strict=True):
        counts = out.isdisjoint(lineup)
        if counts and places is None:
            lacking.append(lineup)
        deals.append(RoundDeal(lineup, number, places if counts else None))
    return Round(terms, tuple(field), tuple(deals), out), lacking


def terms_of(drawn: Drawn, form: InRounds) -> RoundTerms:
    """Return what was asked of a round; raise Damage for options that its format does not have."""
    try:
        options = msgspec.convert(drawn.options, form.options)
    except msgspec.ValidationError as error:
        raise Damage(f"the options of a round cannot be read: {error}") from None
    if msgspec.to_builtins(options) != drawn.options:
        raise Damage("the options of a round are not all those of its format")
    return RoundTerms(drawn.deals_each, options)


def check_rounds(rounds: Sequence[StoredRound], settings: FixedSettings) -> None:
    """Raise ArenaError unless a league with these settings could have drawn rounds such as these.

    Whether they follow from the results, `wrong_rounds` says.
    """
    form = FORMATS[settings.tournament]
    if rounds and not isinstance(form, InRounds):
        raise ArenaError(f"leagues of format {settings.tournament!r} have no rounds.")
    for number, stored in enumerate(rounds):
        assert isinstance(form, InRounds)
        try:
            stored.check()
            form.check_options(terms_of(stored.drawn, form).options, settings.seats)
        except (ArenaError, Damage) as error:
            raise ArenaError(f"rounds[{number}]: {error}") from None


def lineups(drawn: Drawn) -> list[tuple[Lineup, int]]:
    """Return the line-up and the number of each deal of a round."""
    field = [Entrant(key, version) for key, version in drawn.field]
    return [(tuple(field[at] for at in lineup), number) for lineup, number in drawn.deals]


def counting(stored: StoredRound) -> list[tuple[Lineup, int]]:
    """Return those of bots that are not out."""
    out = {Entrant(*stored.drawn.field[number]) for number in stored.out}
    return [deal for deal in lineups(stored.drawn) if out.isdisjoint(deal[0])]


def missed(store: Store, drawn: Drawn, rotations: int) -> frozenset[Entrant]:
    """Return the bots of the deals of a round of which matches are missing."""
    keys = lineups(drawn)
    played = zip(keys, store.rounds.places(keys, rotations), strict=True)
    return frozenset(bot for (lineup, _), places in played if places is None for bot in lineup)


def wrong_rounds(store: Store, settings: FixedSettings) -> Iterator[str]:
    """Yield what of the stored rounds is not what the format draws by the results, in sentences."""
    rounds = store.rounds.all()
    form = FORMATS[settings.tournament]
    if not isinstance(form, InRounds):
        if rounds:
            yield f"there are rounds, and leagues of format {settings.tournament!r} have none."
        return
    rotations = rotation_count(settings.rotations, settings.seats)
    made = form.make(Frame(settings.seats, rotations, lambda: settings.key))
    past: list[Round] = []
    for number, stored in enumerate(rounds, 1):
        found, lacking = read_round(store, stored, form, rotations)
        again = draw(made, past, found.field, found.terms)
        if isinstance(again, Over) or again.deals != stored.drawn.deals:
            yield f"round {number} is not what follows from the results before it."
        if lacking and number < len(rounds):
            yield f"round {number} lacks matches, and others rest on it."
            return
        if lacking and found.out:
            yield f"`out` of round {number} names bots while matches of others are missing."
        may_be_out = set(missed(store, stored.drawn, rotations)) if found.out else set()
        for later in rounds[number : number + 1]:  # their matches may have come from elsewhere
            here = {Entrant(*bot) for bot in later.drawn.field}
            may_be_out |= {bot for deal in found.deals for bot in deal.lineup} - here
        if needless := sorted(bot.key for bot in found.out - may_be_out):
            yield (
                f"`out` of round {number} names {', '.join(needless)}, of whom no match is missing."
            )
        past.append(found)
    drawn = {deal for stored in rounds for deal in lineups(stored.drawn)}
    loose = sum(
        (tuple(Entrant(bot.name, bot.version) for bot in lineup), number) not in drawn
        for number, lineup, _ in store.tallies.deal_sizes()
    )
    if loose:
        yield f"{counted(loose, 'deal is', 'deals are')} stored that no round has drawn."

"""Slow matches while they are played: what is answered in them is kept, and they are gone on with.

Their bots may ask through doors, or run elsewhere.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import monotonic

import msgspec

from arena.play.executor import Fixture
from arena.play.messages import Setup, StalledError
from arena.play.slow.doors import Doors
from arena.play.slow.remote_bot import RemoteBot
from arena.play.watchdog import MOST_DECISIONS
from arena.schedule.deal import BotIndex
from arena.store.under_way import MatchesUnderWay, MatchPlan, MatchUnderWay
from protocol.errors import RunError
from protocol.remote import Call
from referee.catalog.identity import code_of
from referee.match.evidence import Played
from referee.match.kept import KeptAnswer, KeptAnswers
from referee.match.seat import AbsentSeat, ProcessSeat, Seat
from referee.process.polling import Polling
from referee.rules.game import Game
from referee.sandbox import MachineError
from referee.turn.bot_process import BotProcess

_TOLD_SECONDS = 5.0  # between two words on how far the matches are
_AGAIN_SECONDS = 1.0  # between two calls to a bot that is not there


class Keeping:
    """Where the slow matches of a process are kept.

    Args:
        setup: what is played.
        game: its game.
        under_way: the file of answers.
        doors: the open door, if the league has one.
        home: the folder with the socket by which remote bots are reached, if they are.
        told: called now and then, as answers are kept, with how many matches are on their way, and
            how many answers were given.

    """

    def __init__(
        self,
        setup: Setup,
        game: type[Game],
        under_way: MatchesUnderWay,
        doors: Doors | None,
        home: Path | None,
        told: Callable[[int, int], None],
    ) -> None:
        self.setup = setup
        self.under_way = under_way
        self.doors = doors
        self.home = home
        self._tell = told
        self._told = monotonic()  # when
        self._playing = self._answers = 0
        self._terms = _digest(
            setup.game.word, code_of(game), setup.options, setup.limits.stored(), setup.opening
        )  # what the answers of all matches depend on, their bots aside

    @contextmanager
    def kept(self, fixture: Fixture, polling: Polling) -> Iterator["KeptMatch"]:
        """Keep a match while it is played, with these waits, until that ends in any way."""
        try:
            begun = self._begin(fixture)
            self._playing += 1
            with ExitStack() as at_door:
                at_door.callback(self._note_end)
                yield KeptMatch(self, fixture, begun, polling, at_door)
        except RunError as error:
            raise MachineError(str(error)) from None  # of the file: nothing more can be kept

    def _note_end(self) -> None:
        self._playing -= 1

    def _begin(self, fixture: Fixture) -> MatchUnderWay:
        setup, bots, deal = self.setup, fixture.bots, fixture.deal
        entrants = [setup.schedule.entrants[bot].version for bot in bots]
        grants = [setup.limits_of(bot).stored() for bot in bots]
        terms = _digest(self._terms, entrants, grants, deal.is_mirrored)
        lineup = tuple(
            (entrant.key, entrant.version)
            for entrant in (setup.schedule.entrants[bot] for bot in deal.lineup)
        )
        plans = {
            setup.schedule.match_id(deal, rotation): MatchPlan(
                lineup, deal.number, rotation, deal.is_mirrored
            )
            for rotation in range(setup.schedule.rotation_count)
        }
        plan = plans.pop(fixture.match)
        return self.under_way.begin(fixture.match, terms, plan, plans)

    def keep(self, begun: MatchUnderWay, seat: int, number: int, answer: KeptAnswer) -> None:
        """Keep an answer before anything follows from it."""
        self.under_way.keep(begun, seat, number, answer)
        self._answers += 1
        if monotonic() - self._told > _TOLD_SECONDS:
            self._told = monotonic()
            self._tell(self._playing, self._answers)


class KeptMatch:
    """One match that is kept as it is played, so that it can be gone on with."""

    def __init__(
        self,
        keeping: Keeping,
        fixture: Fixture,
        begun: MatchUnderWay,
        polling: Polling,
        at_door: ExitStack,
    ) -> None:
        self._keeping = keeping
        self._fixture = fixture
        self._begun = begun
        self._polling = polling
        self._at_door = at_door

    @property
    def has_begun(self) -> bool:
        """Whether anything was answered in the match."""
        return any(self._begun.answers)

    def reach(self, bot: BotIndex) -> Seat | None:
        """Return the seat of a remote bot; None of one that is to be started here.

        A match that has begun, or is a replaced version's, waits for it a while, and then goes on
        without it, whether it is not connected or never gets ready. Raises StalledError for
        another one, and where nobody can be reached; and BotError.
        """
        setup, home = self._keeping.setup, self._keeping.home
        digest = setup.remotes.get(bot)
        if digest is None:
            return None
        assert home is not None
        key = setup.schedule.entrants[bot].key
        call = Call(bot=key, digest=digest, match=self._fixture.match)
        limits, name = setup.limits_of(bot), setup.names[bot]
        must_go_on = self.has_begun or bot in setup.replaced
        patience = setup.outage_wait if must_go_on else 0.0
        began = monotonic()
        while True:
            try:
                return ProcessSeat(RemoteBot.ready(home, call, limits, name, self._polling))
            except StalledError as error:
                if error.with_everybody:
                    self._polling.sleep(_AGAIN_SECONDS)
                    raise  # no time of the bot's passes
                if monotonic() - began < patience:
                    self._polling.sleep(_AGAIN_SECONDS)
                    continue
                if patience:
                    return AbsentSeat(
                        f"{error}, {patience:g} s after the match was to go on: that is waited for "
                        f"no longer"
                    )
                raise

    def seated(self, seats: Sequence[Seat]) -> None:
        """Let those in the seats ask through their doors; find out what was answered before."""
        doors = self._keeping.doors
        for number, (bot, seat) in enumerate(zip(self._fixture.bots, seats, strict=True)):
            process = seat.process if isinstance(seat, ProcessSeat) else None
            if doors is not None and isinstance(process, BotProcess):
                client = doors.at_door(self._fixture.match, self._begun, number, bot, process)
                self._at_door.enter_context(client)
        answers = KeptAnswers(seats, self._begun.answers, self._keep)
        self.before, self.after = answers.before, answers.after

    def _keep(self, seat: int, number: int, answer: KeptAnswer) -> None:
        if number > MOST_DECISIONS:
            raise RuntimeError(
                f"the match has not ended after {MOST_DECISIONS:,} decisions of a seat"
            )
        self._keeping.keep(self._begun, seat, number, answer)

    def played(self, played: Played) -> Played:
        """Return the match with what was asked at doors, once all of that is answered."""
        if self._keeping.doors is None:
            return played
        self._at_door.close()
        exchanges = self._keeping.under_way.exchanges(self._begun)
        evidence = msgspec.structs.replace(played.evidence, exchanges=exchanges)
        return msgspec.structs.replace(played, evidence=evidence)


def _digest(*parts: object) -> str:
    return hashlib.sha256(msgspec.json.encode(parts, order="sorted")).hexdigest()

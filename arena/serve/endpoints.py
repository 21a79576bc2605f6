"""The API of a server: what programs ask, and what they are answered."""

from collections import Counter
from typing import NamedTuple

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from arena.handin.submissions import all_of, get, of_author
from arena.serve.answers import json
from arena.serve.api import (
    BotAnswer,
    FinalAnswer,
    LeagueAnswer,
    LeagueEntry,
    LeaguesAnswer,
    MatchesAnswer,
    QueueAnswer,
    ReplayAnswer,
    SubmissionAnswer,
    SubmissionsAnswer,
    TableAnswer,
    api_schema,
)
from arena.serve.broadcast import EventStream, Listener
from arena.serve.careers import BotView
from arena.serve.connections import network_of
from arena.serve.messages import Query
from arena.serve.receiving import receive
from arena.serve.replays import MatchesView, OwnView, ReplayView
from arena.serve.served import Served
from arena.serve.shown import SubmissionView, queue_view, submission_view
from arena.serve.views import TableView
from arena.serve.visits import (
    Admission,
    WebVisitor,
    address_of,
    may_see_all,
    own_versions,
)
from protocol.errors import ArenaError, Refusal

_DIGITS = 15  # of a number in an address
_MOST_LISTENERS = 256
"""Of one address: a class may be behind one."""


class Which(NamedTuple):
    """Which matches are asked for."""

    bot: str
    faulty: bool = False
    before: int = 0


class Api:
    """Answers of the API; pages are made of the same.

    Args:
        leagues: by name.
        admission: who may ask what.

    """

    def __init__(self, leagues: dict[str, Served], admission: Admission) -> None:
        self._leagues = leagues
        self._admission = admission
        self._listeners: Counter[str] = Counter()

    # --- what is read, for the API and for pages

    async def table(self, league: Served, visitor: WebVisitor) -> TableView:
        """Return the table that somebody may see."""
        data = await league.table(to_organizer=visitor.is_organizer)
        return msgspec.json.decode(data, type=TableView)

    async def final(self, league: Served, visitor: WebVisitor) -> TableView:
        """Return the table of the final, if there is one that somebody may see."""
        if not league.timetable.is_final_shown(to_organizer=visitor.is_organizer):
            raise Refusal(
                404,
                "there is no final to show, or not yet.",
                "The calendar says when bots are taken no more, and when results are shown.",
            )
        return msgspec.json.decode(await league.reader.get(Query(0, "final")), type=TableView)

    async def bot(
        self, request: Request, league: Served, visitor: WebVisitor, bot: str
    ) -> tuple[BotView, OwnView | None]:
        """Return what everybody sees of a bot, and what its author does."""
        since = league.timetable.since(to_organizer=visitor.is_organizer)
        with self._admission.one_more(request):
            view = msgspec.json.decode(
                await league.reader.get(Query(0, "bot", bot, since=since)), type=BotView
            )
            own = await own_versions(league, visitor)
            if own is not None and bot not in {name for name, _ in own}:
                return view, None
            data = await league.reader.get(Query(0, "own", bot, own, since=since))
            return view, msgspec.json.decode(data, type=OwnView)

    async def matches(
        self, request: Request, league: Served, visitor: WebVisitor, which: Which
    ) -> MatchesView:
        """Return matches that somebody may see, newest first."""
        own = None if may_see_all(league, visitor) else await own_versions(league, visitor)
        since = league.timetable.since(to_organizer=visitor.is_organizer)
        with self._admission.one_more(request):
            ask = Query(0, "matches", which.bot, own, which.faulty, which.before, since)
            return msgspec.json.decode(await league.reader.get(ask), type=MatchesView)

    async def replay(
        self, request: Request, league: Served, visitor: WebVisitor, match: str
    ) -> ReplayView:
        """Return a match that somebody may see, without what others' bots said."""
        own = await own_versions(league, visitor)
        since = league.timetable.since(to_organizer=visitor.is_organizer)
        ask = Query(0, "replay", match, own, since=since)
        with self._admission.one_more(request):
            found = msgspec.json.decode(await league.reader.get(ask), type=ReplayView)
        played = {(seat.bot, seat.version) for seat in found.row.seats}
        if not may_see_all(league, visitor) and played.isdisjoint(own or ()):
            raise Refusal(403, "you may see matches of your own bots.", "Open one of those.")
        return found

    async def submission(self, league: Served, visitor: WebVisitor, number: int) -> SubmissionView:
        """Return a submission that somebody may see: his own one, or any for the organizer."""
        missing = Refusal(404, f"you have no submission {number}.", "Look at the list of yours.")
        assert visitor.person is not None
        try:
            found = await league.db(get, number)
        except ArenaError:
            raise missing from None
        if not visitor.is_organizer and found.author != visitor.person.name:
            raise missing
        return msgspec.structs.replace(submission_view(found), progress=league.progress_of(number))

    async def submissions(self, league: Served, visitor: WebVisitor) -> list[SubmissionView]:
        """Return somebody's submissions, or all for the organizer, newest first."""
        assert visitor.person is not None
        found = (
            await league.db(all_of)
            if visitor.is_organizer
            else await league.db(of_author, visitor.person.name)
        )
        return [submission_view(each) for each in found]

    # --- the endpoints

    async def get_schema(self, _request: Request) -> Response:
        """Answer with the schema of all answers."""
        return json(api_schema())

    async def get_leagues(self, _request: Request) -> Response:
        """Answer with the leagues that strangers may see."""
        entries = [
            LeagueEntry(
                league=each.name,
                game=each.plan.game.name,
                phase=each.timetable.phase,
                bots=len(each.plan.bots),
            )
            for each in self._leagues.values()
            if each.plan.hand_in.readers
        ]
        return json(LeaguesAnswer(leagues=entries))

    async def get_league(self, request: Request) -> Response:
        """Answer with what is known of a league."""
        league, visitor = await self._admission.reader(request)
        return json(
            LeagueAnswer(
                league=league.name,
                game=league.plan.game.name,
                seats=league.plan.seats,
                phase=league.timetable.phase,
                bots=sorted(bot.name for bot in league.plan.bots),
                state=league.state(to_organizer=visitor.is_organizer),
                frozen=league.timetable.frozen,
                queued=len(league.queue),
                calendar=league.timetable.calendar,
                you=visitor.you,
                open_to_remote=league.is_open_to_remote,
                remotes=league.homes.rows(to_organizer=visitor.is_organizer),
            )
        )

    async def get_table(self, request: Request) -> Response:
        """Answer with the leaderboard."""
        league, visitor = await self._admission.reader(request)
        frozen = league.timetable.since(to_organizer=visitor.is_organizer)
        return json(TableAnswer(table=await self.table(league, visitor), frozen=frozen))

    async def get_final(self, request: Request) -> Response:
        """Answer with the leaderboard of the final."""
        league, visitor = await self._admission.reader(request)
        table, calendar = await self.final(league, visitor), league.timetable.calendar
        return json(FinalAnswer(table=table, seed_hash=calendar.seed_hash, seed=calendar.seed))

    async def get_bot(self, request: Request) -> Response:
        """Answer with a bot."""
        league, visitor = await self._admission.reader(request)
        view, own = await self.bot(request, league, visitor, bot_of(request))
        return json(BotAnswer(bot=view, own=own))

    async def get_matches(self, request: Request) -> Response:
        """Answer with matches."""
        league, visitor = await self._admission.reader(request)
        found = await self.matches(request, league, visitor, choice_of(request))
        return json(MatchesAnswer(matches=found))

    async def get_match(self, request: Request) -> Response:
        """Answer with a match."""
        league, visitor = await self._admission.reader(request)
        found = await self.replay(request, league, visitor, request.path_params["match"])
        return json(ReplayAnswer(replay=found))

    async def get_queue(self, request: Request) -> Response:
        """Answer with what waits."""
        league, visitor = await self._admission.reader(request)
        trouble = league.timetable.hook_trouble if visitor.is_organizer else ""
        return json(QueueAnswer(queue=queue_view(league.queue), hook_trouble=trouble))

    async def get_submissions(self, request: Request) -> Response:
        """Answer with submissions."""
        league, visitor = await self._admission.author(request)
        return json(SubmissionsAnswer(submissions=await self.submissions(league, visitor)))

    async def get_submission(self, request: Request) -> Response:
        """Answer with a submission."""
        league, visitor = await self._admission.author(request)
        found = await self.submission(league, visitor, number_of(request))
        return json(SubmissionAnswer(submission=found))

    async def post_submission(self, request: Request) -> Response:
        """Take in what is handed in."""
        league = self._admission.league(request)
        found = await receive(self._admission, request, league)
        return json(SubmissionAnswer(submission=submission_view(found)), 202)

    async def get_events(self, request: Request) -> EventStream:
        """Answer with what happens from now on."""
        league, visitor = await self._admission.reader(request)
        address = network_of(address_of(request))
        if self._listeners[address] >= _MOST_LISTENERS:
            raise Refusal(429, "too many pages are open at your address.", "Close some.", after=60)
        self._listeners[address] += 1

        def ended() -> None:
            self._listeners[address] -= 1
            if not self._listeners[address]:
                del self._listeners[address]

        return EventStream(league.broadcast, Listener(visitor.person), ended)


def bot_of(request: Request) -> str:
    """Return the bot that a request names, in its path or, as . and .. cannot be, after it."""
    return str(request.path_params.get("bot") or request.query_params.get("bot", ""))


def choice_of(request: Request) -> Which:
    """Return which matches are asked for; raise Refusal for a number that is none."""
    query = request.query_params
    before = query.get("before") or "0"
    if not _is_number(before):
        raise Refusal(400, "`before` is a number of the answer before.", "Leave it out.")
    faulty = query.get("faulty", "") not in ("", "0")
    return Which(query.get("bot", ""), faulty, int(before))


def number_of(request: Request) -> int:
    """Return the submission that a request names; 0, which none has, for what is no number."""
    word = str(request.path_params["number"])
    return int(word) if _is_number(word) else 0


def _is_number(word: str) -> bool:
    return word.isascii() and word.isdecimal() and len(word) <= _DIGITS

"""The API of a server: what programs ask, and what they are answered."""

from contextlib import ExitStack

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from arena.handin.submissions import SubmissionView, all_of, get, of_author
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
from arena.serve.connections import AtOnce, network_of
from arena.serve.messages import Query
from arena.serve.receiving import receive
from arena.serve.replays import MatchesView, OwnView, ReplayView
from arena.serve.served import Served
from arena.serve.shown import queue_view, submission_view
from arena.serve.views import TableView
from arena.serve.visits import Admission, WebVisitor, address_of
from protocol.errors import ArenaError, Refusal

_DIGITS = 15  # of a number in an address
_MOST_LISTENERS = 256
"""Of one address: a class may be behind one."""


class Api:
    """Answers of the API; pages are made of the same.

    Args:
        leagues: by name.
        admission: who may ask what.

    """

    def __init__(self, leagues: dict[str, Served], admission: Admission) -> None:
        self._leagues = leagues
        self._admission = admission
        self._listeners = AtOnce(_MOST_LISTENERS)

    # --- what is read, for the API and for pages

    async def table(self, visitor: WebVisitor) -> TableView:
        """Return the table that somebody may see."""
        data = await visitor.league.reader.get(Query("table", since=visitor.since))
        return msgspec.json.decode(data, type=TableView)

    async def final(self, visitor: WebVisitor) -> TableView:
        """Return the table of the final, if there is one that somebody may see."""
        if not visitor.is_final_shown:
            raise Refusal(
                404,
                "there is no final to show, or not yet.",
                "The calendar says when bots are taken no more, and when results are shown.",
            )
        return msgspec.json.decode(await visitor.league.reader.get(Query("final")), type=TableView)

    async def bot(
        self, request: Request, visitor: WebVisitor, bot: str
    ) -> tuple[BotView, OwnView | None]:
        """Return what everybody sees of a bot, and what its author does."""
        reader, since = visitor.league.reader, visitor.since
        with self._admission.one_more(request):
            data = await reader.get(Query("bot", bot, since=since))
            view = msgspec.json.decode(data, type=BotView)
            own = await visitor.own_versions()
            if own is not None and bot not in {name for name, _ in own}:
                return view, None
            data = await reader.get(Query("own", bot, own=own, since=since))
            return view, msgspec.json.decode(data, type=OwnView)

    async def matches(
        self,
        request: Request,
        visitor: WebVisitor,
        bot: str,
        *,
        against: str = "",
        faulty: bool = False,
        before: int = 0,
    ) -> MatchesView:
        """Return matches that somebody may see, newest first."""
        own = None if visitor.may_see_all else await visitor.own_versions()
        with self._admission.one_more(request):
            ask = Query("matches", bot, against, own, faulty, before, visitor.since)
            return msgspec.json.decode(await visitor.league.reader.get(ask), type=MatchesView)

    async def chosen_matches(self, request: Request, visitor: WebVisitor) -> MatchesView:
        """Return the matches that a request asks for; raise Refusal for a number that is none."""
        query = request.query_params
        before = query.get("before") or "0"
        if not _is_number(before):
            raise Refusal(400, "`before` is a number of the answer before.", "Leave it out.")
        faulty = query.get("faulty", "") not in ("", "0")
        bot, against = query.get("bot", ""), query.get("against", "")
        return await self.matches(
            request, visitor, bot, against=against, faulty=faulty, before=int(before)
        )

    async def replay(self, request: Request, visitor: WebVisitor) -> ReplayView:
        """Return a match that somebody may see, without what others' bots said."""
        own = await visitor.own_versions()
        only_own = not visitor.may_see_all
        name = request.path_params["match"]
        ask = Query("replay", name, own=own, since=visitor.since, only_own=only_own)
        with self._admission.one_more(request):
            data = await visitor.league.reader.get(ask)
        found = msgspec.json.decode(data, type=ReplayView)
        played = {(seat.bot, seat.version) for seat in found.row.seats}
        if only_own and played.isdisjoint(own or ()):
            raise Refusal(403, "you may see matches of your own bots.", "Open one of those.")
        return found

    async def submission(self, request: Request, visitor: WebVisitor) -> SubmissionView:
        """Return a submission that somebody may see: his own one, or any for the organizer."""
        word = str(request.path_params["number"])
        number = int(word) if _is_number(word) else 0  # which none has
        missing = Refusal(404, f"you have no submission {number}.", "Look at the list of yours.")
        try:
            found = await visitor.league.db(get, number)
        except ArenaError:
            raise missing from None
        if not visitor.is_organizer and found.author != visitor.author.name:
            raise missing
        return submission_view(found, visitor.league.progress_of(number))

    async def submissions(self, visitor: WebVisitor) -> list[SubmissionView]:
        """Return somebody's submissions, or all for the organizer, newest first."""
        db = visitor.league.db
        found = (
            await db(all_of) if visitor.is_organizer else await db(of_author, visitor.author.name)
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
        visitor = await self._admission.reader(request)
        league = visitor.league
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
        visitor = await self._admission.reader(request)
        return json(TableAnswer(table=await self.table(visitor), frozen=visitor.since))

    async def get_final(self, request: Request) -> Response:
        """Answer with the leaderboard of the final."""
        visitor = await self._admission.reader(request)
        table, calendar = await self.final(visitor), visitor.league.timetable.calendar
        return json(FinalAnswer(table=table, seed_hash=calendar.seed_hash, seed=calendar.seed))

    async def get_bot(self, request: Request) -> Response:
        """Answer with a bot."""
        visitor = await self._admission.reader(request)
        view, own = await self.bot(request, visitor, bot_of(request))
        return json(BotAnswer(bot=view, own=own))

    async def get_matches(self, request: Request) -> Response:
        """Answer with matches."""
        visitor = await self._admission.reader(request)
        return json(MatchesAnswer(matches=await self.chosen_matches(request, visitor)))

    async def get_match(self, request: Request) -> Response:
        """Answer with a match."""
        visitor = await self._admission.reader(request)
        return json(ReplayAnswer(replay=await self.replay(request, visitor)))

    async def get_queue(self, request: Request) -> Response:
        """Answer with what waits."""
        visitor = await self._admission.reader(request)
        queue = queue_view(visitor.league.queue)
        return json(QueueAnswer(queue=queue, hook_trouble=visitor.hook_trouble))

    async def get_submissions(self, request: Request) -> Response:
        """Answer with submissions."""
        visitor = await self._admission.author(request)
        return json(SubmissionsAnswer(submissions=await self.submissions(visitor)))

    async def get_submission(self, request: Request) -> Response:
        """Answer with a submission."""
        visitor = await self._admission.author(request)
        return json(SubmissionAnswer(submission=await self.submission(request, visitor)))

    async def post_submission(self, request: Request) -> Response:
        """Take in what is handed in."""
        found = await receive(self._admission, request)
        return json(SubmissionAnswer(submission=submission_view(found)), 202)

    async def get_events(self, request: Request) -> EventStream:
        """Answer with what happens from now on."""
        visitor = await self._admission.reader(request)
        too_many = Refusal(429, "too many pages are open at your address.", "Close some.", after=60)
        open_pages = ExitStack()
        address = network_of(address_of(request))
        open_pages.enter_context(self._listeners.one_more(address, too_many))
        return EventStream(visitor.league.broadcast, Listener(visitor.person), open_pages.close)


def bot_of(request: Request) -> str:
    """Return the bot that a request names, in its path or, as . and .. cannot be, after it."""
    return str(request.path_params.get("bot") or request.query_params.get("bot", ""))


def _is_number(word: str) -> bool:
    return word.isascii() and word.isdecimal() and len(word) <= _DIGITS

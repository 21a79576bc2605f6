"""The remote bots of one league: which are there, and who may play through them."""

import asyncio
from collections.abc import Collection, Mapping
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect

from arena.handin.database import HANDED_IN
from arena.handin.people import Person
from arena.handin.submissions import bots_of_author
from arena.league.bot import Bot
from arena.play.calls import SOCKET, listening
from arena.play.remotes import RemoteKey
from arena.serve.connections import AtOnce
from arena.serve.remote.line import (
    BROKEN,
    GOING_AWAY,
    HomeLine,
    LineEnd,
    declined_as,
    unsound,
)
from arena.serve.remote.session import NEAR_SECONDS, HomeSession, RemoteCopy, say_to_match
from arena.serve.remote.sparing import Sparing
from arena.serve.shown import RemoteRow
from arena.store.departures import departures
from arena.text import composed, counted, duration, safe
from protocol.errors import ArenaError, ProtocolError, Refusal
from protocol.remote import (
    FRAME_LIMIT,
    REMOTE_VERSION,
    SILENCE_SECONDS,
    CallAbsent,
    CallTaken,
    RemoteHello,
    Welcome,
    read_call,
    read_call_line,
)

if TYPE_CHECKING:
    from arena.serve.served import Served

_MOST_OF_ONE = 8  # connections of a person at a time
_CALL_SECONDS = 10.0  # in which a match says what it calls for
_TICK_SECONDS = 5.0
_FORGET_SECONDS = 600.0  # after which one that is away, and plays nothing, is forgotten
_AGAIN = LineEnd("it came again", is_dead=True)
_SHOWN = 200  # characters of what somebody else says
_CALL_BYTES = FRAME_LIMIT - 1000  # of the longest line of a call, which must fit into a frame

Rooms = Mapping[RemoteKey, int]
"""How many matches remote bots play at once, by key and digest; 0 while one is away for longer."""


class Homes:
    """The authors' machines that remote bots of one league run on."""

    def __init__(self, league: "Served") -> None:
        self._league = league
        self._sparing = Sparing(league.say)
        self._sessions: dict[RemoteKey, HomeSession] = {}
        self.connections = AtOnce(_MOST_OF_ONE)
        """By the numbers of their persons."""
        self._lines: set[HomeLine] = set()
        self._rooms: Rooms = {}
        self.is_closed = False
        """Whether the server ends, so that nobody is let in any more."""

    # --- what is known

    def __len__(self) -> int:
        return len(self._sessions)

    def rows(self, *, to_organizer: bool) -> list[RemoteRow]:
        """Return how the remote bots that play are connected, by name.

        There are none to be seen while results are held back: when a bot comes and goes is of use
        to who knows what is played.
        """
        if self._league.timetable.since(to_organizer=to_organizer):
            return []
        bots = sorted(self._league.plan.bots, key=lambda bot: bot.name)
        return [self._row(bot) for bot in bots if bot.remote_digest]

    def _row(self, bot: Bot) -> RemoteRow:
        session = self._sessions.get((bot.key, bot.remote_digest))
        if session is None or session.line is None:
            return RemoteRow(bot=bot.name, state="away", slots=0)
        trip = None if session.trip is None else round(1000 * session.trip, 1)
        return RemoteRow(bot=bot.name, state="connected", slots=session.slots, trip_ms=trip)

    def _changed(self) -> None:
        """Forget what is over, and tell how many matches can be played, if that is new."""
        self._sessions = {
            key: session for key, session in self._sessions.items() if not session.is_over
        }
        rooms = {
            bot: session.slots if session.is_near else 0 for bot, session in self._sessions.items()
        }
        if rooms != self._rooms:
            self._rooms = rooms
            self._league.here(rooms)

    # --- the league changes

    async def look(self) -> None:
        """End the sessions of bots that do not play any more, and have no match to finish."""
        plan = self._league.plan
        plays = {bot.key: bot.remote_digest for bot in plan.bots}
        gone = {bot.key: bot.remark for bot in plan.disqualified}
        old = [each for each in self._sessions.values() if plays.get(each.key) != each.digest]
        needed = {(bot.key, bot.remote_digest) for bot in await self._departing()} if old else ()
        for session in old:
            if session.is_over or (session.key, session.digest) in needed:
                continue
            if session.key in plays:
                what = f"other files play as {session.name!r} now."
                remedy = "If you handed them in, this is as it should be."
            elif session.key in gone:
                what, remedy = gone[session.key], "Ask the organizer about it."
            else:
                what = f"{session.name!r} was taken out of the league."
                remedy = "Ask the organizer about it."
            self._part(session, Refusal(410, what, remedy))

    def keep(self, known: Collection[Person]) -> None:
        """End the sessions of persons who were removed, or have another token."""
        for session in [*self._sessions.values()]:
            if session.person not in known:
                what = "the token is not valid any more."
                self._part(session, Refusal(401, what, "Ask the organizer for a new one."))

    def _part(self, session: HomeSession, why: Refusal) -> None:
        line = session.line
        session.fail(declined_as(why), is_blamed=False)
        if line is None:
            self._tell(session, f"is declined: {why.what}")

    async def run(self) -> None:
        """Take calls of matches until it is cancelled."""
        folder = self._league.folder / HANDED_IN
        try:
            found = listening(folder)
        except OSError as error:
            self._league.say(f"no remote bot can play: {folder}: {error.strerror}.")
            return
        server = await asyncio.start_server(
            self._called, sock=found, limit=_CALL_BYTES, backlog=512
        )
        try:
            while True:
                await asyncio.sleep(_TICK_SECONDS)
                self._sparing.catch_up()
                for session in [*self._sessions.values()]:
                    is_idle = session.line is None and not session.in_play
                    if is_idle and monotonic() - session.away_since > _FORGET_SECONDS:
                        session.close("was away for long")
                await self.look()  # one that was replaced may have finished
        finally:
            server.close()
            with suppress(OSError):
                (folder / SOCKET).unlink()  # nobody else serves this league yet

    def close(self) -> None:
        """End all connections, as the server ends; authors' programs come again later."""
        self.is_closed = True
        for line in self._lines:
            line.end(LineEnd("the server ends", code=GOING_AWAY))

    # --- authors' machines

    async def serve(self, socket: WebSocket, person: Person, address: str) -> None:
        """Serve a connection that was accepted, to its end."""
        line = HomeLine(socket)
        self._lines.add(line)
        end = BROKEN
        try:
            end = await self._serve(line, person, address)
        finally:
            self._lines.discard(line)
            await line.close(end)

    async def _serve(self, line: HomeLine, person: Person, address: str) -> LineEnd:
        try:
            hello = await line.hello()
            bot = await self._bot_of(hello, person)
            session, goes_on = self._session(hello, bot, person)
        except WebSocketDisconnect:
            return BROKEN
        except Refusal as error:
            end = declined_as(error)
        except ProtocolError as error:
            end = unsound(error)
        else:
            limits = msgspec.to_builtins(self._league.plan.limits_of(bot))
            welcome = Welcome(
                league=self._league.name,
                goes_on=goes_on,
                limits=limits,
                epoch=session.epoch,
                seen=session.seen,
            )
            return await self._hold(session, line, welcome, address)
        if end.declined is None or end.declined.kind != "unknown":  # which is handed in now
            self._sparing.say(person.name, f"{person.name} is declined: {_shown(end)}.")
        return end

    async def _bot_of(self, hello: RemoteHello, person: Person) -> Bot:
        """Return the bot that is meant; raise Refusal if it cannot be connected."""
        if hello.version != REMOTE_VERSION:
            raise Refusal(
                400,
                what=f"this league speaks version {REMOTE_VERSION}, not {hello.version}.",
                remedy="Use the release of Bot Arena that the league's server has.",
            )
        own = await self._league.db(bots_of_author, person.number)
        if self._meant(hello) is None:
            await self._league.refresh()  # it may have been entered a moment ago
        bot = self._meant(hello) or self._named(hello, await self._departing())
        name = safe(hello.bot)
        if bot is None:
            raise Refusal(404, what=f"the league has no bot {name!r} with these files.")
        if person.role != "organizer" and bot.name not in own and bot.key not in own:
            raise Refusal(
                400,
                what=f"{name!r} is not a bot of yours.",
                remedy="Choose another name: --bot NAME.",
            )
        return bot

    def _meant(self, hello: RemoteHello) -> Bot | None:
        """Return the bot with these files that is called so, or was before it was renamed."""
        return self._named(hello, self._league.plan.bots)

    def _named(self, hello: RemoteHello, bots: Collection[Bot]) -> Bot | None:
        name, plan = composed(hello.bot), self._league.plan
        for called in (plan.names.get(name), name):  # as a bot that is handed in is found
            for bot in bots:
                if bot.name == called and bot.remote_digest == hello.digest:
                    return bot
        return None

    async def _departing(self) -> tuple[Bot, ...]:
        """Return the versions that were replaced and finish what they had begun."""
        plan, loop = self._league.plan, asyncio.get_running_loop()
        try:
            return (await loop.run_in_executor(None, departures, plan)).bots
        except ArenaError as error:  # then nothing is played either
            self._league.say(str(error))
            return ()

    def _session(self, hello: RemoteHello, bot: Bot, person: Person) -> tuple[HomeSession, bool]:
        """Return the session of a hello, and whether it goes on; raise Refusal if none."""
        if self.is_closed:
            raise Refusal(400, what="the server ends.", after=SILENCE_SECONDS)
        called = (bot.key, hello.digest)
        found = self._sessions.get(called)
        is_same = found is not None and found.secret == hello.session
        if found is not None and is_same and found.epoch == hello.epoch:
            found.go_on(hello)
            found.person = person
            if found.line is not None:
                found.line.end(_AGAIN)
            return found, True
        if found is not None and is_same:  # its welcome was lost, if no word came that knows of it
            found.close("was begun anew by its author" if found.is_known else "")
            if found.line is not None:
                found.line.end(_AGAIN)
        elif found is not None:
            if found.line is not None:
                raise Refusal(
                    409,
                    what=f"{bot.name!r} is connected already.",
                    remedy=(
                        f"End the other `arena connect`. If it does not run any more, try again in "
                        f"{SILENCE_SECONDS:g} s."
                    ),
                )
            found.close("was started anew by its author")
        self._sessions[called] = HomeSession(
            hello, bot.key, person, self._changed, lambda: self._league.state(to_organizer=False)
        )
        return self._sessions[called], False

    async def _hold(
        self, session: HomeSession, line: HomeLine, welcome: Welcome, address: str
    ) -> LineEnd:
        """Let a session have a connection, to the end of it."""
        away = monotonic() - session.away_since
        session.attach(line, welcome)
        self._changed()
        if welcome.goes_on:
            words = f"is back after {duration(away)}"
        else:
            words = f"is connected by {session.person.name} from {address}"
        at_once = counted(session.slots, "match", "matches")
        self._tell(session, f"{words}: {at_once} at once.")
        end = await line.run(session.beat, session.hear)
        if session.line is line:
            if end.declined is not None and not session.is_over:
                session.close(f"was cut off: {_shown(end)}")
            session.detach()
            self._changed()
            asyncio.get_running_loop().call_later(NEAR_SECONDS + 0.1, self._changed)
            self._say_away(session, end)
        return end

    def _say_away(self, session: HomeSession, end: LineEnd) -> None:
        if self.is_closed:
            return
        what = "is away" if end.declined is None else "is declined"
        playing = counted(session.in_play, "match goes", "matches go")
        more = f"; {playing} on" if session.in_play else ""
        self._tell(session, f"{what}: {_shown(end)}{more}.")

    def _tell(self, session: HomeSession, words: str) -> None:
        self._sparing.say(session.name, f"{session.name} {words}")

    # --- matches

    async def _called(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer a call, and pass on what its match says to the copy until it hangs up."""
        session, copy = None, None
        try:
            async with asyncio.timeout(_CALL_SECONDS):
                call = read_call(await reader.readline())
            session = self._sessions.get((call.bot, call.digest))
            if session is None or not await session.wait_for_room():
                say_to_match(writer, CallAbsent())
                return
            say_to_match(writer, CallTaken())
            copy = session.begin(writer)
            await self._pass_on(reader, session, copy)
        except (TimeoutError, OSError):
            pass
        except (ValueError, msgspec.MsgspecError) as error:
            self._league.say(f"a match called a remote bot, and it was not understood: {error}.")
        finally:
            if session is not None and copy is not None:
                session.end(copy)
            writer.close()

    async def _pass_on(
        self, reader: asyncio.StreamReader, session: HomeSession, copy: RemoteCopy
    ) -> None:
        while words := await reader.readline():
            line = read_call_line(words).line
            if "\n" in line:
                raise ValueError("a line of it is several")
            await session.pass_on(copy, line)


def _shown(end: LineEnd) -> str:
    """Return why a connection ended, for a line of the organizer."""
    return safe(end.why)[:_SHOWN].rstrip(".")

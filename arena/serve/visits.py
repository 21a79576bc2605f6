"""Who asks: by a token, by a session, or a stranger; and what each may see and do."""

from collections.abc import Coroutine, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from math import ceil
from typing import Any, Literal, TypeVar
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection, Request
from starlette.responses import Response

from arena.handin.people import Person, by_number, by_token
from arena.handin.submissions import bots_of_author, versions_of_author
from arena.serve.api import You
from arena.serve.connections import AtOnce, network_of
from arena.serve.pages import WebVisit
from arena.serve.served import Served
from arena.serve.sessions import SESSION_SECONDS, Guesses, is_same
from protocol.errors import Refusal

T = TypeVar("T")

_MOST_AT_ONCE = 8
"""Questions about a league that one address may have asked without an answer yet."""


@dataclass(frozen=True)
class WebVisitor:
    """Who asks something about a league, and what he may see and do there."""

    league: Served
    person: Person | None = None
    """None for a stranger."""
    csrf: str = ""
    """The secret of the session; empty without one."""

    @property
    def role(self) -> Literal["", "reader", "author", "organizer"]:
        """What he is; nothing for a stranger."""
        return "" if self.person is None else self.person.role

    @property
    def is_organizer(self) -> bool:
        """Whether he may see everything."""
        return self.role == "organizer"

    @property
    def you(self) -> You | None:
        """Who he is, for the API."""
        return None if self.person is None else You(name=self.person.name, role=self.person.role)

    @property
    def author(self) -> Person:
        """Who he is, where strangers were refused."""
        assert self.person is not None
        return self.person

    @property
    def since(self) -> str:
        """From when on results are held back from him now; empty if they are not."""
        return self.league.timetable.since(to_organizer=self.is_organizer)

    @property
    def may_see_all(self) -> bool:
        """Whether he may look at the matches of all bots."""
        return self.is_organizer or self.league.plan.hand_in.replays

    @property
    def is_final_shown(self) -> bool:
        """Whether there is a final that he may see now."""
        return self.league.timetable.is_final_shown(to_organizer=self.is_organizer)

    @property
    def visit(self) -> WebVisit:
        """The same, as pages take it."""
        return WebVisit(
            league=self.league.name,
            name=self.person.name if self.person is not None else "",
            role=self.role,
            csrf=self.csrf,
            replays=self.may_see_all,
            frozen=self.league.timetable.frozen,
            final=self.is_final_shown,
        )

    @property
    def hook_trouble(self) -> str:
        """What is wrong with the hook, in sentences; nothing for all but organizers."""
        return self.league.timetable.hook_trouble if self.is_organizer else ""

    async def own_bots(self) -> list[str]:
        """Return the names of the bots that are or were his."""
        return await self.league.db(bots_of_author, self.author.number)

    async def own_versions(self) -> list[tuple[str, str]] | None:
        """Return the bots, each with a version, whose secrets he may see; None if of all.

        They are those that were handed in by him: an organizer may have put another program under
        the name of an author's bot.
        """
        if self.is_organizer:
            return None
        if self.person is None:
            return []
        return await self.league.db(versions_of_author, self.person.number)


class Admission:
    """Lets in who may come, to all leagues of a server."""

    def __init__(self, leagues: Mapping[str, Served]) -> None:
        self._leagues = leagues
        self._guesses = Guesses()
        self._busy = AtOnce(_MOST_AT_ONCE)

    def league(self, request: HTTPConnection) -> Served:
        """Return the league that a request is about; raise Refusal if there is none."""
        found = self._leagues.get(request.path_params["league"])
        if found is None:
            raise Refusal(
                404, "there is no such league on this server.", "Look at the list of leagues: /"
            )
        return found

    async def visitor(self, request: HTTPConnection) -> WebVisitor:
        """Return who asks about a league; raise Refusal if there is none, or for a wrong token.

        An old session is a stranger's.
        """
        league = self.league(request)
        header = request.headers.get("authorization")
        if header is not None:
            scheme, _, token = header.partition(" ")
            if scheme.lower() != "bearer":
                raise Refusal(401, "a token is sent as Authorization: Bearer TOKEN.")
            found = WebVisitor(league, await self.person(request, league, token.strip()))
        else:
            found = await self._by_session(request, league)
        if found.person is not None:
            request.state.who = f"{league.name}/{found.person.number}"
        return found

    async def person(self, request: HTTPConnection, league: Served, token: str) -> Person:
        """Return whose token it is; raise Refusal if nobody's, or after too many wrong ones."""
        person = await self.known(request, token, league.db(by_token, token))
        if person is None:
            wrong = "the token is wrong, or not valid any more."
            raise Refusal(401, wrong, "Ask the organizer for a new one.")
        return person

    async def known(
        self, request: HTTPConnection, secret: str, finding: Coroutine[Any, Any, T]
    ) -> T:
        """Return what is found by a secret, of which wrong ones find None.

        Raises Refusal, and looks for nothing, after too many wrong ones from an address.
        """
        address = address_of(request)
        if wait := self._guesses.wait(address, secret):
            finding.close()
            raise Refusal(
                429,
                "too many wrong tokens came from your address.",
                f"Try again in {ceil(wait)} s.",
                after=wait,
            )
        found = await finding
        self._guesses.note(address, secret, right=found is not None)
        return found

    async def _by_session(self, request: HTTPConnection, league: Served) -> WebVisitor:
        name = league.sessions.cookie_name(secure=is_secure(request))
        session = league.sessions.read(request.cookies.get(name, ""))
        person = None if session is None else await league.db(by_number, session.person)
        if session is None or person is None or person.version != session.version:
            return WebVisitor(league)
        return WebVisitor(league, person, session.csrf)

    async def reader(self, request: HTTPConnection) -> WebVisitor:
        """Return who asks about a league; raise Refusal unless he may look at it."""
        found = await self.visitor(request)
        if found.person is None and not found.league.plan.hand_in.readers:
            raise Refusal(401, "this league is not open to everybody.", "Enter with a token.")
        return found

    async def author(self, request: HTTPConnection) -> WebVisitor:
        """Return who asks about a league; raise Refusal unless he may have submissions there."""
        found = await self.visitor(request)
        if found.person is None:
            raise Refusal(401, "this is for authors.", "Enter with a token.")
        if found.role == "reader":
            raise Refusal(403, "this is for authors.", "Ask the organizer to make you one.")
        return found

    async def organizer(self, request: HTTPConnection) -> WebVisitor:
        """Return who asks about a league; raise Refusal unless he organizes it."""
        found = await self.visitor(request)
        if found.person is None:
            raise Refusal(401, "this is for organizers.", "Enter with a token.")
        if not found.is_organizer:
            raise Refusal(403, "this is for organizers.", "Ask one of them.")
        return found

    def one_more(self, request: Request) -> AbstractContextManager[None]:
        """Count a question that takes a while; raise Refusal if its address asks too much."""
        too_much = Refusal(429, "you ask too much at once.", "Try again.", after=1.0)
        return self._busy.one_more(network_of(address_of(request)), too_much)


def let_in(answer: Response, request: HTTPConnection, league: Served, cookie: str) -> None:
    """Give a browser the cookie of a session that has begun."""
    secure = is_secure(request)
    answer.set_cookie(
        league.sessions.cookie_name(secure=secure),
        cookie,
        max_age=SESSION_SECONDS,
        secure=secure,
        httponly=True,
        samesite="strict",
    )


def check_origin(request: Request) -> None:
    """Raise Refusal if a browser says that a form comes from another site."""
    site = request.headers.get("sec-fetch-site", "same-origin")
    origin = request.headers.get("origin")
    is_ours = origin is None or _host_of(origin) == request.headers.get("host", "")
    if site not in ("same-origin", "none") or not is_ours:
        raise Refusal(403, "this came from another site.", "Use the form on this one.")


def _host_of(origin: str) -> str | None:
    """Return the host and port of an origin; None if it is none."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return None


def check_csrf(request: Request, visitor: WebVisitor, sent: str) -> None:
    """Raise Refusal unless what changes something comes from our own page, or with a token."""
    if not visitor.csrf:
        return
    check_origin(request)
    if not is_same(sent, visitor.csrf):
        raise Refusal(403, "this did not come from our own page.", "Load the page again.")


def address_of(request: HTTPConnection) -> str:
    """Return the address from which a request came."""
    return request.client.host if request.client is not None else ""


def is_secure(request: HTTPConnection) -> bool:
    """Return whether the request came over TLS."""
    return request.url.scheme in ("https", "wss")

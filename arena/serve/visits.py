"""Who asks: by a token, by a session, or a stranger; and what each may see and do."""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection, Request

from arena.handin.people import Person, by_number, by_token
from arena.handin.submissions import bots_of_author, versions_of_author
from arena.serve.api import You
from arena.serve.connections import network_of
from arena.serve.pages import WebVisit
from arena.serve.served import Served
from arena.serve.sessions import Guesses, is_same
from protocol.errors import Refusal

_MOST_AT_ONCE = 8
"""Questions about a league that one address may have asked without an answer yet."""


@dataclass(frozen=True)
class WebVisitor:
    """Who asks something about a league."""

    person: Person | None
    """None for a stranger."""
    csrf: str = ""
    """The secret of the session; empty without one."""

    @property
    def role(self) -> str:
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


class Admission:
    """Lets in who may come, to all leagues of a server."""

    def __init__(self, leagues: Mapping[str, Served]) -> None:
        self._leagues = leagues
        self._guesses = Guesses()
        self._busy: Counter[str] = Counter()

    def league(self, request: HTTPConnection) -> Served:
        """Return the league that a request is about; raise Refusal if there is none."""
        found = self._leagues.get(request.path_params["league"])
        if found is None:
            raise Refusal(
                404, "there is no such league on this server.", "Look at the list of leagues: /"
            )
        return found

    async def visitor(self, request: HTTPConnection, league: Served) -> WebVisitor:
        """Return who asks; raise Refusal for a wrong token, and not for an old session."""
        header = request.headers.get("authorization")
        if header is not None:
            scheme, _, token = header.partition(" ")
            if scheme.lower() != "bearer":
                raise Refusal(401, "a token is sent as Authorization: Bearer TOKEN.")
            found = WebVisitor(await self.person(request, league, token.strip()))
        else:
            found = await self._by_session(request, league)
        if found.person is not None:
            request.state.who = f"{league.name}/{found.person.number}"
        return found

    async def person(self, request: HTTPConnection, league: Served, token: str) -> Person:
        """Return whose token it is; raise Refusal if nobody's, or after too many wrong ones."""
        address = address_of(request)
        if wait := self._guesses.wait(address, token):
            raise Refusal(
                429,
                "too many wrong tokens came from your address.",
                f"Try again in {ceil(wait)} s.",
                after=wait,
            )
        person = await league.db(by_token, token)
        self._guesses.note(address, token, right=person is not None)
        if person is None:
            wrong = "the token is wrong, or not valid any more."
            raise Refusal(401, wrong, "Ask the organizer for a new one.")
        return person

    async def _by_session(self, request: HTTPConnection, league: Served) -> WebVisitor:
        name = league.sessions.cookie_name(secure=is_secure(request))
        session = league.sessions.read(request.cookies.get(name, ""))
        if session is None:
            return WebVisitor(None)
        person = await league.db(by_number, session.person)
        if person is None or person.version != session.version:
            return WebVisitor(None)
        return WebVisitor(person, session.csrf)

    async def reader(self, request: HTTPConnection) -> tuple[Served, WebVisitor]:
        """Return the league and who asks; raise Refusal unless he may look at it."""
        league = self.league(request)
        found = await self.visitor(request, league)
        if found.person is None and not league.plan.hand_in.readers:
            raise Refusal(401, "this league is not open to everybody.", "Enter with a token.")
        return league, found

    async def author(self, request: HTTPConnection) -> tuple[Served, WebVisitor]:
        """Return the league and who asks; raise Refusal unless he may have submissions there."""
        league = self.league(request)
        found = await self.visitor(request, league)
        if found.person is None:
            raise Refusal(401, "this is for authors.", "Enter with a token.")
        if found.role == "reader":
            raise Refusal(403, "this is for authors.", "Ask the organizer to make you one.")
        return league, found

    @contextmanager
    def one_more(self, request: Request) -> Iterator[None]:
        """Count a question that takes a while; raise Refusal if its address asks too much."""
        address = network_of(address_of(request))
        if self._busy[address] >= _MOST_AT_ONCE:
            raise Refusal(429, "you ask too much at once.", "Try again.", after=1.0)
        self._busy[address] += 1
        try:
            yield
        finally:
            self._busy[address] -= 1
            if not self._busy[address]:
                del self._busy[address]


def check_origin(request: Request) -> None:
    """Raise Refusal if a browser says that a form comes from another site."""
    site = request.headers.get("sec-fetch-site", "same-origin")
    origin = request.headers.get("origin")
    is_ours = origin is None or urlsplit(origin).netloc == request.headers.get("host", "")
    if site not in ("same-origin", "none") or not is_ours:
        raise Refusal(403, "this came from another site.", "Use the form on this one.")


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


def visit_of(league: Served, visitor: WebVisitor) -> WebVisit:
    """Return a visit, as pages take it."""
    return WebVisit(
        league=league.name,
        name=visitor.person.name if visitor.person is not None else "",
        role=visitor.person.role if visitor.person is not None else "",
        csrf=visitor.csrf,
        replays=may_see_all(league, visitor),
        frozen=league.timetable.frozen,
        final=league.timetable.is_final_shown(to_organizer=visitor.is_organizer),
    )


def may_see_all(league: Served, visitor: WebVisitor) -> bool:
    """Return whether somebody may look at the matches of all bots."""
    return visitor.is_organizer or league.plan.hand_in.replays


async def own_bots(league: Served, visitor: WebVisitor) -> list[str]:
    """Return the names of the bots that are or were somebody's."""
    if visitor.person is None:
        return []
    return await league.db(bots_of_author, visitor.person.number)


async def own_versions(league: Served, visitor: WebVisitor) -> list[tuple[str, str]] | None:
    """Return the bots, each with a version, whose secrets somebody may see; None if of all.

    They are those that were handed in by him: an organizer may have put another program under the
    name of an author's bot.
    """
    if visitor.is_organizer:
        return None
    if visitor.person is None:
        return []
    return await league.db(versions_of_author, visitor.person.number)

"""The page by which people who were invited make themselves authors of a league."""

from starlette.requests import Request
from starlette.responses import Response

from arena.handin.invitations import by_secret, join
from arena.serve.answers import html
from arena.serve.forms import fields
from arena.serve.pages import join_page
from arena.serve.visits import Admission, WebVisitor, check_csrf, check_origin, let_in
from protocol.errors import Refusal


class Joining:
    """The page, and what its form does.

    Args:
        admission: who may come, and counts wrong invitations as it does wrong tokens.

    """

    def __init__(self, admission: Admission) -> None:
        self._admission = admission

    async def show(self, request: Request) -> Response:
        """Show the form; who is somebody here already is told so."""
        return html(join_page((await self._admission.visitor(request)).visit))

    async def join(self, request: Request) -> Response:
        """Make an author, let her in, and show her token this one time."""
        check_origin(request)
        visitor, sent = await self._admission.visitor(request), await fields(request)
        league = visitor.league
        check_csrf(request, visitor, sent.get("csrf", ""))
        kept = {"name": sent.get("name", "")}
        try:
            secret = await self._secret(request, visitor, sent.get("invitation", "").strip())
            kept["invitation"] = secret
            person, token = await league.db(join, league.plan, secret, kept["name"])
        except Refusal as refusal:
            if refusal.status >= 500:
                raise
            what, remedy = refusal.what, refusal.remedy
            page = join_page(visitor.visit, problem=what, remedy=remedy, **kept)
            return html(page, refusal.status)
        league.say(f"{person.name} has joined as an author, by an invitation.")
        cookie = league.sessions.begin(person)
        session = league.sessions.read(cookie)
        assert session is not None
        visit = WebVisitor(league, person, session.csrf).visit
        answer = html(join_page(visit, token=token))
        let_in(answer, request, league, cookie)
        return answer

    async def _secret(self, request: Request, visitor: WebVisitor, sent: str) -> str:
        """Return what was sent, if it is an invitation, and from a stranger; or raise Refusal."""
        _check_stranger(visitor)
        found = self._admission.known(request, sent, visitor.league.db(by_secret, sent))
        if await found is None:
            raise Refusal(401, "this is no invitation.", "Ask the organizer for one.")
        return sent


def _check_stranger(visitor: WebVisitor) -> None:
    """Raise Refusal for who is somebody in the league already."""
    if visitor.person is not None:
        raise Refusal(
            409,
            f"you are {visitor.person.name} here already, and nobody is two authors.",
            "If you are somebody else, leave first.",
        )

"""Where remote bots are connected: who may, in which league, before anything is a websocket."""

from starlette.websockets import WebSocket

from arena.serve.visits import Admission, address_of
from protocol.errors import Refusal


async def connect(admission: Admission, socket: WebSocket) -> None:
    """Connect a remote bot, until either side ends it; refusals are answers of the API."""
    league = admission.league(socket)
    if "origin" in socket.headers:
        raise Refusal(403, "a page of a browser connects no bot.", "Use `arena connect`.")
    if "authorization" not in socket.headers:
        raise Refusal(401, "remote bots are connected with a token.", "Ask the organizer.")
    person = (await admission.author(socket)).author
    if not league.is_open_to_remote:
        raise Refusal(
            403,
            "this league takes no remote bots.",
            "Its organizer opens it by grants = { remote = true } in [hand_in] of league.toml, "
            'which needs pace = "slow" in [limits].',
        )
    if league.homes.is_closed:
        raise Refusal(503, "the server ends.", "Try again.", after=10)
    what = "too many connections are yours already."
    too_many = Refusal(429, what, "End an `arena connect`.", after=30)
    with league.homes.connections.one_more(person.number, too_many):
        await socket.accept()
        await league.homes.serve(socket, person, address_of(socket))

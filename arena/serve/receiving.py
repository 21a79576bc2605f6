"""What is handed in over the web: streamed to where submissions arrive, counted and checked."""

import asyncio
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Self, TypeVar

from starlette.requests import Request

from arena.handin.database import HandIns
from arena.handin.people import Person
from arena.handin.receiving import Arrival
from arena.handin.submissions import Submission
from arena.serve.forms import FileForm, drain, not_taken, pieces
from arena.serve.served import Served
from arena.serve.visits import Admission, WebVisitor, check_csrf
from protocol.errors import Refusal

_MOST_AT_ONCE = 2  # of one person
_MOST = 32  # of a server: each has a thread

_arriving: Counter[tuple[str, int]] = Counter()
T = TypeVar("T")


async def receive(admission: Admission, request: Request, league: Served) -> Submission:
    """Store what an author hands in, and return the submission, of which the intake hears.

    Raises Refusal or Refusal if it is not taken.
    """
    try:
        _, visitor = await admission.author(request)
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        is_form = kind == "multipart/form-data"
        if not is_form or "x-csrf-token" in request.headers:
            check_csrf(request, visitor, request.headers.get("x-csrf-token", ""))
        check_size(request, league)
        assert visitor.person is not None
        key = league.name, visitor.person.number
        check_room(key)
        _arriving[key] += 1
        try:
            taken = await (_form if is_form else _raw)(request, league, visitor)
        finally:
            _arriving[key] -= 1
    except Exception:
        await drain(request)
        raise
    league.arrived()
    return taken


def check_size(request: Request, league: Served) -> None:
    """Raise Refusal for a body that says that it is too large."""
    said = request.headers.get("content-length", "0")
    most = league.plan.hand_in.size_mb
    if said.isdecimal() and int(said) > (most << 20) + (1 << 20):  # some more for a form
        raise Refusal(
            413,
            f"what you hand in is larger than {most} MiB.",
            "Leave out what the bot does not need.",
            step="receive",
        )


def check_room(key: tuple[str, int]) -> None:
    """Raise Refusal if somebody sends too much at once, or all together do."""
    if _arriving[key] >= _MOST_AT_ONCE:
        what = "something of yours is still being sent."
        raise Refusal(429, what, "Wait for that.", after=5, step="receive")
    if _arriving.total() >= _MOST:
        what = "the server is receiving as much as it can."
        raise Refusal(503, what, "Try again.", after=5, step="receive")


async def _raw(request: Request, league: Served, visitor: WebVisitor) -> Submission:
    assert visitor.person is not None
    query = request.query_params
    name = query.get("filename", "")
    async with Arriving(league, visitor.person, query.get("bot", ""), name) as arriving:
        async for piece in pieces(request):
            await arriving.write(piece)
        return await arriving.finish()


async def _form(request: Request, league: Served, visitor: WebVisitor) -> Submission:
    assert visitor.person is not None
    person = visitor.person
    async with Arriving(league, person) as arriving:

        def check(fields: dict[str, str]) -> None:
            if "x-csrf-token" not in request.headers:
                check_csrf(request, visitor, fields.get("csrf", ""))

        async def begin(fields: dict[str, str], filename: str) -> None:
            check(fields)
            await arriving.begin(_bot(request, fields), filename)

        form = FileForm(request, begin, arriving.write)
        await form.read()
        check(form.fields)
        source = form.fields.get("source", "")
        if source.strip() and not form.has_file:
            filename = form.fields.get("filename", "").strip()
            if not filename:
                raise not_taken(422, "the file that you pasted has no name.", "Name it: bot.py.")
            await arriving.begin(_bot(request, form.fields), filename)
            await arriving.write(source.replace("\r\n", "\n").encode())
        elif not form.has_file:
            raise not_taken(422, "there is no file in the form.", "Choose one, or paste a program.")
        return await arriving.finish()


def _bot(request: Request, fields: dict[str, str]) -> str:
    return fields.get("bot") or request.query_params.get("bot", "")


class Arriving:
    """An Arrival in a thread of its own, as its database may be used by one thread alone."""

    def __init__(
        self, league: Served, person: Person, bot: str | None = None, filename: str = ""
    ) -> None:
        self._league = league
        self._person = person
        self._first = (bot, filename)
        self._thread = ThreadPoolExecutor(1, "arrival")
        self._hand_ins: HandIns | None = None
        self._arrival: Arrival | None = None

    async def __aenter__(self) -> Self:
        try:
            bot, filename = self._first
            if bot is not None:
                await self.begin(bot, filename)
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def __aexit__(self, *error: object) -> None:
        try:
            await self._do(self._close)
        finally:
            self._thread.shutdown(wait=False)

    async def begin(self, bot: str, filename: str) -> None:
        """Check whether it may be handed in; raise Refusal if not."""
        await self._do(lambda: self._open(bot, filename))

    async def write(self, piece: bytes) -> None:
        """Store bytes."""
        arrival = self._arrival
        assert arrival is not None
        await self._do(lambda: arrival.write(piece))

    async def finish(self) -> Submission:
        """Store it for good."""
        arrival = self._arrival
        assert arrival is not None
        found: Submission = await self._do(arrival.finish)
        return found

    def _open(self, bot: str, filename: str) -> None:
        self._hand_ins = HandIns(self._league.folder)
        self._arrival = Arrival(
            self._hand_ins, lambda: self._league.plan, self._person, bot, filename
        )

    def _close(self) -> None:
        if self._arrival is not None:
            self._arrival.__exit__(None, None, None)
        if self._hand_ins is not None:
            self._hand_ins.__exit__(None, None, None)

    async def _do(self, what: Callable[[], Any]) -> Any:
        return await asyncio.shield(asyncio.get_running_loop().run_in_executor(self._thread, what))

"""What is handed in over the web: streamed to where submissions arrive, counted and checked."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Self, TypeVar

from starlette.requests import Request

from arena.handin.database import HandIns
from arena.handin.receiving import Arrival
from arena.handin.submissions import Submission
from arena.serve.connections import AtOnce
from arena.serve.forms import FileForm, drain, not_taken, pieces
from arena.serve.served import Served
from arena.serve.visits import Admission, WebVisitor, check_csrf
from protocol.errors import Refusal

_MOST_AT_ONCE = 2  # of one person
_MOST = 32  # of a server: each has a thread

_of_one, _of_all = AtOnce(_MOST_AT_ONCE), AtOnce(_MOST)
T = TypeVar("T")


def _later(status: int, what: str, remedy: str) -> Refusal:
    return Refusal(status, what, remedy, after=5, step="receive")


async def receive(admission: Admission, request: Request) -> Submission:
    """Store what an author hands in, and return the submission, of which the intake hears.

    Raises Refusal if it is not taken.
    """
    try:
        visitor = await admission.author(request)
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        is_form = kind == "multipart/form-data"
        if not is_form or "x-csrf-token" in request.headers:
            check_csrf(request, visitor, request.headers.get("x-csrf-token", ""))
        check_size(request, visitor.league)
        key = visitor.league.name, visitor.author.number
        still = _later(429, "something of yours is still being sent.", "Wait for that.")
        full = _later(503, "the server is receiving as much as it can.", "Try again.")
        with _of_one.one_more(key, still), _of_all.one_more("all", full):
            taken = await (_form if is_form else _raw)(request, visitor)
    except Exception:
        await drain(request)
        raise
    visitor.league.arrived()
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


async def _raw(request: Request, visitor: WebVisitor) -> Submission:
    query = request.query_params
    async with Arriving(visitor, only_check=_is_check(request)) as arriving:
        await arriving.begin(query.get("bot", ""), query.get("filename", ""))
        async for piece in pieces(request):
            await arriving.write(piece)
        return await arriving.finish()


async def _form(request: Request, visitor: WebVisitor) -> Submission:
    async with Arriving(visitor, only_check=_is_check(request)) as arriving:

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


def _is_check(request: Request) -> bool:
    """Return whether it is only to be checked: its address says so, before anything has come."""
    word = request.query_params.get("check", "")
    if word not in ("", "0", "1"):  # or a check that was meant would enter the league
        raise not_taken(400, "`check` is 1, or is left out.", "Write ?check=1 for a check only.")
    return word == "1"


def _bot(request: Request, fields: dict[str, str]) -> str:
    return fields.get("bot") or request.query_params.get("bot", "")


class Arriving:
    """An Arrival in a thread of its own, as its database may be used by one thread alone."""

    def __init__(self, visitor: WebVisitor, *, only_check: bool) -> None:
        self._visitor = visitor
        self._only_check = only_check
        self._thread = ThreadPoolExecutor(1, "arrival")
        self._open = ExitStack()
        self._arrival: Arrival

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        try:
            await self._do(self._open.close)
        finally:
            self._thread.shutdown(wait=False)

    async def begin(self, bot: str, filename: str) -> None:
        """Check whether it may be handed in; raise Refusal if not."""
        league, person = self._visitor.league, self._visitor.author

        def begun() -> Arrival:
            db = self._open.enter_context(HandIns(league.folder))
            arrival = Arrival(
                db, lambda: league.plan, person, bot, filename, only_check=self._only_check
            )
            return self._open.enter_context(arrival)

        self._arrival = await self._do(begun)

    async def write(self, piece: bytes) -> None:
        """Store bytes."""
        await self._do(lambda: self._arrival.write(piece))

    async def finish(self) -> Submission:
        """Store it for good."""
        return await self._do(self._arrival.finish)

    async def _do(self, what: Callable[[], T]) -> T:
        return await asyncio.shield(asyncio.get_running_loop().run_in_executor(self._thread, what))

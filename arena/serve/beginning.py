"""The pages for who begins: the game, and programs to begin with.

Commands on them hold the address by which the visitor came.
"""

import io
import re
import zipfile

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from arena.author.new import PAGES, TEMPLATES, languages
from arena.author.submitting import EXAMPLE_ADDRESS
from arena.serve.answers import html, json
from arena.serve.api import GameAnswer
from arena.serve.brief import STARTER, GameView, StarterView, known_languages
from arena.serve.markdown import markdown
from arena.serve.messages import Query
from arena.serve.pages import WebVisit, league_address, rendered
from arena.serve.served import Served
from arena.serve.visits import Admission, WebVisitor
from arena.text import quoted
from protocol.errors import ArenaError, Refusal
from referee.games import GAMES

_HOST = re.compile(
    r"([a-z0-9][a-z0-9._-]{0,250}|\[[0-9a-f:.]{2,45}\])(:[0-9]{1,5})?", re.IGNORECASE
)
_BEGAN = (1980, 1, 1, 0, 0, 0)  # of all files: a zip has the same bytes each time


# --- pages


def game_page(visit: WebVisit, view: GameView) -> str:
    """Return the page of the game: rules, options, limits, and what is said."""
    return rendered("game.html", visit, view=view, rules=markdown(view.rules))


def begin_page(visit: WebVisit, *, game: str, is_bundled: bool, address: str) -> str:
    """Return the page with what to begin with; `address` is the league's, for the visitor."""
    return rendered(
        "begin.html",
        visit,
        game=quoted(game),
        is_bundled=is_bundled,
        address=address and quoted(address),
        starter=STARTER,
        languages=known_languages(),
    )


def address_for(request: Request, league: str) -> str:
    """Return the address of a league as the visitor sees it; empty if that cannot be told.

    It is said in commands to be copied: so it is what a host can be called, and nothing else.
    """
    return server_url(request, league_address("", league).removesuffix("/"))


def server_url(request: Request, path: str) -> str:
    """Return the address of a path as its reader reached it; empty if that cannot be an address."""
    host = request.headers.get("host", "")
    if not _HOST.fullmatch(host):
        return ""
    scheme = "https" if request.url.scheme == "https" else "http"
    return f"{scheme}://{host}{path}"


def starter_zip(starter: StarterView, address: str = "") -> bytes:
    """Return a starter as a zip of its folder: the same bytes for the same files.

    Its pages name the league's `address`, if that is known, instead of that of the example.
    """
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, text in starter.files.items():
            if address and name in PAGES:
                text = text.replace(EXAMPLE_ADDRESS, address)
            entry = zipfile.ZipInfo(f"{STARTER}/{name}", _BEGAN)
            entry.create_system = 3  # Unix, wherever it is made: its modes count
            mode = 0o100755 if name == starter.executable else 0o100644
            entry.external_attr = mode << 16
            archive.writestr(entry, text)
    return data.getvalue()


async def starter_of(league: Served, language: str) -> StarterView:
    """Return the starter in a language; raise Refusal if there is none, ArenaError if not now."""
    if language not in languages():
        raise Refusal(404, "there is no such language.", "Look at the page Begin.")
    data = await league.reader.get(Query("starter", language))
    return msgspec.json.decode(data, type=StarterView)


class Beginning:
    """The pages for who begins.

    Args:
        admission: who may see what.

    """

    def __init__(self, admission: Admission) -> None:
        self._admission = admission

    async def _view(self, request: Request) -> tuple[WebVisitor, GameView]:
        visitor = await self._admission.reader(request)
        with self._admission.one_more(request):
            data = await visitor.league.reader.get(Query("game"))
        return visitor, msgspec.json.decode(data, type=GameView)

    async def game(self, request: Request) -> Response:
        """Show the game."""
        visitor, view = await self._view(request)
        return html(game_page(visitor.visit, view))

    async def get_game(self, request: Request) -> Response:
        """Answer with the game."""
        _, view = await self._view(request)
        return json(GameAnswer(game=view))

    async def begin(self, request: Request) -> Response:
        """Show what to begin with."""
        visitor = await self._admission.reader(request)
        plan = visitor.league.plan
        page = begin_page(
            visitor.visit,
            game=plan.game.name,
            is_bundled=plan.settings.game in GAMES,
            address=address_for(request, visitor.league.name),
        )
        return html(page)

    async def starter(self, request: Request) -> Response:
        """Answer with a starter as a zip."""
        visitor = await self._admission.reader(request)
        language = request.path_params["language"]
        with self._admission.one_more(request):
            found = await starter_of(visitor.league, language)
        name = f"{visitor.league.name}-{language}.zip"  # both were checked
        address = address_for(request, visitor.league.name)
        return _file(starter_zip(found, address), "application/zip", name)

    async def kit(self, request: Request) -> Response:
        """Answer with the kit of a language."""
        await self._admission.reader(request)
        language = request.path_params["language"]
        known = languages().get(language)
        if known is None:
            raise Refusal(404, "there is no such language.", "Look at the page Begin.")
        content = (TEMPLATES / language / known.kit).read_bytes()
        return _file(content, "text/plain; charset=utf-8", known.kit)


async def starter_or_none(visitor: WebVisitor, language: str) -> StarterView | None:
    """Return the starter for the form; None while it cannot be had, as the form is for more."""
    usable = [each.name for each in known_languages() if not each.lacking]
    try:
        return await starter_of(visitor.league, language or (usable or ["python"])[0])
    except ArenaError:
        return None


def _file(content: bytes, kind: str, name: str) -> Response:
    head = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=kind, headers=head)

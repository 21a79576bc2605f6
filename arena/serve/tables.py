"""The addresses of the cross-table, and of tables that are to be kept as files."""

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from arena.serve.answers import html, json
from arena.serve.api import CrossAnswer
from arena.serve.crossing import CrossView, cross_csv, cross_page, table_csv
from arena.serve.endpoints import Api
from arena.serve.messages import Query
from arena.serve.visits import Admission, WebVisitor


class KeptTables:
    """The cross-table, and tables as files.

    Args:
        admission: who may see what.
        api: what answers with the leaderboard.

    """

    def __init__(self, admission: Admission, api: Api) -> None:
        self._admission = admission
        self._api = api

    async def _cross(self, request: Request) -> tuple[WebVisitor, CrossView]:
        visitor = await self._admission.reader(request)
        with self._admission.one_more(request):
            data = await visitor.league.reader.get(Query("cross", since=visitor.since))
        return visitor, msgspec.json.decode(data, type=CrossView)

    async def cross_table(self, request: Request) -> Response:
        """Show the cross-table."""
        visitor, view = await self._cross(request)
        own = await visitor.own_versions() or ()
        return html(cross_page(visitor.visit, view, [bot for bot, _ in own]))

    async def get_cross_table(self, request: Request) -> Response:
        """Answer with the cross-table."""
        visitor, view = await self._cross(request)
        return json(CrossAnswer(cross_table=view, frozen=visitor.since))

    async def cross_csv(self, request: Request) -> Response:
        """Answer with the cross-table as a file."""
        visitor, view = await self._cross(request)
        return _csv(cross_csv(view), f"{visitor.league.name}-cross-table")

    async def table_csv(self, request: Request) -> Response:
        """Answer with the leaderboard as a file."""
        visitor = await self._admission.reader(request)
        table = await self._api.table(visitor)
        return _csv(table_csv(table.rows), f"{visitor.league.name}-table")


def _csv(text: str, name: str) -> Response:
    head = {"Content-Disposition": f'attachment; filename="{name}.csv"'}  # of a league's name
    return Response(text, media_type="text/csv; charset=utf-8", headers=head)

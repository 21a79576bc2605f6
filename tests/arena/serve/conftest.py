"""Leagues whose pages are looked at, and a server and a browser to look at them with."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page

from arena.handin.people import Role
from tests.arena.report.conftest import DESKTOP
from tests.arena.serve.gallery import Gallery, opened
from tests.arena.serve.serving import Serving, add_person, serving, write_league

Visited = Callable[..., Page]


@pytest.fixture
def gallery() -> Iterator[Gallery]:
    with opened() as found:
        yield found


@pytest.fixture
def visit(browser: Browser, gallery: Gallery) -> Iterator[Visited]:
    """Return how to open a page; fail if it complains, opens a dialog or wants another server."""
    complaints: list[str] = []
    found: list[Page] = []

    def open_page(path: str, *, refused: bool = False, whole: bool = True, **settings: Any) -> Page:
        page = browser.new_page(**{"viewport": DESKTOP, **settings})
        found.append(page)
        if not refused:  # a script, or a request, of which the console speaks
            page.on("console", lambda message: complaints.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        page.on("dialog", lambda dialog: complaints.append(f"dialog: {dialog.message}"))
        page.on(
            "request",
            lambda request: (
                None if request.url.startswith(gallery.url) else complaints.append(request.url)
            ),
        )
        address = gallery.url + quote(path, safe="/#=%?")
        page.goto(address, wait_until="load" if whole else "commit")
        return page

    yield open_page
    for page in found:
        page.close()
    assert complaints == []


class Contest(NamedTuple):
    """A server of one league with its people; nobody changes what it holds but by handing in."""

    server: Serving
    ada: str
    bob: str
    organizer: str
    reader: str
    onlooker: str
    """An author who hands in nothing, whatever the order of the tests."""
    refused: str
    """An author whose bots are all refused."""


@pytest.fixture(scope="session")
def contest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Contest]:
    """A server, with the tokens of two authors, an organizer and a reader; shared by all tests."""
    folder = write_league(
        tmp_path_factory.mktemp("contest") / "cup",
        hand_in="per_hour = 500\nper_day = 1000\nsize_mb = 1",
    )
    roles: tuple[Role, ...] = ("author", "author", "organizer", "reader", "author", "author")
    tokens = [
        add_person(folder, name, role)
        for name, role in zip(("ada", "bob", "org", "eve", "cyd", "dan"), roles, strict=True)
    ]
    with serving(folder) as server:
        yield Contest(server, *tokens)

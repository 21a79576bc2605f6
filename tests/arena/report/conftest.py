"""How pages are looked at, and leagues to look at."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from playwright.sync_api import Browser, Page

from tests.arena.conftest import Arena

DESKTOP = {"width": 1280, "height": 900}
PHONE = {"width": 360, "height": 740}

Look = Callable[..., Page]


@pytest.fixture
def look(browser: Browser) -> Iterator[Look]:
    """Return how to open a file; fail if a page complains, opens a dialog or wants the network."""
    complaints: list[str] = []
    pages: list[Page] = []

    def open_page(
        file: Path, where: str = "", *, refused: bool = False, **settings: object
    ) -> Page:
        page = browser.new_page(**{"viewport": DESKTOP, **settings})
        pages.append(page)
        if not refused:  # a script, which the page complains of
            page.on("console", lambda message: complaints.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        page.on("dialog", lambda dialog: complaints.append(f"dialog: {dialog.message}"))
        page.on(
            "request",
            lambda request: (
                None if request.url.startswith(file.as_uri()) else complaints.append(request.url)
            ),
        )
        page.goto(f"{file.as_uri()}{where}")
        return page

    yield open_page
    for page in pages:
        page.close()
    assert complaints == []


@contextmanager
def a_report(arena: Arena, league: Path, *words: object) -> Iterator[Path]:
    """Make the page of a league in a folder of its own, for a while."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "league.html")
        result = arena("report", league, "-o", file, *words)
        assert result.exit_code == 0, result.output
        yield file

"""Texts of strangers on the pages of a server: shown, and nothing else, wherever they stand."""

from collections.abc import Mapping

import pytest
from playwright.sync_api import expect

from arena.serve.pages import WebVisit
from tests.arena.conftest import League
from tests.arena.report.conftest import PHONE
from tests.arena.report.test_hostile_page import NAMES, hostile
from tests.arena.serve.conftest import Visited
from tests.arena.serve.gallery import Gallery
from tests.arena.serve.hostile import SHORT, league_pages

__all__ = ["hostile"]  # a fixture

pytestmark = pytest.mark.slow

VISIT = WebVisit(league="cup<b>", name=SHORT, role="author", csrf="c")
OURS = "img, iframe, object, embed, base, style, [style], [onload], [onerror], script:not([src])"
"""What no page has but for one thing: the matches, which are data."""


@pytest.fixture(scope="module")
def pages(hostile: League) -> Mapping[str, str]:
    return league_pages(hostile.folder, VISIT)


@pytest.fixture
def paths(pages: Mapping[str, str], gallery: Gallery) -> list[str]:
    gallery.pages.update(pages)
    return [*pages]


UNNAMED = """
() => [...document.querySelectorAll('input, textarea, select, progress, button, a')]
    .filter((each) => each.checkVisibility())
    .filter((each) => !each.labels?.length && !each.ariaLabel && !each.textContent.trim())
    .map((each) => each.outerHTML)
"""


@pytest.mark.parametrize("settings", [{}, {"viewport": PHONE, "color_scheme": "dark"}])
def test_no_text_becomes_an_element_or_widens_a_page_and_all_has_a_name(
    paths: list[str], gallery: Gallery, visit: Visited, settings: Mapping[str, object]
) -> None:
    assert len(paths) == 22
    for path in paths:
        page = visit(path, **settings)
        strange = page.locator(OURS).evaluate_all("all => all.map(each => each.outerHTML)")
        assert [each[:60] for each in strange if 'type="application/json"' not in each] == [], path
        width = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert width[0] <= width[1], path
        text = page.locator("body").inner_text()
        assert not {"\u202e", "\x1b", "\u200b", "\0"} & set(text), path
        assert page.evaluate(UNNAMED) == [], path
        assert page.locator("h1").count() == page.locator("main").count() == 1
        heads = page.locator("table").count()
        assert page.locator("table thead th[scope=col]").count() >= heads
        assert page.locator("[role=region]:not([aria-label], [aria-labelledby])").count() == 0
        page.close()
    assert all(path.startswith(("/static/", "/api/")) or path in paths for path in gallery.requests)


def test_what_strangers_wrote_is_shown_letter_by_letter(paths: list[str], visit: Visited) -> None:
    page = visit("/cup<b>/")
    assert sorted(page.locator("#rows tbody th").all_inner_texts()) == sorted(NAMES)
    page = visit("/cup<b>/submissions/7")
    output = page.locator("pre.output").inner_text()
    assert "</script><script>alert(7)</script><img src=x onerror=alert(8)>[U+202E]" in output
    assert "[U+001B][2J[U+0000][U+200B]{{7*7}}{% raw %}&lt; 👾 שלום مرحبا" in output
    assert "[U+202E]" in page.locator("#steps").inner_text()
    assert page.locator("h1").inner_text().startswith("Submission 7: \"'><svg onload=alert(9)>")


def test_every_bot_is_reached_by_the_link_in_the_table(paths: list[str], visit: Visited) -> None:
    for name in NAMES:
        page = visit("/cup<b>/")
        page.locator("#rows tbody th a", has_text=name).click()
        assert page.locator("h1").inner_text() == name
        assert page.locator("section.own article").count() > 0
        assert "<script>alert(4)</script>" in page.locator("section.own").inner_text()


def test_a_script_that_got_in_all_the_same_would_not_run(
    paths: list[str], gallery: Gallery, visit: Visited
) -> None:
    path = "/cup<b>/submissions/7"
    got_in = "<script>document.title = 'in'</script><img src=x onerror=\"document.title = 'in'\">"
    gallery.pages[path] = gallery.pages[path].replace("<main ", f"{got_in}<main ")
    page = visit(path, refused=True)
    expect(page.locator("#live-state")).to_have_text("Live")
    assert page.title().startswith("Submission 7")


def test_every_page_is_whole_without_scripts_and_on_paper(paths: list[str], visit: Visited) -> None:
    for path in paths:
        page = visit(path, java_script_enabled=False, viewport={"width": 718, "height": 1047})
        page.emulate_media(media="print")
        expect(page.locator("h1")).to_be_visible()
        assert page.locator("main").inner_text().strip(), path
        page.close()

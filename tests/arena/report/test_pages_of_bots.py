"""Pages of bots and pairs within the page of a league, downloads, and marks of the last move."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.arena.conftest import Arena, League
from tests.arena.report.conftest import PHONE, Look, a_report
from tests.arena.report.test_hostile_page import NAMES, hostile

pytestmark = pytest.mark.slow  # a browser is their subject

__all__ = ["hostile"]  # a league of bots with hostile names


@pytest.fixture
def report(arena: Arena, played: Path) -> Iterator[Path]:
    with a_report(arena, played) as file:
        yield file


def bots_of(page: Page) -> list[str]:
    return page.locator("#leaderboard tbody th").all_inner_texts()


def test_a_name_leads_to_the_page_of_its_bot_a_cell_to_that_of_the_pair(
    report: Path, look: Look
) -> None:
    page = look(report)
    first, second, *_ = bots_of(page)
    page.locator("#leaderboard tbody a").first.click()
    dialog = page.locator("#page")
    expect(dialog.locator("h2")).to_have_text(first)
    assert page.url.endswith(f"#bot={first}")
    expect(dialog.locator("svg.history")).to_be_visible()
    dialog.locator("tbody a", has_text=second).click()
    expect(dialog.locator("h2")).to_have_text(f"{first} against {second}")
    page.go_back()
    expect(dialog.locator("h2")).to_have_text(first)
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    page.locator("table.heat td a").first.click()
    expect(dialog.locator("h2")).to_have_text(f"{first} against {second}")
    link = dialog.locator("ol.matches a").first
    match = (link.get_attribute("href") or "").removeprefix("#match=")
    link.click()
    expect(dialog).to_be_hidden()
    expect(page.locator("#replay-end")).to_contain_text(match)


def test_the_keyboard_alone_walks_the_cross_table(report: Path, look: Look) -> None:
    page = look(report)
    first, second, third = bots_of(page)
    assert page.locator("table.heat td a[tabindex='0']").count() == 1
    page.locator("table.heat td a[tabindex='0']").focus()
    for key in ("ArrowRight", "ArrowDown"):  # and over the empty cell of the diagonal
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    expect(page.locator("#page h2")).to_have_text(f"{second} against {third}")
    expect(page.locator("#page h2")).to_be_focused()
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.closest('.heat') !== null")
    assert first


def test_an_address_leads_to_a_page_and_one_of_nobody_says_so(
    arena: Arena, hostile: League, look: Look
) -> None:
    with a_report(arena, hostile.folder) as file:
        page = look(file, "#bot=nobody%3Cb%3E")
        expect(page.locator("#page-body")).to_have_text("There is no bot nobody<b> on this page.")
        for name in NAMES:
            page.evaluate("name => location.hash = `bot=${encodeURIComponent(name)}`", name)
            expect(page.locator("#page h2")).to_have_text(name)
            assert page.locator("#page").locator("img, script, b, [onload]").count() == 0
        page.set_viewport_size(PHONE)
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        width = page.locator("#page").evaluate("it => it.scrollWidth - it.clientWidth")
        assert width <= 0


def test_tables_are_downloaded_without_json_in_their_cells(
    arena: Arena, played: Path, report: Path, look: Look
) -> None:
    page = look(report)

    def download(section: str, form: str) -> str:
        with page.expect_download() as waiting:
            page.locator(f"#{section} .downloads button", has_text=form).click()
        assert waiting.value.suggested_filename.endswith(f".{form.lower()}")
        return Path(waiting.value.path()).read_text()

    said = json.loads(arena("rank", played, "--times", "--format", "json").stdout)["standings"]
    kept = json.loads(download("leaderboard", "JSON"))["standings"]
    assert [row.items() >= its.items() for row, its in zip(kept, said, strict=True)] == [True] * 3
    rows = list(csv.DictReader(download("leaderboard", "CSV").splitlines()))
    assert [(row["bot"], row["rank_from"], row["rank_to"]) for row in rows] == [
        (row["bot"], *map(str, row["rank"])) for row in said
    ]
    pairs = json.loads(arena("table", played, "--format", "json").stdout)["encounters"]
    assert json.loads(download("crosstable", "JSON"))["encounters"] == pairs
    for section in ("crosstable", "seats", "progress", "lengths"):
        rows = list(csv.DictReader(download(section, "CSV").splitlines()))
        assert rows
        assert not any(set('{["') & set(cell or "") for row in rows for cell in row.values())


def test_the_address_of_a_step_is_copied_and_shows_that_step(report: Path, look: Look) -> None:
    page = look(report, permissions=["clipboard-read", "clipboard-write"])
    for _ in range(3):
        page.locator("#replay-forward").click()
    page.locator("#replay-link").click()
    expect(page.locator("#replay-copied")).to_contain_text("Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    board = page.locator("#replay-board").inner_text()
    other = look(report, f"#{copied.partition('#')[2]}")
    expect(other.locator("#replay-step")).to_contain_text("Step 4 of ")
    assert other.locator("#replay-board").inner_text() == board


def test_what_the_last_move_changed_is_marked(report: Path, look: Look) -> None:
    page = look(report)
    expect(page.locator("#replay-step")).to_contain_text("Step 1 of ")
    changed = page.locator("#replay-board .is-changed")
    assert changed.count() == 0
    page.locator("#replay-last").click()
    assert changed.count() > 0


def test_both_armies_fit_a_screen_and_the_table_begins_high_on_a_phone(
    report: Path, look: Look
) -> None:
    page = look(report, viewport={"width": 1280, "height": 1000})
    player = page.locator("#replay-player")
    steps = int(page.locator("#replay-range").get_attribute("max") or 0)
    assert steps > 1
    for _ in range(steps - 1):
        page.locator("#replay-forward").click()
        armies = page.locator("#replay-board > .band > .area-group").first
        end = armies.evaluate("it => it.getBoundingClientRect().bottom")
        assert end - player.evaluate("it => it.getBoundingClientRect().top") <= 1000
    page.set_viewport_size({"width": 390, "height": 844})
    begin = page.locator("#replay-board").evaluate("it => it.getBoundingClientRect().top")
    assert begin - player.evaluate("it => it.getBoundingClientRect().top") <= 844 * 0.45
    assert page.evaluate("document.documentElement.scrollWidth") <= 390

"""`arena play --browser`: a real match that a person plays on the page."""

import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from arena.archive.saved import read_match
from tests.arena.conftest import ARENA, ROOT

pytestmark = pytest.mark.slow  # a browser and processes are their subject


@contextmanager
def at_table(browser: Browser, *words: str) -> Iterator[tuple[subprocess.Popen[str], Page]]:
    """Begin a match, and open its page; nothing of it may complain."""
    command = [*ARENA, "play", *words, "--browser", "--no-open", "--sandbox", "none"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=ROOT) as process:
        complaints: list[str] = []
        assert process.stderr is not None
        found = None
        while found is None:
            found = re.search(r"Play at (http://\S+)", process.stderr.readline())
        page = browser.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.set_default_timeout(60_000)
        try:
            page.goto(found[1])
            page.locator("#speed").select_option("1000")
            yield process, page
        finally:
            page.close()
            process.send_signal(signal.SIGINT)
            process.wait(60)
        assert [each for each in complaints if "Failed to load" not in each] == []


def test_listed_moves_are_clicked_and_the_match_is_stepped_through_and_saved(
    browser: Browser, tmp_path: Path
) -> None:
    file = tmp_path / "match.json"
    options = ("--option", "max_turns_per_player=2", "--seed", "1", "--save", str(file))
    with at_table(browser, "khan", "human", "random", *options) as (process, page):
        over = page.locator("#over")
        menu = page.locator("#menu button")
        while not over.is_visible():
            expect(over.or_(menu.first).first).to_be_visible(timeout=60_000)
            if menu.first.is_visible():
                menu.first.click()
        assert "(seat 0)" in over.inner_text()
        assert page.locator("#menu button").count() == 0
        assert read_match(file).names == ["human", "random"]
        with page.expect_download() as waiting:
            over.get_by_text("Save the match").click()
        assert Path(waiting.value.path()).read_bytes() == file.read_bytes()
        over.get_by_text("Step through").click()
        expect(page.locator("#replay-step")).to_contain_text("Step 1 of")
        page.reload()
        page.locator("#replay-last").click()
        expect(page.locator("#replay-step")).to_contain_text("The end:")
        page.close()
        assert process.wait(60) == 0, "closing the page ends it"


def test_forms_are_filled_by_clicks_on_cards_and_meant_before_they_are_played(
    browser: Browser,
) -> None:
    with at_table(browser, "guerra", "human", "random", "--seed", "1") as (process, page):
        expect(page.locator("#choices")).to_contain_text("rearguard: 3")
        page.locator("#line").fill("9X")
        page.locator("#play").click()
        expect(page.locator("#means")).to_contain_text("9X")
        page.locator("#line").fill("")
        hand = page.locator("#board .area[class*='seat-0'] [data-code]")
        for number in range(3):
            hand.nth(number).click()
        assert len(page.locator("#line").input_value().split()) == 3
        page.keyboard.press("Enter")
        expect(page.locator("#means")).to_contain_text("It means: A deploys")
        assert page.locator("#where").inner_text().startswith("Table 1")
        page.keyboard.press("Enter")
        expect(page.locator("fieldset")).to_contain_text("VANGUARD")
        page.locator("#back").click()
        expect(page.locator("#asked-head")).to_have_text("Something has happened")
        page.locator("#latest").click()
        expect(page.locator("fieldset")).to_be_visible()
        page.set_viewport_size({"width": 390, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        process.send_signal(signal.SIGINT)
        assert process.wait(60) != 0
        expect(page.locator("#message")).to_contain_text("arena play has ended")
        page.wait_for_timeout(100)


def test_to_leave_ends_the_match_with_a_sentence(browser: Browser) -> None:
    with at_table(browser, "khan", "human", "random", "--seed", "1") as (process, page):
        page.locator("#quit").click()
        expect(page.locator("#message")).to_have_text("You have left the match.")
        assert process.wait(60) == 1
        assert process.stderr is not None
        assert "its page was closed" in process.stderr.read()

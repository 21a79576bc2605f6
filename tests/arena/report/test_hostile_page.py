"""Names, notes, lines and standard errors of strangers on the page: shown, and nothing else."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.arena.conftest import Arena, League
from tests.arena.inline import inline_runs
from tests.arena.report.conftest import PHONE, Look, a_report

pytestmark = pytest.mark.slow  # a browser is their subject: test_summary.py reads pages without

NAMES = (
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(2)</script>",
    "'\"><svg onload=alert(3)>&lt;{{7*7}}",
    "مرحبا بالعالم",
)
SAID = (
    "</script><script>alert(4)</script><!--\u202egnihton\u202c\x1b[2J\0 "
    "<iframe srcdoc='<script>alert(5)</script>'></iframe> javascript:alert(6)"
)
HOSTILE = f"""
import sys, kit, guerra_random
SAID = {SAID!r}
sys.stderr.write(SAID * 20_000)
asked = 0
def choose(ask):
    global asked
    asked += 1
    ask.note = SAID * (50 if asked % 2 else 1)
    if asked == 5:
        return {{"line": SAID, "</script>": SAID}}
    return guerra_random.choose(ask)
kit.run(choose)
"""


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> League:
    """A league of bots whose every word is an attack."""
    league = League(tmp_path_factory.mktemp("<b>hostile"))
    league.is_inline = True
    entries = []
    for number, name in enumerate(NAMES):
        entry = league.bot(f"bot{number}", HOSTILE)
        entries.append(entry.replace(f'name = "bot{number}"', f"name = {json.dumps(name)}"))
    head = 'game = "guerra"\nseed = 1\ndeals = 1\noptions.max_turns = 6\nlimits.sandbox = "none"\n'
    league.write(head + "".join(entries))
    with inline_runs():
        league.call("run")
    return league


@pytest.fixture
def page(arena: Arena, hostile: League, look: Look) -> Iterator[Page]:
    """Its page, looked at; nothing of it may call for anything."""
    with a_report(arena, hostile.folder) as file:
        yield look(file)


def test_what_was_said_becomes_no_element_and_is_shown_with_what_cannot_be_seen(page: Page) -> None:
    for step in range(12):
        page.locator("#replay-range").evaluate(
            "(range, step) => {range.value = step; range.dispatchEvent(new Event('input'))}", step
        )
    page.locator("#replay-seats > summary").click()
    assert page.locator("img, iframe, object, embed, link, base, [onload], [onerror]").count() == 0
    assert page.locator("script").count() == 6  # ours: two of data, boards, tables, pages, replays
    assert page.title() == "league · guerra"
    shown = page.locator("#leaderboard tbody th").all_inner_texts()
    assert sorted(shown) == sorted(NAMES)
    page.locator("#replay-fault").click()
    decided = page.locator("#replay-decisions").inner_text()
    assert "</script>" in decided
    assert "[U+202E]" in decided
    told = page.locator("#replay-remains pre").first.inner_text()
    assert "<script>alert(4)</script>" in told
    assert "\u202e" not in page.locator("body").inner_text()
    assert "\x1b" not in page.locator("body").inner_text()


def test_a_script_that_got_in_all_the_same_would_not_run(
    arena: Arena, hostile: League, look: Look, tmp_path: Path
) -> None:
    with a_report(arena, hostile.folder) as file:
        broken = tmp_path / "broken.html"
        broken.write_text(
            file.read_text().replace("<main>", "<main><script>document.title = 'in'</script>")
        )
        page = look(broken, refused=True)
        assert page.title() == "league · guerra"


def test_long_words_do_not_widen_a_phone(arena: Arena, hostile: League, look: Look) -> None:
    with a_report(arena, hostile.folder) as file:
        page = look(file, viewport=PHONE)
        page.locator("#replay-fault").click()
        page.locator("#replay-seats > summary").click()
        expect(page.locator("#replay-remains pre").first).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]

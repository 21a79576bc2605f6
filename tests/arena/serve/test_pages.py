"""The pages of a server in a real browser: live, by keyboard, without scripts, and forms sent."""

import io
import re
import tarfile
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote

import msgspec
import pytest
from playwright.sync_api import Page, expect

from arena.handin.submissions import SubmissionView
from arena.serve import pages
from arena.serve.brief import StarterView
from arena.serve.careers import bot_view
from arena.serve.pages import WebVisit
from arena.serve.shown import Calendar
from arena.serve.views import TableView, table_view
from tests.arena.report.conftest import DESKTOP, PHONE
from tests.arena.report.test_summary import league_of
from tests.arena.serve import hostile
from tests.arena.serve.conftest import Visited
from tests.arena.serve.gallery import Gallery
from tests.arena.serve.hostile import HISTORY
from tests.referee.process_watch import until

ADA = WebVisit(league="cup", name="ada", role="author", csrf="secret")
OPEN = Calendar(closes="2026-12-02T12:00:00+01:00", per_hour=10, per_day=50, size_mb=1, bots=1)
SUBMISSIONS = "/api/leagues/cup/submissions"
TAKEN = 202, {"submission": {"number": 7}}


@cache
def leaderboard() -> TableView:
    with TemporaryDirectory() as home:
        return table_view(league_of(Path(home) / "cup", ("ann", "bob")))


def row(bot: str, rating: float, matches: int = 10) -> dict[str, object]:
    """Return a bot's row of a leaderboard."""
    changes = {"bot": bot, "rating": rating, "matches": matches, "faults": {}, "forfeits": 0}
    return {**leaderboard().rows[0], "group": 1, **changes}


def table(*rows: dict[str, object]) -> TableView:
    notes = [f"{len(rows)} bots are here."]
    return msgspec.structs.replace(leaderboard(), rows=[*rows], notes=notes, scored=False)


def shown(*rows: dict[str, object], state: str = "Playing") -> str:
    return pages.table_page(ADA, table(*rows), OPEN, state=state)


def submission(state: str = "received", **changes: object) -> SubmissionView:
    plain = dict.fromkeys(("step", "reason", "remedy", "output"), "")
    base = {**plain, "author": "ada", "bot": "Castle", "steps": [], "history": HISTORY[:1]}
    return hostile.submission(state=state, **base | changes)


STARTER = StarterView(
    language="python",
    title="Python",
    bot="bot.py",
    kit="kit.py",
    executable="",
    files={"bot.py": "def choose(ask):\n    return ask.legal[0]\n"},
)


def form(**settings: Any) -> str:
    return pages.hand_in_page(ADA, OPEN, **settings)


Show = Callable[..., Page]


@pytest.fixture
def show(gallery: Gallery, visit: Visited) -> Show:
    """Return how to open a page of some text, and perhaps to wait until it listens."""

    def open_page(text: str, path: str = "/cup/", *, live: bool = False, **settings: Any) -> Page:
        gallery.pages[path] = text
        page = visit(path, **settings)
        if live:
            is_live(page)
        return page

    return open_page


def names(page: Page) -> list[str]:
    return page.locator("#rows tbody th").all_inner_texts()


def is_live(page: Page) -> None:
    expect(page.locator("#live-state")).to_have_text("Live")


def test_a_refusal_is_told_as_code_and_text_and_lines_on_the_wire_are_folded() -> None:
    evidence = ["→ {}", "← {}", "Standard error:", "  oh"]
    step = {"title": "whole", "state": "failed", "detail": "", "evidence": evidence}
    reason = "it needs `arena new <b>` <i>"
    text = pages.submission_page(ADA, submission("refused", reason=reason, steps=[step]))
    assert "It needs <code>arena new &lt;b&gt;</code> &lt;i&gt;" in text
    said, folded = (
        text.index("Standard error:\n  oh</pre>"),
        text.index("→ {}\n← {}</pre></details>"),
    )
    assert said < text.index("<details>", said) < folded


# --- live


def test_a_table_is_renewed_in_place(gallery: Gallery, show: Show) -> None:
    page = show(shown(row("ann", 30), row("bob", 20)), live=True)
    page.evaluate("window.kept = document.querySelector('#rows table')")
    page.locator("#rows a", has_text="bob").focus()
    gallery.pages["/cup/"] = shown(row("eve", 31), row("bob", 25), row("ann", 19, 12), state="On")
    gallery.tell("table")
    expect(page.locator("#rows tbody th").first).to_have_text("eve")
    assert names(page) == ["eve", "bob", "ann"]
    assert page.locator("#rows tbody tr:nth-child(3) td").nth(4).inner_text() == "12"
    assert page.locator("#notes").inner_text() == "3 bots are here."
    expect(page.locator("#strip")).to_contain_text("3 bots")
    assert page.evaluate("kept === document.querySelector('#rows table')")
    assert page.evaluate("document.activeElement.textContent") == "bob"


@pytest.mark.slow
def test_the_order_that_a_reader_chose_stays_and_other_columns_load_the_page_anew(
    gallery: Gallery, show: Show
) -> None:
    page = show(shown(row("ann", 30), row("bob", 20), row("cat", 10)), live=True)
    page.locator("#rows th button", has_text="Bot").click()
    page.locator("#rows th button", has_text="Bot").click()
    assert names(page) == ["cat", "bob", "ann"]
    gallery.pages["/cup/"] = shown(row("dan", 40), row("ann", 30), row("bob", 20))
    gallery.tell("table")
    expect(page.locator("#rows tbody th").first).to_have_text("dan")
    assert names(page) == ["dan", "bob", "ann"]
    expect(page.locator("#rows th[aria-sort=descending]")).to_have_text("Bot")
    gallery.pages["/cup/"] = shown(row("ann", 30), {**row("bob", 20), "group": 2})
    gallery.tell("table")
    expect(page.locator("#rows thead")).to_contain_text("Group")
    page.locator("#rows th button", has_text="Group").click()  # it sorts, too
    assert page.locator("#rows th[aria-sort]").inner_text() == "Group"


@pytest.mark.slow
def test_a_lost_server_is_said_and_found_again(gallery: Gallery, show: Show) -> None:
    page = show(shown(row("ann", 30)), live=True, refused=True)
    page.route("**/events", lambda route: route.abort())
    gallery.hang_up()
    expect(page.locator("#live-state")).to_have_text("Not connected; trying again")
    gallery.pages["/cup/"] = shown(row("ann", 30), row("bob", 20))
    page.unroute("**/events")
    expect(page.locator("#rows tbody tr")).to_have_count(2)
    is_live(page)


@pytest.mark.slow
def test_many_events_are_few_requests(gallery: Gallery, show: Show) -> None:
    page = show(shown(row("ann", 30)), live=True)
    for name in ("bob", "cat", "dan"):
        gallery.pages["/cup/"] = shown(row(name, 30))
        for _ in range(50):
            gallery.tell("table")
        expect(page.locator("#rows tbody th")).to_have_text(name)
    asked = zip(gallery.requests, gallery.moments, strict=True)
    times = [moment for path, moment in asked if path == "/cup/"][1:]
    assert len(times) <= 7
    assert all(later - earlier > 0.9 for earlier, later in pairwise(times))


@pytest.mark.slow
def test_a_page_that_nobody_looks_at_does_not_listen(gallery: Gallery, show: Show) -> None:
    hide = (
        "([is]) => {Object.defineProperty(document, 'hidden', {get: () => is, configurable: true})"
    )
    turn = f"{hide}; document.dispatchEvent(new Event('visibilitychange'))}}"
    page = show(shown(row("ann", 30)), live=True)
    until(lambda: gallery.listening == 1)
    page.evaluate(turn, [True])
    until(lambda: gallery.listening == 0)
    gallery.pages["/cup/"] = shown(row("bob", 30))
    page.evaluate(turn, [False])
    expect(page.locator("#rows tbody th")).to_have_text("bob")


def test_a_submission_is_followed_to_its_verdict(gallery: Gallery, show: Show) -> None:
    path = "/cup/submissions/7"
    page = show(pages.submission_page(ADA, submission()), path, live=True)
    expect(page.locator("#way [aria-current=step]")).to_contain_text("Received")
    gallery.pages[path] = pages.submission_page(
        ADA,
        submission(
            "refused",
            step="build",
            reason="The build exited with code 2.",
            remedy="Mend it.",
            output="\n".join(map(str, range(200))),
        ),
    )
    gallery.tell("submission", {"number": 8})  # another's: no news
    gallery.tell("queue")
    gallery.tell("submission", {"number": 7})
    expect(page.locator("#verdict")).to_contain_text("Refused at the step “build”")
    expect(page.locator("#verdict")).to_contain_text("Handing in the same once more cannot help")
    assert page.locator("#verdict").get_attribute("role") == "status"
    assert gallery.requests.count(path) == 2
    bottom = "box => box.scrollTop + box.clientHeight >= box.scrollHeight - 2"
    assert page.locator("pre.output").evaluate(bottom)


# --- how it looks

SCROLLED = """() => [...document.querySelectorAll(".scroll")]
    .filter((box) => box.scrollWidth > box.clientWidth).map((box) => box.id)"""
WIDE = {
    "rank": [17, 21],
    "wins": 1234,
    "losses": 4321,
    "score": 1776.59,
    "score_error": 48.27,
    "faults": {"late": 1234},
}


def test_the_widest_leaderboard_needs_no_scroll_bar(show: Show) -> None:
    rows = [{**row(name, 30, 123_456), **WIDE} for name in ("ann", "a-rather-long-name-of-a-bot")]
    rows[1]["group"] = 2  # has a column of its own
    scored = msgspec.structs.replace(table(*rows), scored=True)
    page = show(pages.table_page(ADA, scored, OPEN))
    expect(page.locator("#rows thead")).to_contain_text("Score")
    figures = page.locator("#rows tbody tr:first-child .n").all_inner_texts()
    assert figures[-4:] == ["123,456", "1,234/0/4,321", "1,234", "1,776.59 ± 96.54"]
    assert page.evaluate(SCROLLED) == []


def test_a_bot_with_faults_in_two_versions_needs_no_scroll_bar(played: Path, show: Show) -> None:
    faults = {"late": 1234, "illegal": 12, "malformed": 3}
    view = bot_view(played, "one")
    [now] = view.versions
    now = msgspec.structs.replace(now, matches=123_456, faults=faults, forfeits=1234)
    before = msgspec.structs.replace(now, present=False)
    view = msgspec.structs.replace(view, versions=[now, before])
    page = show(pages.bot_page(ADA, view), "/cup/bots/ann")
    expect(page.locator("#main")).to_contain_text("malformed")
    assert page.evaluate(SCROLLED) == []


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_the_lines_between_rows_have_no_gap(show: Show, size: dict[str, int]) -> None:
    page = show(
        shown(*(row(f"bot-{number}", 30 - number) for number in range(8))), live=True, viewport=size
    )
    for cells in page.locator("#rows tr").all()[1:]:
        boxes = [cells.locator("> *").nth(column).bounding_box() for column in (0, 1)]
        pixels = []
        for box in boxes:
            assert box is not None
            clip = {"x": box["x"] + 1, "y": int(box["y"]) - 2, "width": 5, "height": 5}
            pixels.append(page.screenshot(clip=clip, full_page=True))
        assert pixels[0] == pixels[1]


# --- handing in


def handed_in(gallery: Gallery, page: Page, button: str = "#send") -> tuple[str, bytes]:
    """Hand in, and return name and content of what arrived."""
    gallery.answers[SUBMISSIONS] = TAKEN
    gallery.pages["/cup/submissions/7"] = pages.submission_page(ADA, submission())
    page.locator(button).click()
    page.wait_for_url("**/cup/submissions/7")
    (posted,) = gallery.posted
    assert (posted.path, posted.token) == (SUBMISSIONS, "secret")
    return posted.files["file"]


def a_folder(home: Path) -> Path:
    """Make a bot's folder with a program, a long name, and what no bot needs."""
    folder = home / "castle"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("no")
    (folder / "bot.toml").write_text('command = ["./run"]')
    (folder / "run").write_text("#!/bin/sh\n")
    (folder / ("long" * 30)).mkdir()
    (folder / ("long" * 30) / "data.bin").write_bytes(bytes(range(256)) * 3)
    (folder / "ö").write_bytes(b"")
    return folder


def unpacked(content: bytes) -> dict[str, tuple[int, bytes]]:
    """Return mode and content of every file of an archive, by its path."""
    with tarfile.open(fileobj=io.BytesIO(content), encoding="latin-1") as archive:
        found = {}
        for member in archive:
            file = archive.extractfile(member)
            assert file is not None
            found[member.name] = member.mode, file.read()
    return found


FOLDER = {
    "castle/bot.toml": (0o644, b'command = ["./run"]'),
    "castle/run": (0o755, b"#!/bin/sh\n"),
    f"castle/{'long' * 30}/data.bin": (0o644, bytes(range(256)) * 3),
    "castle/ö": (0o644, b""),
}


def test_a_folder_is_sent_as_an_archive(gallery: Gallery, show: Show, tmp_path: Path) -> None:
    page = show(form(own=["Castle"]), "/cup/hand-in")
    page.locator("#folder").set_input_files(a_folder(tmp_path))
    expect(page.locator("#chosen")).to_contain_text("4 files")
    expect(page.locator("#chosen")).to_contain_text("1 left out")
    name, content = handed_in(gallery, page)
    assert name == "bot.tar"
    assert unpacked(content) == FOLDER


def drop(page: Page, *files: tuple[str, str]) -> None:
    """Drop files, by name and content, where they are taken."""
    page.locator("#drop").evaluate(
        """(box, files) => {
            const dataTransfer = new DataTransfer();
            for (const [name, text] of files) dataTransfer.items.add(new File([text], name));
            const settings = { dataTransfer, bubbles: true, cancelable: true };
            for (const kind of ["dragenter", "dragover", "drop"]) {
                box.dispatchEvent(new DragEvent(kind, settings));
            }
        }""",
        [list(file) for file in files],
    )


@pytest.mark.slow
def test_what_is_dropped_is_sent(gallery: Gallery, show: Show) -> None:
    page = show(form(), "/cup/hand-in")
    drop(page, ("bot.toml", "x = 1"), ("run", "#!/bin/sh"))
    expect(page.locator("#chosen")).to_contain_text("2 files")
    _, content = handed_in(gallery, page)
    assert unpacked(content) == {"bot.toml": (0o644, b"x = 1"), "run": (0o755, b"#!/bin/sh")}


@pytest.mark.slow
def test_a_pasted_program_is_sent_under_its_name(gallery: Gallery, show: Show) -> None:
    page = show(form(), "/cup/hand-in")
    page.locator("#source").fill("print('hello')\n")
    page.locator("#write-send").click()
    expect(page.locator("#problem")).to_contain_text("Name the file of the program")
    assert page.evaluate("document.activeElement.id") == "filename"
    page.locator("#filename").fill("bot.py")
    name, content = handed_in(gallery, page, "#write-send")
    assert (name, content.replace(b"\r\n", b"\n")) == ("bot.py", b"print('hello')\n")


def test_a_program_is_written_by_keyboard_alone(gallery: Gallery, show: Show) -> None:
    page = show(form(starter=STARTER), "/cup/hand-in")
    source, keys = page.locator("#source"), page.keyboard
    numbers = page.locator(".numbers > div")
    assert numbers.all_inner_texts() == ["1", "2", "3"]
    source.focus()
    keys.press("Control+End")
    keys.type("if x:")
    keys.press("Enter")
    keys.press("Tab")
    keys.type("y = '\\t'")
    assert source.input_value().endswith("\nif x:\n        y = '\\t'")
    keys.press("Shift+Tab")
    assert source.input_value().endswith("\nif x:\n    y = '\\t'")
    assert numbers.last.inner_text() == "4"
    keys.press("Control+A")
    keys.press("Tab")
    assert source.input_value().startswith("    def choose(ask):\n        return")
    keys.press("Control+Z")
    assert source.input_value().startswith("def choose(ask):\n    return")
    assert page.evaluate("document.activeElement.id") == "source"
    keys.press("Escape")
    expect(page.locator("#editor-said")).to_have_text("Tab leaves the field now.")
    keys.press("Tab")
    assert page.evaluate("document.activeElement.id") == "anew"
    keys.press("Shift+Tab")
    keys.press("a")  # from now on, Tab sets in again
    keys.press("Tab")
    assert page.evaluate("document.activeElement.id") == "source"
    assert "Esc and then Tab" in page.locator("#source-hint").inner_text()


def test_a_check_is_sent_as_one_and_what_was_written_stays(gallery: Gallery, show: Show) -> None:
    page = show(form(starter=STARTER), "/cup/hand-in")
    page.locator("#source").fill("print('mine')")
    gallery.answers[SUBMISSIONS] = TAKEN
    gallery.pages["/cup/submissions/7"] = pages.submission_page(ADA, submission())
    page.locator("#write button[value=check]").click()
    page.wait_for_url("**/cup/submissions/7")
    [posted] = gallery.posted
    assert (posted.query, posted.token) == ("bot=&check=1", "secret")
    assert posted.files["file"] == ("bot.py", b"print('mine')")
    page.goto(f"{gallery.url}/cup/hand-in")
    assert page.locator("#source").input_value() == "print('mine')"
    page.locator("#anew").click()
    assert page.locator("#source").input_value() == "print('mine')"
    page.locator("#anew").click()
    assert page.locator("#source").input_value() == STARTER.files["bot.py"]
    # Another author at the same browser sees nothing of it.
    page.locator("#source").fill("print('mine')")
    ben = WebVisit(league="cup", name="ben", role="author", csrf="secret")
    gallery.pages["/cup/hand-in"] = pages.hand_in_page(ben, OPEN, starter=STARTER)
    page.goto(f"{gallery.url}/cup/hand-in")
    assert page.locator("#source").input_value() == STARTER.files["bot.py"]


@pytest.mark.slow
def test_a_refusal_is_said_and_can_be_mended(gallery: Gallery, show: Show, tmp_path: Path) -> None:
    page = show(form(), "/cup/hand-in", refused=True)
    (tmp_path / "castle.tar.gz").write_bytes(b"\x1f\x8b rest")
    page.locator("#bot").fill("Castle / ö")
    page.locator("#file").set_input_files(tmp_path / "castle.tar.gz")
    expect(page.locator("#chosen")).to_contain_text("castle.tar.gz")
    said = {"step": "receive", "what": "The name <b> is taken.", "remedy": "Choose another."}
    gallery.answers[SUBMISSIONS] = 409, {"error": {**said, "can_retry": False}}
    page.locator("#send").click()
    expect(page.locator("#problem p")).to_have_text(["The name <b> is taken.", "Choose another."])
    assert page.locator("#problem").get_attribute("role") == "alert"
    gallery.posted.clear()
    assert handed_in(gallery, page) == ("castle.tar.gz", b"\x1f\x8b rest")
    assert gallery.posted[0].fields == {"bot": "Castle / ö"}


@pytest.mark.slow
def test_what_is_too_large_is_not_even_sent(gallery: Gallery, show: Show, tmp_path: Path) -> None:
    page = show(form(), "/cup/hand-in")
    (tmp_path / "big").write_bytes(bytes(1_100_000))
    page.locator("#file").set_input_files(tmp_path / "big")
    page.locator("#send").click()
    expect(page.locator("#problem")).to_contain_text("This is 1.1 MB, and 1.0 MB is the most")
    assert gallery.posted == []


# --- entering


def test_a_token_in_the_address_is_sent_and_leaves_it(gallery: Gallery, visit: Visited) -> None:
    gallery.pages["/cup/enter"] = pages.enter_page(WebVisit(league="cup", csrf="secret"))
    gallery.answers["/cup/enter"] = 204, {}  # so that the page stays
    page = visit("/cup/enter#a-Token_1", whole=False)
    until(lambda: len(gallery.posted) == 1)
    (posted,) = gallery.posted
    assert posted.fields["token"] == "a-Token_1"
    assert posted.fields["csrf"] == "secret"
    assert page.evaluate("location.href") == f"{gallery.url}/cup/enter"
    assert not any("Token" in path for path in gallery.requests)


# --- all kinds of readers


@pytest.mark.slow
def test_the_first_key_leads_to_the_content(show: Show) -> None:
    page = show(shown(row("ann", 30)))
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "To the content"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.querySelector('main').contains(document.activeElement)")


def test_times_are_shown_in_the_readers_zone(show: Show) -> None:
    page = show(
        pages.calendar_page(ADA, OPEN), "/cup/calendar", locale="de-DE", timezone_id="Asia/Tokyo"
    )
    time = page.locator("time").first
    assert time.inner_text() == "2. Dez. 2026, 20:00 GMT+9"
    assert time.get_attribute("datetime") == "2026-12-02T12:00:00+01:00"
    assert time.get_attribute("title") == "2026-12-02 12:00+01:00"


def test_what_pages_say_without_scripts_and_offer_to_whom() -> None:
    stranger = pages.table_page(WebVisit(league="cup"), table(row("ann", 3)), OPEN)
    nav = stranger.partition("<nav")[2].partition("</nav>")[0]
    offered = re.findall(r"<a [^>]*>([^<]+)</a>", nav)
    assert offered == ["Table", "Cross-table", "Game", "Begin", "Queue", "Calendar"]
    assert ">Enter with a token</a>" in stranger
    assert ">2026-12-02 12:00+01:00</time>" in stranger
    closed = form(closed="The contest closed.")
    assert "The contest closed." in closed
    _, _, plain = form().partition('id="hand-in"')
    for words in ('method="post"', 'enctype="multipart/form-data"', 'action="/cup/hand-in"'):
        assert words in plain.partition(">")[0]
    fields = re.findall(r'<(?:input|textarea)[^>]* name="([^"]+)"', plain)
    assert fields == ["csrf", "bot", "file"]
    _, _, written = form(starter=STARTER).partition('id="write"')
    assert ">\ndef choose(ask):\n    return ask.legal[0]\n</textarea>" in written
    assert 'formaction="/cup/hand-in?check=1"' in written
    assert '<p id="folder-choice" hidden>' in plain
    assert re.findall("<form [^ ]*", closed) == ['<form class="person"']
    queue = pages.queue_page(ADA, [])
    assert "whose submissions have taken the least time lately" in queue
    assert "Nothing waits" in queue
    assert 'data-live="queue"' in queue


def test_pages_below_a_root_refer_to_it_alone() -> None:
    visit = WebVisit(league="cup", root="/arena", name="ada", role="author")
    text = pages.table_page(visit, table(row("ann", 30)), OPEN)
    found = re.findall(r'(?:href|src|action|data-events)="([^"]*)"', text)
    assert {each.split("/")[1] for each in found if not each.startswith("#")} == {"arena"}


def test_a_bot_whose_name_is_a_step_in_a_path_has_an_address() -> None:
    assert pages.bot_address("", "cup", "..") == "/cup/bots/?bot=.."
    assert pages.bot_address("/a", "c p", "x/y?") == "/a/c%20p/bots/" + quote("x/y?", safe="")

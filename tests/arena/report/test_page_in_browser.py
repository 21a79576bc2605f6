"""The page of a league in a real browser: its tables, its pictures and its replays."""

import base64
import gzip
import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from playwright.sync_api import Locator, Page, expect

from referee.games import GAMES
from referee.rules import scene
from referee.rules.cards import face_down, french
from tests.arena.conftest import Arena
from tests.arena.report.conftest import PHONE, Look, a_report

pytestmark = pytest.mark.slow  # a browser is their subject: test_summary.py reads pages without

PAPER = {"width": 718, "height": 1047}
"""What margins of a centimetre leave of A4, in pixels."""


@pytest.fixture
def report(arena: Arena, played: Path) -> Iterator[Path]:
    with a_report(arena, played) as file:
        yield file


def cells(table: Locator, column: int) -> list[str]:
    return table.locator(f"tbody tr > :nth-child({column})").all_inner_texts()


def head(page: Page, title: str) -> Locator:
    return page.locator("#leaderboard th button", has_text=title)


def test_a_click_or_a_key_sorts_a_table_and_a_second_one_turns_it(report: Path, look: Look) -> None:
    page = look(report)
    table = page.locator("#leaderboard table")
    points = [float(text) for text in cells(table, 5)]
    head(page, "Points").click()
    assert [float(text) for text in cells(table, 5)] == sorted(points, reverse=True)
    head(page, "Points").click()
    assert [float(text) for text in cells(table, 5)] == sorted(points)
    assert page.locator("#leaderboard th[aria-sort=ascending]").inner_text() == "Points %"
    head(page, "Bot").focus()
    for key, is_turned in (("Enter", False), ("Space", True)):
        page.keyboard.press(key)
        names = cells(table, 2)
        assert names == sorted(names, reverse=is_turned)
    page.locator("#crosstable summary").click()
    pairs = page.locator("#crosstable table.pairs")
    points = [float(text) for text in cells(pairs, 7)]
    pairs.locator("button", has_text="Points").click()
    assert [float(text) for text in cells(pairs, 7)] == sorted(points, reverse=True)
    seats = page.locator("#seats table")
    seats.locator("button", has_text="Bot").click()
    names = seats.locator("tr > th:first-child").all_inner_texts()
    assert names[1:-1] == sorted(names[1:-1])
    assert names[-1] == "(everybody)"


def test_it_is_light_or_dark_as_is_wanted_and_fits_a_phone(report: Path, look: Look) -> None:
    for scheme in ("light", "dark"):
        page = look(report, color_scheme=scheme, viewport=PHONE)
        color = page.evaluate("getComputedStyle(document.body).backgroundColor")
        brightness = sum(int(part) for part in color.strip("rgb()").split(","))
        assert (brightness > 600) == (scheme == "light")
        page.locator("#replay-last").click()
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_on_paper_are_all_tables_and_no_controls(report: Path, look: Look) -> None:
    page = look(report, viewport=PAPER)
    tables = page.locator("main section > details table")
    expect(tables.first).to_be_hidden()
    expect(page.locator("#replay-play")).to_be_visible()
    page.emulate_media(media="print")
    expect(page.locator("#replay-play")).to_be_hidden()
    expect(page.locator("#leaderboard table")).to_be_visible()
    assert tables.count() == 4
    for table in tables.all():
        expect(table).to_be_visible()
        assert (table.bounding_box() or {})["height"] > 0
    assert page.evaluate("document.documentElement.scrollWidth") <= PAPER["width"]


def test_without_scripts_all_but_the_replays_is_there(
    arena: Arena, played: Path, report: Path, look: Look
) -> None:
    page = look(report, java_script_enabled=False)
    rows = json.loads(arena("rank", played, "--format", "json").stdout)["standings"]
    assert page.locator("#leaderboard tbody tr").count() == len(rows)
    expect(page.locator("#replay-player")).to_be_hidden()
    assert "<noscript><p" in report.read_text()


def step_words(page: Page) -> str:
    return page.locator("#replay-step").inner_text()


def test_buttons_and_keys_step_through_a_match(report: Path, look: Look) -> None:
    page = look(report)
    expect(page.locator("#replay-step")).to_contain_text("Step 1 of ")
    page.locator("#replay-forward").click()
    assert step_words(page).startswith("Step 2 of ")
    page.locator("#replay-player").focus()
    page.keyboard.press("ArrowRight")
    assert step_words(page).startswith("Step 3 of ")
    page.keyboard.press("ArrowLeft")
    assert step_words(page).startswith("Step 2 of ")
    page.keyboard.press("End")
    expect(page.locator("#replay-forward")).to_have_attribute("aria-disabled", "true")
    page.keyboard.press("Home")
    expect(page.locator("#replay-back")).to_have_attribute("aria-disabled", "true")
    # playing goes on by itself, and stops when asked
    page.locator("#replay-speed").select_option("10")
    page.locator("#replay-play").click()
    later = re.compile(r"Step ([4-9]|\d\d+) of ")
    expect(page.locator("#replay-step")).to_contain_text(later)
    page.locator("#replay-play").click()
    stopped = step_words(page)
    page.wait_for_timeout(400)
    assert step_words(page) == stopped


def test_a_link_leads_to_a_step_of_a_match_and_one_to_nowhere_is_ignored(
    arena: Arena, played: Path, report: Path, look: Look
) -> None:
    found = json.loads(arena("matches", played, "--most", "0", "--format", "json").stdout)
    row = next(row for row in found["matches"][::-1] if row["scores"])
    page = look(report, f"#match={row['match']}&step=3")
    expect(page.locator("#replay-step")).to_contain_text("Step 3 of ")
    expect(page.locator("#replay-end")).to_contain_text(row["match"])
    assert sorted(page.locator("#replay-bots li").all_inner_texts()) == sorted(
        f"{seat['place']}. {seat['bot']} (seat {number}), score {row['scores'][number]}"
        for number, seat in enumerate(row["seats"])
    )
    page = look(report, "#match=<b>&step=-7")
    expect(page.locator("#replay-step")).to_contain_text("Step 1 of ")
    open_hands = page.locator("#replay-board").inner_text()
    page.locator("#replay-eyes").select_option(index=1)
    assert page.locator("#replay-board").inner_text() != open_hands


def rewritten(report: Path, file: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    """Write a page whose first match is changed, and return it."""
    page = report.read_text()
    begin = page.index('id="matches">') + len('id="matches">')
    end = page.index("</script>", begin)
    payload = json.loads(page[begin:end])
    match = payload["matches"][0]
    data = json.loads(gzip.decompress(base64.b64decode(match["data"])))
    change(data)
    match["data"] = base64.b64encode(gzip.compress(json.dumps(data).encode())).decode()
    file.write_text(page[:begin] + json.dumps(payload).replace("<", "\\u003c") + page[end:])
    return file


def test_a_match_of_one_frame_has_no_steps(report: Path, look: Look, tmp_path: Path) -> None:
    def change(data: dict[str, Any]) -> None:
        data["seats"][1]["memory_peak"] = 34 << 20
        data["frames"] = data["frames"][-1:]

    page = look(rewritten(report, tmp_path / "page.html", change))
    page.locator("#replay-seats > summary").click()
    table = page.locator("#replay-summary")
    assert table.locator("th", has_text="Peak MiB").count() == 1
    assert cells(table, 7) == ["", "34"]
    expect(page.locator("#replay-step")).to_contain_text("Step 1 of 1")
    expect(page.locator("#replay-eyes")).to_be_visible()
    for part in ("controls", "pace", "keys"):
        expect(page.locator(f"#replay-{part}")).to_be_hidden()


GROUND = scene.Ground(
    [scene.Place("far_north", 100, 100, "up"), scene.Place("south", 300, 300, "down")], [(0, 1)]
)
EVERY_KIND: Sequence[scene.Area] = [
    scene.Row(
        "Hand",
        [french("7H", "won"), face_down("8H"), scene.Token("wood", "token", 2)],
        0,
        "<b>note",
    ),
    scene.Track("Life", 0, 9, [scene.Mark(3, "3", 1)], note="of 9"),
    scene.Grid(
        "Board",
        [["", "O"], ["X", "<i>"]],
        [[0, 1], [0, None]],
        rows=("2", "1"),
        columns=("a", "b"),
        marked=[(1, 0)],
        checkered=True,
    ),
    scene.Map("World", [0, None], ["3", "1"], marked=[0], arrows=[(0, 1)]),
    scene.Facts("Money", ("Has",), [["7"], ["1000"]], (0, 1)),
    scene.Text("", ["<script>alone</script>"]),
    scene.Text("Lately", ["draws", "stops"], (0, 1)),
    scene.Group("reserve", [scene.Row("Pack", [french("9H")])], 1, hidden=True),
]


def test_every_kind_of_area_is_drawn(report: Path, look: Look, tmp_path: Path) -> None:
    def change(data: dict[str, Any]) -> None:
        data["areas"] = msgspec.to_builtins(EVERY_KIND)
        data["called"] = ["Ann", "seat 1"]
        data["ground"] = msgspec.to_builtins(GROUND)
        for frame in data["frames"]:
            frame["all"] = [*range(len(EVERY_KIND))]

    page = look(rewritten(report, tmp_path / "kinds.html", change))
    expect(page.locator("#replay-board")).to_contain_text("Money")
    board = page.locator("#replay-board")
    for kind in ("row", "track", "grid", "map", "facts", "text", "group"):
        assert board.locator(f".area-{kind}").first.bounding_box()
    assert board.locator(".card").count() == 3
    assert board.locator(".mark-down").count() == 1
    assert board.locator("script, i:not([class]), b b").count() == 0
    bots = page.evaluate(
        """() => JSON.parse(document.querySelector("#matches").textContent).matches[0].bots"""
    )
    heads = board.locator("figcaption b").all_inner_texts()
    assert heads[0] == f"Ann {bots[0]}: Hand"
    assert heads[-2] == f"Seat 1 {bots[1]}: reserve"
    rows = board.locator(".area-facts tbody th").all_inner_texts()
    assert rows == [f"Ann {bots[0]}", f"Seat 1 {bots[1]}"]
    assert "far north" in board.locator(".area-map").inner_text()
    assert "far_north" not in board.locator(".area-map").inner_text()
    page.set_viewport_size(PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    grid = page.locator(".area-grid")
    assert grid.locator("tr").first.locator("th").all_inner_texts() == ["a", "b"]
    assert grid.locator("th[scope=row]").all_inner_texts() == ["2", "1"]
    assert grid.locator(".square bdi").all_inner_texts() == ["O", "X", "<i>"]
    assert grid.locator(".square").count() == 4
    assert grid.locator(".square.is-held").count() == 3
    assert grid.locator(".square.seat-1").count() == 1
    assert grid.locator(".square.is-dark").count() == 2
    marked = grid.locator(".square.is-marked")
    assert marked.locator("bdi").inner_text() == "X"
    width = (marked.bounding_box() or {})["width"]
    height = (marked.bounding_box() or {})["height"]
    assert abs(width - height) < 2


WALK = """() => {
    const [range, eyes, board] = ["range", "eyes", "board"].map(
        name => document.querySelector("#replay-" + name));
    const set = (input, value, event) => {
        input.value = value;
        input.dispatchEvent(new Event(event, {bubbles: true}));
    };
    const drawn = [];
    for (let step = 1; step <= Number(range.max); step++) {
        set(range, step, "input");
        for (const option of eyes.options) {
            set(eyes, option.value, "change");
            drawn.push([option.value, board.childElementCount * board.textContent.length]);
        }
    }
    return drawn;
}"""
"""Steps through the match that is chosen, with all eyes in turn; returns how much was drawn."""


@pytest.mark.usefixtures("inline")
@pytest.mark.parametrize("game", GAMES)
def test_every_game_is_drawn_at_every_step_for_all_eyes(
    arena: Arena, tmp_path: Path, look: Look, game: str
) -> None:
    league = tmp_path / game
    seats = GAMES[game].seat_counts[0]
    bots = [f"{letter}=random" for letter in "abcdef"[:seats]]
    words = (*bots, "--deals", "1", "--seed", "1", "--sandbox", "none")
    made = arena("init", league, "--game", game, *words)
    assert made.exit_code == 0, made.output
    assert arena("run", league).exit_code == 0
    with a_report(arena, league) as file:
        page = look(file)
        expect(page.locator("#replay-step")).to_contain_text("of ")
        drawn = page.evaluate(WALK)
    assert all(size for _, size in drawn)
    assert {eyes for eyes, _ in drawn} == {"", *map(str, range(seats))}

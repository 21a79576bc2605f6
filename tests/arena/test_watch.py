"""A league that is followed while it is played, at a terminal and elsewhere."""

import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

import arena.watch
from arena.archive.export import exported
from arena.archive.merge import import_files
from arena.cli import watch
from arena.cli.watch import _picture
from arena.folders import locked
from arena.league.file import read_asked
from arena.stats.ratings import Ratings, fit
from arena.store.opening import open_store, read_league
from arena.store.under_way import MatchesUnderWay, MatchPlan
from arena.tables.field import Field
from arena.tables.leaderboard import leaderboard
from arena.text import width
from arena.watch import Sight, Watcher
from referee.match.kept import KeptAnswer
from tests.arena.conftest import PLAYED, STEADY, Arena, League
from tests.arena.terminal import Terminal, at_terminal
from tests.golden import Golden

SLOW = """\
game = "guerra"
seed = 1
deals = {deals}
options.max_turns = 5
limits = {{ sandbox = "none"{limits} }}
"""
CLEAR = "\x1b[J"
"""What ends every picture."""


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """A folder with so short a name that no line with a league's name is folded."""
    with tempfile.TemporaryDirectory(prefix="w") as name:
        yield Path(name)


def slow_league(league: League, deals: int = 20) -> None:
    """Write a league of which two bots play twenty matches a second or fewer."""
    bots = [league.bot(name, STEADY.format(pause=0.05)) for name in ("ann", "bob")]
    league.write(SLOW.format(deals=deals, limits="") + "".join(bots))


@contextmanager
def watching(folder: Path, *words: str, **settings: str) -> Iterator[Terminal]:
    with at_terminal("rank", folder, "--live", *words, **{"TERM": "xterm", **settings}) as terminal:
        yield terminal


def pictures(shown: str) -> list[list[str]]:
    """Return the lines of every picture that was drawn whole."""
    parts = shown.split("\x1b[H")[1:]
    return [
        re.sub(r"\x1b\[[0-9]*[mK]", "", part.partition(CLEAR)[0]).splitlines()
        for part in parts
        if CLEAR in part
    ]


def looked(folder: Path) -> Watcher:
    return Watcher(folder, lambda field: fit(field.deals, bots=field.bots))


def sight(bots: int, **more: object) -> Sight:
    """Return what is seen of a league of so many bots, all made up."""
    names = tuple(f"bot number {number:03}" for number in range(bots))
    field = Field(name="cup", bots=names, deals=Counter(), faults={})
    table = leaderboard(field, fit(field.deals, bots=names))
    kept = {"name": "cup", "game": "guerra", "asked": 100, "missing": 50, "faults": 0}
    kept |= {"remedy": ""}
    return Sight(**{**kept, "table": table, **more})


def slow_paced(league: League) -> list[str]:
    """Write a slow league that nobody has played; return the ids of its matches."""
    bots = [league.bot(name, STEADY.format(pause=0)) for name in ("ann", "bob")]
    limits = ', pace = "slow", move_time = 30'
    league.write(SLOW.format(deals=4, limits=limits) + "".join(bots))
    plan = read_asked(league.folder)
    return [f"{plan.schedule.deal_id(deal)}-{n}" for deal in plan.asked.plan() for n in (0, 1)]


def head(folder: Path) -> str:
    """Return what is said above the table."""
    return " ".join(_picture(looked(folder).look(), 500, 40, color=False))


def test_matches_that_are_under_way_are_counted_with_their_answers(league: League) -> None:
    matches = slow_paced(league)
    assert "0 of 8 matches of guerra (0 %), 0 faults." in head(league.folder)
    assert league.files() == ["league.toml"]
    plan = MatchPlan((("ada", "1"), ("bob", "1")), 0, 0, is_mirrored=True)
    with MatchesUnderWay(league.folder) as under_way:
        for match in (*matches[:3], "0123456789abcdef-0"):  # the last is of a bot that left
            begun = under_way.begin(match, "terms", plan)
            for at in range(2):
                under_way.keep(begun, 1, at, KeptAnswer(None, None, 0.1, 0.1, 0.1))
        assert "(0 %), 3 left under way with 6 answers, 0 faults." in head(league.folder)
        with open_store(read_league(league.folder), create=True):
            pass
        assert "3 matches are under way, with 6 answers." in league.call("rank").stdout
        with locked(league.folder):
            assert "(0 %), 3 under way with 6 answers, 0 faults." in head(league.folder)
        under_way.drop(matches)
        assert "0 of 8 matches of guerra (0 %), 0 faults." in head(league.folder)
    (league.folder / "slow.db").write_text("no database, but long enough to be one")
    assert "(0 %), how many are under way cannot be read, 0 faults." in head(league.folder)


def test_a_league_that_is_whole_is_shown_once_with_its_whole_table(copy: Path) -> None:
    with watching(copy) as terminal:
        assert terminal.end() == 0
    assert "12 of 12 matches of guerra (100 %)" in terminal.shown
    assert "No run is going on, and nothing is missing." in terminal.shown
    assert "12 matches of guerra in 6 whole deals." in terminal.shown
    assert "\x1b[H" not in terminal.shown


@pytest.mark.slow  # a terminal, and a run that is watched
def test_a_watch_that_began_before_the_run_follows_it_to_its_end(league: League) -> None:
    """Which leaves something out."""
    slow_league(league, deals=40)
    with (league.folder / "league.toml").open("a") as file:
        file.write(league.bot("cyn", "import no_such_module"))
    with watching(league.folder, "--every", "0.5") as terminal:
        before = terminal.until("No match has been played yet.")
        assert "0 of 240 matches" in before
        assert "No run is going on; `arena run" in before
        run = league.start("run", "--workers", "1")
        terminal.until(f"A run is going on (process {run.pid}).")
        terminal.until("/s, about")
        shown = ""
        while not re.search(r"\+\d+ \d+ ", shown):  # what a bot has played since the last table
            shown += terminal.until(CLEAR)
        assert terminal.end() == 0
    league.finish(run)
    last = terminal.shown.rpartition("\x1b[H")[2]
    assert "80 of 240 matches" in last
    assert "160 matches are missing" in last
    assert league.is_left_clean()


def test_a_picture_fits_a_terminal_that_is_resized_at_once_and_ctrl_c_leaves_the_last(
    copy: Path,
) -> None:
    more_deals(copy)
    with watching(copy, "--every", "60") as terminal:
        assert "\x1b[33m" in terminal.until(CLEAR)
        for lines, columns in ((12, 40), (3, 20), (6, 10), (1, 1)):
            terminal.resize(lines, columns)
            terminal.until(CLEAR)
            (*_, last) = pictures(terminal.shown)
            assert len(last) <= max(0, lines - 1)
            assert all(width(line) <= columns for line in last)
        terminal.type("\x03")
        assert terminal.end() == 0
    assert max(map(width, pictures(terminal.shown)[0])) > 40
    assert terminal.shown.rpartition(CLEAR)[2] == "^C\n"


def more_deals(folder: Path) -> None:
    """Let a league ask for more than was played."""
    file = folder / "league.toml"
    file.write_text(file.read_text().replace("deals = 2", "deals = 4"))


@pytest.mark.slow
def test_piped_it_says_a_line_now_and_then_and_shows_the_table_at_the_end(league: League) -> None:
    slow_league(league)
    watch = league.start("rank", "--live", "--every", "0.5")
    league.call("run", "--workers", "1")
    told = league.finish(watch)
    head, _, rest = told.stdout.partition("\n\n")
    lines = head.splitlines()
    assert len(lines) > 2
    assert all(": " in line and "of 40 matches" in line for line in lines)
    assert "40 of 40 matches" in rest
    assert "ann" in rest
    assert "\x1b" not in told.stdout
    assert not told.stderr


def test_piped_it_says_nothing_while_nothing_changes_and_ends_where_the_league_goes_away(
    arena: Arena, copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    more_deals(copy)
    looks = []
    monkeypatch.setattr(watch, "monotonic", lambda: 60.0 * len(looks))
    monkeypatch.setattr(
        watch, "_wait", lambda *_: looks.append(_) or (len(looks) == 4 and shutil.rmtree(copy))
    )
    told = arena("rank", copy, "--live")
    assert (told.exit_code, len(told.stdout.splitlines())) == (2, 1)
    assert told.stderr == f"arena: there is no league {str(copy)!r}: no such folder.\n"


def test_a_league_without_a_database_has_played_nothing_yet(league: League) -> None:
    league.write(PLAYED)
    said = " ".join(_picture(looked(league.folder).look(), 80, 24, color=False))
    assert "0 of 12 matches" in said
    assert said.endswith("No match has been played yet.")
    assert league.files() == ["league.toml"]
    (league.folder / "league.db").touch()  # by a run that has just begun: it is left to it
    assert looked(league.folder).look().table is None
    assert not (league.folder / "league.db").stat().st_size


def test_a_file_that_cannot_be_read_for_a_while_is_a_problem_and_no_end(copy: Path) -> None:
    watcher = looked(copy)
    before = watcher.look()
    good = (copy / "league.toml").read_text()
    (copy / "league.toml").write_text("game = ")
    for _ in range(2):
        during = watcher.look()
        assert "not TOML" in during.problem
        assert during.table == before.table
        assert not during.over
    (copy / "league.toml").write_text(good)
    after = watcher.look()
    assert not after.problem
    assert after.over


def test_nothing_is_rated_again_while_nothing_is_new(played: Path) -> None:
    rated = []
    watcher = Watcher(played, lambda field: rated.append(1) or fit(field.deals, bots=field.bots))
    for _ in range(3):
        assert watcher.look().over
    assert len(rated) == 1
    with locked(played):  # it is not over, though it is whole
        assert not watcher.look().over
    assert watcher.look().over


def test_bots_added_while_it_watches_are_seen(copy: Path) -> None:
    watcher = looked(copy)
    assert watcher.look().over
    with (copy / "league.toml").open("a") as file:
        file.write('\n[[bot]]\nname = "late"\nshipped = "turtle"\n')
    after = watcher.look()
    assert after.missing == 12
    assert after.table
    assert "late" in [row["bot"] for row in after.table.rows]


def test_a_table_that_takes_long_is_made_less_often_while_the_count_goes_on(
    played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = 100.0
    monkeypatch.setattr(arena.watch, "monotonic", lambda: clock)
    shutil.copy(played / "league.toml", tmp_path)
    header, *matches = exported(played)
    header, file = header.replace(b'"matches":12', b'"matches":4'), tmp_path / "part.jsonl"

    def slowly(field: Field) -> Ratings:
        nonlocal clock
        clock += 0.5
        return fit(field.deals, bots=field.bots)

    def look() -> Sight:
        """After four more matches."""
        file.write_bytes(header + b"".join(matches.pop(0) for _ in range(4)))
        import_files(tmp_path, [file], lambda _: None)
        return watcher.look()

    watcher = Watcher(tmp_path, slowly)
    first, second = look(), look()
    assert (first.missing, second.missing) == (8, 4)
    assert second.table is first.table
    assert (first.fresh, second.fresh) == (True, False)
    clock += 60
    last = look()
    assert (last.fresh, last.missing) == (True, 0)
    assert last.table is not None
    assert {row["matches"] for row in last.table.rows} == {8}


def test_a_picture_counts_who_does_not_fit_marks_who_moved_and_shows_names_safely(
    golden: Golden,
) -> None:
    seen = sight(4, moved={"bot number 001": 2, "bot number 002": -1}, new={"bot number 001": 12})
    assert seen.table
    rows = [{**row, "bot": f"\x1b[2J\u202e{row['bot']}"} for row in seen.table.rows]
    odd = replace(seen, table=replace(seen.table, rows=rows))
    for each, columns, lines in (
        *((sight(40), 80, 15), (sight(3, run=7), 40, 30), (seen, 100, 30)),
        (odd, 200, 30),
    ):
        shown = _picture(each, columns, lines, color=False)
        assert len(shown) <= lines
        assert all(width(line) <= columns for line in shown)
        assert "\x1b" not in "".join(shown)
        golden("\n".join(shown))

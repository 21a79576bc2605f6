"""`league.toml`: what it may say, what is told about every mistake, and what is written."""

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena.league.file import read_asked
from arena.league.plan import LeaguePlan
from arena.league.settings import Settings
from arena.league.writing import make_league
from arena.store.opening import read_league, read_played
from protocol.errors import ArenaError
from referee.rules.options import SettingError
from tests.arena.conftest import ordinary_user
from tests.arena.league.conftest import refused as of_refusal
from tests.golden import Golden

FILE = """\
game = "guerra"
seats = 2
deals = 3
seed = 1
tournament = "round-robin"
rotations = "cyclic"
share = 1.0

[options]
max_turns = 50

[limits]
sandbox = "none"
move_time = 5.0

[[bot]]
name = "one"
shipped = "random"

[[bot]]
name = "two"
command = ["{python}"]
"""
SHIPPED = [{"name": "one", "shipped": "random"}, {"name": "two", "shipped": "rusher"}]
UNSANDBOXED = {"sandbox": "none"}


MISTAKES = {
    "deals = 3": (
        *("deal = 3", "move_time = 3", 'shipped = "random"', "depth = 3", 'deals = "3"'),
        *("deals = 0", "deals = 2.5", "deals = true", "deals = 1979-05-27", "deals = []"),
        *('anchor = { one = "x" }', "anchor = { onne = 1 }", "anchor = { one = 1, two = 2 }"),
        *("anchor = { one = inf }", 'build = { sandbox = "uid" }'),
    ),
    "share = 1.0": ("share = 0", "share = 1.5", "share = nan"),
    "seed = 1": ("seed = 1.5",),
    'rotations = "cyclic"': ('rotations = "some"',),
    'game = "guerra"': ('game = "guerre"', "game = 3"),
    "seats = 2": ("seats = 3",),
    "[limits]": ("[limit]", "[[limits]]"),
    "max_turns = 50": ("max_turn = 50", "max_turns = 1"),
    "move_time = 5.0": ('move_time = "5"', "move_time = inf", "bank = 1e12", "fresh = 1"),
    'sandbox = "none"': ('sandbox = "jail"', 'sandbox = "uid"\nproc = true'),
    'name = "one"': (
        *("name = 1", 'name = ""', "zzz = 1", 'name = "one"\nkey = ""'),
        'name = "one"\nkey = "two"',
    ),
    'name = "two"': (
        'name = "one"',
        'name = "two"\nkey = "one"',
        'name = "two"\ndisqualified = " "',
    ),
    'shipped = "random"': ("",),
    '["{python}"]': ("[1]",),
}
"""By a line of FILE, what is written there instead."""
UNPLAYABLE = {
    'shipped = "random"': ('shipped = "loyal"', 'folder = "gone"'),
    'command = ["{python}"]': (
        *('command = ["./gone"]', 'command = ["no-such-program"]', "command = []"),
        'command = ["{python}"]\nfiles = ["../x"]',
    ),
}
"""What hinders a bot from playing, but nobody from reading what it played."""


def write(folder: Path, text: str) -> Path:
    file = folder / "league.toml"
    file.write_text(text, encoding="utf-8")
    return file


def refused(folder: Path, read: Callable[[Path], LeaguePlan] = read_league) -> str:
    return of_refusal(lambda: read(folder))


def make(folder: Path, **more: Any) -> LeaguePlan:
    settings = {"game": "guerra", "seed": 1} | more.pop("settings", {})
    entries: dict[str, Any] = {"options": {}, "limits": UNSANDBOXED, "bots": SHIPPED}
    return make_league(folder, Settings(**settings), **(entries | more))


# --- reading


@pytest.mark.parametrize("old", sorted({*MISTAKES, *UNPLAYABLE}))
def test_every_mistake_is_told_with_its_line_and_what_is_allowed(
    tmp_path: Path, golden: Golden, old: str
) -> None:
    """Those of the file itself to whoever reads it; but results are read whatever bots became."""
    assert FILE.count(old) == 1
    for new in MISTAKES.get(old, ()):
        write(tmp_path, FILE.replace(old, new))
        golden(f"{new}\n{refused(tmp_path)}")
        assert refused(tmp_path, read_played) == refused(tmp_path)
    for new in UNPLAYABLE.get(old, ()):
        write(tmp_path, FILE.replace(old, new))
        golden(f"{new}\n{refused(tmp_path)}")
        league = read_played(tmp_path)
        assert [bot.name for bot in league.bots] == ["one", "two"]
        with pytest.raises(ArenaError):
            assert [bot.program for bot in league.bots]


def test_bots_that_are_no_tables_or_too_few_to_play_are_told_and_are_enough_to_read(
    tmp_path: Path,
) -> None:
    head, *bots = FILE.split("[[bot]]")
    file = write(tmp_path, f'{head}[bot]\nname = "one"\n')
    line = head.count("\n") + 1
    assert refused(tmp_path) == f"{file}:{line}: bots must be tables: [[bot]]."
    for count in (0, 1):
        file = write(tmp_path, "[[bot]]".join([head, *bots[:count]]))
        assert f"needs at least 2 bots; there are {count}" in refused(tmp_path)
        league = read_played(tmp_path)
        assert (len(league.bots), league.asked.deal_count) == (count, 0)


def test_a_key_is_told_at_its_own_line_and_not_at_another_bots(tmp_path: Path) -> None:
    text = FILE.replace('name = "one"', 'name = "one"\nkey = "two"')
    file = write(tmp_path, text.replace('name = "two"', 'name = "two"\nkey = ""'))
    assert refused(tmp_path).startswith(f"{file}:23: bot 'two'")
    write(tmp_path, FILE.replace("deals = 3", "deals = 99999999999999999999"))
    assert "at most 2000000" in refused(tmp_path)
    for key in ("game", "seed"):
        file = write(tmp_path, re.sub(f"^{key} = .*", "", FILE, flags=re.MULTILINE))
        assert refused(tmp_path).startswith(f"{file}: key {key!r} is missing: it takes ")


def test_what_is_not_toml_is_told_with_its_line(tmp_path: Path, golden: Golden) -> None:
    file = tmp_path / "league.toml"
    for text in (
        *(b'game = "guerra', b"game = guerra", b"game", b"a = 1\na = 2", b"\0"),
        *(b"seed = " + b"9" * 5000, b"seed = " + b"[" * 5000),
    ):
        file.write_bytes(text)
        assert re.match(rf"{re.escape(str(file))}(:\d+)?: not TOML: ", refused(tmp_path))
    file.write_bytes(b"a = '\xff'")
    assert refused(tmp_path) == f"{file} is not UTF-8; save it as UTF-8."
    for value in ("fourty # and more", "no", "Yes", "on", "True"):
        file.write_text(f'game = "khan"\n\nfinal = {value}\n')
        golden(refused(tmp_path))


def test_a_file_of_a_windows_editor_is_read_and_one_that_may_not_be_read_told(public: Path) -> None:
    file = public / "league.toml"
    file.write_bytes(b"\xef\xbb\xbf" + FILE.replace("\n", "\r\n").encode())
    assert read_league(public).settings.deals == 3
    file.chmod(0)
    with ordinary_user():
        assert str(file) in refused(public)


def test_results_without_a_file_are_told_with_both_ways_out(tmp_path: Path, golden: Golden) -> None:
    folder = tmp_path / "the cup"
    folder.mkdir()
    (folder / "league.db").touch()
    golden(refused(folder))
    for read in (read_played, make):
        assert refused(folder, read) == refused(folder)
    assert [path.name for path in folder.iterdir()] == ["league.db"]


EARLY, LATE = "2027-01-31T18:00:00+01:00", "2027-02-01T18:00:00+01:00"


def test_dates_make_sense_in_their_order_hooks_can_be_told_and_grants_be_given(
    tmp_path: Path, golden: Golden
) -> None:
    for lines in (
        *(f"opens = {LATE}\ncloses = {EARLY}", f"freezes = {LATE}\nrelease = {EARLY}"),
        *(f"opens = {LATE}\ncloses = {LATE}", "closes = 2027-01-31T18:00:00", "open = 1"),
        *("final_deals = 3", 'hook = ["ftp://example.org"]', 'hook = ["https://"]'),
        *('hook = ["https://a.org:99999/"]', 'hook = ["https://a.org", "x"]', 'hook = ["./x", ""]'),
        *("grants = 3", "grants = { memory = 3 }", "grants = { memory_mb = 3 }"),
        *("grants = { time_factor = 2 }", 'grants = { sandbox = "none" }'),
    ):
        write(tmp_path, f"{FILE}\n[hand_in]\n{lines}\n")
        golden(refused(tmp_path, read_asked))
    dates = f"opens = {EARLY}\nfreezes = {EARLY}\ncloses = {LATE}\nrelease = {LATE}\n"
    write(tmp_path, f"{FILE}\n[hand_in]\n{dates}")
    assert read_asked(tmp_path).hand_in.release is not None


def test_what_the_sandbox_of_the_league_never_gives_a_bot_is_refused(tmp_path: Path) -> None:
    text = FILE.replace('"none"', '"uid"')
    write(tmp_path, text.replace('name = "two"', 'name = "two"\nproc = true'))
    assert "league.toml:22: uid has no /proc to show" in refused(tmp_path, read_asked)
    write(tmp_path, f"{text}\n[hand_in]\ngrants = {{ proc = true }}\n")
    assert "league.toml:25: uid has no /proc to show" in refused(tmp_path, read_asked)
    write(tmp_path, text.replace('name = "two"', 'name = "two"\nproc = true\nsandbox = "none"'))
    assert read_asked(tmp_path).bots[1].grant.proc


def test_a_bots_folder_is_that_of_the_league_unless_given(tmp_path: Path) -> None:
    (tmp_path / "league").mkdir()
    (tmp_path / "bots").mkdir()
    folder = 'command = ["{python}"]\nfolder = "../bots"'
    write(tmp_path / "league", FILE.replace('command = ["{python}"]', folder))
    assert read_league(tmp_path / "league").bots[1].folder == (tmp_path / "bots").resolve()
    write(tmp_path / "league", FILE)
    assert read_league(tmp_path / "league").bots[1].folder == (tmp_path / "league").resolve()


# --- writing


def test_a_league_is_read_as_it_was_made(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    made = make(
        folder,
        settings={"deals": 7, "rotations": "one", "share": 0.5, "seats": 2, "seed": "an ode"},
        options={"max_turns": 60, "knight_duel": "any_suit"},
        limits={"sandbox": "none", "move_time": 0.25, "fresh": True, "clock": "wall"},
    )
    assert read_league(folder) == made
    assert (made.settings.share, made.settings.seed, made.limits.fresh) == (0.5, "an ode", True)
    assert msgspec.to_builtins(made.options)["knight_duel"] == "any_suit"
    assert [bot.name for bot in made.bots] == ["one", "two"]


def test_odd_names_and_seeds_come_back_as_they_were(tmp_path: Path) -> None:
    names = ('"', "'", "\\", '"""', "#", "a # b", "Ελένη", "日本語", "🤖", "[x]", "=", "{", "x y")
    for number, odd in enumerate(names):
        command = ("true", odd, "\t\n", "\x1b")
        bots = [{"name": odd, "command": [*command]}, *SHIPPED]
        made = make(tmp_path / f"{number}", settings={"seed": odd}, bots=bots)
        assert read_league(made.folder) == made
        assert made.settings.seed == odd
        assert (odd, command) in {(bot.name, bot.command) for bot in made.bots}
    seed: int | str
    for seed in ("\x7f", "\u0085", "\ufeff", "a\u2028b", 2**53, 2**70, -1, "007"):
        made = make(tmp_path / f"of {seed!r}", settings={"seed": seed})
        assert made.settings.seed == seed
        assert read_league(made.folder) == made


def test_a_leagues_file_is_written_anew_beside_its_results_and_only_if_that_is_asked(
    tmp_path: Path,
) -> None:
    made = make(tmp_path)
    with pytest.raises(ArenaError, match=r"league\.toml exists; choose another folder"):
        make(tmp_path)
    nobody = [{"name": "one", "shipped": "nobody"}]
    with pytest.raises(ArenaError, match="no bot 'nobody' is bundled"):
        make_league(tmp_path, made.settings, {}, UNSANDBOXED, nobody, is_there=True)
    assert read_league(tmp_path) == made
    (tmp_path / "league.db").touch()
    again = Settings(game="guerra", seed=2)
    written = make_league(tmp_path, again, {}, UNSANDBOXED, SHIPPED, is_there=True)
    assert read_league(tmp_path) == written
    assert written.settings.seed == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["league.db", "league.toml"]


def test_a_mistake_leaves_nothing_behind_but_what_was_there(tmp_path: Path) -> None:
    (tmp_path / "notes").touch()
    mistakes: tuple[dict[str, Any], ...] = (
        *({"options": {key: 3}} for key in ("max_turn", "max turns", "a\nb", "")),
        *({"options": {"max_turns": value}} for value in (None, {"a": 1})),
        {"limits": {"sandbox": "none", "move_time": "\x7f"}},
        *({"settings": each} for each in ({"share": float("nan")}, {"seed": "\udcff"})),
        *({"bots": [*SHIPPED, each]} for each in (SHIPPED[0], {"name": "x", "folder": "\udcff"})),
    )
    for mistake in mistakes:
        for folder in (tmp_path, tmp_path / "a" / "b"):
            refused(folder, partial(make, **mistake))
    for bad in (tmp_path / "a" / ("b" * 300), tmp_path / "notes"):
        with pytest.raises(ArenaError, match="cannot be written"):
            make(bad)
    assert [path.name for path in tmp_path.iterdir()] == ["notes"]


# --- names that look alike


def test_a_name_with_its_marks_apart_is_that_with_them_in_one_character(tmp_path: Path) -> None:
    """Its results stay: who entered before names were composed has them under what is written."""
    write(tmp_path, FILE.replace('"one"', '"a\u00f1o"').replace('"two"', '"an\u0303o"'))
    with pytest.raises(ArenaError, match=r"league.toml:\d+: two bots are called 'a\u00f1o'"):
        read_league(tmp_path)
    write(tmp_path, FILE.replace('"two"', '"an\u0303o"'))
    bots = {bot.name: bot.key for bot in read_league(tmp_path).bots}
    assert bots == {"one": "one", "a\u00f1o": "an\u0303o"}


def test_a_bot_that_is_gone_is_named_with_the_way_it_was_written_and_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    (tmp_path / "my cup").mkdir()
    monkeypatch.chdir(tmp_path)
    entry = '\n[[bot]]\nname = "the third"\nfolder = "../in/ada"\n'
    Path("my cup", "league.toml").write_text(FILE + entry)
    with pytest.raises(SettingError) as caught:
        read_asked(Path("my cup"), "play")
    golden(caught.value.what)
    Path("far").mkdir()
    Path("my cup").rename("far/cup")
    Path("cup").symlink_to("far/cup")
    for cup, folder in (("far/cup", "far/in/ada"), ("cup", "cup/../in/ada")):
        (lost,) = read_asked(Path(cup)).lost
        assert lost.problem == f"there is no folder {folder}."

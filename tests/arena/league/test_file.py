"""`league.toml`: what it may say, what is told about every mistake, and what is written."""

import re
from collections.abc import Callable
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from arena.league.file import LeagueFileError, read_asked
from arena.league.plan import LeaguePlan, Settings
from arena.league.writing import make_league, write_league
from arena.store.opening import read_league, read_played
from protocol.errors import ArenaError
from tests.arena.conftest import ordinary_user
from tests.golden import Golden

FILE = """\
game = "guerra"
seats = 2
deals = 3
seed = 1
format = "round-robin"
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


class Mistake(NamedTuple):
    """What is written instead of what in FILE, and what must be said about it."""

    old: str
    new: str
    says: tuple[str, ...]

    @property
    def text(self) -> str:
        assert FILE.count(self.old) == 1
        return FILE.replace(self.old, self.new)

    @property
    def lines(self) -> set[int]:
        """The first line that is not as it should be, and the header of its table."""
        pairs = zip_longest(FILE.splitlines(), self.text.splitlines())
        at = 1 + next(number for number, (one, other) in enumerate(pairs) if one != other)
        above = enumerate(self.text.splitlines()[:at], 1)
        return {at, max((number for number, line in above if line.startswith("[")), default=at)}


def no(old: str, new: str, *says: str) -> list[Mistake]:
    """Return a mistake, among the others of a list."""
    return [Mistake(old, new, says)]


def none_of(old: str, values: str, *says: str) -> list[Mistake]:
    """Return mistakes in the value of one key."""
    key = old.partition(" = ")[0]
    return [Mistake(old, f"{key} = {value}", (f"'{key}'", *says)) for value in values.split()]


DEALS, MOVES, NAMED = "deals = 3", "move_time = 5.0", 'name = "two"'
MISTAKES = [
    # A key, a type or a range of the top level.
    *no(DEALS, "deal = 3", "'deal'", "Did you mean 'deals'?"),
    *no(DEALS, "move_time = 3", "key 'move_time' belongs below [limits]; move it there"),
    *no(DEALS, 'shipped = "random"', "key 'shipped' belongs below [[bot]]; move it there"),
    *no(DEALS, "depth = 3", "'depth'", "Known: anchor, deals"),
    *no(DEALS, "anchor = 3", "'anchor'", "a number by name, such as { stockfish = 3600 }"),
    *no(DEALS, 'anchor = { one = "x" }', "'anchor'", "a number by name"),
    *no(DEALS, "anchor = { onne = 1 }", "no bot 'onne'", "Did you mean 'one'?"),
    *no(DEALS, "anchor = { one = 1, two = 2 }", "anchor names one bot"),
    *no(DEALS, "anchor = { one = inf }", "anchor gives 'one' inf points"),
    *none_of(DEALS, '0 2.5 "3" true nan 1979-05-27 []', "a whole number at least 1"),
    *no(DEALS, '"deals" = -1', "'deals'", "a whole number at least 1"),
    *none_of("share = 1.0", "0 1.5 nan", "more than 0 and at most 1"),
    *none_of("seed = 1", "1.5", "a whole number or text"),
    *none_of('format = "round-robin"', '"league"', '"round-robin"'),
    *none_of('rotations = "cyclic"', '"some"', '"all" or "cyclic" or "one"'),
    *no('game = "guerra"', 'game = "guerre"', "'guerre'", "Did you mean 'guerra'?"),
    *none_of('game = "guerra"', "3", "text"),
    *no("seats = 2", "seats = 3", "guerra", "2 seats, not by 3"),
    *none_of("seats = 2", "1", "at least 2"),
    # A table that is none, or is unknown.
    *no("[options]", "[option]", "'option'", "Did you mean 'options'?"),
    *no("[limits]", "[limit]", "'limit'", "Did you mean 'limits'?"),
    *no("[limits]", "[[limits]]", "limits must be a table: [limits]"),
    # An option, a limit.
    *no("max_turns = 50", "max_turn = 50", "'max_turn' of guerra", "mean 'max_turns'?"),
    *none_of("max_turns = 50", "1", "a whole number at least 2"),
    *no("max_turns = 50", 'attack_line = "x"', "'attack_line'", '"current" or "fixed"'),
    *none_of(MOVES, "0", "more than 0"),
    *none_of(MOVES, '"5" nan inf', "a number"),
    *none_of(MOVES, "1e12", "at most"),
    *no(MOVES, "bank = 1e12", "'bank'", "at most"),
    *no(MOVES, "bank = -1", "'bank'", "at least 0"),
    *no(MOVES, "startup = inf", "'startup'", "a number"),
    *no(MOVES, "memory_mb = 1", "'memory_mb'", "at least 16"),
    *no(MOVES, 'clock = "sun"', "'clock'", '"cpu" or "wall"'),
    *no(MOVES, "fresh = 1", "'fresh'", "true or false"),
    *none_of('sandbox = "none"', '"jail"', '"none"'),
    # A bot.
    *no(NAMED, 'name = "one"', "two bots are called 'one'", "name = ... in"),
    *no('name = "one"', "name = 1", "'name' of a bot", "text"),
    *no('name = "one"', 'name = ""', "a bot's name is 1 to 40 printable characters"),
    *no('name = "one"', "zzz = 1", "'zzz' of a bot", "Known: command, devices, disqualified"),
    *no('shipped = "random"', "", "bot 'one': give it a command, a folder"),
    *no('["{python}"]', '"true"', "'command' of a bot", "a list of text"),
    *no('["{python}"]', "[1]", "'command' of a bot", "a list of text"),
    *no('name = "one"', 'name = "one"\nkey = ""', "bot 'one' has key = \"\"", "1 to 40"),
    *no('name = "one"', 'name = "one"\nkey = "two"', "there is a bot named 'two'"),
    *no(NAMED, f'{NAMED}\nkey = "one"', "there is a bot named 'one'"),
    *no(NAMED, f'{NAMED}\ndisqualified = " "', "say why", "1 to 300 printable"),
    *no(NAMED, f"{NAMED}\ndisqualified = true", "'disqualified' of a bot", "text"),
]
PROGRAM = 'command = ["{python}"]'
UNPLAYABLE = [
    *no('shipped = "random"', 'shipped = "loyal"', "no bot 'loyal' is bundled for guerra. Known:"),
    *no('shipped = "random"', 'folder = "gone"', "bot 'one'", "there is no folder"),
    *no(PROGRAM, 'command = ["./gone"]', "bot 'two': there is no file"),
    *no(PROGRAM, 'command = ["no-such-program"]', "bot 'two'", "on the PATH"),
    *no(PROGRAM, "command = []", "bot 'two': its command is empty"),
    *no(PROGRAM, f'{PROGRAM}\nfiles = ["../x"]', "bot 'two'", "not as '../x'"),
    *no(PROGRAM, f'{PROGRAM}\nfiles = ["x"]', "bot 'two': there is no file"),
]
"""What hinders a bot from playing, but nobody from reading what it played."""


def write(folder: Path, text: str) -> Path:
    file = folder / "league.toml"
    file.write_text(text, encoding="utf-8")
    return file


def refused(folder: Path, read: Callable[[Path], LeaguePlan] = read_league) -> str:
    """Return the message of the error, which is one line."""
    with pytest.raises(ArenaError) as caught:
        read(folder)
    assert caught.value.exit_code == 2
    assert "\n" not in str(caught.value)
    return str(caught.value)


def make(folder: Path, **more: Any) -> LeaguePlan:
    settings = {"game": "guerra", "seed": 1} | more.pop("settings", {})
    entries: dict[str, Any] = {"options": {}, "limits": UNSANDBOXED, "bots": SHIPPED}
    return make_league(folder, Settings(**settings), **(entries | more))


# --- reading


def test_a_file_without_mistakes_is_read(tmp_path: Path) -> None:
    write(tmp_path, FILE)
    league = read_league(tmp_path)
    assert league.game.name == "guerra"
    assert msgspec.to_builtins(league.options)["max_turns"] == 50
    assert league.limits.move_time == 5.0
    assert [bot.name for bot in league.bots] == ["one", "two"]
    assert league.asked.deal_count == 3


@pytest.mark.parametrize("mistake", MISTAKES + UNPLAYABLE, ids=lambda each: each.new or "nothing")
def test_every_mistake_is_told_with_its_line_and_what_is_allowed(
    tmp_path: Path, mistake: Mistake
) -> None:
    """Those of the file itself to whoever reads it; but results are read whatever bots became."""
    file = write(tmp_path, mistake.text)
    message = refused(tmp_path)
    for words in mistake.says:
        assert words in message
    assert any(message.startswith(f"{file}:{line}: ") for line in mistake.lines), message
    if mistake in MISTAKES:
        assert refused(tmp_path, read_played) == message
        assert "arena remove" not in message, "which could not read the file either"
    else:
        league = read_played(tmp_path)
        assert [bot.name for bot in league.bots] == ["one", "two"]
        with pytest.raises(ArenaError, match=mistake.says[-1]):
            assert [bot.program for bot in league.bots]


def test_the_line_told_is_that_of_the_mistake_and_not_of_what_was_perhaps_meant(
    tmp_path: Path,
) -> None:
    file = write(tmp_path, FILE.replace("seed = 1", "seed = 1\ndeal = 2"))
    assert refused(tmp_path).startswith(f"{file}:5: there is no key 'deal'. Did you mean 'deals'?")


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


def test_two_bots_with_one_key_are_told_alike_in_either_order(
    tmp_path: Path, golden: Golden
) -> None:
    head = FILE.partition("[[bot]]")[0]
    told = []
    for names in ("ab", "ba"):
        entry = '\n[[bot]]\nname = "{}"\nkey = "old"\nshipped = "random"\n'
        file = write(tmp_path, head + "".join(map(entry.format, names)))
        told.append(refused(tmp_path).removeprefix(str(file)).partition(": ")[2])
    assert told[0] == told[1]
    golden(told[0])


def test_a_key_is_told_at_its_own_line_and_not_at_another_bots(tmp_path: Path) -> None:
    for one, two in (("before", ""), ("two", None)):
        text = FILE.replace('name = "one"', f'name = "one"\nkey = "{one}"')
        if two is not None:
            text = text.replace('name = "two"', f'name = "two"\nkey = "{two}"')
        file = write(tmp_path, text)
        line = text.splitlines().index(f'key = "{one if two is None else two}"') + 1
        assert refused(tmp_path).startswith(f"{file}:{line}: bot '")


def test_names_may_be_swapped_with_the_keys(tmp_path: Path) -> None:
    text = FILE.replace('name = "one"', 'name = "one"\nkey = "two"')
    write(tmp_path, text.replace('name = "two"', 'name = "two"\nkey = "one"'))
    assert [(bot.key, bot.name) for bot in read_league(tmp_path).bots] == [
        ("one", "two"),
        ("two", "one"),
    ]


@pytest.mark.parametrize("key", ["game", "seed"])
def test_a_missing_key_is_told(tmp_path: Path, key: str) -> None:
    lines = [line for line in FILE.splitlines() if not line.startswith(key)]
    file = write(tmp_path, "\n".join(lines))
    assert refused(tmp_path).startswith(f"{file}: key {key!r} is missing: it takes ")


def test_landlock_is_the_sandbox_where_none_is_named(tmp_path: Path) -> None:
    write(tmp_path, FILE.replace('sandbox = "none"', "fresh = true"))
    assert read_league(tmp_path).limits.sandbox == "landlock"


def test_too_many_deals_are_told(tmp_path: Path) -> None:
    file = write(tmp_path, FILE.replace("deals = 3", "deals = 99999999999999999999"))
    assert re.match(f"{re.escape(str(file))}.*ask for fewer deals or bots", refused(tmp_path))


def test_what_is_not_toml_is_told_with_its_line(tmp_path: Path, golden: Golden) -> None:
    file = tmp_path / "league.toml"
    for text in (
        *(b'game = "guerra', b"game = guerra", b"game", b"a = 1\na = 2", b"a = '\xff'", b"\0"),
        *(b"seed = " + b"9" * 5000, b"seed = " + b"[" * 5000),
    ):
        file.write_bytes(text)
        assert re.match(rf"{re.escape(str(file))}(:\d+)?: not TOML: ", refused(tmp_path))
    for value in ("fourty # and more", "no", "Yes", "on", "True"):
        file.write_text(f'game = "khan"\n\nfinal = {value}\n')
        golden(refused(tmp_path))


def test_a_file_saved_by_a_windows_editor_is_read(tmp_path: Path) -> None:
    file = tmp_path / "league.toml"
    file.write_bytes(b"\xef\xbb\xbf" + FILE.replace("\n", "\r\n").encode())
    assert read_league(tmp_path).settings.deals == 3


def test_a_folder_that_is_missing_or_no_league_is_told(tmp_path: Path, golden: Golden) -> None:
    assert "no such folder" in refused(tmp_path / "gone")
    golden(refused(tmp_path))


def test_results_without_a_file_are_told_with_both_ways_out(tmp_path: Path, golden: Golden) -> None:
    folder = tmp_path / "the cup"
    folder.mkdir()
    (folder / "league.db").touch()
    golden(refused(folder))
    for read in (read_played, make):
        assert refused(folder, read) == refused(folder)
    assert [path.name for path in folder.iterdir()] == ["league.db"]


def test_a_file_that_may_not_be_read_is_told(public: Path) -> None:
    file = write(public, FILE)
    file.chmod(0)
    with ordinary_user():
        assert str(file) in refused(public)


def test_a_bots_folder_is_that_of_the_league_unless_given(tmp_path: Path) -> None:
    (tmp_path / "league").mkdir()
    (tmp_path / "bots").mkdir()
    folder = 'command = ["{python}"]\nfolder = "../bots"'
    write(tmp_path / "league", FILE.replace('command = ["{python}"]', folder))
    assert read_league(tmp_path / "league").bots[1].folder == (tmp_path / "bots").resolve()
    write(tmp_path / "league", FILE)
    assert read_league(tmp_path / "league").bots[1].folder == (tmp_path / "league").resolve()


def test_neither_results_nor_more_deals_make_another_version_of_the_leagues_own_bots(
    tmp_path: Path,
) -> None:
    """A program on the PATH has the league's folder by default, where the results will be."""
    write(tmp_path, FILE)
    before = read_league(tmp_path).bots[1].version
    (tmp_path / "league.db").touch()
    write(tmp_path, FILE.replace("deals = 3", "deals = 4"))
    assert read_league(tmp_path).bots[1].version == before


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


def test_an_existing_league_is_left_alone(tmp_path: Path) -> None:
    file = write(tmp_path, "mine")
    with pytest.raises(ArenaError, match=r"league\.toml exists; choose another folder"):
        make(tmp_path)
    assert file.read_text() == "mine"


def test_a_leagues_file_is_written_anew_beside_its_results(tmp_path: Path) -> None:
    make(tmp_path)
    (tmp_path / "league.db").touch()
    written = write_league(tmp_path, Settings(game="guerra", seed=2), {}, UNSANDBOXED, SHIPPED)
    assert read_league(tmp_path) == written
    assert written.settings.seed == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["league.db", "league.toml"]


def test_a_league_may_be_written_before_it_has_bots(tmp_path: Path, golden: Golden) -> None:
    made = make_league(tmp_path / "new", Settings(game="guerra", seed=2), {}, UNSANDBOXED, [])
    assert made.bots == read_played(made.folder).bots == ()
    golden(refused(made.folder))


def test_a_league_that_could_not_be_played_is_not_written_over_another(tmp_path: Path) -> None:
    made = make(tmp_path)
    with pytest.raises(ArenaError, match="no bot 'nobody' is bundled"):
        write_league(
            tmp_path, made.settings, {}, UNSANDBOXED, [{"name": "one", "shipped": "nobody"}]
        )
    assert read_league(tmp_path) == made
    assert [path.name for path in tmp_path.iterdir()] == ["league.toml"]


def test_a_mistake_leaves_nothing_behind_and_a_folder_that_was_there(tmp_path: Path) -> None:
    mistakes: list[dict[str, Any]] = [
        *({"options": {key: 3}} for key in ("max_turn", "max turns", "a\nb", "")),
        {"options": {"max_turns": None}},
        {"options": {"max_turns": {"a": 1}}},
        {"limits": {"sandbox": "none", "move_time": "\x7f"}},
        {"settings": {"deals": 0}},
        {"settings": {"share": float("nan")}},
        {"settings": {"seats": 4}},
        {"settings": {"seed": "\udcff"}},
        {"bots": [{"name": "one", "shipped": "nobody"}]},
        {"bots": [*SHIPPED, SHIPPED[0]]},
        {"bots": [*SHIPPED, {"name": "x", "folder": "\udcff"}]},
    ]
    for mistake in mistakes:
        refused(tmp_path / "a" / "b", partial(make, **mistake))
        assert list(tmp_path.iterdir()) == []
    (tmp_path / "notes").touch()
    refused(tmp_path, partial(make, options={"max_turns": 1}))
    assert [path.name for path in tmp_path.iterdir()] == ["notes"]


def test_a_folder_that_cannot_be_made_is_told_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match="cannot be written: File name too long"):
        make(tmp_path / "a" / ("b" * 300))
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").touch()
    with pytest.raises(ArenaError, match="cannot be written"):
        make(tmp_path / "file")


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
    with pytest.raises(LeagueFileError) as caught:
        read_asked(Path("my cup"), "play")
    golden(caught.value.what)
    Path("far").mkdir()
    Path("my cup").rename("far/cup")
    Path("cup").symlink_to("far/cup")
    for cup, folder in (("far/cup", "far/in/ada"), ("cup", "cup/../in/ada")):
        (lost,) = read_asked(Path(cup)).lost
        assert lost.problem == f"there is no folder {folder}."

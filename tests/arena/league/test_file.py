"""`league.toml`: what it may say, what is told about every mistake, and what is written."""

import re
from collections.abc import Callable, Mapping, Sequence
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
    says: Sequence[str]

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


MISTAKES = [
    # A key, a type or a range of the top level.
    Mistake("deals = 3", "deal = 3", ["'deal'", "Did you mean 'deals'?"]),
    Mistake(
        "deals = 3", "move_time = 3", ["key 'move_time' belongs below [limits]; move it there"]
    ),
    Mistake(
        "deals = 3", 'shipped = "random"', ["key 'shipped' belongs below [[bot]]; move it there"]
    ),
    Mistake("deals = 3", "depth = 3", ["'depth'", "Known: anchor, deals"]),
    Mistake(
        "deals = 3", "anchor = 3", ["'anchor'", "a number by name, such as { stockfish = 3600 }"]
    ),
    Mistake("deals = 3", 'anchor = { one = "x" }', ["'anchor'", "a number by name"]),
    Mistake("deals = 3", "anchor = { onne = 1 }", ["no bot 'onne'", "Did you mean 'one'?"]),
    Mistake("deals = 3", "anchor = { one = 1, two = 2 }", ["anchor names one bot"]),
    Mistake("deals = 3", "anchor = { one = inf }", ["anchor gives 'one' inf points"]),
    Mistake("deals = 3", "deals = 0", ["'deals'", "at least 1"]),
    Mistake("deals = 3", "deals = 2.5", ["'deals'", "a whole number at least 1"]),
    Mistake("deals = 3", 'deals = "3"', ["'deals'", "a whole number at least 1"]),
    Mistake("deals = 3", "deals = true", ["'deals'", "a whole number at least 1"]),
    Mistake("deals = 3", "deals = nan", ["'deals'", "a whole number at least 1"]),
    Mistake("deals = 3", "deals = 1979-05-27", ["'deals'", "a whole number at least 1"]),
    Mistake("deals = 3", "  deals  = []", ["'deals'", "a whole number at least 1"]),
    Mistake("deals = 3", '"deals" = -1', ["'deals'", "a whole number at least 1"]),
    Mistake("share = 1.0", "share = 0", ["'share'", "more than 0 and at most 1"]),
    Mistake("share = 1.0", "share = 1.5", ["'share'", "more than 0 and at most 1"]),
    Mistake("share = 1.0", "share = nan", ["'share'", "more than 0 and at most 1"]),
    Mistake("seed = 1", "seed = 1.5", ["'seed'", "a whole number or text"]),
    Mistake('format = "round-robin"', 'format = "league"', ["'format'", '"round-robin"']),
    Mistake('"cyclic"', '"some"', ["'rotations'", '"all" or "cyclic" or "one"']),
    Mistake('game = "guerra"', 'game = "guerre"', ["'guerre'", "Did you mean 'guerra'?"]),
    Mistake('game = "guerra"', "game = 3", ["'game'", "text"]),
    Mistake("seats = 2", "seats = 3", ["guerra", "2 seats, not by 3"]),
    Mistake("seats = 2", "seats = 1", ["'seats'", "at least 2"]),
    # A table that is none, or is unknown.
    Mistake("[options]", "[option]", ["'option'", "Did you mean 'options'?"]),
    Mistake("[limits]", "[limit]", ["'limit'", "Did you mean 'limits'?"]),
    Mistake("[limits]", "[[limits]]", ["limits must be a table: [limits]"]),
    # An option, a limit.
    Mistake("max_turns = 50", "max_turn = 50", ["'max_turn' of guerra", "mean 'max_turns'?"]),
    Mistake("max_turns = 50", "max_turns = 1", ["'max_turns'", "a whole number at least 2"]),
    Mistake("max_turns = 50", 'attack_line = "x"', ["'attack_line'", '"current" or "fixed"']),
    Mistake("move_time = 5.0", "move_time = 0", ["'move_time'", "more than 0"]),
    Mistake("move_time = 5.0", 'move_time = "5"', ["'move_time'", "a number"]),
    Mistake("move_time = 5.0", "move_time = nan", ["'move_time'", "a number"]),
    Mistake("move_time = 5.0", "move_time = inf", ["'move_time'", "a number"]),
    Mistake("move_time = 5.0", "move_time = 1e12", ["'move_time'", "at most"]),
    Mistake("move_time = 5.0", "bank = 1e12", ["'bank'", "at most"]),
    Mistake("move_time = 5.0", "startup = inf", ["'startup'", "a number"]),
    Mistake("move_time = 5.0", "bank = -1", ["'bank'", "at least 0"]),
    Mistake("move_time = 5.0", "memory_mb = 1", ["'memory_mb'", "at least 16"]),
    Mistake("move_time = 5.0", 'clock = "sun"', ["'clock'", '"cpu" or "wall"']),
    Mistake("move_time = 5.0", "fresh = 1", ["'fresh'", "true or false"]),
    Mistake('sandbox = "none"', 'sandbox = "jail"', ["'sandbox'", '"none"']),
    # A bot.
    Mistake('name = "two"', 'name = "one"', ["two bots are called 'one'", "name = ... in"]),
    Mistake('name = "one"', "name = 1", ["'name' of a bot", "text"]),
    Mistake('name = "one"', 'name = ""', ["a bot's name is 1 to 40 printable characters"]),
    Mistake('name = "one"', "zzz = 1", ["'zzz' of a bot", "Known: command, devices, disqualified"]),
    Mistake('shipped = "random"', "", ["bot 'one': give it a command, a folder"]),
    Mistake('["{python}"]', '"true"', ["'command' of a bot", "a list of text"]),
    Mistake('["{python}"]', "[1]", ["'command' of a bot", "a list of text"]),
    Mistake('name = "one"', 'name = "one"\nkey = ""', ["bot 'one' has key = \"\"", "1 to 40"]),
    Mistake('name = "one"', 'name = "one"\nkey = "two"', ["there is a bot named 'two'"]),
    Mistake('name = "two"', 'name = "two"\nkey = "one"', ["there is a bot named 'one'"]),
    Mistake('name = "two"', 'name = "two"\ndisqualified = " "', ["say why", "1 to 300 printable"]),
    Mistake(
        'name = "two"', 'name = "two"\ndisqualified = true', ["'disqualified' of a bot", "text"]
    ),
]
UNPLAYABLE = [
    Mistake(
        'shipped = "random"',
        'shipped = "loyal"',
        ["no bot 'loyal' is bundled for guerra. Known: general"],
    ),
    Mistake('shipped = "random"', 'folder = "gone"', ["bot 'one'", "there is no folder"]),
    Mistake('["{python}"]', '["./gone"]', ["bot 'two': there is no file"]),
    Mistake('["{python}"]', '["no-such-program"]', ["bot 'two'", "on the PATH"]),
    Mistake('["{python}"]', "[]", ["bot 'two': its command is empty"]),
    Mistake('["{python}"]', '["{python}"]\nfiles = ["../x"]', ["bot 'two'", "not as '../x'"]),
    Mistake('["{python}"]', '["{python}"]\nfiles = ["x"]', ["bot 'two': there is no file"]),
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


@pytest.mark.parametrize(
    "mistake", MISTAKES + UNPLAYABLE, ids=lambda mistake: mistake.new or "nothing"
)
def test_every_mistake_is_told_with_its_line_and_what_is_allowed(
    tmp_path: Path, mistake: Mistake
) -> None:
    file = write(tmp_path, mistake.text)
    message = refused(tmp_path)
    for words in mistake.says:
        assert words in message
    assert any(message.startswith(f"{file}:{line}: ") for line in mistake.lines), message


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.new or "nothing")
def test_a_mistake_of_the_file_itself_is_told_to_those_who_only_read(
    tmp_path: Path, mistake: Mistake
) -> None:
    write(tmp_path, mistake.text)
    assert refused(tmp_path, read_played) == refused(tmp_path)


def test_no_remedy_is_offered_that_would_fail_as_the_command_did(tmp_path: Path) -> None:
    """`arena remove` cannot read a file with a wrong entry; it can where a bot is not there."""
    wrong = next(mistake for mistake in MISTAKES if mistake.old == 'shipped = "random"')
    write(tmp_path, wrong.text)
    assert "arena remove" not in refused(tmp_path)
    for mistake in UNPLAYABLE:
        write(tmp_path, mistake.text)
        if "arena remove" in refused(tmp_path):
            read_played(tmp_path)


@pytest.mark.parametrize("mistake", UNPLAYABLE, ids=lambda mistake: mistake.new)
def test_a_league_is_read_for_its_results_whatever_became_of_its_bots(
    tmp_path: Path, mistake: Mistake
) -> None:
    write(tmp_path, mistake.text)
    league = read_played(tmp_path)
    assert [bot.name for bot in league.bots] == ["one", "two"]
    with pytest.raises(ArenaError, match=mistake.says[-1]):
        assert [bot.program for bot in league.bots]


def test_the_line_told_is_that_of_the_mistake_and_not_of_what_was_perhaps_meant(
    tmp_path: Path,
) -> None:
    file = write(tmp_path, FILE.replace("seed = 1", "seed = 1\ndeal = 2"))
    assert refused(tmp_path).startswith(f"{file}:5: there is no key 'deal'. Did you mean 'deals'?")


def test_bots_that_are_not_written_as_tables_are_told(tmp_path: Path) -> None:
    head, _, _ = FILE.partition("[[bot]]")
    file = write(tmp_path, f'{head}[bot]\nname = "one"\n')
    line = head.count("\n") + 1
    assert refused(tmp_path) == f"{file}:{line}: bots must be tables: [[bot]]."


def test_too_few_bots_are_told(tmp_path: Path) -> None:
    file = write(tmp_path, FILE.rpartition("[[bot]]")[0])
    message = refused(tmp_path)
    assert message.startswith(str(file))
    assert "needs at least 2 bots; there are 1" in message


@pytest.mark.parametrize("bots", [0, 1])
def test_too_few_bots_to_play_are_enough_to_read(tmp_path: Path, bots: int) -> None:
    write(tmp_path, "[[bot]]".join(FILE.split("[[bot]]")[: bots + 1]))
    league = read_played(tmp_path)
    assert len(league.bots) == bots
    assert league.asked.deal_count == 0


def twice_with_key(names: Sequence[str], key: str) -> str:
    head = FILE.partition("[[bot]]")[0]
    entry = '\n[[bot]]\nname = "{}"\nkey = "{}"\nshipped = "random"\n'
    return head + "".join(entry.format(name, key) for name in names)


def test_two_bots_with_one_key_are_told_alike_in_either_order(tmp_path: Path) -> None:
    told = []
    for names in ("ab", "ba"):
        file = write(tmp_path, twice_with_key(names, "old"))
        told.append(refused(tmp_path).removeprefix(str(file)).partition(": ")[2])
    assert told[0] == told[1] == (
        "the results of 'old' belong to one bot that was renamed, but 'a' and 'b' both have that "
        "key; take it out of one."
    )  # fmt: skip


def test_a_key_is_told_at_its_own_line_and_not_at_another_bots(tmp_path: Path) -> None:
    text = FILE.replace('name = "one"', 'name = "one"\nkey = "before"')
    text = text.replace('name = "two"', 'name = "two"\nkey = ""')
    file = write(tmp_path, text)
    line = text.splitlines().index('key = ""') + 1
    assert refused(tmp_path).startswith(
        f"{file}:{line}: bot 'two' has key = \"\"; a key is the name"
    )


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
    message = refused(tmp_path)
    assert message.startswith(str(file))
    assert "ask for fewer deals or bots" in message


@pytest.mark.parametrize(
    "text",
    [
        *(b'game = "guerra', b"game = guerra", b"game", b"a = 1\na = 2", b"a = '\xff'", b"\0"),
        *(b"seed = " + b"9" * 5000, b"seed = " + b"[" * 5000),
    ],
    ids=lambda text: repr(text[:20]),
)
def test_what_is_not_toml_is_told(tmp_path: Path, text: bytes) -> None:
    file = tmp_path / "league.toml"
    file.write_bytes(text)
    assert re.match(rf"{re.escape(str(file))}(:\d+)?: not TOML: ", refused(tmp_path))


def test_what_is_not_toml_is_shown_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "league.toml"
    file.write_text('game = "khan"\n\ndeals = fourty # and more\n')
    said = "not TOML: invalid value: deals = fourty # and more (text needs quotes)."
    assert refused(tmp_path) == f"{file}:3: {said}"


@pytest.mark.parametrize("word", ["no", "Yes", "on", "True"])
def test_a_truth_value_is_to_be_written_as_in_toml(tmp_path: Path, word: str) -> None:
    file = tmp_path / "league.toml"
    file.write_text(f'game = "khan"\n\n[hand_in]\nreaders = {word}\n')
    said = f"invalid value: readers = {word} (write true or false, or text in quotes)."
    assert refused(tmp_path) == f"{file}:4: not TOML: {said}"


def test_a_file_saved_by_a_windows_editor_is_read(tmp_path: Path) -> None:
    file = tmp_path / "league.toml"
    file.write_bytes(b"\xef\xbb\xbf" + FILE.replace("\n", "\r\n").encode())
    assert read_league(tmp_path).settings.deals == 3


def test_a_folder_that_is_missing_or_no_league_is_told(tmp_path: Path) -> None:
    assert "no such folder" in refused(tmp_path / "gone")
    assert refused(tmp_path) == (
        f"{tmp_path} is not a league: it has no league.toml. `arena init` makes one."
    )


@pytest.mark.parametrize("read", [read_league, read_played, make_league])
def test_results_without_a_file_are_told_with_both_ways_out(
    tmp_path: Path, read: Callable[..., LeaguePlan]
) -> None:
    folder = tmp_path / "the cup"
    folder.mkdir()
    (folder / "league.db").touch()
    with pytest.raises(ArenaError) as caught:
        make(folder) if read is make_league else read(folder)
    assert str(caught.value) == (
        f"{folder}/league.db holds results, but league.toml is gone. Put it back; or, if all its "
        f"bots are bundled, make a new league from the results: `arena export '{folder}' | "
        f"arena import NEW -`."
    )
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


def test_results_do_not_make_the_leagues_own_bots_unplayable(tmp_path: Path) -> None:
    """A program on the PATH has the league's folder by default, where the results will be."""
    write(tmp_path, FILE)
    before = read_league(tmp_path).bots[1].version
    (tmp_path / "league.db").touch()
    assert read_league(tmp_path).bots[1].version == before


def test_asking_for_more_deals_does_not_make_another_version_of_a_bot(tmp_path: Path) -> None:
    write(tmp_path, FILE)
    before = read_league(tmp_path).bots[1].version
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
    assert made.settings.share == 0.5
    assert made.settings.seed == "an ode"
    assert msgspec.to_builtins(made.options)["knight_duel"] == "any_suit"
    assert made.limits.fresh
    assert [bot.name for bot in made.bots] == ["one", "two"]


@pytest.mark.parametrize(
    "odd", ['"', "'", "\\", '"""', "#", "a # b", "Ελένη", "日本語", "🤖", "[x]", "=", "{", "x y"]
)
def test_odd_names_and_seeds_come_back_as_they_were(tmp_path: Path, odd: str) -> None:
    command = ["true", odd, "\t\n", "\x1b"]
    bots = [{"name": odd, "command": command}, *SHIPPED]
    made = make(tmp_path / "league", settings={"seed": odd}, bots=bots)
    assert read_league(made.folder) == made
    assert made.settings.seed == odd
    assert (odd, tuple(command)) in {(bot.name, bot.command) for bot in made.bots}


@pytest.mark.parametrize("seed", ["\x7f", "\u0085", "\ufeff", "a\u2028b", 2**53, 2**70, -1, "007"])
def test_any_seed_comes_back_as_it_was(tmp_path: Path, seed: int | str) -> None:
    made = make(tmp_path / "league", settings={"seed": seed})
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


def test_a_league_may_be_written_before_it_has_bots(tmp_path: Path) -> None:
    made = make_league(tmp_path / "new", Settings(game="guerra", seed=2), {}, UNSANDBOXED, [])
    assert made.bots == read_played(made.folder).bots == ()
    with pytest.raises(
        ArenaError, match=r"needs at least 2 bots; there are 0\. `arena add` enters"
    ):
        read_league(made.folder)


def test_a_league_that_could_not_be_played_is_not_written_over_another(tmp_path: Path) -> None:
    made = make(tmp_path)
    with pytest.raises(ArenaError, match="no bot 'nobody' is bundled"):
        write_league(
            tmp_path, made.settings, {}, UNSANDBOXED, [{"name": "one", "shipped": "nobody"}]
        )
    assert read_league(tmp_path) == made
    assert [path.name for path in tmp_path.iterdir()] == ["league.toml"]


@pytest.mark.parametrize(
    "mistake",
    [
        {"options": {"max_turn": 3}},
        {"options": {"max turns": 3}},
        {"options": {"max_turns": None}},
        {"options": {"max_turns": {"a": 1}}},
        {"options": {"a\nb": 1}},
        {"options": {"": 1}},
        {"limits": {"sandbox": "none", "move_time": "\x7f"}},
        {"settings": {"deals": 0}},
        {"settings": {"share": float("nan")}},
        {"settings": {"seats": 4}},
        {"settings": {"seed": "\udcff"}},
        {"bots": [{"name": "one", "shipped": "nobody"}]},
        {"bots": [*SHIPPED, SHIPPED[0]]},
        {"bots": [*SHIPPED, {"name": "x", "folder": "\udcff"}]},
    ],
    ids=str,
)
def test_a_mistake_leaves_nothing_behind(tmp_path: Path, mistake: Mapping[str, Any]) -> None:
    with pytest.raises(ArenaError) as caught:
        make(tmp_path / "a" / "b", **mistake)
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_mistake_leaves_a_folder_that_was_there(tmp_path: Path) -> None:
    (tmp_path / "notes").touch()
    with pytest.raises(ArenaError):
        make(tmp_path, options={"max_turns": 1})
    assert [path.name for path in tmp_path.iterdir()] == ["notes"]


def test_a_folder_that_cannot_be_made_is_told_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match="cannot be written: File name too long"):
        make(tmp_path / "a" / ("b" * 300))
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_the_place_of_the_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ArenaError, match="cannot be written"):
        make(tmp_path / "file")


# --- names that look alike


def test_a_name_with_its_marks_apart_is_that_with_them_in_one_character(tmp_path: Path) -> None:
    file = tmp_path / "league.toml"
    file.write_text(FILE.replace('"one"', '"a\u00f1o"').replace('"two"', '"an\u0303o"'))
    with pytest.raises(ArenaError, match=r"league.toml:\d+: two bots are called 'a\u00f1o'"):
        read_league(tmp_path)


def test_results_stay_with_a_name_that_was_written_with_its_marks_apart(tmp_path: Path) -> None:
    """Whoever entered so before names were composed has results under what stands in the file."""
    (tmp_path / "league.toml").write_text(FILE.replace('"two"', '"an\u0303o"'))
    bots = {bot.name: bot.key for bot in read_league(tmp_path).bots}
    assert bots == {"one": "one", "a\u00f1o": "an\u0303o"}


def test_a_bot_that_is_gone_is_named_with_the_way_it_was_written_and_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my cup").mkdir()
    monkeypatch.chdir(tmp_path)
    entry = '\n[[bot]]\nname = "the third"\nfolder = "../in/ada"\n'
    Path("my cup", "league.toml").write_text(FILE + entry)
    with pytest.raises(LeagueFileError) as caught:
        read_asked(Path("my cup"), "play")
    assert caught.value.what == (
        "bot 'the third': there is no folder in/ada. Put that right, or take the bot out: arena "
        "remove 'my cup' 'the third'"
    )
    (lost,) = read_asked(Path("my cup")).lost
    assert lost.problem == "there is no folder in/ada."


def test_a_folder_is_shown_as_written_if_its_league_is_a_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "far" / "cup").mkdir(parents=True)
    (tmp_path / "cup").symlink_to("far/cup")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cup" / "league.toml").write_text(
        FILE + '\n[[bot]]\nname = "ada"\nfolder = "../in/ada"\n'
    )
    (lost,) = read_asked(Path("cup")).lost
    assert lost.problem == "there is no folder cup/../in/ada."

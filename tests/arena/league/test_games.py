"""Games that are not bundled: agreed to once, and never executed to read what was played."""

import json
import os
import py_compile
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena import ArenaError, trust
from arena import League as PlayedLeague
from arena.cli import main
from arena.league.finding import KIT
from tests.arena.conftest import ARENA, PLAYED, Arena, League, Once
from tests.arena.inline import inline_runs
from tests.outside.sources import NIM

pytestmark = pytest.mark.usefixtures("inline")

WITNESS = '\nimport pathlib\npathlib.Path(__file__).with_name("executed").touch()\n'
MADE = "init cup ./ann ./bob --game ./nim.py --seed 1 --sandbox none --trust --deals "
BOT = "import random, kit\nkit.run(lambda ask: random.Random(len(ask.legal)).choice(ask.legal))\n"


def failed(arena: Arena, code: int, words: str) -> str:
    """Call a command that fails with an exit code; return what it says."""
    done = arena(*words.split())
    assert done.exit_code == code, done.output
    return done.stderr


class Place:
    """A folder with a game that leaves a trace when it is executed, and two bots."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.flag = folder / "executed"
        self.game = folder / "nim.py"

    def fill(self) -> None:
        self.game.write_text(NIM + WITNESS)
        kit = KIT.read_text()
        for name in ("ann", "bob"):
            (self.folder / name).mkdir()
            (self.folder / name / "kit.py").write_text(kit)
            (self.folder / name / "bot.py").write_text(f"# {name}\n{BOT}")
            (self.folder / name / "bot.toml").write_text('command = ["{python}", "bot.py"]\n')

    def was_executed(self) -> bool:
        """Whether the game was executed since this was asked last."""
        found = self.flag.exists()
        self.flag.unlink(missing_ok=True)
        return found


def entered(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
    return Place(folder)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    made = entered(tmp_path, monkeypatch)
    made.fill()
    return made


def play_cup(folder: Path) -> None:
    """Play a league of the game."""
    with pytest.MonkeyPatch.context() as patch, inline_runs():
        entered(folder, patch).fill()
        for words in (f"{MADE}3", "run cup"):
            done = CliRunner().invoke(main, words.split(), catch_exceptions=False)
            assert done.exit_code == 0, done.output


@pytest.fixture
def cup(once: Once, place: Place) -> Path:
    """A league of that game, of which something was played; nobody has agreed to it since."""
    shutil.copytree(once("nim", play_cup), place.folder, dirs_exist_ok=True)
    (place.folder / "state" / "bot-arena" / "trusted-games").unlink()
    assert place.was_executed()
    return place.folder / "cup"


def a_match(arena: Arena) -> str:
    """Return the id of the first match of cup."""
    found = json.loads(arena("matches", "cup", "--format", "json").stdout)
    return str(found["matches"][0]["match"])


EXECUTING = (
    *("run cup", "verify cup", "report cup -o cup.html"),
    *("play ./nim.py ./ann ./bob", "check ./ann --game ./nim.py", "games ./nim.py --schema"),
    *("games ./nim.py", "new mine --lang python --game ./nim.py", "bots ./nim.py"),
    *("init other ./ann ./bob --game ./nim.py", "compare ./ann ./bob --game ./nim.py"),
)
READING = (
    *(
        "rank cup",
        "table cup",
        "matches cup",
        "rank cup --live",
        "export cup",
        "import cup cup.jsonl",
    ),
    "report cup -o - --replays 0",
)


def test_whatever_would_execute_a_game_names_it_and_wants_consent(
    arena: Arena, place: Place, cup: Path
) -> None:
    for words in EXECUTING:
        said = failed(arena, 2, words)
        assert str(place.game) in said
        assert "say so once: --trust." in said
        assert not place.was_executed(), words
    match = a_match(arena)  # which is shown as it was recorded until its game is agreed to
    said = arena("show", "cup", match).stdout
    assert ("--trust" in said, "Moves as they were recorded: " in said) == (True, True)
    assert not place.was_executed()
    assert "Moves as they were recorded" not in arena("show", "cup", match, "--trust").stdout
    assert place.was_executed()


def test_what_reads_a_league_never_executes_its_game(arena: Arena, place: Place, cup: Path) -> None:
    (place.folder / "cup.jsonl").write_text(arena("export", "cup").stdout)
    for words in READING:
        assert arena(*words.split()).exit_code == 0
        assert not place.was_executed(), words
    place.game.unlink()
    for words in READING:
        assert arena(*words.split()).exit_code == 0


def test_consent_is_asked_once_for_a_file_whatever_it_holds_later(
    arena: Arena, place: Place, cup: Path
) -> None:
    arena("verify", "cup", "--trust")
    place.game.write_text(place.game.read_text() + "# more\n")
    assert arena("verify", "cup").exit_code == 0
    other = place.folder / "other.py"
    other.write_text(place.game.read_text())
    assert str(other) in failed(arena, 2, "games ./other.py --schema")
    file = place.folder / "state" / "bot-arena" / "trusted-games"
    file.write_bytes(b"\xff\xfe")
    said = failed(arena, 2, "verify cup")
    assert f"{file}, which lists the games that you trust, cannot be read" in said


def test_in_a_program_consent_is_a_word_too(place: Place) -> None:
    with pytest.raises(ArenaError, match="say so once"):
        PlayedLeague.make("cup", "./nim.py", ["./ann", "./bob"])
    trust("./nim.py")
    assert not place.was_executed()
    PlayedLeague.make("cup", "./nim.py", ["./ann", "./bob"], deals=1, limits={"sandbox": "none"})
    assert [*PlayedLeague("cup").run(workers=1)]
    assert len([*PlayedLeague("cup").matches()]) == 2


@pytest.mark.parametrize("lie", ["no path", "another package", "bundled"])
def test_a_saved_match_cannot_borrow_the_consent_to_another_game(
    arena: Arena, place: Place, lie: str
) -> None:
    arena("play", "./nim.py", "./ann", "./bob", "--trust", "--sandbox", "none", "--save", "m.json")
    saved = json.loads((place.folder / "m.json").read_text())
    (place.folder / "evil").mkdir()
    evil = Place(place.folder / "evil")
    evil.fill()
    evil.game.rename(evil.folder / "game.py")
    saved["source"] = {
        "no path": {"word": "nim", "kind": "file", "distribution": saved["source"]["path"]},
        "another package": {"word": "./game.py", "kind": "installed", "distribution": "nim"},
        "bundled": {"word": "zzz", "kind": "bundled"},
    }[lie]
    (evil.folder / "m.json").write_text(json.dumps(saved))
    os.chdir(evil.folder)
    assert "Moves as they were recorded" in arena("show", "m.json").stdout
    assert not evil.was_executed()


@pytest.mark.slow  # it starts workers
def test_a_worker_imports_nothing_from_the_folder_that_it_is_started_in(
    league: League, tmp_path: Path
) -> None:
    flag = tmp_path / "executed"
    league.write(PLAYED)
    for name in ("multiprocess", "arena", "msgspec"):
        (league.home / f"{name}.py").write_text(f"open({str(flag)!r}, 'w')\n")
    words = [Path(sys.executable).with_name("arena"), "run", league.folder, "--workers", "2"]
    done = subprocess.run(words, cwd=league.home, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert not flag.exists()


# --- where a league finds its game


def test_a_league_names_a_file_relative_to_its_own_folder(arena: Arena, place: Place) -> None:
    for folder, word, named in (
        ("deep/cup", "./nim.py", "../../nim.py"),
        ("in", f"{place.game}:Nim", "../nim.py:Nim"),
    ):
        arena("init", folder, "./ann", "./bob", "--game", word, "--trust")
        assert f'game = "{named}"' in (place.folder / folder / "league.toml").read_text()


def test_a_game_that_is_gone_is_told_with_the_line_that_names_it_and_may_be_moved(
    arena: Arena, place: Place, cup: Path
) -> None:
    place.game.rename(cup / "nim.py")
    assert "cup/league.toml:4: there is no game '../nim.py'" in failed(arena, 2, "run cup")
    assert "Or say --replays 0" in failed(arena, 2, "report cup -o cup.html")
    file = cup / "league.toml"
    file.write_text(file.read_text().replace("../nim.py", "./nim.py"))
    assert "none differs" in arena("verify", "cup", "--trust").stdout
    assert arena("run", "cup").exit_code == 0


# --- code that has changed


def test_what_could_not_be_read_back_is_refused_before_anything_is_stored(
    arena: Arena, place: Place
) -> None:
    for line in ("score = None", "measures = {'a': 5}", "less_is_better = 1"):
        place.game.write_text(NIM.replace("    typical", f"    {line}\n    typical"))
        said = failed(arena, 2, "init cup ./ann ./bob --game ./nim.py --trust")
        assert f"`{line.partition(' ')[0]}` is " in said
        assert not Path("cup").exists()


def test_bytecode_of_other_code_is_not_executed(arena: Arena, place: Place, cup: Path) -> None:
    helper = place.folder / "heap_here.py"
    helper.write_text("LEAST = 10\n")
    text = place.game.read_text().replace("heap = 10 +", "heap = LEAST +")
    place.game.write_text(f"from heap_here import LEAST\n{text}")
    mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(str(helper), invalidation_mode=mode)
    helper.write_text("LEAST = 11\n")
    assert "does not come out as it did" in failed(arena, 1, "run cup --trust")


def test_code_that_changes_a_match_stops_a_run_and_loses_nothing(
    arena: Arena, place: Place, cup: Path
) -> None:
    before = arena("rank", "cup").stdout
    old = place.game.read_text()
    place.game.write_text(old.replace("heap = 10 +", "heap = 11 +"))
    said = failed(arena, 1, "run cup --trust")
    assert "does not come out as it did" in said
    assert "rules_version" in said
    place.game.write_text(old.replace("    typical", "    rules_version = 2\n    typical"))
    said = failed(arena, 2, "run cup --trust")
    assert "were played by version 1 of the rules of nim, and here is version 2" in said
    place.game.write_text(old)
    assert arena("rank", "cup").stdout == before
    assert arena("run", "cup", "--trust").exit_code == 0


def test_an_export_says_which_game_it_is_of_and_no_place_of_it_and_the_page_where_it_came_from(
    arena: Arena, place: Place, cup: Path
) -> None:
    header = json.loads(arena("export", "cup").stdout.splitlines()[0])
    assert header["settings"]["facts"]["name"] == "nim"
    assert str(place.folder) not in json.dumps(header)
    page = arena("report", "cup", "-o", "-", "--replays", "0").stdout
    assert "nim, rules 1, of the file ../nim.py" in page


def test_what_a_strangers_league_says_of_its_game_reaches_no_terminal(
    arena: Arena, place: Place, cup: Path
) -> None:
    for change in ({"name": "nim\x1b[31m"}, {"title": "a\x07b"}, {"name": 3}):
        with closing(sqlite3.connect(cup / "league.db")) as db, db:
            (text,) = db.execute("SELECT value FROM setting WHERE key = 'facts'").fetchone()
            new = json.dumps({**json.loads(text), "name": "nim", "title": "Nim", **change})
            db.execute("UPDATE setting SET value = ? WHERE key = 'facts'", (new,))
        for words in ("rank", "matches", "run --trust", "verify --trust", "rank --live"):
            word, *more = words.split()
            done = arena(word, "cup", *more)
            assert "the setting facts cannot be read" in done.stdout + done.stderr, words
            assert "\x1b[31m" not in done.stderr


# --- errors in the middle of a league


def test_a_game_that_ends_the_process_ends_no_command_as_if_all_were_well(
    arena: Arena, place: Place, cup: Path
) -> None:
    start = NIM.index("    def text(")
    place.game.write_text(NIM[:start] + "    def scene(self, seat=None):\n        exit()\n")
    match = a_match(arena)
    shown = arena("show", "cup", match, "--tables", "--trust")
    assert "nim.py:63:SystemExit" in "".join(shown.output.split())  # wherever it was folded
    arena("report", "cup", "-o", "cup.html")
    assert match in (place.folder / "cup.html").read_text()


def test_a_league_whose_file_names_another_game_is_verified_by_its_own_and_not_run(
    arena: Arena, place: Place, cup: Path
) -> None:
    file, before = cup / "league.toml", (cup / "league.db").read_bytes()
    file.write_text(file.read_text().replace('"../nim.py"', '"khan"'))
    assert "none differs" in arena("verify", "cup", "--trust").stdout
    assert 'game was "nim", not "khan"' in failed(arena, 2, "run cup --trust")
    assert (cup / "league.db").read_bytes() == before
    place.game.write_text(place.game.read_text().replace('name = "nim"', 'name = "nam"'))
    said = failed(arena, 2, "verify cup --trust")
    assert "played by the game 'nim', and '../nim.py' is called 'nam' now" in said


@pytest.mark.slow  # it starts a worker
@pytest.mark.parametrize("says", ['print("hello")', '__import__("os").write(1, b"hello")'])
def test_what_a_game_prints_does_not_reach_our_output(
    arena: Arena, place: Place, says: str
) -> None:
    text = NIM.replace("        self.heap -= moves", f"        {says}\n        self.heap -= moves")
    place.game.write_text(text)
    arena(*f"{MADE}2".split())
    run = [*ARENA, "run", "cup", "--format", "json"]
    done = subprocess.run(run, capture_output=True, text=True, check=True, cwd=Path.cwd())
    json.loads(done.stdout)
    assert "hello" in done.stderr


def test_a_game_without_a_rules_page_is_told_and_the_page_missed(
    arena: Arena, place: Place
) -> None:
    place.game.write_text(place.game.read_text().split('"""', 2)[2])  # nor a word at its top
    said = "nim has no rules page: its author wrote no "
    assert said in arena("games", "./nim.py", "--trust").stdout
    assert said in failed(arena, 2, "games ./nim.py --rules")
    arena("new", "mine", "--game", "./nim.py", "--lang", "python")
    assert "Nobody has written down ideas" in Path("mine/README.md").read_text()

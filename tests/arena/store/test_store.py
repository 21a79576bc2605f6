"""The store, on real SQLite files: all or nothing, once, and safe from whatever befalls a disk."""

import os
import shutil
import sqlite3
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena.league.bot import Bot
from arena.store.result import MatchResult, PlayedMatch, Record, Spent, clock_text
from arena.store.rows import BotVersion, Circumstances, WholeMatch
from arena.store.schema import VERSION
from arena.store.store import Store
from protocol.errors import ArenaError, RunError
from referee.match.evidence import Evidence
from referee.match.replay import Replay
from tests.arena.conftest import files_no_larger_than, ordinary_user
from tests.golden import Golden

ONE, TWO = (Bot(name, Path("/"), ("true", name), ()) for name in ("one", "two"))

CLOCK = [Spent(4, 400, 200, 900), Spent(3, 600, 500, 800)]

SETTINGS: dict[str, Any] = {
    "game": "guerra",
    "seats": 2,
    "seed": "1",
    "tournament": "round-robin",
    "rotations": "cyclic",
    "options": {},
    "limits": {},
    "opening": None,
}


def match(
    deal: str, rotation: int = 0, *, number: int | None = None, size: int = 10, **others: Any
) -> PlayedMatch:
    """Return a match as a worker reports it, of a deal whose id begins so and goes on in zeros.

    Two deals of one line-up have not the same number.
    """
    if number is None:
        number = int(deal, 16)
    deal = deal.ljust(16, "0")
    usual = {"places": (2, 1), "faults": ({}, {"late": 2}), "forfeits": (1,), "moves": 7}
    result = MatchResult(
        deal=deal,
        number=number,
        order=None,
        rotation=rotation,
        bots=(1, 0),
        reason="breakthrough",
        decisions=7,
        clock=clock_text(CLOCK),
        **{**usual, **others},
    )
    return PlayedMatch(result, record(size), "here", "none")


def record(size: int = 10) -> Record:
    replay = Replay(
        game="guerra",
        rules=1,
        seats=2,
        options={},
        seed="",
        entries=[],
        places=[2, 1],
        reason=os.urandom(size).hex(),
    )
    evidence = Evidence(
        cpu=[], wall=[], lag=[], stderr=[""] * 2, conversations=[[]] * 2, burners=[]
    )
    return Record(*(zlib.compress(msgspec.json.encode(part)) for part in (replay, evidence)), 0.25)


def made(path: Path) -> Path:
    with Store(path, create=True) as store:
        add(store, match("d1"))
    return path


def add(store: Store, *played: PlayedMatch) -> None:
    store.settings.keep(SETTINGS)
    ids = store.bots.rows([ONE, TWO])
    store.add(played, ids, played_at="2026-01-01T00:00:00")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "league.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with Store(path, create=True) as made:
        yield made


def short(match: str) -> str:
    deal, _, rotation = match.partition("-")
    return f"{deal.rstrip('0')}-{rotation}"


def stored(path: Path) -> set[str]:
    """Return the ids of what is stored, whole, as whoever opens the file next finds it."""
    with Store(path) as store:
        matches = list(store.matches())
        for found in matches:
            store.whole(found)
        return {short(found.id) for found in matches}


def refused(act: Callable[[], object], kind: type[ArenaError] = ArenaError) -> str:
    with pytest.raises(ArenaError) as caught:
        act()
    assert type(caught.value) is kind
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_match_comes_back_as_it_was_stored(store: Store) -> None:
    played = match("d1", 1, number=3)
    add(store, played)
    (found,) = store.matches()
    assert (found.id, found.number, found.rotation) == ("d100000000000000-1", 3, 1)
    assert found.deal == "d100000000000000"
    assert found.bots == (BotVersion("two", TWO.version), BotVersion("one", ONE.version))
    assert found.places == (2, 1)
    assert (found.reason, found.decisions) == ("breakthrough", 7)
    assert found.faults == ({}, {"late": 2})
    assert found.forfeits == (1,)
    where = Circumstances("2026-01-01T00:00:00", "here", "none", 0.25)
    assert store.whole(found) == WholeMatch(found, CLOCK, played.record, where)


def test_a_deal_that_is_stored_under_another_name_is_damage(store: Store, path: Path) -> None:
    add(store, match("d1", number=7))
    message = refused(lambda: add(store, match("d2", number=7), match("d3")), RunError)
    assert message.startswith(
        f"{path} is damaged: deal d200000000000000 is stored as d100000000000000. "
    )
    assert stored(path) == {"d1-0"}


def test_what_was_rolled_back_is_not_taken_for_stored(store: Store, path: Path) -> None:
    """Line-ups and results have numbers in the database, which the store remembers."""
    add(store, match("d1"))
    third = Bot("three", Path("/"), ("true", "three"), ())
    ids = store.bots.rows([ONE, third])
    new = match("d2", places=(1, 1))
    with pytest.raises(sqlite3.IntegrityError):
        store.add([new, match("d1")], ids, played_at="")
    store.add([new], ids, played_at="")
    assert stored(path) == {"d1-0", "d2-0"}
    places = {short(found.id): found.places for found in store.matches()}
    assert places == {"d1-0": (2, 1), "d2-0": (1, 1)}
    assert {lineup for _, lineup, _ in store.tallies.deal_sizes()} == {
        tuple(BotVersion(bot.name, bot.version) for bot in lineup)
        for lineup in ((ONE, TWO), (ONE, third))
    }


def test_settings_of_the_first_match_are_kept(store: Store) -> None:
    assert store.settings.all() == {}
    store.settings.keep({**SETTINGS, "seed": "0"})
    add(store, match("d1"), match("d2"))
    store.settings.keep({**SETTINGS, "seed": "3"})
    assert store.settings.all() == SETTINGS


def test_a_match_is_found_by_the_beginning_of_its_id(store: Store, golden: Golden) -> None:
    add(store, *(match(deal, rotation) for deal, rotation in [("abc", 0), ("abd", 0), ("b", 1)]))
    add(store, match("b", 10), match("f", 0), match("f", 1))
    whole = "b" + 15 * "0"
    for begins, found in [
        *(("abc", "abc-0"), ("abc-0", "abc-0"), ("b-10", "b-10"), ("f-1", "f-1")),
        *((f"{whole}-1", "b-1"), (f"{whole}-10", "b-10")),
    ]:
        assert short(store.find(begins).id) == found
    assert short(store.find("abc-").id) == "abc-0"
    for begins in ("ab", "f", "x"):
        golden(refused(lambda begins=begins: store.find(begins)))
    add(store, *(match("c", number) for number in range(11)))
    golden(refused(lambda: store.find("c")))
    assert short(store.find("c-7").id) == "c-7"
    for begins in ("", "%", "f-2", "-0", "0" * 17):
        said = refused(lambda begins=begins: store.find(begins))
        assert f"there is no match {begins!r}" in said


def test_what_may_not_be_seen_makes_no_beginning_ambiguous(store: Store) -> None:
    add(store, match("abc", 0), match("abd", 0), match("abe", 0))
    assert short(store.find("ab", lambda found: found.deal.startswith("abd")).id) == "abd-0"
    hidden = store.find("ab", lambda _: False)  # of which only one is told, which is refused
    assert short(hidden.id) == "abc-0"


def test_a_league_without_results_says_how_to_get_them(path: Path, golden: Golden) -> None:
    golden(refused(lambda: Store(path)))
    assert not path.exists()
    path.touch()  # an empty file is none, but becomes one
    golden(refused(lambda: Store(path)))
    assert path.stat().st_size == 0
    with Store(path, create=True) as store:
        add(store, match("d1"))
    assert stored(path) == {"d1-0"}


def of_another_program(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE songs (title)")


def of_a_newer_release(path: Path) -> None:
    made(path)
    with closing(sqlite3.connect(path)) as other:
        other.execute(f"PRAGMA user_version = {VERSION + 1}")


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (of_another_program, "is a database of some other program."),
        (of_a_newer_release, "was written by another Bot Arena"),
        (lambda path: path.write_bytes(b"just text\n" * 100), "is not a league's database: "),
        (lambda path: path.write_bytes(b"x"), "is not a league's database: "),
    ],
)
def test_what_is_no_database_of_ours_is_refused_and_left_alone(
    path: Path, make: Callable[[Path], object], says: str
) -> None:
    make(path)
    before = path.read_bytes()
    assert refused(lambda: Store(path, create=True)).startswith(f"{path} {says}")
    assert path.read_bytes() == before


def test_a_file_that_was_cut_off_or_overwritten_is_damaged(path: Path, golden: Golden) -> None:
    with Store(path, create=True) as store:
        add(store, match("d1", size=50_000))
    whole = path.read_bytes()
    for length in (1, 15, 16, 50, 99, 100, 600, 4096, 20_000):
        path.write_bytes(whole[:length])
        for create in (False, True):
            message = refused(lambda create=create: Store(path, create=create), RunError)
            assert message.startswith(f"{path} is damaged: ")
        assert path.read_bytes() == whole[:length]
    golden(message)
    path.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    with pytest.raises(ArenaError, match=str(path)):
        stored(path)
    path.unlink()
    path.mkdir()
    for create in (False, True):
        message = refused(lambda create=create: Store(path, create=create), RunError)
        assert message.startswith(f"{path} is a folder; ")


def test_a_disk_that_takes_no_more_loses_nothing_stored(store: Store, path: Path) -> None:
    add(store, match("d1"))
    big = match("d2", size=500_000)
    with files_no_larger_than(path.stat().st_size):
        message = refused(lambda: add(store, match("d3"), big), RunError)
    assert message.startswith(f"{path}: ")
    assert "What was stored before is safe" in message
    assert "run again" in message
    assert stored(path) == {"d1-0"}
    add(store, match("d3"), big)
    assert stored(path) == {"d1-0", "d2-0", "d3-0"}
    assert [file.name for file in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize(
    ("file", "folder", "what"), [(0o444, 0o777, "the file"), (0o666, 0o555, "its folder")]
)
def test_who_may_not_write_can_still_read_and_is_told_before_and_when_storing(
    public: Path, file: int, folder: int, what: str
) -> None:
    path = made(public / "league.db")
    path.chmod(file)
    public.chmod(folder)
    with ordinary_user():
        assert stored(path) == {"d1-0"}
        with Store(path, create=True) as store:
            told = [
                refused(store.db.check_writable, RunError),
                refused(lambda: add(store, match("d2")), RunError),
            ]
        assert "What was stored before is safe" in told[1]
        if folder == 0o555:
            told.append(refused(lambda: Store(public / "new.db", create=True), RunError))
    public.chmod(0o755)
    for message in told:
        assert " may not be written by you (uid " in message
        assert f": {what} is read-only" in message
    path.chmod(0)
    with ordinary_user():
        assert refused(lambda: Store(path), RunError) == (
            f"{path} cannot be read: Permission denied."
        )
    path.chmod(0o644)
    with Store(path) as store:
        store.db.check_writable()
    assert stored(path) == {"d1-0"}


def replaced(path: Path) -> None:
    copy = path.with_name("copy")
    shutil.copy(path, copy)
    copy.replace(path)


def moved_with_its_folder(path: Path) -> None:
    path.parent.rename(path.parent.with_name("elsewhere"))


@pytest.mark.parametrize("remove", [Path.unlink, replaced, moved_with_its_folder])
def test_a_file_that_is_taken_away_while_in_use_is_told(
    tmp_path: Path, remove: Callable[[Path], None]
) -> None:
    path = tmp_path / "league" / "league.db"
    path.parent.mkdir()
    with Store(path, create=True) as store:
        add(store, match("d1"))
        remove(path)
        assert f"{path} was moved, removed or replaced while it was in use" in (
            refused(lambda: add(store, match("d2")), RunError)
        )


def write_half_a_batch(path: Path) -> None:
    """Leave a transaction open, its pages spilt into the file."""
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA cache_size = 1")
    db.execute("BEGIN IMMEDIATE")
    for _ in range(50):
        row = (os.urandom(20_000), b"", 0.0, "", "", "")
        db.execute("INSERT INTO record VALUES (NULL,?,?,?,?,?,?)", row)


def killed_while_it_stores(path: Path) -> None:
    """Leave half a batch in the file, and the journal beside it."""
    child = os.fork()
    if child == 0:
        try:
            write_half_a_batch(path)
        finally:
            os._exit(9)
    os.waitpid(child, 0)


def test_a_process_killed_while_it_stores_leaves_all_or_nothing(store: Store, path: Path) -> None:
    add(store, match("d1"))
    killed_while_it_stores(path)
    assert path.stat().st_size > 500_000
    assert stored(path) == {"d1-0"}
    add(store, match("d2"))
    assert stored(path) == {"d1-0", "d2-0"}
    assert [file.name for file in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize(("file", "folder"), [(0o644, 0o755), (0o666, 0o555), (0o644, 0o777)])
def test_who_may_not_clean_up_after_a_kill_is_told(public: Path, file: int, folder: int) -> None:
    if os.geteuid() and folder & 0o200:
        pytest.skip("WHO DOES NOT OWN A FOLDER IS NOT TESTED HERE: run the tests as root, too")
    path = made(public / "league.db")
    killed_while_it_stores(path)
    path.chmod(file)
    path.with_name("league.db-journal").chmod(file)
    public.chmod(folder)
    with ordinary_user():
        message = refused(lambda: Store(path), RunError)
    public.chmod(0o755)
    assert message.startswith(
        f"{path} was left unfinished by a run that was cut off, and you (uid "
    )
    assert "Somebody who may write there must run any command on the league" in message
    assert stored(path) == {"d1-0"}

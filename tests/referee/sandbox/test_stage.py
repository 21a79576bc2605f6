"""Copies of bots' files: exactly those, for everybody to read, for nobody to write, and gone."""

import os
import stat
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from referee.limits import Limits
from referee.sandbox import Launcher, MachineError, Program, StartError
from referee.sandbox.sources import open_beneath
from referee.sandbox.stage import Stage
from tests.referee.sandbox.sandboxed import need, said

STRANGER = 61234
ROOT = Path(__file__).parents[3]


@pytest.fixture
def bot(tmp_path: Path) -> Program:
    """A bot of three files in a folder of its owner's own, with a secret beside them."""
    (tmp_path / "data").mkdir()
    for name, mode in {"bot": 0o700, "data/own": 0o600, "data/table": 0o640}.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n# {name}\n")
        (tmp_path / name).chmod(mode)
    (tmp_path / "secret").write_text("not the bot's")
    (tmp_path / "data" / "secret").write_text("not the bot's")
    tmp_path.chmod(0o700)
    names = ("bot", "data/own", "data/table")
    return Program((str(tmp_path / "bot"), "word"), str(tmp_path), names)


@pytest.fixture
def make(public: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], Stage]]:
    """Make stages in a folder that all may enter; they are removed in the end."""
    monkeypatch.setenv("TMPDIR", str(public))
    made: list[Stage] = []

    def make() -> Stage:
        made.append(Stage(STRANGER))
        made[-1].make()
        return made[-1]

    yield make
    for each in made:
        if Path(each.folder).exists():
            each.remove()


def names(folder: str) -> set[str]:
    return {str(path.relative_to(folder)) for path in Path(folder).rglob("*") if path.is_file()}


def mode(path: str | Path) -> int:
    return stat.S_IMODE(Path(path).stat().st_mode)


def test_exactly_the_listed_files_are_copied_for_all_to_read_and_nobody_to_write(
    make: Callable[[], Stage], bot: Program, public: Path
) -> None:
    """A borrowed one from where it lies; only what its owner may execute can be executed."""
    kit = public / "kit of the arena"
    kit.write_text("the kit")
    borrower = Program(bot.argv, bot.folder, (*bot.files, "data/kit"), (("data/kit", str(kit)),))
    made = make()
    before = os.umask(0o077)  # which closes nothing
    try:
        placed = made.place(borrower)
    finally:
        os.umask(before)
    folder = Path(placed.folder)
    assert names(placed.folder) == set(borrower.files)
    for name in bot.files:
        assert (folder / name).read_bytes() == Path(bot.folder, name).read_bytes()
    assert (folder / "data/kit").read_text() == "the kit"
    assert {name: mode(folder / name) for name in borrower.files} == {
        **dict.fromkeys(borrower.files, 0o444),
        "bot": 0o555,
    }
    assert {mode(each) for each in (folder, folder / "data")} == {0o755}
    assert mode(made.folder) == 0o711  # where the copies of other bots are, which nobody may list
    assert (placed.argv, placed.borrowed) == ((f"{folder}/bot", "word"), ())
    words = ("/bin/sh", "bot")
    elsewhere = made.place(Program(words, bot.folder, bot.files))
    assert elsewhere.argv == words, "a program elsewhere is run where it is"


def test_a_borrowed_file_is_opened_without_trust(
    make: Callable[[], Stage], bot: Program, public: Path
) -> None:
    (public / "secret").write_text("out of reach")
    (public / "lent").mkdir()
    kit = public / "lent" / "kit"
    borrower = Program(bot.argv, bot.folder, (*bot.files, "kit"), (("kit", str(kit)),))
    kit.symlink_to("../secret")
    with pytest.raises(OSError, match="it leads out of its folder"):
        make().place(borrower)
    kit.unlink()
    os.mkfifo(kit)
    with pytest.raises(OSError, match="it is a FIFO"):
        make().place(borrower)


def test_a_program_is_copied_once_and_two_programs_apart(
    make: Callable[[], Stage], bot: Program, public: Path
) -> None:
    made = make()
    first = made.place(bot)
    assert made.place(bot) is first
    other = made.place(Program(bot.argv, bot.folder, ("bot",)))
    assert other.folder != first.folder
    assert names(other.folder) == {"bot"}
    made.remove()
    assert list(public.iterdir()) == []


@pytest.mark.usefixtures("root_only")
def test_a_temporary_folder_of_the_owners_own_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And no other is taken in its place: whoever names one wants that one."""
    tmp_path.chmod(0o700)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with pytest.raises(MachineError) as caught:
        Stage(STRANGER)
    assert f"TMPDIR={tmp_path} cannot be entered by uid {STRANGER}" in str(caught.value)
    assert "Set TMPDIR to a folder open to everybody" in str(caught.value)


@pytest.fixture
def left(public: Path) -> Path:
    """A stage that nobody holds any more, and that is not of today."""
    folder = public / "arena-stage-left"
    (folder / "0").mkdir(parents=True)
    (folder / "0" / "bot").touch(0o444)
    os.utime(folder, (0, 0))
    return folder


@pytest.mark.usefixtures("root_only")
@pytest.mark.parametrize("whose", ["dead", "of today", "of another user", "by a link"])
def test_the_stage_of_a_dead_owner_is_swept_and_no_other(
    make: Callable[[], Stage], left: Path, public: Path, whose: str
) -> None:
    """Another user may have no name, in a container for instance."""
    if whose == "of today":  # it may not be locked yet
        os.utime(left)
    elif whose == "of another user":
        os.chown(left, STRANGER, STRANGER)
    elif whose == "by a link":
        left = left.rename(public / "precious")
        (public / "arena-stage-link").symlink_to(left)
    make()
    assert (left / "0" / "bot").exists() == (whose != "dead")


def test_the_stage_of_a_living_owner_stays(make: Callable[[], Stage], bot: Program) -> None:
    first = make()
    placed = first.place(bot)
    os.utime(first.folder, (0, 0))
    make()
    assert Path(placed.folder, "bot").exists()


@pytest.fixture(params=["landlock", "bwrap"])
def as_root(request: pytest.FixtureRequest, root_only: None) -> Iterator[Launcher]:
    need(request.param)
    with Launcher(request.param) as launcher:
        yield launcher


def test_a_bot_in_a_folder_of_roots_own_is_run_and_cannot_write_its_copies(
    as_root: Launcher, bot: Program
) -> None:
    text = "#!/bin/sh\necho * */*\n{ echo x > data/own; } 2>&-; echo $?\n"
    Path(bot.folder, "bot").write_text(text)
    found, written = said(as_root, bot).splitlines()
    assert found == "bot data data/own data/table"
    assert written != "0"


def test_a_file_that_has_gone_is_a_failed_start_and_costs_no_user(
    as_root: Launcher, bot: Program
) -> None:
    users = len(as_root._free)
    sandbox = as_root.sandbox.name.partition(" ")[0]
    gone = Program(bot.argv, bot.folder, (*bot.files, "gone"))
    for _ in range(2):
        with pytest.raises(StartError, match="gone"):
            as_root.start(gone, Limits(sandbox=sandbox))  # type: ignore[arg-type]
    assert len(as_root._free) == users


def test_nothing_shows_that_a_copy_is_read(make: Callable[[], Stage], bot: Program) -> None:
    """Or the processes of a bot could leave one another word."""
    placed = Path(make().place(bot).folder)
    paths = [placed, *placed.rglob("*")]
    before = [(path.stat().st_atime_ns, path.stat().st_mtime_ns) for path in paths]
    for path in paths:
        _ = path.read_bytes() if path.is_file() else list(path.iterdir())
    assert [(path.stat().st_atime_ns, path.stat().st_mtime_ns) for path in paths] == before
    for path in paths:
        found = path.stat()
        assert found.st_atime > time.time() + 10 * 365 * 86400
        assert found.st_mtime <= time.time() + 1


@pytest.mark.slow
def test_a_link_that_leads_up_is_opened_while_others_rename(tmp_path: Path) -> None:
    """Files are opened beneath a folder, whatever else on the machine is renamed meanwhile."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    (tmp_path / "a" / "x").write_text("x")
    (tmp_path / "b" / "y").symlink_to("../a/x")
    is_over = threading.Event()

    def rename() -> None:
        here, there = tmp_path / "here", tmp_path / "there"
        here.mkdir()
        while not is_over.is_set():
            here.rename(there)
            there.rename(here)

    renaming = threading.Thread(target=rename)
    renaming.start()
    folder = os.open(tmp_path, os.O_PATH)
    try:
        for _ in range(20_000):
            os.close(open_beneath(folder, "b/y"))
    finally:
        is_over.set()
        os.close(folder)
        renaming.join()

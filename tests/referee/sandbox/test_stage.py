"""Copies of bots' files, the big ones one for all: to read and not to write, and gone in time."""

import os
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from referee.limits import Limits
from referee.sandbox import Launcher, MachineError, Program, StartError, big_files, kept
from referee.sandbox.big_files import BIG, BigFiles
from referee.sandbox.sources import open_beneath
from referee.sandbox.stage import Stage
from tests.faults.workshop import small_disk
from tests.referee.process_watch import until
from tests.referee.sandbox.sandboxed import ROOT, need, said

NOBODY = 61235
STRANGER = NOBODY if ROOT else os.getuid()  # of whom a file that is kept can be
HOME = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def cache(public: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where things are kept; no file counts as changing."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(public / "cache"))
    monkeypatch.setattr(big_files, "FRESH", 0)
    return public / "cache" / "bot-arena"


@pytest.fixture
def stage(public: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Stage]]:
    """Make stages, for bots with big files or without; they are removed in the end."""
    monkeypatch.setenv("TMPDIR", str(public))
    made: list[Stage] = []

    def stage(*files: BigFiles) -> Stage:
        made.append(Stage(STRANGER if files else NOBODY, *files))
        made[-1].make()
        return made[-1]

    yield stage
    for each in made:
        if Path(each.folder).exists():
            each.remove()


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


def names(folder: str) -> set[str]:
    return {str(path.relative_to(folder)) for path in Path(folder).rglob("*") if path.is_file()}


def mode(path: str | Path) -> int:
    return stat.S_IMODE(Path(path).stat().st_mode)


def test_exactly_the_listed_files_are_copied_for_all_to_read_and_nobody_to_write(
    stage: Callable[..., Stage], bot: Program, public: Path
) -> None:
    """A borrowed one from where it lies; only what its owner may execute can be executed."""
    kit = public / "kit of the arena"
    kit.write_text("the kit")
    borrower = Program(bot.argv, bot.folder, (*bot.files, "data/kit"), (("data/kit", str(kit)),))
    made = stage()
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
    stage: Callable[..., Stage], bot: Program, public: Path
) -> None:
    (public / "secret").write_text("out of reach")
    (public / "lent").mkdir()
    kit = public / "lent" / "kit"
    borrower = Program(bot.argv, bot.folder, (*bot.files, "kit"), (("kit", str(kit)),))
    kit.symlink_to("../secret")
    with pytest.raises(OSError, match="it leads out of its folder"):
        stage().place(borrower)
    kit.unlink()
    os.mkfifo(kit)
    with pytest.raises(OSError, match="it is a FIFO"):
        stage().place(borrower)


def test_a_program_is_copied_once_and_two_programs_apart(
    stage: Callable[..., Stage], bot: Program, public: Path
) -> None:
    made = stage()
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
        Stage(NOBODY)
    assert f"TMPDIR={tmp_path} cannot be entered by uid {NOBODY}" in str(caught.value)
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
    stage: Callable[..., Stage], left: Path, public: Path, whose: str
) -> None:
    """Another user may have no name, in a container for instance."""
    if whose == "of today":  # it may not be locked yet
        os.utime(left)
    elif whose == "of another user":
        os.chown(left, NOBODY, NOBODY)
    elif whose == "by a link":
        left = left.rename(public / "precious")
        (public / "arena-stage-link").symlink_to(left)
    stage()
    assert (left / "0" / "bot").exists() == (whose != "dead")


def test_the_stage_of_a_living_owner_stays(stage: Callable[..., Stage], bot: Program) -> None:
    first = stage()
    placed = first.place(bot)
    os.utime(first.folder, (0, 0))
    stage()
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


def test_nothing_shows_that_a_copy_is_read(stage: Callable[..., Stage], bot: Program) -> None:
    """Or the processes of a bot could leave one another word."""
    placed = Path(stage().place(bot).folder)
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


# Big files


def big_bot(folder: Path, content: bytes = bytes(BIG), mode: int = 0o600) -> Program:
    folder.mkdir(exist_ok=True)
    (folder / "small").write_text("small")
    (folder / "model").write_bytes(content)
    (folder / "model").chmod(mode)
    return Program(("/bin/cat", "model"), str(folder), ("model", "small"))


def copy_of(stage: Stage, program: Program, name: str = "model") -> Path:
    return Path(stage.place(program).folder, name)


@pytest.mark.slow
def test_all_stages_share_one_copy_of_a_big_file_and_a_changed_one_is_another(
    stage: Callable[..., Stage], public: Path, cache: Path
) -> None:
    program, again = big_bot(public / "mine"), big_bot(public / "other")
    copies = [copy_of(stage(BigFiles(STRANGER)), each) for each in (program, again)]
    (kept_file,) = (cache / "files").iterdir()
    assert len({path.stat().st_ino for path in (*copies, kept_file)}) == 1
    assert copies[0].stat().st_ino != Path(program.folder, "model").stat().st_ino
    assert stat.S_IMODE(kept_file.stat().st_mode) == 0o444
    assert len({copy.with_name("small").stat().st_ino for copy in copies}) == 2
    assert stat.S_IMODE((cache / "files").stat().st_mode) == 0o700
    new = copy_of(stage(BigFiles(STRANGER)), big_bot(public / "mine", b"x" * BIG))
    assert (copies[0].read_bytes(), new.read_bytes()) == (bytes(BIG), b"x" * BIG)


def test_it_is_read_once_and_reading_its_copy_leaves_no_trace(
    stage: Callable[..., Stage], public: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = big_bot(public / "mine", mode=0o700)
    path = copy_of(stage(BigFiles(STRANGER)), program)
    before = path.stat()
    assert stat.S_IMODE(before.st_mode) == 0o555, "it can be executed"

    def refuse(*_: object) -> None:
        raise AssertionError("read again")

    monkeypatch.setattr(big_files, "hash_of", refuse)
    assert copy_of(stage(BigFiles(STRANGER)), program).stat().st_ino == before.st_ino
    assert path.read_bytes()
    assert path.stat().st_atime_ns == before.st_atime_ns


def test_a_copy_that_something_changed_is_made_anew(
    stage: Callable[..., Stage], public: Path, cache: Path
) -> None:
    program = big_bot(public / "mine")
    first = stage(BigFiles(STRANGER))
    copy_of(first, program)
    (kept_file,) = (cache / "files").iterdir()
    kept_file.chmod(0o600)
    with kept_file.open("r+b") as file:
        file.write(b"damage")
    assert copy_of(stage(BigFiles(STRANGER)), program).read_bytes() == bytes(BIG)
    (kept_file,) = (cache / "files").iterdir()
    assert kept_file.read_bytes() == bytes(BIG)


@pytest.mark.parametrize("sizes", [(BIG, BIG), (BIG // 2, BIG // 2), (BIG, 2 * BIG)])
def test_a_file_that_changes_while_it_is_copied_is_refused(
    stage: Callable[..., Stage],
    public: Path,
    cache: Path,
    monkeypatch: pytest.MonkeyPatch,
    sizes: tuple[int, int],
) -> None:
    """It is written to, cut off before, or longer after."""
    program = big_bot(public / "mine")
    path = public / "mine" / "model"
    copy = big_files.copy_file

    def changed(*words: object) -> None:
        os.truncate(path, sizes[0])
        copy(*words)  # type: ignore[arg-type]
        os.truncate(path, sizes[1])
        with path.open("r+b") as file:
            file.write(b"other")

    monkeypatch.setattr(big_files, "copy_file", changed)
    made = stage(BigFiles(STRANGER))
    with pytest.raises(StartError, match="model: it changed while it was read; try again"):
        made.place(program)
    assert not [*(cache / "files").iterdir()]
    assert not any(Path(made.folder).iterdir())


def test_a_file_that_changes_while_it_is_hashed_is_refused(
    public: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    big_bot(public / "mine")
    path = public / "mine" / "model"
    monkeypatch.setattr(big_files, "hash_of", lambda _: path.write_bytes(b"other") and "0")
    with path.open("rb") as file, pytest.raises(OSError, match="changed while it was read"):
        big_files.digest_of(file)


def test_a_hash_that_another_user_noted_is_not_believed(public: Path, cache: Path) -> None:
    big_bot(public / "mine")
    with (public / "mine" / "model").open("rb") as file:
        right = big_files.digest_of(file)
        (note,) = (cache / "hashes").iterdir()
        note.unlink()
        note.symlink_to("../../etc/passwd")
        if ROOT:
            os.chown(note, 61236, 61236, follow_symlinks=False)
            assert big_files.digest_of(file) == right


@pytest.mark.slow
def test_what_nobody_used_for_a_month_goes_and_what_is_used_stays(
    stage: Callable[..., Stage], public: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    used = stage(BigFiles(STRANGER))
    copy_of(used, big_bot(public / "mine"))
    unused = stage(BigFiles(STRANGER))
    copy_of(unused, big_bot(public / "other", b"x" * BIG))
    unused.remove()
    assert len([*(cache / "files").iterdir()]) == 2
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 29 * 86_400)
    kept.forget_old(cache / "files")
    assert len([*(cache / "files").iterdir()]) == 2
    monkeypatch.setattr(time, "time", lambda: now + 31 * 86_400)
    kept.forget_old(cache / "files")
    (left,) = (cache / "files").iterdir()
    assert left.read_bytes() == bytes(BIG)


@pytest.mark.usefixtures("root_only")
def test_a_folder_that_bots_cannot_enter_is_refused_with_the_remedy(
    public: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (public / "closed").mkdir(mode=0o700)
    monkeypatch.setenv("XDG_CACHE_HOME", str(public / "closed"))
    says = (
        rf"uid {NOBODY} cannot enter \(stopped at {public}/closed\). Set XDG_CACHE_HOME to a folder"
    )
    with pytest.raises(MachineError, match=says):
        BigFiles(STRANGER)


def test_a_full_disk_leaves_nothing_half(
    stage: Callable[..., Stage], public: Path, cache: Path
) -> None:
    program = big_bot(public / "mine")
    (public / "cache").mkdir()
    with small_disk(public / "cache", 4096):
        made = stage(BigFiles(STRANGER))
        with pytest.raises(MachineError, match=r"No space left.*set XDG_CACHE_HOME"):
            made.place(program)
        assert not [*(cache / "files").iterdir()]
        assert not any(Path(made.folder).iterdir())
        made.remove()


PLACE = """
import os, sys, time
from referee.sandbox import Program, big_files
from referee.sandbox.big_files import BigFiles
from referee.sandbox.stage import Stage
if "wait" in sys.argv:
    hash = big_files.hash_of
    big_files.hash_of = lambda file: print("copied", flush=True) or time.sleep(60) or hash(file)
stage = Stage(os.getuid(), BigFiles(os.getuid()))
stage.make()
placed = stage.place(Program(("/bin/cat",), sys.argv[1], ("model",)))
print(os.stat(f"{placed.folder}/model").st_ino, flush=True)
sys.stdin.read()
stage.remove()
"""


def placing(folder: str, *words: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", PLACE, folder, *words]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    return subprocess.Popen(command, cwd=HOME, text=True, **pipes)  # type: ignore[call-overload,no-any-return]


@pytest.mark.slow
def test_processes_that_keep_the_same_file_at_once_keep_one(public: Path, cache: Path) -> None:
    program = big_bot(public / "mine")
    processes = [placing(program.folder) for _ in range(3)]
    found = {each.stdout.readline().strip() for each in processes if each.stdout}
    (kept_file,) = (cache / "files").iterdir()
    assert found == {str(kept_file.stat().st_ino)}
    for each in processes:
        each.communicate()
        assert each.returncode == 0


def test_who_is_killed_while_it_copies_keeps_nobody_waiting(public: Path, cache: Path) -> None:
    program = big_bot(public / "mine")
    with placing(program.folder, "wait") as killed:
        assert killed.stdout is not None
        assert killed.stdout.readline() == "copied\n"
        assert not [*(cache / "files").iterdir()]
        killed.kill()
    (left,) = cache.glob("arena-stage-*")
    os.utime(left, (0, 0))
    with placing(program.folder) as process:
        assert process.stdout is not None
        assert process.stdout.readline().strip().isdigit()
        assert not left.exists()
        process.communicate()
    (kept_file,) = (cache / "files").iterdir()
    assert kept_file.read_bytes() == bytes(BIG)


def test_stages_go_with_a_referee_that_is_killed(
    public: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fork server removes them: that of big files, and the usual one in TMPDIR."""
    monkeypatch.setenv("TMPDIR", str(public))
    folder = big_bot(public / "mine").folder
    text = f"""
import sys
from referee.limits import Limits
from referee.sandbox import Launcher, Program
launcher = Launcher('landlock')
for name in ('model', 'small'):
    launcher.start(Program(('/bin/true',), {folder!r}, (name,)), Limits())
print('there', flush=True)
sys.stdin.read()
"""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", text], cwd=HOME, **pipes) as process:  # type: ignore[call-overload]
        assert process.stdout.readline() == b"there\n"
        assert all([*place.glob("arena-stage-*")] for place in (cache, public))
        process.kill()
    until(lambda: not [*cache.glob("arena-stage-*"), *public.glob("arena-stage-*")], 3)

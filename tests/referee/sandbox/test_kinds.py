"""What is in force around a started bot, as the kernel tells the host, and as the bot feels it."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from referee.limits import Limits
from referee.sandbox import Child, Launcher, Program, SandboxError, StartError
from referee.sandbox.kinds import THREAD_COUNTS, THREADS, environment, search_path
from referee.sandbox.users import FIRST_UID, USERS
from referee.turn.answer import BotError
from referee.turn.starting import start_bot
from tests.referee.process_watch import children, fields
from tests.referee.raw_programs import read_all
from tests.referee.sandbox.sandboxed import ROOT, limits, make, need, running, said

SLEEPER = "import time; print('here', flush=True); time.sleep(600)"
SETTINGS = {"memory_mb": 300, "open_files": 40, "processes": 20}
MIB = 2**20


@contextmanager
def asleep(launcher: Launcher, folder: Path, **settings: int) -> Iterator[int]:
    """Give the pid of a bot that does nothing, its sandbox around it."""
    child = running(launcher, make(folder, SLEEPER), **settings)
    yield own_pid(launcher, child)
    launcher.stop(child)


def own_pid(launcher: Launcher, child: Child) -> int:
    """Return the pid of the bot itself: in bwrap it has a parent inside."""
    (pid,) = children(child.pid) if launcher.sandbox.name.startswith("bwrap") else (child.pid,)
    return pid


def status(pid: int) -> dict[str, str]:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def test_a_bot_has_no_rights_and_a_filter_and_each_limit_as_it_was_set(
    sandboxed: Launcher, public: Path
) -> None:
    """It leads a session, with private files."""
    with asleep(sandboxed, public, **SETTINGS) as pid:
        held = status(pid)
        session = int(fields(pid)[3])
        lines = Path(f"/proc/{pid}/limits").read_text().splitlines()[1:]
    assert (held["NoNewPrivs"], held["Seccomp"], held["Umask"]) == ("1", "2", "0077")
    assert {held[f"Cap{name}"].strip("0") for name in ("Inh", "Prm", "Eff", "Amb")} == {""}
    assert session not in {0, os.getsid(0)}
    if not ROOT:
        assert held["Uid"].split() == [str(os.getuid())] * 4
    found = {line[:26].strip(): tuple(line[26:].split()[:2]) for line in lines}
    expected = {
        "Max data size": 300 * MIB,
        "Max open files": 40,
        "Max core file size": 0,
        "Max file size": 16 * MIB,
        "Max stack size": 8 * MIB,
        "Max locked memory": 64 * 1024,
        "Max msgqueue size": 0,
        "Max nice priority": 0,
        "Max realtime priority": 0,
    }
    if sandboxed.sandbox.name.startswith("bwrap"):
        expected["Max processes"] = 20
    assert {name: found[name] for name in expected} == {
        name: (str(value), str(value)) for name, value in expected.items()
    }
    assert found["Max address space"][0] == "unlimited"  # Node and Java would not start


@pytest.mark.usefixtures("root_only")
def test_roots_bots_are_run_as_users_that_nobody_is_while_they_run(
    sandboxed: Launcher, public: Path
) -> None:
    program = make(public, SLEEPER)
    free = set(sandboxed._free)
    bots = [running(sandboxed, program) for _ in range(3)]
    found = [status(bot.pid) for bot in bots]
    for bot in bots:
        sandboxed.stop(bot)
    with contextlib.suppress(StartError):  # bwrap itself starts, and ends at once
        sandboxed.stop(sandboxed.start(Program(("/no/such/bot",), str(public)), limits(sandboxed)))
    assert set(sandboxed._free) == free, "each is free again when its bot has ended"
    users = [int(each["Uid"].split()[0]) for each in found]
    assert len(set(users)) == len(bots)
    assert sandboxed.uid is not None
    assert sandboxed.uid >= FIRST_UID
    assert set(users) <= set(range(sandboxed.uid, sandboxed.uid + USERS))
    for user, each in zip(users, found, strict=True):
        assert each["Uid"].split() == each["Gid"].split() == [str(user)] * 4
        assert each["Groups"] == ""
        assert each["CapBnd"].strip("0") == ""


def test_the_files_a_bot_may_open_do_not_limit_how_many_bots_there_are(
    sandboxed: Launcher, public: Path
) -> None:
    program = make(public, SLEEPER)
    bots = [running(sandboxed, program, open_files=20) for _ in range(15)]
    for bot in bots:
        sandboxed.stop(bot)


@pytest.mark.usefixtures("root_only")
def test_root_itself_can_be_asked_for(sandbox: str, public: Path) -> None:
    if sandbox == "uid":
        with pytest.raises(SandboxError, match="nothing without a user of its own"):
            Launcher(sandbox, uid=0)
        return
    with Launcher(sandbox, uid=0) as launcher, asleep(launcher, public) as pid:
        found = status(pid)
    assert found["Uid"].split() == ["0"] * 4
    assert found["CapEff"].strip("0") == ""


def test_programs_are_looked_up_where_a_bots_user_may_enter(
    public: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (public / "bin").mkdir()
    monkeypatch.setattr(sys, "base_prefix", str(public))
    system = "/usr/local/bin:/usr/bin:/bin"
    assert search_path(None) == search_path(FIRST_UID) == f"{public}/bin:{system}"
    public.chmod(0o700)
    assert search_path(None) == f"{public}/bin:{system}"
    assert search_path(FIRST_UID) == system


def test_three_pipes_a_folder_and_an_environment_are_all_that_it_is_given(
    sandboxed: Launcher, public: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """bwrap adds where the scratch is, and the working folder; all add what the linker needs."""
    monkeypatch.setenv("ARENA_SECRET", "the seed of the deal")
    reading, writing = os.pipe()
    os.set_inheritable(writing, True)
    text = """
    import json, os, stat
    pipes = {}
    for number in range(4096):
        try:
            pipes[number] = stat.S_ISFIFO(os.fstat(number).st_mode)
        except OSError:
            pass
    print(json.dumps([os.getcwd(), os.listdir(), pipes, dict(os.environ)]))
    """
    try:
        folder, names, pipes, found = json.loads(said(sandboxed, make(public, text)))
    finally:
        os.close(reading)
        os.close(writing)
    assert folder != str(public)  # but that of its copy
    assert (names, pipes) == (["bot.py"], {"0": True, "1": True, "2": True})
    expected = dict(environment(search_path(sandboxed.uid), Limits(), folder))
    if sandboxed.sandbox.name.startswith("bwrap"):
        expected |= {"HOME": "/scratch", "TMPDIR": "/scratch", "PWD": found["PWD"]}
    program = Path(sandboxed.sandbox.interpreter(sandboxed.uid)).resolve()
    expected["LD_ORIGIN_PATH"] = str(program.parent)
    assert found == expected
    python = {"PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED", "PYTHONUNBUFFERED"}
    assert set(environment("", Limits())) == {"LANG", "PATH", *python, *THREAD_COUNTS}
    assert {environment("", Limits(threads=3))[name] for name in THREAD_COUNTS} == {"3"}


SEEN = """
import os
found = []
for path in ("/proc/self", "/proc/stat", "/proc/sys/fs", "/sys/devices", "/dev/fd/0"):
    try:
        os.stat(path)
    except OSError:
        continue
    found.append(path)
print(*found)
"""


def test_a_bot_sees_proc_only_if_it_is_to(sandboxed: Launcher, public: Path) -> None:
    program = make(public, SEEN)
    if sandboxed.sandbox.uncleared:
        pytest.skip(f"THAT NONE SEES /proc IS NOT TESTED HERE: {sandboxed.sandbox.uncleared}")
    assert said(sandboxed, program) == ""
    if limits(sandboxed).sandbox != "uid":
        found = said(sandboxed, program, proc=True).split()
        assert found[:3] == ["/proc/self", "/proc/stat", "/proc/sys/fs"]
        assert said(sandboxed, program) == "", "and the next one is as the first"


WITHOUT_MOUNTS = """
import ctypes, os, sys
CAPBSET_DROP, SYS_ADMIN = 24, 21
assert ctypes.CDLL(None).prctl(CAPBSET_DROP, SYS_ADMIN, 0, 0, 0) == 0
os.execv(sys.executable, [sys.executable, "-c", sys.argv[1], *sys.argv[2:]])
"""
STARTING = """
import os, sys
from referee.limits import Limits
from referee.sandbox import PYTHON, Launcher, Program, prove
with Launcher("landlock") as launcher:
    prove(launcher, Limits())
    print(launcher.sandbox.name, launcher.sandbox.uncleared, sep="|", flush=True)
    child = launcher.start(Program((PYTHON, "-S", "-c", sys.argv[2]), sys.argv[1]), Limits())
    os.set_blocking(child.stdout, True)
    with open(child.stdout, closefd=False) as output:
        print(output.read(), end="")
"""


@pytest.mark.usefixtures("root_only")
def test_where_proc_cannot_be_hidden_the_name_of_the_sandbox_says_so(public: Path) -> None:
    need("landlock")
    words = [sys.executable, "-c", WITHOUT_MOUNTS, STARTING, str(public), SEEN]
    project = Path(__file__).parents[3]
    ran = subprocess.run(words, capture_output=True, text=True, cwd=project)
    name, seen = ran.stdout.splitlines()
    assert re.fullmatch(r"landlock \(ABI \d+, /proc seen\)\|unshare: Operation not per.*", name)
    assert seen.startswith("/proc/self "), ran.stderr


IN_A_CHROOT = """
mount --make-rprivate / && mount --rbind / "$1" && mount -t tmpfs tmpfs "$1/usr/share" &&
touch "$1/usr/share/here" && shift && exec chroot "$@"
"""


@pytest.mark.usefixtures("root_only")
def test_a_bot_has_the_root_folder_of_the_arena(public: Path) -> None:
    """Where /proc is hidden, it goes through a mount namespace that knows of no chroot."""
    need("landlock")
    (public / "root").mkdir()
    seen = "import os; print(os.listdir('/usr/share'), os.path.exists('/proc/self'))"
    words = ["unshare", "-m", "sh", "-c", IN_A_CHROOT, "sh", str(public / "root")]
    words += [str(public / "root"), "/usr/bin/env", f"PYTHONPATH={Path(__file__).parents[3]}"]
    words += [sys.executable, "-c", STARTING, str(public), seen]
    ran = subprocess.run(words, capture_output=True, text=True)
    if ran.stderr.startswith(("unshare", "mount")):
        pytest.skip(f"A CHROOT IS NOT TRIED HERE: {ran.stderr}")
    assert ran.stdout.splitlines()[1:] == ["['here'] False"], ran.stderr


def test_signals_are_as_a_program_expects_them(sandboxed: Launcher, public: Path) -> None:
    """Seen from outside: Python itself ignores two, so the bot is no Python."""
    program = make(public, "")
    sleeper = Program(("/bin/sh", "-c", "echo; exec sleep 600"), program.folder, program.files)
    child = running(sandboxed, sleeper)
    found = status(own_pid(sandboxed, child))
    sandboxed.stop(child)
    of_the_c_library = 0b11 << 31
    assert int(found["SigIgn"], 16) & ~of_the_c_library == 0
    assert int(found["SigBlk"], 16) == 0


OPEN = """
import sys
for name in {names}:
    for mode in ("r", "a", "w"):
        try:
            file = open(name, mode)
        except OSError:
            print("-")
        else:
            print(file.read() if mode == "r" else "!")
"""


def opened(launcher: Launcher, program: Program) -> list[str]:
    """Return what a bot read of files that it tried to open, `-` for each refusal."""
    return said(launcher, program).split()


def test_a_bot_reads_exactly_the_files_that_it_lists_and_writes_none(
    sandboxed: Launcher, public: Path
) -> None:
    (public / "data").mkdir()
    files = ("data/own", "own", "data/secret", "secret")
    for name in files:
        (public / name).write_text(name)
        (public / name).chmod(0o666)
    absolute = [str(public / name) for name in ("secret", "data/secret")]
    program = make(public, OPEN.format(names=[*files, *absolute, "new"]), "own", "data/own")
    assert opened(sandboxed, program) == ["data/own", "-", "-", "own", *"-" * 17]
    assert [(public / name).read_text() for name in files] == [*files]


def test_a_neighbour_that_comes_later_stays_closed(sandboxed: Launcher, public: Path) -> None:
    text = OPEN.format(names=[str(public / "late")])
    child = running(sandboxed, make(public, f"print('here', flush=True)\ninput()\n{text}"))
    (public / "late").write_text("secret")
    os.write(child.stdin, b"\n")
    assert read_all(child.stdout).split() == ["-"] * 3
    sandboxed.stop(child)


HOG = """
import threading
threading.stack_size(1 << 17)
threads = []
try:
    while len(threads) < 600:
        threads.append(threading.Thread(target=threading.Event().wait, daemon=True))
        threads[-1].start()
except RuntimeError:
    threads.pop()
print(len(threads), flush=True)
threading.Event().wait()
"""


def test_threads_are_counted(sandboxed: Launcher, public: Path) -> None:
    child = sandboxed.start(make(public, HOG), limits(sandboxed, processes=20))
    os.set_blocking(child.stdout, True)
    in_bwrap = sandboxed.sandbox.name.startswith("bwrap")
    most = 20 if in_bwrap else THREADS  # bwrap's own process counts, too
    assert most - 4 <= int(os.read(child.stdout, 100)) < most
    refused = sandboxed.stop(child).refused
    assert bool(refused) == sandboxed.sandbox.name.startswith("landlock")


def test_one_bots_threads_leave_others_theirs(sandboxed: Launcher, public: Path) -> None:
    (public / "hog").mkdir()
    hogs = [running(sandboxed, make(public / "hog", HOG)) for _ in range(3)]
    text = """
    import threading
    seen = []
    threads = [threading.Thread(target=seen.append, args=(n,)) for n in range(16)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    print(len(seen))
    """
    try:
        assert said(sandboxed, make(public, text)) == "16"
    finally:
        for hog in hogs:
            sandboxed.stop(hog)


def test_in_landlock_threads_that_end_make_room_and_who_asks_without_end_is_ended(
    in_landlock: Launcher, public: Path
) -> None:
    text = """
    import tempfile, threading
    for _ in range(1000):
        thread = threading.Thread(target=int)
        thread.start()
        thread.join()
    try:
        tempfile.mkdtemp()
    except OSError:
        print("no scratch", flush=True)
    threading.stack_size(1 << 17)
    while True:
        try:
            threading.Thread(target=threading.Event().wait, daemon=True).start()
        except RuntimeError:
            pass
    """
    child = in_landlock.start(make(public, text), limits(in_landlock))
    assert read_all(child.stdout) == "no scratch\n"
    ended = in_landlock.wait(child)
    assert ended.code == -signal.SIGKILL
    assert ended.refused >= 1000


def test_the_scratch_in_bwrap_is_private(in_bwrap: Launcher, public: Path) -> None:
    text = """
    import os, tempfile
    print(os.listdir(tempfile.gettempdir()))
    path = os.path.join(tempfile.gettempdir(), "note")
    open(path, "w").write("mine")
    print(open(path).read(), flush=True)
    input()
    """
    program = make(public, text)
    first = running(in_bwrap, program)
    second = in_bwrap.start(program, limits(in_bwrap))
    os.write(second.stdin, b"\n")
    assert read_all(second.stdout) == "[]\nmine\n"
    in_bwrap.stop(second)
    assert not Path("/scratch").exists()
    in_bwrap.stop(first)


def test_the_scratch_in_bwrap_is_capped(in_bwrap: Launcher, public: Path) -> None:
    text = """
    import tempfile
    written = 0
    try:
        while True:
            with tempfile.NamedTemporaryFile(delete=False, buffering=0) as file:
                for _ in range(16):
                    written += file.write(bytes(2**16))
    except OSError as error:
        print(error.errno, round(written / 2**20))
    """
    no_space = 28
    assert said(in_bwrap, make(public, text), scratch_mb=3) == f"{no_space} 3"


def test_a_bot_in_bwrap_is_waited_for_as_long_as_the_limit_says(
    in_bwrap: Launcher, public: Path
) -> None:
    """By the wall: no clock shows what its children use."""
    allowed = Limits(sandbox="bwrap", startup=0.4)  # whose cap, were CPU judged, is over a second
    with pytest.raises(BotError, match=r"no answer after 0\.\d+ s; 0\.400 s allowed"):
        start_bot(in_bwrap, make(public, "import time; time.sleep(60)"), allowed, "bot")
    assert allowed.startup_cap == 0.4

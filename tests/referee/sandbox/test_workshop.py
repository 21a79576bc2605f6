"""A stranger's command in a workshop: what it gets, what ends it, and what is taken out."""

import os
import re
import shutil
import signal
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from types import FrameType
from typing import Any

import msgspec
import pytest

from referee.limits import WorkLimits
from referee.sandbox import MachineError, SandboxError, StartError, seccomp, starter
from referee.sandbox.program import interpreter
from referee.sandbox.self_test import judge_build
from referee.sandbox.sources import Sources
from referee.sandbox.workshop import Outcome, Workshop
from tests.referee.process_watch import children, command_line, processes, until
from tests.referee.sandbox.sandboxed import ROOT, need

BUILT_IN = ("landlock", "bwrap")
pytestmark = pytest.mark.quick(1)  # the stronger sandbox is for `make slow`

SMALL = WorkLimits(seconds=20, memory_mb=128, processes=16, output_kb=4, disk_mb=16, files=100)


@pytest.fixture(params=BUILT_IN)
def workshop(request: pytest.FixtureRequest) -> Iterator[Workshop]:
    """A workshop of each kind; neither process nor folder may be left of it."""
    need(request.param)
    before = children(os.getpid())
    with Workshop(request.param) as made:
        yield made
        folder = Path(str(made._starter.folder))
        assert list(folder.iterdir()) == []
    assert children(os.getpid()) <= before
    assert not folder.exists()


def run(workshop: Workshop, *words: str, limits: WorkLimits = SMALL, **more: Any) -> Outcome:
    """Run a command; return how it ended."""
    with workshop.work(words, None, [], limits, **more) as work:
        return work.outcome


def shell(workshop: Workshop, text: str, limits: WorkLimits = SMALL, **more: Any) -> Outcome:
    return run(workshop, "sh", "-c", dedent(text), limits=limits, **more)


def python(workshop: Workshop, text: str, limits: WorkLimits = SMALL, **more: Any) -> Outcome:
    words = (interpreter(workshop._starter.uid), "-I", "-S", "-c", dedent(text))
    return run(workshop, *words, limits=limits, **more)


def running(word: str) -> list[int]:
    return [pid for pid in processes() if word in command_line(pid).split()]


# How it ends


def test_a_command_that_ends_well_is_ok_and_of_others_the_end_is_told(workshop: Workshop) -> None:
    outcome = shell(workshop, "echo one; echo two >&2; echo three")
    assert (outcome.is_ok, outcome.why, outcome.output) == (True, "", "one\ntwo\nthree\n")
    assert shell(workshop, "exit 3").why == "exited with code 3"
    assert shell(workshop, "kill -9 $$ $PPID; exit 137").why in (
        "was killed by SIGKILL",
        "exited with code 137",  # as a namespace's first process says it
    )


def test_what_cannot_be_executed_is_named(workshop: Workshop, tmp_path: Path) -> None:
    why = run(workshop, "no-such-compiler").why
    assert why.startswith("could not be started: there is no program 'no-such-compiler' in ")
    (tmp_path / "build.sh").write_text("echo built")
    with (
        Sources(tmp_path) as sources,
        workshop.work(["./build.sh"], sources, ["build.sh"], SMALL) as work,
    ):
        assert not work.outcome.is_ok
        assert "Permission denied" in work.outcome.why + work.outcome.output


def test_cpu_time_of_all_processes_is_counted(workshop: Workshop) -> None:
    spin = "import time; t = time.process_time()\nwhile time.process_time() - t < 0.15: pass"
    text = f"""
    import os
    reading, writing = os.pipe()
    for _ in range(2):
        if os.fork() == 0:
            if os.fork() == 0:
                exec({spin!r})
            os._exit(0)
    os.close(writing)
    os.read(reading, 1)
    """
    assert 0.3 <= python(workshop, text).cpu <= 1.0


# What it gets


def test_it_has_exactly_its_files_of_one_time_and_may_change_them(
    workshop: Workshop, tmp_path: Path
) -> None:
    (tmp_path / "inner").mkdir()
    text = "#!/bin/sh\nstat -c %Y inner/run.sh\necho run > made; chmod 750 made; ls"
    (tmp_path / "inner" / "run.sh").write_text(text)
    (tmp_path / "inner" / "run.sh").chmod(0o755)
    (tmp_path / "other").write_text("not named")
    with (
        Sources(tmp_path) as sources,
        workshop.work(["inner/run.sh"], sources, ["inner/run.sh"], SMALL) as work,
    ):
        assert work.outcome.output == "1000000000\ninner\nmade\n"
        assert work.take(tmp_path / "taken") == ["inner/run.sh", "made"]
    assert (tmp_path / "taken" / "made").read_text() == "run\n"
    assert not (tmp_path / "inner" / "made").exists()


def test_a_source_that_leads_out_is_refused(workshop: Workshop, tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "own" / "link").symlink_to("../secret")
    with Sources(tmp_path / "own") as sources:
        for name, error in (("link", OSError), ("x/../../secret", (OSError, StartError))):
            with pytest.raises(error), workshop.work(["true"], sources, [name], SMALL):
                pass


def test_its_environment_is_built_and_home_is_its_own_each_time(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_TOKEN", "secret")
    for _ in range(2):
        output = shell(workshop, "ls $HOME $TMPDIR; touch $HOME/x $TMPDIR/y; env").output
        assert output.startswith("home:\n\ntmp:\n")
        assert "secret" not in output
        lines = dict(line.split("=", 1) for line in output.splitlines() if "=" in line)
        assert (lines["HOME"], lines["TMPDIR"], lines["LANG"]) == ("home", "tmp", "C.UTF-8")
        assert {"SOURCE_DATE_EPOCH", "CARGO_NET_OFFLINE", "GOCACHE"} <= lines.keys()


def test_standard_input_is_read_and_is_empty_otherwise(workshop: Workshop, tmp_path: Path) -> None:
    (tmp_path / "input").write_bytes(b"some words")
    with (tmp_path / "input").open("rb") as file:
        assert run(workshop, "cat", stdin=file).output == "some words"
    assert run(workshop, "cat").output == ""


def test_tools_are_found_first_and_cannot_be_written(workshop: Workshop, public: Path) -> None:
    (public / "bin").mkdir()
    (public / "bin" / "make").write_text("#!/bin/sh\necho own; echo x >> $0")
    for path in (public, public / "bin", public / "bin" / "make"):
        path.chmod(0o777)
    kind: Any = workshop.name.split()[0]
    with Workshop(kind, tools=[str(public)]) as other:
        outcome = run(other, "make")
        assert outcome.output.startswith("own\n")
        assert not outcome.is_ok
    for wrong in (str(public / "bin"), "relative"):
        with pytest.raises(SandboxError, match="is no folder with a folder `bin`"):
            Workshop(kind, tools=[wrong])


# What ends it


FORKS = """
import os, time
kept = []
for _ in range({forks}):
    if os.fork() == 0:
        kept = b"x" * ({megabytes} << 20); time.sleep(10); os._exit(0)
for _ in range({forks}):
    os.wait()
"""
FOR_EVER = """
import os, time
while True:
    try:
        if os.fork() == 0: time.sleep(100)
    except OSError: pass
"""
ENDED: dict[str, tuple[str, str]] = {
    "it takes too long": ("trap '' TERM INT HUP; sleep 300 & sleep 300", "ran longer than 1.5 s"),
    "all its processes have too much memory": (
        FORKS.format(forks=4, megabytes=60),
        "used more than 128 MB of memory",
    ),
    "it asks for processes for ever": (
        FOR_EVER,
        "asked for more than 16 processes and threads again and again",
    ),
    "it deleted files that are open": (
        'for i in 3 4 5; do eval "exec $i>f; rm f; yes | head -c 8M >&$i"; done; sleep 60',
        "used more than 16 MB of disk",
    ),
    "files are counted, and a sparse one for what it takes": (
        "truncate -s 15M sparse sparse2 sparse3; mkdir d; for i in $(seq 99); do : > d/$i; done; "
        "sleep 60",
        "made more than 100 files and folders",
    ),
    "a folder cannot be listed": (
        "mkdir d; chmod 0 d; sleep 1",
        "" if ROOT else "made a folder that may not be read",
    ),
}


@pytest.mark.quick(6)
@pytest.mark.parametrize("what", ENDED)
def test_what_ended_it_is_told(workshop: Workshop, what: str) -> None:
    text, why = ENDED[what]
    if text == FOR_EVER and workshop.name.startswith("bwrap"):
        pytest.skip("the kernel refuses them itself there")
    limits = msgspec.structs.replace(SMALL, seconds=1.5) if "1.5" in why else SMALL
    outcome = (python if "import" in text else shell)(workshop, text, limits)
    assert outcome.why == why
    assert outcome.seconds < 15


def test_memory_that_is_shared_counts_once(workshop: Workshop) -> None:
    text = """
    import os, time
    kept = b"x" * (60 << 20)
    for _ in range(4):
        if os.fork() == 0:
            time.sleep(0.5); os._exit(0)
    for _ in range(4):
        os.wait()
    b"x" * (200 << 20)
    """
    outcome = python(workshop, text)
    assert outcome.output.endswith("MemoryError\n")  # nor has a process more than all may have
    assert outcome.why == "exited with code 1"


@pytest.mark.slow
def test_processes_that_end_while_they_are_measured_have_no_memory(workshop: Workshop) -> None:
    text = """
    import os, time
    kept = b"x" * (60 << 20)
    for _ in range(150):
        for _ in range(6):
            if os.fork() == 0:
                time.sleep(0.02); os._exit(0)
        for _ in range(6):
            os.wait()
    """
    assert python(workshop, text).why == ""


def test_processes_and_threads_are_limited(workshop: Workshop) -> None:
    text = "import os, time\nwhile os.fork(): os.write(1, b'.')\ntime.sleep(10)"
    outcome = python(workshop, text)
    dots, _, error = outcome.output.partition("Traceback")
    assert 12 <= len(dots) <= 16
    assert "Resource temporarily unavailable" in error
    if workshop.name.startswith("landlock"):
        assert outcome.why == "exited with code 1, and asked for more than 16 processes and threads"


def test_a_nearly_full_disk_is_the_machines_fault(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("referee.sandbox.usage.RESERVE_MB", 1 << 40)
    with pytest.raises(MachineError, match=r"the disk of .* is full: less than .* MB are free"):
        shell(workshop, "sleep 60")


def test_endless_output_ends_it_and_is_not_kept(workshop: Workshop) -> None:
    limits = msgspec.structs.replace(SMALL, output_kb=16)
    outcome = run(workshop, "yes", "endless", limits=limits)
    assert outcome.why == "printed more than 4 MB"
    assert len(outcome.output) < 17 << 10
    assert outcome.output.startswith("endless\n")
    assert re.search(r"\[… \d+ bytes left out …\]", outcome.output)


# What it prints


def test_neither_what_a_terminal_would_obey_nor_paths_of_this_machine_are_shown(
    workshop: Workshop,
) -> None:
    text = "\\033[31mred\\r\\n\\377\\000\\342\\200\\256abc\\tend\\303\\274\\n"
    output = shell(workshop, f"printf '{text}'; pwd; echo $PWD/bot.c:3 $TMPDIR/x $HOME").output
    shown = "\\x1b[31mred\n\\xff\\x00\\u202eabc\tendü\n"
    assert output == f"{shown}.\nbot.c:3 tmp/x home\n"


def test_lines_are_watched_as_they_come(workshop: Workshop) -> None:
    seen: list[str] = []
    shell(workshop, "echo one; sleep 0.2; echo two; printf three", watch=seen.append)
    assert "".join(seen) == "one\ntwo\nthree"
    assert seen[0] == "one\n"


# Its end


def test_an_interruption_ends_it(workshop: Workshop) -> None:
    def interrupt(_: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        shell(workshop, "sleep 600.5 & echo here; sleep 600.5", watch=interrupt)
    assert running("600.5") == []


def interrupted(workshop: Workshop, step: int, text: str) -> bool:
    """Run a command, and raise at a step of the interpreter in what talks to the fork server.

    Return whether it came to that step.
    """
    left = step

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal left
        if frame.f_code.co_filename != starter.__file__:
            return None
        frame.f_trace_opcodes = True
        left -= event == "opcode"
        if left == 0:
            raise KeyboardInterrupt
        return trace

    sys.settrace(trace)
    try:
        shell(workshop, text)
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(None)
    return False


def hangs(*_: object) -> None:
    raise TimeoutError


@pytest.mark.slow
def test_an_interruption_may_come_at_any_step(workshop: Workshop) -> None:
    """It ends the command, and the next one gets the answers that are meant for it.

    The steps are the same whatever the sandbox: every one is tried in one, a third in the others.
    """
    step, stride = 1, 1 if workshop.name == BUILT_IN[0] else 3
    before = signal.signal(signal.SIGALRM, hangs)
    signal.alarm(200)
    try:
        while interrupted(workshop, step, "echo here; sleep 0.0625"):
            assert running("0.0625") == []
            outcome = shell(workshop, "echo next; exit 3")
            assert (outcome.output, outcome.why) == ("next\n", "exited with code 3")
            step += stride
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    assert step > 100


@pytest.mark.slow
def test_a_killed_fork_server_is_the_machines_fault(workshop: Workshop) -> None:
    def kill(_: str) -> None:
        os.kill(workshop._starter.pid, signal.SIGKILL)

    with pytest.raises(MachineError, match="the process that starts builds has ended"):
        shell(workshop, "sleep 600.75 & echo here; sleep 600.75", watch=kill)
    until(lambda: running("600.75") == [])
    with pytest.raises(MachineError):
        run(workshop, "true")


# What is taken


def take(workshop: Workshop, text: str, target: Path) -> list[str]:
    with workshop.work(["sh", "-c", text], None, [], SMALL) as work:
        assert work.outcome.is_ok, work.outcome
        return work.take(target)


def test_taken_files_are_new_and_ordinary_and_links_are_followed_inside_only(
    workshop: Workshop, tmp_path: Path
) -> None:
    text = (
        "echo a > a; chmod 711 a; echo b > b; mkdir -p c/d; chmod 1777 c; echo e > c/d/e; "
        "ln -s c l; ln -s ../a c/f; ln a z"
    )
    names = ["a", "b", "c/d/e", "c/f", "l/d/e", "l/f", "z"]
    assert take(workshop, text, tmp_path / "t") == names
    found = {name: tmp_path / "t" / name for name in names}
    modes = {name: stat.S_IMODE(path.stat().st_mode) for name, path in found.items()}
    assert modes == {name: 0o755 if name in "ac/fl/fz" else 0o644 for name in names}
    assert {(tmp_path / "t" / name).read_text() for name in ("a", "c/f", "l/f", "z")} == {"a\n"}
    paths = [*(tmp_path / "t").rglob("*")]
    assert {path.stat().st_uid for path in paths} == {os.getuid()}
    assert not any(path.is_symlink() for path in paths)


@pytest.mark.quick(6)
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("ln -s /etc/hostname link", "it leads out of its folder: 'link'"),
        ("mkfifo bot", "it is a FIFO: 'bot'"),
        ("mkdir a; ln -s . a/again", "it is a link that leads back to where it is: 'a/again'"),
        ("touch \"$(printf 'a\\377')\"", "its name is not printable text in UTF-8: 'a\\\\udcff'"),
        ("for i in $(seq 20); do truncate -s 16M $i; done", "larger than 16 MiB"),
        ("touch $(seq 31)", "with it, there are more than 30 files and folders"),
    ],
)
def test_what_is_no_bots_file_is_refused_by_name(
    workshop: Workshop, tmp_path: Path, text: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("referee.sandbox.workshop.FILES_LIMIT", 30)
    with pytest.raises(OSError, match=re.escape(reason)):
        take(workshop, text, tmp_path / "t")
    assert not (tmp_path / "t").exists()


# Which sandbox


def test_auto_is_bwrap_where_it_works_and_landlock_elsewhere_or_both_reasons_are_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def broken(*_: object) -> None:
        raise SandboxError("this kernel has no Landlock.")

    need("landlock")
    if shutil.which("bwrap"):
        need("bwrap")
        with Workshop() as workshop:
            assert workshop.name.startswith("bwrap ")
    monkeypatch.setenv("PATH", str(tmp_path))
    with Workshop() as workshop:
        assert workshop.name.startswith("landlock ")
    told = "nothing can be built here: bwrap: bwrap not found. Install bubblewrap 0.8 or newer"
    with pytest.raises(SandboxError, match=f"^{re.escape(told)}"):
        Workshop("bwrap")
    monkeypatch.setattr("referee.sandbox.landlock.abi", broken)
    with pytest.raises(SandboxError, match=f"^{re.escape(told)}.* landlock: this kernel has no"):
        Workshop()


def weakened(monkeypatch: pytest.MonkeyPatch, hole: str) -> None:
    """Let a build open sockets, or refuse it what it needs."""
    if hole == "sockets":
        refused = {name: rule for name, rule in seccomp.REFUSED.items() if name != hole}
        monkeypatch.setattr(seccomp, "REFUSED", refused)
    else:
        monkeypatch.setattr(seccomp, "ALLOWED_IN_BUILDS", ("modes",))
        monkeypatch.setattr(seccomp, "modes", lambda _: (seccomp.Rule("chmod", (), 0x50001, None),))


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("hole", "says"),
    [
        ("sockets", "a build can open a socket"),
        ("modes", "a build cannot change a file's mode"),
    ],
)
@pytest.mark.parametrize("kind", BUILT_IN)
def test_a_sound_workshop_is_proved_and_a_hole_is_noticed(
    monkeypatch: pytest.MonkeyPatch, kind: Any, hole: str, says: str
) -> None:
    need(kind)
    with Workshop(kind) as sound:
        sound.prove()
    weakened(monkeypatch, hole)
    with Workshop(kind) as other, pytest.raises(SandboxError, match=says):
        other.prove()


def test_what_the_canary_printed_is_told_in_one_line() -> None:
    told = "it exited with code 1 (no module; named stat)."
    with pytest.raises(SandboxError, match=re.escape(f"the self test did not end well: {told}")):
        judge_build("exited with code 1", "no module\nnamed stat\n")
    with pytest.raises(SandboxError, match=r"did not end well: it stopped\.$"):
        judge_build("", "")


def test_signals_stay_in_the_build_where_landlock_does_not_keep_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Before Landlock's sixth ABI the fork server judges them; the canary sees whether it does."""
    need("landlock")
    monkeypatch.setattr("referee.sandbox.landlock.abi", lambda: 5)
    with Workshop("landlock", uid=0 if ROOT else None) as workshop:
        workshop.prove()
        output = shell(workshop, "sleep 60 & kill $!; wait $!; echo $?").output
        assert output.splitlines()[-1] == "143"

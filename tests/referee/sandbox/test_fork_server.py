"""How a process ends all that it started, and a start that the machine refuses."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from referee.sandbox.fork_server import StartedBot
from tests.referee.sandbox.sandboxed import need

THREADS = """
import subprocess, threading
from referee.sandbox.fork_server import children, end_all

for _ in range(20):
    subprocess.Popen(["sleep", "60"])
begin = threading.Barrier(8)
threads = [threading.Thread(target=lambda: (begin.wait(), end_all())) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(len(children()), "left")
"""


def test_several_threads_may_end_all_at_once() -> None:
    """As those of slow matches do, which notice together that the server was killed."""
    command = [sys.executable, "-c", THREADS]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("0 left\n", "")


WITHOUT_SETUID = """
import ctypes, os, sys
CAPBSET_DROP, SETUID = 24, 7
assert ctypes.CDLL(None).prctl(CAPBSET_DROP, SETUID, 0, 0, 0) == 0
os.execv(sys.executable, [sys.executable, "-c", sys.argv[1]])
"""
STARTING = """
from referee.limits import Limits
from referee.sandbox import Launcher, Program
with Launcher("landlock") as launcher:
    launcher.start(Program(("/bin/true",), "/"), Limits())
"""


@pytest.mark.usefixtures("root_only")
def test_a_user_that_cannot_be_had_is_no_fault_of_the_bot() -> None:
    need("landlock")
    words = [sys.executable, "-c", WITHOUT_SETUID, STARTING]
    ran = subprocess.run(words, capture_output=True, text=True, cwd=Path(__file__).parents[3])
    last = ran.stderr.strip().splitlines()[-1]
    assert "MachineError: bots cannot be started: they are to run as uid 6" in last
    assert last.endswith("refused: Operation not permitted. Repair that, then run again.")


def test_a_bot_whose_process_inside_has_ended_is_ended_like_any_other() -> None:
    """As where bwrap says which process is inside, and then may not go on."""
    bwrap, inside = (subprocess.Popen(["sleep", "60"], start_new_session=True) for _ in range(2))
    inside.kill()
    inside.wait()
    bot = StartedBot(bwrap.pid, -1, {"argv": [], "env": {}, "limits": []})
    with pytest.raises(ProcessLookupError):
        bot.goes_inside(inside.pid)
    report = bot.end()
    bwrap.wait()  # it was reaped, which Python does not know yet
    assert report["ended"] == bwrap.pid
    assert report["status"] == signal.SIGKILL

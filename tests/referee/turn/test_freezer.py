"""The freeze of a process that takes no signal up, while its other threads run on."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace

import pytest

from referee.process.procfs import awaits
from referee.turn.freezer import Freezer
from tests.referee.process_watch import state, until

DEAF = r"""
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
/* Its first thread waits in the kernel for a child, where no signal stops it; another one runs. */
static void *run(void *unused) { for (;;); }
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, run, 0);
    puts("running");
    fflush(stdout);
    if (!vfork()) { sleep(60); _exit(0); }
    return 0;
}
"""


def deaf(program: Path, stack: ExitStack) -> Freezer | None:
    """Return the freezer of such a process, frozen; None if its other thread heard the signal."""
    process = stack.enter_context(
        subprocess.Popen([program], stdout=subprocess.PIPE, start_new_session=True)
    )
    stack.callback(os.killpg, process.pid, signal.SIGKILL)
    assert process.stdout is not None
    process.stdout.readline()
    until(lambda: state(process.pid) == "D", 10)  # its first thread
    pidfd = os.pidfd_open(process.pid)
    stack.callback(os.close, pidfd)
    freezer = Freezer(SimpleNamespace(pid=process.pid, pidfd=pidfd), "none")  # type: ignore[arg-type]
    freezer.freeze()
    return freezer if awaits(process.pid, signal.SIGSTOP) else None


@pytest.fixture
def freezer(tmp_path: Path) -> Iterator[Freezer]:
    """The freezer of a process whose signal to stop stays pending."""
    if not shutil.which("cc"):
        pytest.skip("THE FREEZE OF A DEAF PROCESS IS NOT TESTED HERE: there is no C compiler")
    (tmp_path / "deaf.c").write_text(DEAF)
    subprocess.run(["cc", "-pthread", "-o", tmp_path / "deaf", tmp_path / "deaf.c"], check=True)
    with ExitStack() as stack:
        yield until(lambda: deaf(tmp_path / "deaf", stack), 20)


@pytest.mark.slow
def test_who_has_not_taken_the_signal_up_is_excused_for_a_while_and_no_longer(
    freezer: Freezer,
) -> None:
    def is_lifted() -> bool:
        freezer.look()
        if freezer.ran < 1.0:
            assert not freezer.lifted
        return bool(freezer.lifted)

    until(is_lifted, 60)
    assert 1.1 < freezer.ran < 2.0
    assert freezer.take_lifted().startswith("it ran while it was frozen between its turns: 0.1")
    until(is_lifted, 60)
    assert freezer.is_hopeless

"""How a process ends all that it started."""

import subprocess
import sys

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

"""The bot's end of the door: two pipes in every sandbox, and in bwrap a place to connect to."""

import os
import resource
import select
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.sandbox import Child, Launcher, MachineError, Program, prove
from tests.referee.process_watch import descriptors
from tests.referee.raw_programs import read_all
from tests.referee.sandbox.sandboxed import limits, make, need

ENTRIES = ("POST https://api.example.org/v1",)
OPEN = """
import os
def is_open(number):
    try:
        os.fstat(number)
    except OSError:
        return False
    return True

def descriptors():
    return [number for number in range(64) if is_open(number)]
"""


@pytest.fixture(params=["none", "landlock", "bwrap"])
def launcher(request: pytest.FixtureRequest) -> Iterator[Launcher]:
    need(request.param)
    with Launcher(request.param) as launcher:
        yield launcher


def with_door(launcher: Launcher, program: Program) -> Child:
    return launcher.start(program, limits(launcher, door=ENTRIES))  # type: ignore[arg-type]


def heard(descriptor: int) -> bytes:
    assert select.select([descriptor], [], [], 10)[0]
    return os.read(descriptor, 1000)


def talk(child: Child) -> tuple[socket.socket, bytes]:
    """Return the next connection to a bot's listener, and what it says first."""
    assert child.listener is not None
    assert select.select([child.listener], [], [], 10)[0]
    with socket.socket(fileno=os.dup(child.listener)) as listener:
        made, _ = listener.accept()
    made.settimeout(10)
    return made, made.recv(1000)


def fill(descriptor: int) -> None:
    while True:
        os.write(descriptor, b"x" * 65536)


def end(launcher: Launcher, child: Child) -> str:
    """Return what a bot said until its end, which is to be without an error."""
    text, errors = read_all(child.stdout), read_all(child.stderr)
    assert (str(launcher.wait(child)), errors) == ("exited with code 0", "")
    return text


def test_a_bot_with_a_door_has_two_pipes_more_than_one_without(
    launcher: Launcher, public: Path
) -> None:
    program = make(
        public,
        OPEN
        + """
if "ARENA_DOOR" in os.environ:
    os.write(4, b"question")
    print(os.read(3, 100).decode(), end=" ")
doors = [name for name in os.environ if "DOOR" in name]
print(descriptors(), os.environ.get("ARENA_DOOR", doors))
""",
    )
    before = descriptors()
    child = with_door(launcher, program)
    assert child.door is not None
    assert heard(child.door[0]) == b"question"
    with pytest.raises(BlockingIOError):
        os.read(child.door[0], 1)
    os.write(child.door[1], b"answer")
    assert end(launcher, child) == "answer [0, 1, 2, 3, 4] 3,4\n"
    assert (child.door, child.listener) == (None, None)
    assert descriptors() == before
    child = launcher.start(program, limits(launcher))
    assert (child.door, child.listener) == (None, None)
    assert end(launcher, child) == "[0, 1, 2] []\n"


def test_a_bot_that_closes_its_door_ends_it(launcher: Launcher, public: Path) -> None:
    """Its processes alone hold its ends; until then, the referee never blocks at them."""
    text = "import os; os.read(0, 1); os.close(3); os.close(4); os.write(1, b'closed'); input()"
    child = with_door(launcher, make(public, text))
    assert child.door is not None
    with pytest.raises(BlockingIOError):
        fill(child.door[1])
    os.write(child.stdin, b"x")
    assert heard(child.stdout) == b"closed"
    assert heard(child.door[0]) == b""
    with pytest.raises(BrokenPipeError):
        os.write(child.door[1], b"answer")
    launcher.stop(child)


def test_doors_are_apart_in_a_sandbox_that_is_proved(launcher: Launcher, public: Path) -> None:
    prove(launcher, limits(launcher, door=ENTRIES))  # type: ignore[arg-type]
    text = "import os; os.write(4, os.read(0, 9)); print(os.read(3, 9).decode())"
    program = make(public, text)
    children = [with_door(launcher, program) for _ in range(3)]
    for number, child in enumerate(children):
        os.write(child.stdin, b"%d" % number)
    for number, child in enumerate(children):
        assert child.door is not None
        assert heard(child.door[0]) == b"%d" % number
        os.write(child.door[1], b"for %d" % number)
    said = [end(launcher, child) for child in children]
    assert said == ["for 0\n", "for 1\n", "for 2\n"]


def test_a_lack_of_descriptors_for_a_door_is_told(launcher: Launcher, public: Path) -> None:
    program = make(public, "import sys; sys.stdin.read()")
    launcher.stop(with_door(launcher, program))
    server, before = launcher._server.pid, descriptors()
    most = resource.prlimit(server, resource.RLIMIT_NOFILE)
    for few in range(7, 11):  # room for some of its descriptors, and not for all
        resource.prlimit(server, resource.RLIMIT_NOFILE, (few, most[1]))
        with pytest.raises(MachineError, match=r"Too many open files.*ulimit -n"):
            with_door(launcher, program)
    resource.prlimit(server, resource.RLIMIT_NOFILE, most)
    launcher.stop(with_door(launcher, program))
    assert descriptors() == before


CLIENT = """\
import os, socket
address = os.environ["ARENA_DOOR_URL"].removeprefix("http://").split(":")
number = os.read(0, 9)
with socket.create_connection((address[0], int(address[1]))) as made:
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    made.settimeout(10)
    made.sendall(b"from " + number)
    print(made.recv(100).decode(), made.getpeername())
    made.shutdown(socket.SHUT_RDWR)
"""


def test_a_bot_in_bwrap_connects_to_the_referee(in_bwrap: Launcher, public: Path) -> None:
    program = make(public, CLIENT)
    children = [with_door(in_bwrap, program) for _ in range(2)]
    assert children[0].listener is not None
    with (
        socket.socket(fileno=os.dup(children[0].listener)) as listener,
        pytest.raises(BlockingIOError),
    ):
        listener.accept()
    for number, child in enumerate(children):
        os.write(child.stdin, b"%d" % number)
    for number, child in enumerate(children):
        connection, said = talk(child)
        with connection:
            assert said == b"from %d" % number
            connection.sendall(b"for %d" % number)
            assert connection.recv(1) == b""
    for number, child in enumerate(children):
        assert end(in_bwrap, child) == f"for {number} ('127.0.0.1', 8377)\n"

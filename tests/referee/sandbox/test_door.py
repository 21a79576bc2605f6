"""The bot's end of the door: two pipes in every sandbox, and in bwrap a place to connect to."""

import os
import resource
import select
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.limits import Limits
from referee.sandbox import Child, Launcher, MachineError, Program, prove
from tests.referee.process_watch import descriptors
from tests.referee.raw_programs import read_all
from tests.referee.sandbox.sandboxed import limits, make, need

NAMES = ("api.example.org",)
OPEN = """
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
    """A launcher of each sandbox, and of none."""
    if request.param != "none":
        need(request.param)
    with Launcher(request.param) as launcher:
        yield launcher


def with_door(launcher: Launcher, program: Program) -> Child:
    return launcher.start(program, limits(launcher, door=NAMES))  # type: ignore[arg-type]


def heard(descriptor: int) -> bytes:
    """Return what comes out of an end within ten seconds."""
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


def test_a_bot_with_a_door_has_two_pipes_more(launcher: Launcher, public: Path) -> None:
    program = make(
        public,
        f"""\
        import os
        {OPEN.strip().replace(chr(10), chr(10) + " " * 8)}
        os.write(4, b"question")
        print(os.read(3, 100).decode(), descriptors(), os.environ["ARENA_DOOR"])
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


def test_a_bot_without_a_door_has_none(launcher: Launcher, public: Path) -> None:
    program = make(
        public,
        f"""\
        import os
        {OPEN.strip().replace(chr(10), chr(10) + " " * 8)}
        print(descriptors(), [name for name in os.environ if "DOOR" in name])
        """,
    )
    child = launcher.start(program, limits(launcher))
    assert (child.door, child.listener) == (None, None)
    assert end(launcher, child) == "[0, 1, 2] []\n"


def test_the_referee_never_blocks_at_the_door(launcher: Launcher, public: Path) -> None:
    child = with_door(launcher, make(public, "import time; time.sleep(60)"))
    assert child.door is not None
    with pytest.raises(BlockingIOError):
        fill(child.door[1])
    launcher.stop(child)


def test_a_bot_that_closes_its_door_ends_it(launcher: Launcher, public: Path) -> None:
    """Its processes alone hold its ends: the referee sees that they are closed."""
    text = "import os, sys; os.close(3); os.close(4); os.write(1, b'closed'); sys.stdin.read()"
    child = with_door(launcher, make(public, text))
    assert child.door is not None
    assert heard(child.stdout) == b"closed"
    assert heard(child.door[0]) == b""
    with pytest.raises(BrokenPipeError):
        os.write(child.door[1], b"answer")
    launcher.stop(child)


def test_doors_are_apart(launcher: Launcher, public: Path) -> None:
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


@pytest.mark.usefixtures("root_only")
def test_the_fork_server_has_nothing_where_a_door_is_put(launcher: Launcher) -> None:
    """Or a bot's end could be put in the place of what is still needed to start it."""
    launcher.stop(with_door(launcher, Program(("/bin/true",), "/")))
    ends = [Path(f"/proc/{launcher._server.pid}/fd/{number}") for number in (3, 4)]
    assert [str(end.readlink()) for end in ends] == ["/dev/null", "/dev/null"]


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


def test_the_sandbox_is_proved_with_a_door(launcher: Launcher) -> None:
    name = launcher.sandbox.name.partition(" ")[0]
    prove(launcher, Limits(sandbox=name, door=NAMES))  # type: ignore[arg-type]


# The HTTP endpoint

CLIENT = """\
import os, socket
address = os.environ["ARENA_DOOR_URL"].removeprefix("http://").split(":")
with socket.create_connection((address[0], int(address[1]))) as made:
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    made.settimeout(10)
    made.sendall(b"from " + os.read(0, 9))
    print(made.recv(100).decode(), made.getpeername())
    made.shutdown(socket.SHUT_RDWR)
"""


def test_a_bot_in_bwrap_connects_to_the_referee(in_bwrap: Launcher, public: Path) -> None:
    program = make(public, CLIENT)
    children = [with_door(in_bwrap, program) for _ in range(2)]
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


def test_accepting_never_blocks(in_bwrap: Launcher, public: Path) -> None:
    child = with_door(in_bwrap, make(public, "import sys; sys.stdin.read()"))
    assert child.listener is not None
    with (
        socket.socket(fileno=os.dup(child.listener)) as listener,
        pytest.raises(BlockingIOError),
    ):
        listener.accept()
    in_bwrap.stop(child)


def test_what_waits_in_a_connection_is_bounded(in_bwrap: Launcher, public: Path) -> None:
    """It counts against no limit of a process; so do those that nobody has accepted."""
    program = make(
        public,
        """\
        import socket
        made = []
        try:
            for _ in range(50):
                made.append(socket.create_connection(("127.0.0.1", 8377), 0.3))
        except OSError:
            pass
        held = 0
        for each in made:
            each.setblocking(False)
            try:
                while True:
                    held += each.send(b"x" * 65536)
            except BlockingIOError:
                pass
        print(len(made), held)
        """,
    )
    connections, held = map(int, end(in_bwrap, with_door(in_bwrap, program)).split())
    assert 0 < connections <= 12
    assert 0 < held < connections * (512 << 10)


def test_only_connections_are_let_through(in_bwrap: Launcher, public: Path) -> None:
    program = make(
        public,
        """\
        import socket
        kinds = {
            "tcp": (2, 1, 0), "tcp by number": (2, 1, 6), "udp": (2, 2, 0), "raw": (2, 3, 1),
            "mptcp": (2, 1, 262), "sctp": (2, 1, 132), "tcp over ipv6": (10, 1, 0),
            "unix": (1, 1, 0), "netlink": (16, 3, 0), "packet": (17, 3, 0), "vsock": (40, 1, 0),
            "alg": (38, 5, 0),
        }
        made = []
        for name, kind in kinds.items():
            try:
                made.append(socket.socket(*kind))
                print(name)
            except PermissionError:
                pass
        one = made[0]
        for act in (
            lambda: one.bind(("127.0.0.1", 9000)), one.listen, one.accept,
            lambda: one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20),
            lambda: one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20),
            lambda: one.setsockopt(socket.IPPROTO_IP, socket.IP_TTL, 9),
        ):
            try:
                act()
                print("done")
            except PermissionError:
                pass
        try:
            made[1].connect(("192.0.2.1", 80))
        except OSError as error:
            print(error.strerror)
        """,
    )
    said = end(in_bwrap, with_door(in_bwrap, program))
    assert said == "tcp\ntcp by number\nNetwork is unreachable\n"

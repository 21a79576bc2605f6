"""Hostile programs with a door: past its two pipes, and past the port that it has in bwrap."""

import array
import fcntl
import os
import socket

from common import Facts, attempt, main, raw, say

PORT = 8377
F_SETPIPE_SZ = 1031
MPTCP, SCTP, SMC = 262, 132, 0
_kept = []  # a socket that is forgotten is closed, and then nobody sees it


def connected(address: str, port: int) -> socket.socket:
    """Return a connection that stays open."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    _kept.append(made)
    made.settimeout(0.3)
    made.connect((address, port))
    return made


def tell(address: str, port: int, token: str) -> None:
    connected(address, port).send(token.encode())


def others_endpoint(facts: Facts) -> None:
    """Look for the endpoint of another bot, or of anybody, at every address of the host."""
    for address in ("127.0.0.1", "127.0.0.2", "0.0.0.0", "::1", "localhost", *facts["addresses"]):
        attempt(tell, address, PORT, facts["token"])


def other_addresses(facts: Facts) -> None:
    loopback = ("127.0.0.1", "127.1.2.3", "0.0.0.0", "::1", "::ffff:127.0.0.1", "169.254.169.254")
    for address in (*loopback, *facts["addresses"]):
        attempt(tell, address, facts["tcp_any"], facts["token"])


def serve(facts: Facts) -> None:
    """Listen where the endpoint is, elsewhere, and without an address."""
    for address in (("127.0.0.1", PORT), ("127.0.0.1", 0), ("0.0.0.0", 0), None):
        made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        _kept.append(made)
        if address is not None:
            attempt(made.setsockopt, socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            attempt(made.bind, address)
        attempt(made.listen)


def other_protocols(facts: Facts) -> None:
    """Make sockets that are none of TCP over IPv4, by high bits of an argument too."""
    high = 1 << 32
    for kind in (
        *(
            (2, 1, MPTCP),
            (2, 1, SCTP),
            (43, 1, SMC),
            (2, 2, 0),
            (2, 3, 1),
            (2, 5, SCTP),
            (2, 6, 33),
        ),
        *((10, 1, 0), (1, 1, 0), (1, 2, 0), (16, 3, 0), (17, 3, 0), (38, 5, 0), (40, 1, 0)),
        *((16 | high, 3, 0), (2, 2 | high, 0), (2, 3, 1 | high), (40, 1 | high, 0)),
    ):
        attempt(raw, "socket", *kind)


def options(facts: Facts) -> None:
    """Set what takes memory, or changes what a connection is."""
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    _kept.append(made)
    for level, name, value in (
        *((1, 7, 1 << 22), (1, 8, 1 << 22), (1, 32, 1 << 22), (1, 33, 1 << 22)),  # buffers
        *((1, 15, 1), (1, 60, 1), (1, 75, 1), (1, 36, 7)),  # REUSEPORT, ZEROCOPY, RESERVE_MEM, MARK
        *((6, 19, 1), (6, 23, 5), (6, 30, 1), (0, 1, 16), (0, 15, 1), (0, 2, 9)),
        *((1, 7 | 1 << 32, 1 << 22), (6 | 1 << 32, 19, 1)),
    ):
        cell = array.array("i", [value])
        call = (made.fileno(), level, name, cell.buffer_info()[0], 4)
        if attempt(raw, "setsockopt", *call) is not None:
            say(f"option set: {level} {name}")


def many_connections(facts: Facts) -> None:
    """Fill as many connections as there may be, and never read."""
    for port in (PORT, facts["tcp"]):
        for _ in range(100):
            made = attempt(connected, "127.0.0.1", port)
            if made is None:
                break
            made.setblocking(False)
            try:
                while True:
                    made.send(b"x" * (1 << 20))
            except OSError:
                continue


def pass_descriptors(facts: Facts) -> None:
    """Send an open file to whoever listens: the endpoint, or the host."""
    with open(__file__, "rb") as file:
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [file.fileno()]))]

        def send(family: int, address: object) -> None:
            made = socket.socket(family, socket.SOCK_STREAM)
            _kept.append(made)
            made.connect(address)
            made.sendmsg([facts["token"].encode()], rights)

        attempt(send, socket.AF_INET, ("127.0.0.1", PORT))
        attempt(send, socket.AF_UNIX, facts["unix"])
        attempt(send, socket.AF_UNIX, "\0" + facts["abstract"])


def widen_pipe(facts: Facts) -> None:
    """Make the pipes larger, and fill the one that the referee reads."""
    for number in (3, 4):
        attempt(fcntl.fcntl, number, F_SETPIPE_SZ, 1 << 20)
    os.set_blocking(4, False)
    attempt(fill, 4)


def fill(descriptor: int) -> None:
    while True:
        os.write(descriptor, b"x" * 65536)


def others_answers(facts: Facts) -> None:
    """Read what another bot was answered, from its end of the pipe."""
    for victim in facts["victims"]:
        for number in (3, 4):
            attempt(listen_to, f"/proc/{victim['pid']}/fd/{number}")
            attempt(steal, victim["pid"], number)


def listen_to(path: str) -> None:
    say(os.read(os.open(path, os.O_RDONLY | os.O_NONBLOCK), 1000).decode())


def steal(pid: int, number: int) -> None:
    stolen = raw("pidfd_getfd", os.pidfd_open(pid), number, 0)
    os.set_blocking(stolen, False)
    say(os.read(stolen, 1000).decode())


def forge_requests(facts: Facts) -> None:
    """Ask through another bot's door."""
    for victim in facts["victims"]:
        attempt(write_to, f"/proc/{victim['pid']}/fd/4", facts["token"])


def write_to(path: str, token: str) -> None:
    os.write(os.open(path, os.O_WRONLY | os.O_NONBLOCK), f"{token}\n".encode())


if __name__ == "__main__":
    main(globals())

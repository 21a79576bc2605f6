"""Hostile programs against the network: every way to a socket, and none leaves this machine."""

import socket

from common import Facts, attempt, main, raw, say

OTHER_FAMILIES = (38, 40, 30, 31, 15, 29)  # ALG, VSOCK, TIPC, Bluetooth, KEY, CAN
_kept = []  # a socket that is forgotten is closed, and then nobody sees it


def keep(*arguments: int) -> socket.socket:
    """Make a socket that stays open."""
    made = socket.socket(*arguments)
    _kept.append(made)
    return made


def tcp_connect(facts: Facts) -> None:
    connection = keep(socket.AF_INET, socket.SOCK_STREAM)
    connection.connect(("127.0.0.1", facts["tcp"]))
    connection.send(facts["token"].encode())


def tcp_listen(facts: Facts) -> None:
    listener = keep(socket.AF_INET, socket.SOCK_STREAM)
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    say(f"port {listener.getsockname()[1]}")


def tcp_fast_open(facts: Facts) -> None:
    connection = keep(socket.AF_INET, socket.SOCK_STREAM)
    token = facts["token"].encode()
    connection.sendto(token, socket.MSG_FASTOPEN, ("127.0.0.1", facts["tcp"]))


def udp_send(facts: Facts) -> None:
    sender = keep(socket.AF_INET, socket.SOCK_DGRAM)
    sender.sendto(facts["token"].encode(), ("127.0.0.1", facts["udp"]))


def unix_path(facts: Facts) -> None:
    connection = keep(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.connect(facts["unix"])
    connection.send(facts["token"].encode())


def unix_abstract(facts: Facts) -> None:
    connection = keep(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.connect("\0" + facts["abstract"])
    connection.send(facts["token"].encode())


def unix_listen(facts: Facts) -> None:
    listener = keep(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind("\0bot-" + facts["token"])
    listener.listen()


def pair_to_path(facts: Facts) -> None:
    """Send from one of a pair of sockets to somebody else: no socket(), bind() or connect()."""
    for target in (facts["unix_datagram"], "\0" + facts["abstract_datagram"]):
        for _ in range(2):
            pair = attempt(socket.socketpair, socket.AF_UNIX, socket.SOCK_DGRAM)
            if pair is not None:
                _kept.extend(pair)
                attempt(pair[0].sendto, facts["token"].encode(), target)
                attempt(pair[1].sendmsg, [facts["token"].encode()], [], 0, target)


def netlink(facts: Facts) -> None:
    keep(socket.AF_NETLINK, socket.SOCK_RAW, 0).bind((0, 0))


def packet(facts: Facts) -> None:
    attempt(keep, socket.AF_PACKET, socket.SOCK_RAW, 0)
    attempt(keep, socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)


def other_families(facts: Facts) -> None:
    for family in OTHER_FAMILIES:
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET, socket.SOCK_RAW):
            attempt(keep, family, kind, 0)


def io_uring(facts: Facts) -> None:
    say(f"ring {raw('io_uring_setup', 4, bytes(120))}")


def resolve(facts: Facts) -> None:
    """Ask whoever resolves names, by whatever way the C library finds."""
    say(str(attempt(socket.getaddrinfo, "localhost", facts["tcp"])))
    connection = attempt(socket.create_connection, ("localhost", facts["tcp"]), 0.5)
    if connection is not None:
        _kept.append(connection)
        connection.send(facts["token"].encode())


if __name__ == "__main__":
    main(globals())

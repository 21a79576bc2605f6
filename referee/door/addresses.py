"""IP addresses that a public name may have; pure.

Whoever answers for a name could let it stand for a machine of the organizer's own network. So an
address is taken only if it is one of the internet's, however it is wrapped.
"""

import ipaddress
from collections.abc import Sequence

from referee.allowed import Origin

_TRANSLATED = (
    ipaddress.ip_network("64:ff9b::/96"),  # NAT64, RFC 6052
    ipaddress.ip_network("64:ff9b:1::/48"),  # NAT64 of a network's own, RFC 8215
    ipaddress.ip_network("::/96"),  # IPv4-compatible, RFC 4291
    ipaddress.ip_network("::ffff:0:0/96"),  # IPv4-mapped
    ipaddress.ip_network("::ffff:0:0:0/96"),  # IPv4-translated, RFC 2765
    ipaddress.ip_network("2002::/16"),  # 6to4
    ipaddress.ip_network("2001::/23"),  # protocols', RFC 2928, such as Teredo
    ipaddress.ip_network("3fff::/20"),  # documentation, RFC 9637
    ipaddress.ip_network("fec0::/10"),  # site-local, RFC 3879
    ipaddress.ip_network("5f00::/16"),  # segment routing, RFC 9602
)
"""Networks of IPv6 whose addresses stand for others, or are nobody's; Python calls some global."""
_GLOBAL = ipaddress.ip_network("2000::/3")
_SHARED = (
    ipaddress.ip_network("100.64.0.0/10"),  # carriers' own
    ipaddress.ip_network("192.88.99.0/24"),  # the relays of 6to4
    ipaddress.ip_network("192.0.0.0/24"),  # protocols'
    ipaddress.ip_network("168.63.129.16/32"),  # the host, as a cloud's machines see it
)
_ISATAP = (0x00005EFE, 0x02005EFE)


def is_public(address: str) -> bool:
    """Return whether an address is one of the internet's; False for what is none."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return False
    if not found.is_global or found.is_multicast or found.is_reserved or found.is_unspecified:
        return False
    if isinstance(found, ipaddress.IPv4Address):
        return not any(found in network for network in _SHARED)
    if found.scope_id or found not in _GLOBAL or int(found) >> 32 & 0xFFFFFFFF in _ISATAP:
        return False
    return not any(found in network for network in _TRANSLATED)


def reachable(origin: Origin, answers: Sequence[str]) -> list[str]:
    """Return those of a name's addresses that may be connected to.

    One that is written out has the address that is written.
    """
    if not origin.is_written_out:
        return [address for address in answers if is_public(address)]
    if origin.host == "localhost":
        return ["127.0.0.1", "::1"]
    return [origin.host]

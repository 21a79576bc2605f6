"""Addresses that a public name may have, at the ends of each network that is nobody's."""

import pytest

from referee.allowed import Origin
from referee.door.addresses import is_public, reachable

PUBLIC = (
    *("93.184.216.34", "100.63.255.255", "100.128.0.0", "192.0.1.0", "192.88.98.255"),
    *("192.88.100.0", "168.63.129.15", "168.63.129.17", "2001:4860:4860::8888", "2003::1"),
    *("2001:200::1", "3fff:1000::1", "3ffe::1"),
    *("2001:4860:4860:0:0:5eff:a00:1", "2001:4860:4860:0:5efe:1:a00:1", "2600:5efe::1"),
)
OTHERS = (
    *("", "one", "127.0.0.1", "10.0.0.1", "100.64.0.0", "100.127.255.255", "192.0.0.9"),
    *("192.88.99.0", "192.88.99.255", "168.63.129.16", "224.0.1.1", "255.255.255.255", "0.0.0.0"),
    *("::", "::1", "::5db8:d822", "::ffff:93.184.216.34", "::ffff:0:5db8:d822", "64:ff9b::808:808"),
    *("64:ff9b:1::808:808", "2002:808:808::1", "2001:0:808:808::1", "5f00::1", "4000::1"),
    *("2001:20::1", "2001:2f:ffff::1", "2001:1ff:ffff::1", "2001:2::1", "3fff::1", "3fff:fff::1"),
    *("10.1.2.3", "172.31.0.1", "192.168.1.1", "169.254.169.254", "240.0.0.1", "224.0.0.1"),
    *("fd00::1", "fe80::1%lo", "ff02::1", "::ffff:127.0.0.1", "::7f00:1", "::ffff:0:7f00:1"),
    *("2002:a00:1::1", "64:ff9b::7f00:1", "64:ff9b:1::a00:1", "2606:4700::5efe:a00:1"),
    *("2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:db8::1", "1fff::1"),
    *("fec0::1", "fe80::1", "ff0e::1", "2001:4860:4860::8888%1", "2001:4860:4860::5efe:a00:1"),
    "2001:4860:4860::200:5efe:a00:1",
)


@pytest.mark.parametrize("address", [*PUBLIC, *OTHERS])
def test_an_address_of_the_internet_is_public_and_no_other_is(address: str) -> None:
    assert is_public(address) == (address in PUBLIC)


@pytest.mark.parametrize(
    ("host", "found"),
    [
        ("api.example.org", ["93.184.216.34"]),
        ("localhost", ["127.0.0.1", "::1"]),
        ("10.0.0.5", ["10.0.0.5"]),
    ],
)
def test_a_name_has_its_public_addresses_and_an_address_itself(host: str, found: list[str]) -> None:
    origin = Origin("http", host, 80)
    assert reachable(origin, ["10.0.0.1", "93.184.216.34"]) == found

import re
import subprocess
import sys
from typing import Any

import msgspec
import pytest

from protocol.errors import ArenaError
from referee.door import DoorTerms, TokenPrice, keys_of

PRICES = {"model-x": TokenPrice(input=2.5, output=10.0)}


def test_terms_are_read_as_a_league_has_them() -> None:
    found = msgspec.toml.decode(
        """
        allow = ["api.example.org", "b.example.org:8443", "http://localhost:11434",
                 "https://10.0.0.5:8443", "http://[::1]:8080"]
        keys = { "api.example.org" = "EXAMPLE_KEY", "b.example.org:8443" = "OTHER" }
        headers = { "b.example.org:8443" = "x-api-key: {key}" }
        spend = 5.0
        prices = { "model-x" = { input = 2.5, output = 10.0 } }
        """,
        type=DoorTerms,
    )
    assert found.header_of("api.example.org") == ("authorization", "Bearer {key}")
    assert found.header_of("b.example.org:8443") == ("x-api-key", "{key}")
    assert (found.requests_per_minute, found.at_once, found.outages) == (60, 100, 3)


NO_NAMES = (
    *("", "example", "api.example.org.", ".example.org", "api..example.org", "API.example.org"),
    *("-a.example.org", "bücher.example", "user@api.example.org", "api.example.org/v1"),
    *("api.example.org:0", "api.example.org:99999", "api.example.org:", "api.example.org:a"),
    *("*.example.org", "http://api.example.org", "https://api.example.org", "ftp://localhost"),
    *("localhost", "10.0.0.5", "[::1]", "1.2.3", "127.1", "a.0x7f", "http://127.1"),
    *("http://localhost:1/v1", "http://fe80::1%lo", "api.example.org\n", " api.example.org"),
)


@pytest.mark.parametrize("name", NO_NAMES)
def test_a_name_that_is_none_is_refused_with_a_sentence(name: str) -> None:
    with pytest.raises(ValueError, match=re.escape(repr(name))):
        DoorTerms(allow=(name,))


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"allow": ("a.example", "a.example")}, "twice"),
        ({"allow": ("a.example", "a.example:443")}, "one host and port"),
        ({"allow": ("http://localhost:80", "http://localhost")}, "one host and port"),
        ({"keys": {"b.example": "KEY"}}, "'b.example', which is not in allow"),
        ({"headers": {"b.example": "x-key: {key}"}}, "'b.example', which is not in allow"),
        ({"keys": {"a.example": "sk-secret-0"}}, "not the key itself"),
        ({"headers": {"a.example": "x-key: {key}"}}, "keys has no variable"),
        ({"keys": {"a.example": "K"}, "headers": {"a.example": "x-key"}}, "write it like"),
        ({"keys": {"a.example": "K"}, "headers": {"a.example": "host: {key}"}}, "write it like"),
        ({"keys": {"a.example": "K"}, "headers": {"a.example": "a: {key}\r\n"}}, "write it like"),
        ({"spend": 1.0}, "spend needs prices"),
    ],
)
def test_terms_that_do_not_go_together_are_refused(more: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)) as caught:
        DoorTerms(**{"allow": ("a.example",), **more})
    assert "sk-secret" not in str(caught.value)


def test_keys_come_from_the_environment() -> None:
    terms = DoorTerms(allow=("a.example", "b.example"), keys={"a.example": "A_KEY"})
    assert keys_of(terms, {"A_KEY": " sk-123456 \n", "B": "c"}) == {"a.example": "sk-123456"}
    for environ in ({}, {"A_KEY": ""}, {"A_KEY": " "}):
        with pytest.raises(ArenaError, match="the variable A_KEY is not set"):
            keys_of(terms, environ)
    for key in ("short", "sk-12\n3456", "sk-ключ-123"):
        with pytest.raises(ArenaError, match="A_KEY holds no key") as caught:
            keys_of(terms, {"A_KEY": key})
        assert key not in str(caught.value)


WITHOUT_H11 = """
import sys
sys.modules["h11"] = None
import referee.door, referee.match
from protocol.errors import ArenaError
terms = referee.door.DoorTerms(allow=("api.example.org",))
try:
    referee.door.Door(terms, {}, {}).__enter__()
except ArenaError as error:
    print(error)
"""


def test_without_the_extra_all_is_as_before_until_a_door_is_to_be_opened() -> None:
    words = [sys.executable, "-c", WITHOUT_H11]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=30)
    says = "the door needs h11, which is not installed: pip install 'bot-arena[door]'.\n"
    assert done.stdout == says

import re
import subprocess
import sys
from typing import Any

import msgspec
import pytest

from protocol.errors import ArenaError, installing
from referee.allowed import allowed_of
from referee.door import DoorTerms, keys_of


def test_terms_are_read_as_a_league_has_them() -> None:
    found = msgspec.toml.decode(
        """
        allow = ["POST https://api.example.org/v1/chat/completions",
                 "GET https://b.example.org:8443/v1/*?version=2", "POST http://[::1]:8080/"]
        keys = { "https://api.example.org" = "EXAMPLE_KEY", "https://b.example.org:8443" = "OTHER" }
        bot_keys = { sage = { "https://api.example.org" = "SAGE_KEY" } }
        headers = { "https://b.example.org:8443" = "x-api-key: {key}" }
        spend = 5.0
        prices = { "model-x" = { input = 2.5, output = 10.0 } }
        """,
        type=DoorTerms,
    )
    assert found.header_of("https://api.example.org") == ("authorization", "Bearer {key}")
    assert found.header_of("https://b.example.org:8443") == ("x-api-key", "{key}")
    assert found.variables_of("sage") == {**found.keys, "https://api.example.org": "SAGE_KEY"}
    assert found.variables_of("other") == found.keys
    assert (found.requests_per_minute, found.at_once, found.outage_wait) == (60, 100, 300)


def post(url: str) -> str:
    return f"POST {url}"


NO_HOSTS = (
    *("example", "api.example.org.", ".example.org", "api..example.org", "API.example.org", ""),
    *("-a.example.org", "bücher.example", "user@api.example.org", "1.2.3", "127.1", "a.0x7f"),
    *("api.example.org:0", "api.example.org:99999", "api.example.org:", "api.example.org:a"),
    *("*.example.org", "api.example.org\n", " api.example.org", "fe80::1", "[fe80::1%lo]"),
    *("api.example.org:443", "api.example.org:0443", "[0::1]"),
)
NO_REQUESTS = (
    *(post(f"https://{host}/v1") for host in NO_HOSTS),
    *("", "POST", "https://api.example.org/v1", "PUT https://api.example.org/v1"),
    *("post https://api.example.org/v1", "POST  https://api.example.org/v1", "POST /v1"),
    *map(post, ("http://api.example.org/v1", "ftp://localhost/v1", "//localhost/v1")),
    *(
        post(f"https://api.example.org{rest}")
        for rest in ("", "v1", "//v1", "/v1//a", "/./a", "/../a", "/a/..", "/a*", "/**", "/a b")
    ),
    *(
        post(f"https://api.example.org/{rest}")
        for rest in ("%2f", "a%20b", "a;b", "a,b", "a#b", "ä", "a?", "a?b=*", "a?b=/c", "a?b?c")
    ),
)


@pytest.mark.parametrize("entry", NO_REQUESTS)
def test_a_request_that_is_none_is_refused_with_a_sentence(entry: str) -> None:
    with pytest.raises(ValueError, match=r"write|take") as caught:
        DoorTerms(allow=(entry,))
    assert repr(entry)[-9:-1] in str(caught.value)


@pytest.mark.parametrize(
    ("entry", "line"),
    [
        ("api.example.org", "POST https://api.example.org/v1/chat/completions"),
        ("https://b.example.org:8443/", "POST https://b.example.org:8443/v1/chat/completions"),
        ("GET c.example.org", "GET https://c.example.org/v1/chat/completions"),
        ("http://c.example.org", "POST https://c.example.org/v1/chat/completions"),
        ("127.0.0.1:8080", "POST http://127.0.0.1:8080/v1/chat/completions"),
        ("PUT https://c.example.org/api/x", "POST https://c.example.org/api/x"),
        ("http://localhost:11434", "POST http://localhost:11434/v1/chat/completions"),
    ],
)
def test_a_host_alone_is_refused_with_the_line_to_write(entry: str, line: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f"like {line!r}")):
        DoorTerms(allow=(entry,))
    assert DoorTerms(allow=(line,))


def test_an_entry_covers_what_it_lets_through() -> None:
    wide = allowed_of("POST https://a.example/v1/*/files/*")
    for narrow in ("POST https://a.example/v1/x/files/y:z", str(wide)):
        assert wide.covers(allowed_of(narrow))
    for other in (
        *("GET https://a.example/v1/x/files/y", "POST https://a.example/v1/x/files/y/z"),
        *("POST https://b.example/v1/x/files/y", "POST https://a.example/v1/x/files/y?a=b"),
        *("POST https://a.example:81/v1/x/files/y", "POST https://a.example/v1/x/files/"),
    ):
        assert not wide.covers(allowed_of(other))
    assert not allowed_of("POST https://a.example/v1/x/files/y").covers(wide)


A = "https://a.example"


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"allow": (f"GET {A}/v1", f"GET {A}/v1")}, "twice"),
        ({"allow": ("GET http://[::1]:1/", "GET https://[::1]:1/")}, "one host and port"),
        ({"keys": {"https://b.example": "KEY"}}, "'https://b.example', to which allow lets"),
        ({"keys": {"a.example": "KEY"}}, "'a.example' is no origin: write it like https://"),
        ({"headers": {"https://b.example": "x-key: {key}"}}, "'https://b.example', to which"),
        ({"keys": {A: "sk-secret-0"}}, "not the key itself"),
        ({"bot_keys": {"sage": {A: "sk-secret-0"}}}, "bot_keys of sage has 'sk-…'"),
        ({"bot_keys": {"sage": {f"{A}/v1": "KEY"}}}, "is no origin"),
        ({"headers": {A: "x-key: {key}"}}, "keys has no variable"),
        ({"keys": {A: "K"}, "headers": {A: "x-key"}}, "write it like"),
        ({"keys": {A: "K"}, "headers": {A: "host: {key}"}}, "write it like"),
        ({"keys": {A: "K"}, "headers": {A: "a: {key}\r\n"}}, "write it like"),
        ({"spend": 1.0}, "spend needs prices"),
    ],
)
def test_terms_that_do_not_go_together_are_refused(more: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)) as caught:
        DoorTerms(**{"allow": (f"POST {A}/v1",), **more})
    assert "sk-secret" not in str(caught.value)


def test_keys_come_from_the_environment() -> None:
    terms = DoorTerms(
        allow=(f"POST {A}/v1",), keys={A: "A_KEY"}, bot_keys={"sage": {A: "SAGE_KEY"}}
    )
    environ = {"A_KEY": " sk-123456 \n", "SAGE_KEY": "sk-654321", "B": "c"}
    assert keys_of(terms, environ, ["sage"]) == {"SAGE_KEY": "sk-654321"}
    for lacking in ({}, {"A_KEY": ""}, {"A_KEY": " "}):
        with pytest.raises(ArenaError, match="the variable A_KEY is not set"):
            keys_of(terms, lacking, ["other", "sage"])
    with pytest.raises(ArenaError, match="the variable SAGE_KEY is not set"):
        keys_of(terms, {**environ, "SAGE_KEY": ""}, ["sage"])
    for key in ("short", "sk-12\n3456", "sk-ключ-123"):
        with pytest.raises(ArenaError, match="A_KEY holds no key") as caught:
            keys_of(terms, {"A_KEY": key}, ["other"])
        assert key not in str(caught.value)


WITHOUT_H11 = """
import sys
sys.modules["h11"] = None
import referee.door, referee.match.match
from protocol.errors import ArenaError
from protocol.errors import ArenaError, installing
terms = referee.door.DoorTerms(allow=("POST https://api.example.org/v1",))
try:
    referee.door.Door(terms, {}, {}).__enter__()
except ArenaError as error:
    print(error)
"""


def test_without_the_extra_all_is_as_before_until_a_door_is_to_be_opened() -> None:
    words = [sys.executable, "-c", WITHOUT_H11]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=30)
    says = f"the door needs h11, which is not installed: {installing('door')}.\n"
    assert done.stdout == says

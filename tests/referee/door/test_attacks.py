"""Every attack ends as its row says: see attacks.py."""

import base64
import gzip
import json
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from referee.door import TurnUsage
from tests.provider import Provider
from tests.referee.door.at_the_door import API, COMPLETIONS, KEY, PUBLIC, Caller, chat, opened
from tests.referee.door.attacks import ATTACKS, Attack

FORMS = (
    KEY,
    KEY[::-1],
    KEY.encode().hex(),
    base64.b64encode(KEY.encode()).decode()[:20],
    KEY.removeprefix("sk-"),
    "%73%6b%2d",
    "&#115;&#107;",
    "\\u0073\\u006b",
)


def test_there_are_many_attacks_and_each_has_a_name_of_its_own() -> None:
    slugs = [attack.slug for attack in ATTACKS]
    assert len(slugs) == len(set(slugs)) >= 150


def texts(answer: Any) -> str:
    """Return all that a bot could read of an answer, whichever way it looks."""
    found = str(answer)
    if isinstance(answer, dict) and "body64" in answer:
        raw = base64.b64decode(answer["body64"])
        if raw.startswith(b"\x1f\x8b"):
            raw = gzip.decompress(raw)
        found += "".join(
            raw.decode(encoding, "replace") for encoding in ("latin-1", "utf-16", "utf-32-be")
        )
    for word in str(answer.get("body", "")).replace("\0", "").split():
        for decode in (base64.b64decode, base64.urlsafe_b64decode):
            try:
                found += decode(word + "=" * (-len(word) % 4)).decode("latin-1")
            except ValueError:
                continue
    return found.replace("\0", "")


def made(attack: Attack, caller: Caller, listening: socket.socket, trap: int) -> dict[str, Any]:
    if attack.raw is not None:
        got = b""
        with socket.create_connection(listening.getsockname(), timeout=10) as connection:
            with suppress(OSError):
                connection.sendall(attack.raw.replace(b"{trap}", b"%d" % trap))
            while b"}" not in got and (piece := connection.recv(65536)):
                got += piece
        head, _, body = got.partition(b"\r\n\r\n")
        status = int(head.split()[1])
        found = {"status": status, "body": body.decode()}
        if status >= 400:
            first, _ = json.JSONDecoder().raw_decode(body.decode())
            found["error"] = first["error"]["message"]
        return found
    if attack.line is not None:
        caller.send(attack.line)
        answer = caller.read()
        assert answer is not None
        return answer
    more = dict(attack.more)
    if attack.group in ("name", "key", "provider") and "body" not in more:
        more["body"] = chat()
    return caller.ask(attack.url, **more)


@pytest.mark.parametrize(
    "attack",
    [  # one waits for its second try
        pytest.param(each, id=each.slug, marks=[pytest.mark.slow] * (each.slug == "dns-rebinding"))
        for each in ATTACKS
    ],
)
def test_an_attack_ends_as_is_said(
    attack: Attack, provider: Provider, trap: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in attack.environ.items():
        monkeypatch.setenv(name, value.format(trap=trap))
    if attack.behaviour is not None:
        text = json.dumps(attack.behaviour).replace("{trap}", str(trap))
        provider.behave(**json.loads(text))
    names = {"api.example.org": [[*each] for each in attack.answers or [[PUBLIC]]]}
    wait = 2.0 if attack.slug == "dns-rebinding" else 0.0
    with (
        socket.create_server(("127.0.0.1", 0)) as listening,
        opened(provider, trap, names=names, spend=attack.spend, outage_wait=wait) as door,
    ):
        caller = Caller(door, *API, listener=listening.fileno())
        caller.client.begin_turn()
        answer = made(attack, caller, listening, trap)
        used = caller.client.end_turn()
        caller.close()
    judge(attack, answer, used, provider.forget())
    assert KEY.lower() not in texts(answer).lower()


def judge(
    attack: Attack, answer: dict[str, Any], used: TurnUsage, seen: list[dict[str, Any]]
) -> None:
    if attack.expects == "refused":
        assert answer["error"]
        assert not used.outage
        assert (seen, used.requests) == ([], 0)
    elif attack.expects == "unreached":
        assert "error" in answer
        assert used.outage
        assert len(seen) == (attack.behaviour is not None)
    elif attack.expects == "hidden":
        assert len(seen) == 1
        small = texts(answer).lower()
        assert not [form for form in FORMS if form.lower() in small]
        assert seen[0]["headers"]["authorization"] == f"Bearer {KEY}"
    else:
        [request] = seen
        assert request["first"].split(" ")[1:] == [attack.url.partition("org")[2], "HTTP/1.1"]
        assert request["headers"]["host"] == "api.example.org"
        assert request["headers"]["authorization"] == f"Bearer {KEY}"
        assert len(request["lines"]) == len(request["headers"])
        told = attack.more.get("headers", {})
        for name in attack.absent:
            values = [value for key, value in told.items() if key.lower() == name]
            assert request["headers"].get(name) not in ([*values, "own", "a=b"])
        if attack.expects == "as it is":
            assert attack.behaviour is not None
            assert answer["status"] == attack.behaviour["status"]
            assert "location" in answer["headers"]
        else:
            assert answer["status"] == 200


def test_a_certificate_of_another_name_is_refused(provider: Provider, trap: int) -> None:
    name = "third.example.org"
    entry = f"GET https://{name}/v1"
    terms = {"allow": (entry,), "keys": {}, "names": {name: [[PUBLIC]]}}
    with opened(provider, trap, **terms) as door:
        caller = Caller(door, entry)
        answer, used = caller.turn(f"https://{name}/v1")
        caller.close()
    assert "certificate" in answer["error"]
    assert name in used.outage
    assert provider.forget() == []


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({}, "certificate"),
        pytest.param({"plain": True}, "no whole answer within 5 s", marks=pytest.mark.slow),
    ],
    ids=["of an unknown authority", "without TLS"],
)
def test_a_provider_of_an_unknown_authority_or_without_tls_is_refused(
    how: dict[str, bool], says: str, trap: int, provider: Provider
) -> None:
    with Provider(*[] if how else ["api.example.org"], **how) as other:
        with opened(other, trap) as door:
            caller = Caller(door, *API)
            answer, used = caller.turn(COMPLETIONS, body=chat())
            caller.close()
        assert says in used.outage
        assert "error" in answer
        assert other.forget() == []


def test_the_handshake_names_the_name_that_is_asked(provider: Provider, trap: int) -> None:
    names = ["api.example.org", "second.example.org"]
    with opened(provider, trap) as door:
        caller = Caller(door, *(f"GET https://{name}/v1/*" for name in names))
        for name in names:
            url = f"https://{name}/v1/models"
            answer, _ = caller.turn(url, headers={"host": "api.example.org"})
            assert answer["status"] == 200
        caller.close()
    assert provider.sni[-2:] == names
    first, second = provider.forget()
    assert [first["headers"]["host"], second["headers"]["host"]] == names
    assert "authorization" not in second["headers"]  # the key is the first name's


@pytest.mark.parametrize(("seconds", "wait"), [(0.0, 0.0), (0.1, 0.2), (0.1, 0.0)])
def test_a_second_answer_to_one_request_is_no_other_bots(
    seconds: float, wait: float, provider: Provider, call: Callable[..., Caller]
) -> None:
    one = call(at_once=1)
    other = Caller(one.door, *API, bot="other", key="match/1")
    provider.behave("twice", times=1, seconds=seconds)
    for caller in (one, other):
        answer, _ = caller.turn(COMPLETIONS, body=chat())
        assert "poisoned" not in str(answer)
        time.sleep(wait)
    other.close()

"""What the provider does wrong: it is asked again, the bot's time is held, and then the match."""

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from protocol.errors import ArenaError
from tests.provider import Provider
from tests.referee.door.at_the_door import API, COMPLETIONS, Caller, chat

Call = Callable[..., Caller]
BROKEN: dict[str, dict[str, Any]] = {
    **{kind: {} for kind in ("garbage", "half", "closed", "length", "switch")},
    "limited": {"seconds": 0},
    "status": {"status": 503},
    "timed out": {"status": 408},
    "conflict": {"status": 409},
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_request_is_tried_again_until_the_provider_is_well_or_its_time_is_over(
    kind: str, provider: Provider, call: Call
) -> None:
    behaves = "status" if "status" in BROKEN[kind] else kind
    provider.behave(behaves, times=2, **BROKEN[kind])
    answer, used = call(outage_wait=5.0).turn(COMPLETIONS, body=chat())
    assert (answer["status"], used.outage, used.requests) == (200, "", 3)
    assert len({each["headers"]["idempotency-key"] for each in provider.forget()}) == 1
    assert used.held > 0.3 * (kind != "limited")
    provider.behave(behaves, **BROKEN[kind])
    began = time.monotonic()
    answer, used = call(outage_wait=0.6).turn(COMPLETIONS, body=chat())
    assert time.monotonic() - began < 3
    assert "api.example.org" in answer["error"]
    assert "has the fault `outage`" in answer["error"]
    assert used.outage.startswith("https://api.example.org: ")
    assert used.requests == len(provider.forget()) >= 2
    assert used.cost == 0


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_a_key_that_is_refused_is_an_outage_and_a_mistake_of_the_bot_is_answered(
    status: int, provider: Provider, call: Call
) -> None:
    """Neither is tried again."""
    provider.behave("status", status=status)
    answer, used = call(outage_wait=60.0).turn(COMPLETIONS, body=chat())
    assert used.requests == 1
    if status in (401, 403):
        assert "EXAMPLE_KEY" in used.outage
        assert str(status) in answer["error"]
    else:
        assert (answer["status"], used.outage) == (status, "")


@pytest.mark.slow
def test_a_provider_that_does_not_listen_is_waited_for(provider: Provider, call: Call) -> None:
    caller = call(outage_wait=10.0)
    provider.behave("refused", seconds=1.0)
    answer, used = caller.turn(COMPLETIONS, body=chat())
    assert (answer["status"], used.requests) == (200, 1)
    assert used.held > 0.8


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "seconds"), [("slow", 30), ("drip", 0.01)])
def test_an_endless_answer_is_an_outage(
    kind: str, seconds: float, provider: Provider, call: Call
) -> None:
    provider.behave(kind, seconds=seconds)
    _, used = call(timeout=1.0).turn(COMPLETIONS, body=chat())
    assert used.outage == "https://api.example.org: no whole answer within 1 s."


@pytest.mark.slow
def test_the_provider_says_when_to_try_again(provider: Provider, call: Call) -> None:
    caller = call(outage_wait=10.0)
    provider.behave("limited", seconds=1, times=1)
    answer, used = caller.turn(COMPLETIONS, body=chat())
    assert answer["status"] == 200
    assert 0.9 < used.held < 2
    provider.behave("limited", seconds=11)
    began = time.monotonic()
    _, used = caller.turn(COMPLETIONS, body=chat("more"))
    assert time.monotonic() - began < 1, "beyond its time it is not waited for"
    assert used.outage == "https://api.example.org: it answered 429."


def test_the_time_that_is_held_shows_during_the_turn(provider: Provider, call: Call) -> None:
    caller = call(outage_wait=0.7)
    provider.behave("status", status=500)
    caller.client.begin_turn()
    began = time.monotonic()
    caller.send({"id": 1, "url": COMPLETIONS, "body": chat()})
    time.sleep(0.3)
    held = caller.client.held
    assert 0.1 < held < time.monotonic() - began
    assert caller.read()
    used = caller.client.end_turn()
    assert used.outage
    assert 0.3 < used.held < 1.5
    caller.client.begin_turn()
    assert not caller.client.end_turn().outage, "the next turn is another"


def test_a_bot_has_so_much_time_for_outages_in_a_match_and_those_at_once_count_once(
    provider: Provider, call: Call
) -> None:
    caller = call(outage_wait=1.0)
    provider.behave("status", status=503)
    caller.client.begin_turn()
    began = time.monotonic()
    for number in range(3):
        caller.send({"id": number, "url": COMPLETIONS, "body": chat(str(number))})
    assert all(caller.read() for _ in range(3))
    assert 0.5 < time.monotonic() - began < 2.0
    assert caller.client.end_turn().outage
    began = time.monotonic()
    assert caller.turn(COMPLETIONS, body=chat("again"))[1].outage
    assert time.monotonic() - began < 0.5, "it has none left"
    caller.client.enter(caller.exchanges, "another match")
    began = time.monotonic()
    assert caller.turn(COMPLETIONS, body=chat("anew"))[1].outage
    assert time.monotonic() - began > 0.5


PROBE = "GET https://api.example.org/v1/models"


def test_an_outage_of_a_provider_that_all_share_is_nobodys_if_our_own_request_fails_too(
    provider: Provider, call: Call
) -> None:
    caller = call(outage_wait=0.0, shared=(PROBE,), absence=20.0)
    provider.behave("status", status=503, times=4, then={"kind": "good"})
    answer, used = caller.turn(COMPLETIONS, body=chat())
    assert (answer["status"], used.outage) == (200, "")
    assert used.held > 0.3
    asked = [each for each in provider.forget() if each["first"].startswith("GET /v1/models ")]
    assert asked
    assert asked[0]["headers"]["authorization"].startswith("Bearer ")
    assert len(caller.told) == 1
    assert "does not answer our own request (it answered 503)" in caller.told[0]


def test_what_fails_while_our_own_request_is_answered_is_the_bots(
    provider: Provider, call: Call
) -> None:
    caller = call(outage_wait=0.0, shared=(PROBE,), absence=20.0)
    provider.behave("forbids")
    used = caller.turn(COMPLETIONS.replace("chat/completions", "forbidden"), body=chat())[1]
    assert used.outage
    assert not caller.told


def test_a_match_is_left_when_a_provider_was_away_too_long_or_refuses_our_key(
    provider: Provider, call: Call
) -> None:
    for status, said in ((503, "go on in the next run"), (401, "refuses the key in EXAMPLE_KEY")):
        caller = call(outage_wait=0.0, shared=(PROBE,), absence=0.3)
        provider.behave("status", status=status)
        with pytest.raises(ArenaError, match=said):
            caller.turn(COMPLETIONS, body=chat())


class Unhurried:
    """A lock that is taken after a pause, so that other threads come between."""

    def __init__(self, lock: threading.Lock) -> None:
        self.lock = lock

    def __enter__(self) -> None:
        time.sleep(0.01)
        self.lock.acquire()

    def __exit__(self, *_: object) -> None:
        self.lock.release()


def test_no_time_that_was_held_is_lost_as_the_turn_ends(call: Call) -> None:
    caller = call(requests_per_minute=1)
    assert caller.turn(COMPLETIONS, body=chat())[1].requests == 1
    session: Any = caller.client._session
    session.lock = Unhurried(session.lock)
    caller.client.begin_turn()
    caller.send({"id": 1, "url": COMPLETIONS, "body": chat()})
    while caller.client.held < 0.1:
        time.sleep(0.01)
    assert caller.client.end_turn().held >= 0.1


@pytest.mark.slow
def test_our_own_rates_hold_bots_up_and_are_kept(provider: Provider, call: Call) -> None:
    caller = call(requests_per_minute=3, at_once=2)
    provider.behave("slow", seconds=0.4)
    caller.client.begin_turn()
    for number in range(4):
        caller.send({"id": number, "url": COMPLETIONS, "body": chat(str(number))})
    assert [caller.read(2.0) is not None for _ in range(4)] == [True, True, True, False]
    used = caller.client.end_turn()
    assert provider.count["most_at_once"] == 2
    assert used.requests == len(provider.forget()) == 3
    assert used.held > 2.0
    cut = caller.read(1.0)
    assert cut is not None
    assert "turn ended" in cut["error"]


def test_rates_stop_a_clock_for_so_long_in_a_match_and_no_longer(call: Call) -> None:
    caller = call(requests_per_minute=1, held_seconds=0.3)
    assert caller.turn(COMPLETIONS, body=chat())[1].requests == 1
    for most in (0.3, 0.0):
        caller.client.begin_turn()
        caller.send({"id": 1, "url": COMPLETIONS, "body": chat()})
        time.sleep(0.5)
        assert caller.client.held == pytest.approx(most, abs=0.05)
        caller.client.end_turn()


def test_no_bot_uses_up_the_rate_of_another(provider: Provider, call: Call) -> None:
    hog = call(requests_per_minute=4, bots=2)
    other = Caller(hog.door, *API, bot="other")
    hog.client.begin_turn()
    other.client.begin_turn()
    for number in range(9):
        hog.send({"id": number, "url": COMPLETIONS, "body": chat(str(number))})
    assert [hog.read(1.0) is not None for _ in range(3)] == [True, True, False]
    other.send({"id": 1, "url": COMPLETIONS, "body": chat("mine")})
    answer = other.read(1.0)
    assert answer
    assert answer["status"] == 200
    other.close()

"""When a bot is heard: during its turns alone; what it takes, and what becomes of what is open."""

import contextlib
import json
import os
import random
import select
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.errors import ArenaError, ProtocolError
from referee.allowed import allowed_of
from referee.door import NOTHING, MadeRequest, Remembered, SeenAnswer, TokenPrice, Usage
from referee.door.turn_usage import Held, held_up
from referee.door.usage import Metering
from tests.provider import Provider
from tests.referee.door.at_the_door import API, COMPLETIONS, KEY, Caller, chat, opened

Call = Callable[..., Caller]


def test_a_bot_is_not_heard_before_its_turn(provider: Provider, call: Call) -> None:
    caller = call()
    for _ in range(2):
        caller.send({"id": 1, "url": COMPLETIONS, "body": chat()})
        assert caller.read(0.2) is None
        assert provider.forget() == []
        caller.client.begin_turn()
        assert caller.read() is not None
        assert caller.client.end_turn().requests == 1
        provider.forget()


@pytest.mark.slow
def test_what_is_open_when_a_turn_ends_is_answered_with_an_error_but_counted(
    provider: Provider, call: Call
) -> None:
    before = provider.count
    caller = call()
    provider.behave("slow", seconds=0.5)
    caller.client.begin_turn()
    caller.send({"id": 1, "url": COMPLETIONS, "body": chat()})
    time.sleep(0.2)
    first = caller.client.end_turn()
    answer = caller.read(0.2)
    assert answer is not None
    assert "turn ended" in answer["error"]
    assert (first.requests, first.cost) == (1, 0.0)
    caller.client.begin_turn()
    assert caller.read(0.6) is None, "nobody thinks for a bot while others play"
    second = caller.client.end_turn()
    after = provider.count
    assert first.cost + second.cost == pytest.approx(after["cost"] - before["cost"])
    assert second.tokens_in == 2
    assert isinstance(caller.exchanges, Remembered)
    assert len(caller.exchanges.kept) == 1


def test_many_bots_ask_from_many_threads(provider: Provider, trap: int) -> None:
    before = provider.count
    failures: list[Exception] = []
    cost = [0.0] * 20
    with opened(provider, trap) as door:

        def play(number: int) -> None:
            caller = Caller(door, *API, bot=f"b{number % 3}", key=f"m/{number}")
            try:
                for turn in range(5):
                    answer, used = caller.turn(COMPLETIONS, body=chat(f"{number} {turn}"))
                    assert answer["status"] == 200
                    assert str(turn) in answer["body"]
                    cost[number] += used.cost
                assert caller.close() is NOTHING
            except Exception as error:  # noqa: BLE001 - asserted below
                failures.append(error)

        threads = [threading.Thread(target=play, args=(number,)) for number in range(len(cost))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failures == []
        assert sum(door.spent.values()) == pytest.approx(sum(cost))
    assert sum(cost) == pytest.approx(provider.count["cost"] - before["cost"])


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("path", ["chat/completions", "messages"])
def test_a_bot_is_answered_and_what_it_takes_is_counted_as_the_provider_counts_it(
    path: str, stream: bool, provider: Provider, call: Call
) -> None:
    before = provider.count
    caller = call()
    body = chat("a b c d", stream=stream)
    answer, used = caller.turn(f"https://api.example.org/v1/{path}", body=body)
    assert answer["status"] == 200
    [seen] = provider.forget()
    assert seen["headers"]["authorization"] == f"Bearer {KEY}"
    assert KEY not in str(answer)
    after = provider.count
    assert used.requests == after["requests"] - before["requests"] == 1
    assert used.tokens_in == after["tokens_in"] - before["tokens_in"] == 4
    assert used.tokens_out == after["tokens_out"] - before["tokens_out"] == 3
    assert used.cost == pytest.approx(after["cost"] - before["cost"])
    assert (used.sent, used.got) == (len(body), len(answer["body"]))
    assert caller.door.spent == {"mine": used.cost}


def test_a_bot_that_has_spent_all_may_ask_no_more(call: Call) -> None:
    caller = call(spend=0.00006, spent={"mine": 0.00002})
    answer, used = caller.turn(COMPLETIONS, body=chat())
    assert answer["status"] == 200
    answer, used = caller.turn(COMPLETIONS, body=chat("again and again"))
    assert answer["status"] == 200
    answer, used = caller.turn(COMPLETIONS, body=chat("and again"))
    assert (answer["status"], used.requests, used.outage) == (402, 0, "")
    said = "mine has cost 9.25e-05 in this league, of the 6e-05 that [door] allows."
    assert json.loads(answer["body"])["error"]["message"] == said
    answer, used = caller.turn(COMPLETIONS, body=chat("and again"))
    assert answer["status"] == 402, "it is kept, so that it is answered so once more"
    assert caller.told == [f"{said} Its requests are answered 402 from now on."]
    other = Caller(caller.door, *API, bot="b")
    answer, used = other.turn(COMPLETIONS, body=chat())
    assert answer["status"] == 200
    other.close()


def test_where_there_is_a_limit_of_spend_what_is_not_metered_is_counted_by_its_bytes(
    provider: Provider, call: Call
) -> None:
    provider.behave("unmetered")
    body = chat()
    answer, used = call(spend=1.0).turn(COMPLETIONS, body=body)
    assert (used.tokens_in, used.tokens_out) == (len(body), len(answer["body"]))
    assert used.cost > 0


def test_a_bot_may_have_a_key_of_its_own(provider: Provider, trap: int) -> None:
    own = KEY.replace("Secret", "Others")
    terms = {"bot_keys": {"sage": {"https://api.example.org": "SAGE_KEY"}}}
    held = {"EXAMPLE_KEY": KEY, "SAGE_KEY": own}
    with opened(provider, trap, held=held, **terms) as door:
        for name, key in (("sage", own), ("other", KEY)):
            caller = Caller(door, *API, name=name)
            answer, _ = caller.turn(COMPLETIONS, body=chat())
            [seen] = provider.forget()
            assert seen["headers"]["authorization"] == f"Bearer {key}"
            provider.behave("echo", form="body", times=1)
            answer, _ = caller.turn(COMPLETIONS, body=chat(name))
            assert own not in str(answer)
            assert KEY not in str(answer)
            caller.close()
            provider.forget()


BODY = chat().encode()
PRICES = {
    "model-x": TokenPrice(input=2.0, output=10.0),
    "model-y": TokenPrice(input=3.0, output=5.0),
    "org/model": TokenPrice(input=7.0, output=7.0),
}


@pytest.mark.parametrize(
    ("entry", "rest", "body", "price"),
    [
        ("/v1/chat", "/v1/chat", BODY, (2, 10)),
        ("/v1/chat", "/v1/chat", chat(models=["model-y"]).encode(), (3, 10)),
        ("/v1/chat", "/v1/chat", chat(fallbacks=[{"model": "model-y"}]).encode(), (3, 10)),
        ("/v1/chat", "/v1/chat", chat(models=None, tools=[{"name": "z"}]).encode(), (2, 10)),
        ("/models/model-y:askNow", "/models/model-y:askNow", b"{}", (3, 5)),
        ("/models/*", "/models/model-y:askNow", BODY, (3, 10)),
        ("/models/*/*/ask", "/models/org/model/ask", b"{}", (7, 7)),
        ("/ask?model=model-y", "/ask?model=model-y", b"{}", (3, 5)),
        ("/v1/chat", "/v1/chat", b"{}", None),
        ("/v1/chat", "/v1/chat", b"model=model-x", None),
        ("/models/*", "/models/model-z", BODY, None),
        ("/models/*", "/models/model-xx", BODY, None),
        ("/models/*/*/ask", "/models/org/other/ask", BODY, None),
        ("/v1/chat", "/v1/chat", chat(MODEL="model-z").encode(), None),
        ("/v1/chat", "/v1/chat", chat(model_id=3).encode(), None),
        ("/v1/chat", "/v1/chat", chat(model={"id": "model-y"}).encode(), (3, 5)),
        ("/v1/chat", "/v1/chat", chat(tools=[{"model": {"type": "string"}}]).encode(), (2, 10)),
        ("/v1/chat", "/v1/chat", chat(model={"id": "z", "engine": "model-x"}).encode(), None),
        ("/v1/chat", "/v1/chat", chat(context_window_fallbacks=["z"]).encode(), None),
        ("/v1/chat", "/v1/chat", chat(a={"manualMode": {"modelName": "z"}}).encode(), None),
        ("/v1/chat", "/v1/chat", chat(service_tier="priority").encode(), None),
        ("/models/*", "/models/model-x:405b", b"{}", None),
        ("/v1/chat", "/v1/chat", '{"model": "model-x", "model\u017f": ["z"]}'.encode(), None),
    ],
)
def test_a_price_is_that_of_the_dearest_model_that_is_named(
    entry: str, rest: str, body: bytes, price: tuple[int, int] | None
) -> None:
    allowed = allowed_of(f"POST https://api.example.org{entry}")
    strict = Metering(PRICES, strict=True)
    if price is None:
        with pytest.raises(ProtocolError, match="limit of spend, and"):
            strict.price_of(allowed, rest, body)
    else:
        found = strict.price_of(allowed, rest, body)
        assert found == TokenPrice(input=price[0], output=price[1])
        assert Metering(PRICES, strict=False).price_of(allowed, rest, body) == found


def test_a_match_that_goes_on_pays_nothing_twice(provider: Provider, trap: int) -> None:
    exchanges = Remembered()
    answers: list[list[Any]] = []
    with opened(provider, trap) as door:
        for _ in range(2):
            caller = Caller(door, *API, exchanges=exchanges, key="m/0")
            # The same is asked twice: each time may have an answer of its own.
            turns = [caller.turn(COMPLETIONS, body=chat(text)) for text in ("a", "a", "b")]
            answers.append([answer["body"] for answer, _ in turns])
            visits = [used for _, used in turns]
            caller.close()
        assert answers[0] == answers[1]
        assert len(set(answers[0])) == 3
        assert len(provider.forget()) == 3
        assert [(used.requests, used.repeated, used.cost) for used in visits] == [(0, 1, 0)] * 3
        caller = Caller(door, *API, exchanges=exchanges, key="m/1")
        _, used = caller.turn(COMPLETIONS, body=chat("a"))
        assert used.requests == 1, "another seat has another key"
        caller.client.enter(exchanges, "m/0")
        _, used = caller.turn(COMPLETIONS, body=chat("a"))
        assert used.repeated == 1
        caller.close()


def test_a_provider_that_honours_the_key_counts_a_lost_answer_once(
    provider: Provider, call: Call
) -> None:
    before = provider.count
    for _ in range(2):
        call().turn(COMPLETIONS, body=chat("lost"))
    after = provider.count
    assert after["requests"] - before["requests"] == 2
    assert after["completions"] - before["completions"] == 1


class Failing(Remembered):
    def keep(self, asked: MadeRequest, answered: SeenAnswer, usage: Usage) -> None:
        raise OSError("no space left")


def test_what_cannot_be_kept_is_raised_where_the_turn_ends(provider: Provider, trap: int) -> None:
    with opened(provider, trap) as door:
        caller = Caller(door, *API, exchanges=Failing())
        caller.client.begin_turn()
        assert "not your doing" in caller.ask(COMPLETIONS, body=chat())["error"]
        with pytest.raises(OSError, match="no space left"):
            caller.client.end_turn()
        assert caller.close().cost > 0, "it was paid all the same"


def test_a_name_that_the_league_does_not_allow_is_a_mistake(provider: Provider, trap: int) -> None:
    with (
        opened(provider, trap) as door,
        pytest.raises(ArenaError, match=r"mine may ask 'GET https://evil.*', which \[door\]"),
    ):
        Caller(door, "GET https://evil.example.net/v1")


@pytest.mark.slow
def test_floods_harm_nobody_else(call: Call) -> None:
    lines = {
        "empty": b"\n" * 65536,
        "long": b"x" * 65536,
        "wrong": b'{"id": 1}\n' * 6000,
        "refused": b'{"id":1,"url":"https://evil.example.net/"}\n' * 1500,
        "asking": b'{"id":1,"url":"https://api.example.org/v1"}\n' * 1500,
    }
    other = call()
    for name, flood in lines.items():
        caller = Caller(other.door, *API, bot="flooding", key=name)
        os.set_blocking(caller.writes, False)
        caller.client.begin_turn()
        until = time.monotonic() + 0.4
        while time.monotonic() < until:  # it never reads its answers
            select.select([], [caller.writes], [], 0.01)
            with contextlib.suppress(BlockingIOError):
                os.write(caller.writes, flood)
        began = time.monotonic()
        answer, _ = other.turn(COMPLETIONS, body=chat(name))
        assert answer["status"] == 200
        assert time.monotonic() - began < 0.5
        caller.client.end_turn()
        caller.close()


@pytest.mark.slow
@pytest.mark.parametrize("closes", ["reads", "writes", "both"])
def test_a_bot_may_close_its_ends_at_any_time(provider: Provider, trap: int, closes: str) -> None:
    with opened(provider, trap) as door:
        provider.behave("slow", seconds=0.2)
        caller = Caller(door, *API, key=closes)
        caller.client.begin_turn()
        caller.send({"id": 1, "url": COMPLETIONS, "body": chat()})
        time.sleep(0.05)
        closed = {"reads": (caller.reads,), "writes": (caller.writes,)}
        for end in closed.get(closes, (caller.reads, caller.writes)):
            os.close(end)
        time.sleep(0.3)
        assert caller.client.end_turn().cost > 0
        caller.client.begin_turn()
        caller.client.end_turn()
        if closes == "writes":
            assert caller.read() is not None
        caller.close()


def test_a_line_that_is_too_long_is_answered_and_the_next_one_heard(call: Call) -> None:
    caller = call(request_kb=1)
    caller.client.begin_turn()
    threading.Thread(target=caller.send, args=(b"x" * 200_000,)).start()
    says = "the line has more than 67584 bytes: send a shorter body."
    assert caller.read() == {"id": -1, "error": says}
    time.sleep(0.2)
    assert caller.ask(COMPLETIONS, body=chat())["status"] == 200
    caller.client.end_turn()


@pytest.mark.slow
def test_a_large_answer_comes_whole_and_a_larger_one_is_refused(
    provider: Provider, call: Call
) -> None:
    caller = call()
    provider.behave("large", bytes=4 << 20)
    answer, _ = caller.turn(COMPLETIONS, body=chat())
    assert len(answer["body"]) == 4 << 20
    provider.behave("large", bytes=(4 << 20) + 1)
    answer, used = caller.turn(COMPLETIONS, body=chat("more"))
    assert "4096 KiB" in answer["error"]
    assert not used.outage


@pytest.mark.slow
def test_whatever_a_bot_writes_is_answered(provider: Provider, call: Call) -> None:
    dice = random.Random(1)
    pieces = [
        *("https://", "api.example.org", "/v1", ":443", "@", "?", "#", "%2f", "\u0131", "\ud800"),
        *("\r\n", "\0", "é", "host", "x-a", "authorization", "", " ", "{}", '{"model": "model-x"'),
    ]

    def text() -> str:
        return "".join(dice.choices(pieces, k=dice.randrange(4)))

    caller = call(spend=1.0)
    caller.client.begin_turn()
    for number in range(500):
        request: dict[str, Any] = {"id": number, "url": text() if number % 2 else COMPLETIONS}
        if dice.random() < 0.5:
            request["headers"] = {text(): text()}
        if dice.random() < 0.5:
            request[dice.choice(("body", "body64", "method"))] = text()
        line = bytearray(json.dumps(request), "utf-8")
        if dice.random() < 0.3:
            line[dice.randrange(len(line))] = dice.choice((0, 34, 92, 123, 125, 128, 255))
        caller.send(bytes(line))
        answer = caller.read()
        assert answer is not None, request
        assert "error" in answer, request
        assert "not your doing" not in answer["error"], request
    assert not caller.client.end_turn().outage
    assert provider.forget() == []


SPANS = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)).map(sorted).map(tuple))


@given(SPANS, SPANS, SPANS, st.integers(0, 12), st.integers(0, 12))
def test_a_bot_is_held_up_while_something_is_open_and_nothing_is_away(
    opened: list[Any], away: list[Any], failing: list[Any], since: int, until: int
) -> None:
    opened += [*away, *failing]  # what is away, or fails, is open
    moments = range(since, until)

    def within(spans: list[Any], moment: int) -> bool:
        return any(begin <= moment < end for begin, end in spans)

    idle = [each for each in moments if within(opened, each) and not within(away, each)]
    by_outages = sum(within(failing, each) for each in idle)
    found = held_up(opened, away, failing, since, until)
    assert found == Held(len(idle) - by_outages, by_outages)

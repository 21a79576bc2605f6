"""When a bot is heard: during its turns alone; and what becomes of what is open."""

import contextlib
import json
import os
import random
import select
import threading
import time
from typing import Any

import pytest

from protocol.errors import ArenaError
from referee.door import NOTHING, MadeRequest, Remembered, SeenAnswer, Usage
from tests.provider import Provider
from tests.referee.door.at_the_door import COMPLETIONS, Caller, chat, opened


def test_a_bot_is_not_heard_before_its_turn(provider: Provider, trap: int) -> None:
    with opened(provider, trap) as door:
        caller = Caller(door, "api.example.org")
        for _ in range(2):
            caller.send({"id": 1, "url": COMPLETIONS, "body": chat()})
            assert caller.read(0.2) is None
            assert provider.forget() == []
            caller.visitor.begin_turn()
            assert caller.read() is not None
            assert caller.visitor.end_turn().requests == 1
            provider.forget()
        caller.close()


@pytest.mark.slow
def test_what_is_open_when_a_turn_ends_is_answered_with_an_error_but_counted(
    provider: Provider, trap: int
) -> None:
    before = provider.count
    with opened(provider, trap) as door:
        caller = Caller(door, "api.example.org")
        provider.behave("slow", seconds=0.5)
        caller.visitor.begin_turn()
        caller.send({"id": 1, "url": COMPLETIONS, "body": chat()})
        time.sleep(0.2)
        first = caller.visitor.end_turn()
        answer = caller.read(0.2)
        assert answer is not None
        assert "turn ended" in answer["error"]
        assert (first.requests, first.cost) == (1, 0.0)
        caller.visitor.begin_turn()
        assert caller.read(0.6) is None, "nobody thinks for a bot while others play"
        second = caller.visitor.end_turn()
        caller.close()
    after = provider.count
    assert first.cost + second.cost == pytest.approx(after["cost"] - before["cost"])
    assert second.tokens_in == 2
    assert isinstance(caller.exchanges, Remembered)
    assert len(caller.exchanges.kept) == 1


def test_who_leaves_may_wait_for_what_costs(provider: Provider, trap: int) -> None:
    with opened(provider, trap) as door:
        caller = Caller(door, "api.example.org")
        provider.behave("slow", seconds=0.3)
        caller.visitor.begin_turn()
        caller.send({"id": 1, "url": COMPLETIONS, "body": chat()})
        time.sleep(0.1)
        assert caller.visitor.end_turn().cost == 0
        visit = caller.close()
    assert visit.cost > 0


def test_a_turn_without_a_request_costs_next_to_nothing(provider: Provider, trap: int) -> None:
    with opened(provider, trap) as door:
        caller = Caller(door, "api.example.org")
        caller.visitor.begin_turn()
        caller.visitor.end_turn()
        began = time.perf_counter()
        for _ in range(1000):
            caller.visitor.begin_turn()
            assert caller.visitor.end_turn() is NOTHING
        assert time.perf_counter() - began < 0.05
        caller.close()


def test_many_bots_ask_from_many_threads(provider: Provider, trap: int) -> None:
    before = provider.count
    failures: list[Exception] = []
    cost = [0.0] * 20
    with opened(provider, trap) as door:

        def play(number: int) -> None:
            caller = Caller(door, "api.example.org", bot=f"b{number % 3}", key=f"m/{number}")
            try:
                for turn in range(5):
                    answer, visit = caller.turn(COMPLETIONS, body=chat(f"{number} {turn}"))
                    assert answer["status"] == 200
                    assert str(turn) in answer["body"]
                    cost[number] += visit.cost
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
def test_tokens_are_counted_as_the_provider_counts_them(
    path: str, stream: bool, provider: Provider, trap: int
) -> None:
    before = provider.count
    with opened(provider, trap) as door:
        caller = Caller(door, "api.example.org")
        url = f"https://api.example.org/v1/{path}"
        _, visit = caller.turn(url, body=chat("a b c d", stream=stream))
        caller.close()
    after = provider.count
    assert visit.tokens_in == after["tokens_in"] - before["tokens_in"] == 4
    assert visit.tokens_out == after["tokens_out"] - before["tokens_out"] == 3
    assert visit.cost == pytest.approx(after["cost"] - before["cost"])


def test_a_bot_that_has_spent_all_may_ask_no_more(provider: Provider, trap: int) -> None:
    with opened(provider, trap, spend=0.00006, spent={"mine": 0.00002}) as door:
        caller, other = Caller(door, "api.example.org"), Caller(door, "api.example.org", bot="b")
        answer, visit = caller.turn(COMPLETIONS, body=chat())
        assert (answer["status"], visit.over) == (200, "")
        answer, visit = caller.turn(COMPLETIONS, body=chat("again and again"))
        assert answer["status"] == 200
        assert visit.over == (
            "mine has cost 9.25e-05 in this league, of the 6e-05 that [door] allows."
        )
        answer, visit = caller.turn(COMPLETIONS, body=chat("and again"))
        assert "has cost" in answer["error"]
        assert answer["error"] == visit.over
        assert visit.requests == 0
        answer, visit = other.turn(COMPLETIONS, body=chat())
        assert (answer["status"], visit.over) == (200, "")
        caller.close()
        other.close()


def test_where_there_is_a_limit_of_spend_what_is_not_metered_is_counted_by_its_bytes(
    provider: Provider, trap: int
) -> None:
    with opened(provider, trap, spend=1.0) as door:
        caller = Caller(door, "api.example.org")
        provider.behave("unmetered")
        body = chat()
        answer, visit = caller.turn(COMPLETIONS, body=body)
        caller.close()
    assert (visit.tokens_in, visit.tokens_out) == (len(body), len(answer["body"]))
    assert visit.cost > 0


def test_a_match_that_goes_on_pays_nothing_twice(provider: Provider, trap: int) -> None:
    exchanges = Remembered()
    answers: list[list[Any]] = []
    with opened(provider, trap) as door:
        for _ in range(2):
            caller = Caller(door, "api.example.org", exchanges=exchanges, key="m/0")
            # The same is asked twice: each time may have an answer of its own.
            turns = [caller.turn(COMPLETIONS, body=chat(text)) for text in ("a", "a", "b")]
            answers.append([answer["body"] for answer, _ in turns])
            visits = [visit for _, visit in turns]
            caller.close()
        assert answers[0] == answers[1]
        assert len(set(answers[0])) == 3
        assert len(provider.forget()) == 3
        assert [(visit.requests, visit.repeated, visit.cost) for visit in visits] == [(0, 1, 0)] * 3
        caller = Caller(door, "api.example.org", exchanges=exchanges, key="m/1")
        _, visit = caller.turn(COMPLETIONS, body=chat("a"))
        assert visit.requests == 1, "another seat has another key"
        caller.visitor.enter(exchanges, "m/0")
        _, visit = caller.turn(COMPLETIONS, body=chat("a"))
        assert visit.repeated == 1
        caller.close()


def test_a_provider_that_honours_the_key_counts_a_lost_answer_once(
    provider: Provider, trap: int
) -> None:
    before = provider.count
    with opened(provider, trap) as door:
        for _ in range(2):
            caller = Caller(door, "api.example.org", key="m/lost")
            caller.turn(COMPLETIONS, body=chat("lost"))
            caller.close()
    after = provider.count
    assert after["requests"] - before["requests"] == 2
    assert after["completions"] - before["completions"] == 1


class Failing(Remembered):
    """Keeps nothing, as if the disk were full."""

    def keep(self, asked: MadeRequest, answered: SeenAnswer, usage: Usage) -> None:
        """Fail."""
        raise OSError("no space left")


def test_what_cannot_be_kept_is_raised_where_the_turn_ends(provider: Provider, trap: int) -> None:
    with opened(provider, trap) as door:
        caller = Caller(door, "api.example.org", exchanges=Failing())
        caller.visitor.begin_turn()
        assert "not your doing" in caller.ask(COMPLETIONS, body=chat())["error"]
        with pytest.raises(OSError, match="no space left"):
            caller.visitor.end_turn()
        assert caller.close().cost > 0, "it was paid all the same"


def test_a_name_that_the_league_does_not_allow_is_a_mistake(provider: Provider, trap: int) -> None:
    with (
        opened(provider, trap) as door,
        pytest.raises(ArenaError, match=r"mine may ask 'evil\.example\.net', which \[door\]"),
    ):
        Caller(door, "evil.example.net")


@pytest.mark.slow
def test_floods_harm_nobody_else(provider: Provider, trap: int) -> None:
    lines = {
        "empty": b"\n" * 65536,
        "long": b"x" * 65536,
        "wrong": b'{"id": 1}\n' * 6000,
        "refused": b'{"id":1,"url":"https://evil.example.net/"}\n' * 1500,
        "asking": b'{"id":1,"url":"https://api.example.org/v1"}\n' * 1500,
    }
    with opened(provider, trap) as door:
        other = Caller(door, "api.example.org", bot="other")
        for name, flood in lines.items():
            caller = Caller(door, "api.example.org", key=name)
            os.set_blocking(caller.writes, False)
            caller.visitor.begin_turn()
            until = time.monotonic() + 0.4
            while time.monotonic() < until:  # it never reads its answers
                select.select([], [caller.writes], [], 0.01)
                with contextlib.suppress(BlockingIOError):
                    os.write(caller.writes, flood)
            began = time.monotonic()
            answer, _ = other.turn(COMPLETIONS, body=chat(name))
            assert answer["status"] == 200
            assert time.monotonic() - began < 0.5
            caller.visitor.end_turn()
            caller.close()
        other.close()


@pytest.mark.slow
def test_a_bot_may_close_its_ends_at_any_time(provider: Provider, trap: int) -> None:
    with opened(provider, trap) as door:
        provider.behave("slow", seconds=0.2)
        for closes in ("reads", "writes", "both"):
            caller = Caller(door, "api.example.org", key=closes)
            caller.visitor.begin_turn()
            caller.send({"id": 1, "url": COMPLETIONS, "body": chat()})
            time.sleep(0.05)
            if closes != "writes":
                os.close(caller.reads)
            if closes != "reads":
                os.close(caller.writes)
            time.sleep(0.3)
            assert caller.visitor.end_turn().cost > 0
            caller.visitor.begin_turn()
            caller.visitor.end_turn()
            if closes == "writes":
                assert caller.read() is not None
            caller.visitor.close()
            for end in caller.ends:
                os.close(end)
            if closes == "writes":
                os.close(caller.reads)
            if closes == "reads":
                os.close(caller.writes)


def test_a_line_that_is_too_long_is_answered_and_the_next_one_heard(
    provider: Provider, trap: int
) -> None:
    with opened(provider, trap, request_kb=1) as door:
        caller = Caller(door, "api.example.org")
        caller.visitor.begin_turn()
        threading.Thread(target=caller.send, args=(b"x" * 200_000,)).start()
        answer = caller.read()
        assert answer == {
            "id": -1,
            "error": "the line has more than 67584 bytes: send a shorter body.",
        }
        time.sleep(0.2)
        assert caller.ask(COMPLETIONS, body=chat())["status"] == 200
        caller.visitor.end_turn()
        caller.close()


@pytest.mark.slow
def test_a_large_answer_comes_whole_and_a_larger_one_is_refused(
    provider: Provider, trap: int
) -> None:
    with opened(provider, trap) as door:
        caller = Caller(door, "api.example.org")
        provider.behave("large", bytes=4 << 20)
        answer, _ = caller.turn(COMPLETIONS, body=chat())
        assert len(answer["body"]) == 4 << 20
        provider.behave("large", bytes=(4 << 20) + 1)
        answer, visit = caller.turn(COMPLETIONS, body=chat("more"))
        assert "4096 KiB" in answer["error"]
        assert not visit.outage
        caller.close()


@pytest.mark.slow
def test_whatever_a_bot_writes_is_answered(provider: Provider, trap: int) -> None:
    dice = random.Random(1)
    pieces = [
        *("https://", "api.example.org", "/v1", ":443", "@", "?", "#", "%2f", "\u0131", "\ud800"),
        *("\r\n", "\0", "é", "host", "x-a", "authorization", "", " ", "{}", '{"model": "model-x"'),
    ]

    def text() -> str:
        return "".join(dice.choices(pieces, k=dice.randrange(4)))

    with opened(provider, trap, spend=1.0) as door:
        caller = Caller(door, "api.example.org")
        caller.visitor.begin_turn()
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
        assert not caller.visitor.end_turn().outage
        caller.close()
    assert provider.forget() == []

"""`arena connect` as a real process, with a league's side of real sockets."""

import json
import random
from typing import Any

import pytest

from protocol.remote import CopyLine
from tests.arena.home.conftest import Homes
from tests.arena.home.league_side import TOKEN, Served
from tests.referee.process_watch import gone, until
from tests.referee.sandbox.sandboxed import need

HELLO = json.dumps({"type": "hello", "protocol": 1, "name": "sage"})


def ask(number: int) -> str:
    """Return an ask with a number."""
    return json.dumps({"type": "ask", "id": number})


def move(line: str) -> dict[str, Any]:
    """Return the move of a reply."""
    found: dict[str, Any] = json.loads(line)["move"]
    return found


def test_a_match_is_played_by_a_process_at_home(homes: Homes, league: Served) -> None:
    need("landlock")
    home = homes.connected("--slots", 3, sandbox="landlock")
    [hello] = league.side.hellos
    assert (hello.bot, hello.slots, hello.seen) == ("sage", 3, 0)
    assert league.side.headers[0]["Authorization"] == f"Bearer {TOKEN}"
    assert league.side.headers[0]["User-Agent"] == "bot-arena"
    assert "Sec-WebSocket-Extensions" not in league.side.headers[0]
    league.side.begin(1)
    assert json.loads(league.side.asked(1, HELLO)) == {"type": "ready"}
    assert move(league.side.asked(1, ask(7)))["seen"] == 1
    league.side.say(1, json.dumps({"type": "end"}))
    [pid] = home.bots()
    league.side.over(1)
    until(lambda: gone(pid))
    home.interrupt()
    said = home.end(0)
    assert "says ready after" in said
    assert "in the sandbox landlock" in said
    assert "Takes no new matches" in said
    assert "1 match over, 2 lines answered." in said
    assert TOKEN not in said
    assert [letter.__class__.__name__ for letter in league.side.letters[-2:]] == [
        "OfferSlots",
        "Bye",
    ]


@pytest.mark.slow
def test_a_hundred_cuts_lose_nothing_and_double_nothing(homes: Homes, league: Served) -> None:
    home = homes.connected()
    side, dice = league.side, random.Random(1)
    side.begin(1)
    side.asked(1, HELLO)
    numbers = range(1, 2001)
    sent = 0
    for cut in range(100):
        for number in numbers[sent : sent + 20]:
            side.say(1, ask(number))
        sent += 20
        hellos = len(side.hellos)
        if cut % 2:
            league.proxy.cut_somewhere(dice)
        else:
            league.proxy.cut()
        until(lambda: len(side.hellos) > hellos and side.is_connected, 20)  # noqa: B023
    until(lambda: len(side.lines(1)) > 2000, 60)
    answers = [json.loads(line) for line in side.lines(1)[1:]]
    assert [answer["id"] for answer in answers] == list(numbers)
    assert [answer["move"]["seen"] for answer in answers] == list(numbers)
    assert {answer["move"]["pid"] for answer in answers} == set(home.bots())
    assert league.proxy.cuts >= 100
    assert home.said.count("nothing was lost") >= 100
    assert all(isinstance(letter, CopyLine) for letter in side.letters)

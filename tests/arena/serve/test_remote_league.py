"""Bots at their authors': `arena serve`, `arena connect`, and connections that break anywhere."""

import json
import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.league.file import read_asked
from tests.arena.home import conftest as at_home
from tests.arena.serve.remote_home import CalledBot, proxied, remote_contest, write_remote_league
from tests.arena.serve.serving import BOT, KIT, Serving, add_person, run_arena, serving
from tests.referee.process_watch import until

pytestmark = pytest.mark.slow

MATCHES = 12
"""Those of three bots: two deals of each two, and two rotations of each."""
COPIES = 4
LINES = 500
CUTS = 100


@contextmanager
def connected(
    folder: Path, port: int, token: str, *words: object, **files: str
) -> Iterator[at_home.Home]:
    """Connect a bot of some files, which is handed in by that."""
    folder.mkdir()
    (folder / "bot.toml").write_text('command = ["{python}", "bot.py"]\n')
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    words = (f"http://127.0.0.1:{port}/cup", folder, "--sandbox", "none", *words)
    home = at_home.Home(*words, silence=15.0, token=token)
    try:
        home.until("Connected to cup as", 60)
        yield home
    finally:
        home.close()


def play(call: CalledBot, cuts: list[int], answers: list[str]) -> None:
    """Ask while connections are cut, some asks ahead of their answers; collect these."""
    for number in range(LINES):
        until(lambda: len(cuts) >= CUTS * number // LINES, 60)  # noqa: B023
        call.say(at_home.ask(number))
        if number >= 10:
            answers.append(call.line())
    while len(answers) < LINES:
        answers.append(call.line())


def test_lines_come_once_and_in_order_over_a_hundred_cuts(tmp_path: Path) -> None:
    dice = random.Random(1)
    with (
        remote_contest(tmp_path / "cup") as contest,
        proxied(contest.server.port) as proxy,
        connected(
            tmp_path / "moss", proxy.port, contest.bob, "--slots", COPIES, bot=at_home.BOT
        ) as home,
    ):
        [digest] = [
            bot.remote_digest for bot in read_asked(contest.folder).bots if bot.name == "moss"
        ]
        calls = [CalledBot(contest.folder, "moss", digest) for _ in range(COPIES)]
        for call in calls:
            assert call.taken()
            call.say(at_home.HELLO)
            assert json.loads(call.line()) == {"type": "ready"}
        cuts: list[int] = []
        answers: list[list[str]] = [[] for _ in calls]
        players = [
            threading.Thread(target=play, args=(call, cuts, each))
            for call, each in zip(calls, answers, strict=True)
        ]
        for player in players:
            player.start()
        for cut in range(CUTS):
            cuts.append(cut)
            if cut % 2:
                proxy.cut_somewhere(dice)
            else:
                time.sleep(dice.uniform(0, 0.05))
                proxy.cut()
            until(lambda: home.said.count("nothing was lost") == len(cuts), 30)
        for player in players:
            player.join(120)
        for each in answers:
            found = [json.loads(line) for line in each]
            assert [answer["id"] for answer in found] == [*range(LINES)]
            assert [answer["move"]["seen"] for answer in found] == [*range(1, LINES + 1)]
            assert len({answer["move"]["pid"] for answer in found}) == 1
        for call in calls:
            call.close()
        until(lambda: not home.bots())
        assert contest.said("Traceback") == []


def test_a_league_is_played_over_connections_that_break(tmp_path: Path) -> None:
    """No match has a fault, and each is there once, however often the bot is cut off."""
    folder = write_remote_league(tmp_path / "cup", {})
    slowly = "import time\n\n\ndef choose(ask):\n    time.sleep(0.1)\n    return chosen(ask)\n"
    assert "def choose(" in BOT
    text = BOT.replace("def choose(", "def chosen(", 1)
    text = text.replace("\nif __name__", f"\n{slowly}\n\nif __name__", 1)

    def is_there(server: Serving) -> bool:
        return bool(server.api("").json["remotes"][0]["state"] == "connected")

    token = add_person(folder, "ada")
    with serving(folder) as server, proxied(server.port) as proxy:
        with connected(tmp_path / "sage", proxy.port, token, bot=text, kit=KIT) as home:
            until(home.bots, 60)  # its first matches are in play
            deadline = time.monotonic() + 120
            while server.played() < MATCHES and time.monotonic() < deadline:
                time.sleep(1.5)
                proxy.cut()
                until(lambda: is_there(server), 30)
            assert server.played() == MATCHES, "".join(server.said)
            home.interrupt()
            assert "nothing was lost" in home.end(0)
        server.end()
    assert proxy.cuts > 3
    assert any("on." in line and "the connection broke; " in line for line in server.said)
    faulty = run_arena("matches", folder, "--faulty").stdout
    assert "No match was played in which a bot had a fault." in faulty
    assert run_arena("verify", folder).returncode == 0

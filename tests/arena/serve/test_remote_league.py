"""Bots at their authors': `arena serve`, `arena connect`, and a connection that breaks anywhere."""

import random
import time
from pathlib import Path

import pytest

from arena.league.file import read_asked
from tests.arena.home.conftest import Home
from tests.arena.serve.remote_home import proxied, write_remote_league
from tests.arena.serve.serving import BOT, KIT, add_person, run_arena, serving
from tests.referee.process_watch import until

pytestmark = pytest.mark.slow

MATCHES = 12
"""Those of three bots: two deals of each two, and two rotations of each."""
SLOWLY = "import time\n\n\ndef choose(ask):\n    time.sleep(0.1)\n    return chosen(ask)\n"


def test_a_league_is_played_over_connections_that_break(tmp_path: Path) -> None:
    """No match has a fault, and each is there once, however often the bot is cut off."""
    folder = write_remote_league(tmp_path / "cup", {})
    sage = tmp_path / "sage"
    sage.mkdir()
    text = BOT.replace("def choose(", "def chosen(", 1)
    (sage / "bot.py").write_text(text.replace("\nif __name__", f"\n{SLOWLY}\n\nif __name__", 1))
    (sage / "kit.py").write_text(KIT)
    (sage / "bot.toml").write_text('command = ["{python}", "bot.py"]\n')
    token, dice = add_person(folder, "ada"), random.Random(1)
    with serving(folder) as server, proxied(server.port) as proxy:
        words = (f"http://127.0.0.1:{proxy.port}/cup", sage, "--sandbox", "none")
        taken = Home(*words, "--bot", "one", silence=15.0, token=token).end(1)
        assert "the name 'one' is taken by a bot that the organizer" in taken
        assert "Name the bot: --bot NAME." in taken
        home = Home(*words, silence=15.0, token=token)
        try:
            home.until("Connected to cup as", 60)
            assert "Received as submission 1 of" in home.said
            assert "is accepted" in home.said
            (bot,) = (bot for bot in read_asked(folder).bots if bot.remote_digest)
            assert [file.name for file in bot.folder.iterdir()] == ["bot.toml"]  # and nothing else
            until(home.bots, 60)  # its first matches are in play
            deadline = time.monotonic() + 120
            while server.played() < MATCHES and time.monotonic() < deadline:
                time.sleep(1.5)
                if proxy.cuts % 2:
                    proxy.cut_somewhere(dice)
                else:
                    proxy.cut()
                until(lambda: home.said.count("nothing was lost") == proxy.cuts, 30)
            assert server.played() == MATCHES, "".join(server.said)
            home.interrupt()
            home.end(0)
        finally:
            home.close()
        server.end()
    assert proxy.cuts > 3
    assert any("on." in line and "the connection broke; " in line for line in server.said)
    faulty = run_arena("matches", folder, "--faulty").stdout
    assert "No match was played in which a bot had a fault." in faulty
    assert run_arena("verify", folder).returncode == 0

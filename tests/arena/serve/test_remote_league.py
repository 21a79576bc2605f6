"""A whole league with a bot at its author's: `arena serve`, `arena connect`, and what breaks."""

import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.arena.conftest import ARENA, ROOT
from tests.arena.serve.remote_home import proxied, write_remote_league
from tests.arena.serve.serving import BOT, KIT, Serving, add_person, run_arena, serving
from tests.referee.process_watch import until

MATCHES = 8
"""Those of one bot with two others: two deals, and two rotations of each."""


@pytest.mark.slow
def test_a_league_is_played_over_connections_that_break(tmp_path: Path) -> None:
    """No match has a fault, and each is there once, however often the bot is cut off."""
    folder = write_remote_league(tmp_path / "cup", {})
    token = tmp_path / "token"
    token.write_text(add_person(folder, "ada"))
    bot = tmp_path / "sage"
    bot.mkdir()
    (bot / "bot.toml").write_text('command = ["{python}", "bot.py"]\n')
    slowly = "import time\n\n\ndef choose(ask):\n    time.sleep(0.1)\n    return chosen(ask)\n"
    assert "def choose(" in BOT
    (bot / "kit.py").write_text(KIT)
    text = BOT.replace("def choose(", "def chosen(", 1)
    (bot / "bot.py").write_text(text.replace("\nif __name__", f"\n{slowly}\n\nif __name__", 1))

    def is_there(server: Serving) -> bool:
        return bool(server.api("").json["remotes"][0]["state"] == "connected")

    with serving(folder) as server, proxied(server.port) as proxy:
        url = f"http://127.0.0.1:{proxy.port}/cup"
        words = ["connect", url, str(bot), "--token-file", str(token), "--sandbox", "none"]
        home = subprocess.Popen(
            [*ARENA, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=ROOT
        )
        try:
            until(lambda: any("sage is connected" in line for line in list(server.said)), 60)
            cuts = 0
            deadline = time.monotonic() + 120
            while server.played() < MATCHES + 4 and time.monotonic() < deadline:
                proxy.cut()
                cuts += 1
                until(lambda: is_there(server), 30)
                time.sleep(1.5)
            assert server.played() == MATCHES + 4, "".join(server.said)
            home.send_signal(signal.SIGINT)
            said, _ = home.communicate(timeout=30)
        finally:
            home.kill()
            home.wait()
        server.end()
    assert cuts > 3
    assert any("on." in line and "the connection broke; " in line for line in server.said)
    assert "nothing was lost" in said
    faulty = run_arena("matches", folder, "--faulty").stdout
    assert "No match was played in which a bot had a fault." in faulty
    assert run_arena("verify", folder).returncode == 0

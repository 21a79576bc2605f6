"""Strike a served league with a remote bot at random instants, and tell what it lost by it.

    python -m tests.faults.remote --blows 200

A bot here and one by `arena connect` play slow matches. Struck are the server, whoever plays for
it, and the connection; not the author's side, whose end is the bot's fault.
"""

import argparse
import os
import shutil
import signal
import sqlite3
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from random import Random
from time import monotonic, sleep

from arena.league.finding import BUNDLED
from tests.arena.conftest import ARENA, matches_stored
from tests.arena.home.league_side import Proxy
from tests.arena.serve.serving import Running, Serving, add_person
from tests.faults.campaign import doubles
from tests.faults.leagues import replays
from tests.referee.process_watch import command_line, until

MEASURES = "arena/play/slow arena/serve/remote arena/serve/player.py arena/home"
MATCHES = 24
_A_LEAGUE = 15  # blows at most
_STUCK = 60.0  # seconds without another match
_BOT = """
import time, kit, guerra_random
def choose(ask):
    time.sleep(0.02)
    return guerra_random.choose(ask)
kit.run(choose)
"""
_LEAGUE = f"""\
game = "guerra"
seed = "a seed that is long enough to be no one's guess"
deals = {MATCHES // 2}
options.max_turns = 30
[limits]
pace = "slow"
move_time = 60
slots = 4
[hand_in]
grants = {{ remote = true }}
[[bot]]
name = "here"
folder = "../here"
"""

Blow = Callable[[Serving, Proxy, Random], None]


def _kill(word: str) -> Blow:
    def blow(server: Serving, _: Proxy, rng: Random) -> None:
        found = [pid for pid in server.family() if word in command_line(pid)]
        if found:
            with suppress(ProcessLookupError):
                os.kill(rng.choice(found), signal.SIGKILL)

    return blow


def _signal_all(*numbers: signal.Signals) -> Blow:
    def blow(server: Serving, _: Proxy, rng: Random) -> None:
        found = sorted(server.family())
        rng.shuffle(found)
        for number in numbers:
            for pid in found:
                with suppress(ProcessLookupError):
                    os.kill(pid, number)

    return blow


BLOWS: dict[str, Blow] = {
    "server killed": lambda server, *_: server.process.kill(),
    "player killed": _kill("arena.serve.player"),
    "process of the matches killed": _kill("spawn_main"),
    "fork server killed": _kill("fork_server.py"),
    "all killed": _signal_all(signal.SIGSTOP, signal.SIGKILL),  # nobody sees another's death
    "SIGTERM to all": _signal_all(signal.SIGTERM),
    "connection broken": lambda _, proxy, rng: proxy.cut(),
    "connection silent for a moment": lambda _, proxy, rng: _silence(proxy, rng),
}


def _silence(proxy: Proxy, rng: Random) -> None:
    proxy.freeze()
    sleep(rng.uniform(0.05, 1.0))
    proxy.thaw()


@contextmanager
def contest() -> Iterator[tuple[Path, str]]:
    """Make a league and two bots beside it; yield its folder and an author's token."""
    with tempfile.TemporaryDirectory(prefix="arena-remote-") as name:
        home = Path(name)
        home.chmod(0o755)
        for each in ("here", "there"):
            (home / each).mkdir()
            for helper in ("templates/python/kit.py", "guerra/guerra_random.py"):
                shutil.copy(BUNDLED / helper, home / each)
            (home / each / "bot.py").write_text(_BOT)
            (home / each / "bot.toml").write_text('command = ["{python}", "bot.py"]\n')
        (home / "cup").mkdir()
        (home / "cup" / "league.toml").write_text(_LEAGUE)
        yield home / "cup", add_person(home / "cup", "ada")


def played(cup: Path, token: str, blows: int, rng: Random, tally: Counter[str]) -> None:
    """Serve a league until all is played, with so many blows at most."""
    server = Serving([cup]).wait()
    with closing(Proxy(server.port)) as proxy:
        url = f"http://127.0.0.1:{proxy.port}/cup"
        words = [*ARENA, "connect", url, cup.parent / "there", "--slots", "4"]
        author = Running(words, env={**os.environ, "ARENA_TOKEN": token})
        try:
            until(lambda: "there" in (cup / "league.toml").read_text(), 60)
            stored, since = 0, monotonic()
            while stored < MATCHES:
                with suppress(sqlite3.OperationalError):  # the end of its writer is to be undone
                    if (now := matches_stored(cup)) > stored:
                        stored, since = now, monotonic()
                assert monotonic() - since < _STUCK, "".join([*server.said, *author.err])
                sleep(rng.uniform(0.1, 1.5) if blows else 0.2)
                if blows:
                    kind = rng.choice([*BLOWS])
                    BLOWS[kind](server, proxy, rng)
                    tally[kind] += 1
                    blows -= 1
                    sleep(0.1)
                if server.process.poll() is not None:
                    server.close()
                    server = Serving([cup]).wait()
                    proxy.to = server.port
        finally:
            author.close()
            server.close()


def arena(*words: object) -> str:
    """Return what a command prints."""
    return subprocess.run(
        [*map(str, [*ARENA, *words])], capture_output=True, text=True, check=True
    ).stdout


def main() -> None:
    """Strike one league after another until there were blows enough."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults.remote", description=__doc__)
    parser.add_argument("--blows", type=int, default=200, help="at least so many [%(default)s]")
    parser.add_argument("--seed", type=int, default=1, help="of all instants [%(default)s]")
    asked = parser.parse_args()
    rng, tally, began = Random(asked.seed), Counter[str](), monotonic()
    with contest() as (cup, token):
        played(cup, token, 0, rng, tally)
        reference = replays(cup / "league.db")
    leagues = lost = doubled = differing = 0
    while tally.total() < asked.blows:
        with contest() as (cup, token):
            played(cup, token, _A_LEAGUE, rng, tally)
            found = replays(cup / "league.db")
            leagues += 1
            lost += len(reference.keys() - found.keys())
            doubled += doubles(cup)
            wrong = [match for match in found if found[match] != reference[match]]
            differing += len(wrong)
            for match in wrong:
                print(arena("show", cup, match))
        print(f"{tally.total()} blows", flush=True)
    told = ", ".join(f"{kind} {count}" for kind, count in sorted(tally.items()))
    print(f"{tally.total()} blows ({told}) on {leagues} leagues in {monotonic() - began:.0f} s")
    print(f"{leagues * MATCHES} matches: {lost} lost, {doubled} doubled, {differing} differing")


if __name__ == "__main__":
    main()

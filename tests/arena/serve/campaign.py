"""Kill a server at random moments, while authors hand in and it plays; nothing may be lost.

python -m tests.arena.serve.campaign --kills 200
"""

import http.client
import json
import random
import shutil
import threading
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

from arena.handin.database import HandIns
from arena.handin.submissions import all_of
from arena.play.calls import SOCKET
from tests.arena.handin.campaign import main
from tests.arena.handin.intaking import EVERY, check_whole
from tests.arena.serve import serving as servers
from tests.arena.serve.serving import BOT, Serving, bot_zip, run_arena, serving
from tests.referee.process_watch import until

AUTHORS = 4
_LONGEST = 4.0  # seconds from when a server listens until it is killed
_PAUSE = 1.0  # between what one author hands in
_PATIENCE = 300.0


class Author:
    """Somebody who hands in again and again, whatever becomes of the server."""

    def __init__(self, name: str, token: str, seed: int) -> None:
        self.received: set[int] = set()
        """The numbers of what a server said that it had received."""
        self.server: Serving | None = None
        self._name = name
        self._token = token
        self._rng = random.Random(seed)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._hand_in_again_and_again)
        self._thread.start()

    def end(self) -> None:
        self._over.set()
        self._thread.join()

    def _hand_in_again_and_again(self) -> None:
        number = 0
        while not self._over.wait(self._rng.uniform(0, _PAUSE)):
            server = self.server
            if server is None:
                continue
            number += 1
            text = f"{BOT}\n# {self._name} {number}\n"
            data = bot_zip(self._rng.choice([text, text, text, f"raise SystemExit({number})\n"]))
            with suppress(OSError, http.client.HTTPException, json.JSONDecodeError, KeyError):
                answer = server.hand_in(self._token, data, self._name)
                if answer.status == 202:
                    self.received.add(answer.json["submission"]["number"])


def kill_at_random(home: Path, kills: int, seed: int) -> Counter[str]:
    """Kill a server so often, then let it end; check that all is whole, and count what happened."""
    rng = random.Random(seed)
    league = servers.write_league(
        home / "cup", deals=20, hand_in="per_hour = 100000\nper_day = 100000"
    )
    authors = [
        Author(name, servers.add_person(league, name), rng.randrange(1 << 30))
        for name in (f"author{number}" for number in range(AUTHORS))
    ]
    try:
        for _ in range(kills):
            with serving(league) as server:
                _open(authors, server)
                time.sleep(rng.uniform(0, _LONGEST))
                _open(authors, None)
                server.process.kill()
    finally:
        for author in authors:
            author.end()
    with serving(league) as server, HandIns(league) as db:
        until(
            lambda: (
                not [one for one in all_of(db) if one.state in ("received", "building", "checking")]
            ),
            _PATIENCE,
        )
        ranked = ("rank", league, "--format", "json")  # what the server said may be of fewer bots
        until(lambda: json.loads(run_arena(*ranked).stdout)["missing"] == 0, _PATIENCE)
        server.end()
    return _judged(league, authors, kills)


def _open(authors: list[Author], server: Serving | None) -> None:
    for author in authors:
        author.server = server


def _judged(league: Path, authors: list[Author], kills: int) -> Counter[str]:
    """Check that nothing is lost, stuck or doubled, and that matches are those of a plain run."""
    with HandIns(league) as db:
        check_whole(db)
        found = all_of(db, EVERY)
        stored = {one.number for one in found}
        received = set().union(*(author.received for author in authors))
        assert received <= stored, received - stored
    verified = run_arena("verify", league, "--format", "json")
    assert verified.returncode == 0, verified
    again = league.with_name("again")
    again.mkdir()
    shutil.copy(league / "league.toml", again)
    left_out = shutil.ignore_patterns(SOCKET)  # no copy of a socket is of use
    shutil.copytree(league / "handed-in", again / "handed-in", ignore=left_out)
    assert run_arena("run", again).returncode == 0
    tables = [
        json.loads(run_arena("rank", each, "--format", "json").stdout) for each in (league, again)
    ]
    tables[0].pop("versions_so_far", None)  # only the last ones play again
    assert tables[0] == tables[1], tables
    counts = Counter(one.state for one in found)
    counts["kills"] = kills
    counts["matches"] = json.loads(verified.stdout)["matches"]
    return counts


if __name__ == "__main__":
    main("tests.arena.serve.campaign", kill_at_random)

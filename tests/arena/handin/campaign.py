"""Kill the intake of a league at random moments, while many authors hand in; nothing may be lost.

python -m tests.arena.handin.campaign --kills 200
"""

import argparse
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from arena.handin.database import HandIns
from arena.handin.people import Person, by_token
from arena.handin.submissions import all_of
from arena.league.file import read_asked
from tests.arena.handin.archives import tarred, zipped
from tests.arena.handin.conftest import LEAGUE, add
from tests.arena.handin.intaking import GOOD, UNFIT, IntakeProcess, check_whole, hand_in

MEASURES = "arena/handin"
AUTHORS = 8
_LONGEST = 2.5  # seconds until a kill: an intake begins in one, and takes in one bot in one
_BUILT = b'command = ["{python}", "made.py"]\nfiles = ["made.py", "kit.py"]\n'
_KIT = Path(__file__).parents[3] / "bots" / "templates" / "python" / "kit.py"


def main(module: str, kill_at_random: Callable[[Path, int, int], Counter[str]]) -> None:
    """Kill as often as is asked for, and print what came of it."""
    parser = argparse.ArgumentParser(prog=f"python -m {module}")
    parser.add_argument("--kills", type=int, default=200, help="how many [%(default)s]")
    parser.add_argument("--seed", type=int, default=1, help="of all moments [%(default)s]")
    arguments = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        counts = kill_at_random(Path(folder), arguments.kills, arguments.seed)
    for what, number in sorted(counts.items()):
        sys.stdout.write(f"{what}: {number}\n")
    sys.stdout.write(f"{time.monotonic() - began:.0f} seconds\n")


def kill_at_random(home: Path, kills: int, seed: int) -> Counter[str]:
    """Kill an intake so often, then let it end; check that all is whole, and count what happened.

    A fifth of all ends are no kills, but the end of its input, in the midst of whatever it does.
    """
    rng = random.Random(seed)
    league = home / "cup"
    league.mkdir()
    often = "[hand_in]\nper_hour = 100000\nper_day = 100000\n"
    text = LEAGUE.partition("\n[[bot]]")[0].replace("[hand_in]\n", often)
    (league / "league.toml").write_text('limits.sandbox = "none"\n' + text)
    temporary = home / "tmp"
    temporary.mkdir(mode=0o755)
    counts: Counter[str] = Counter()
    with HandIns(league, create=True) as db:
        authors = [by_token(db, add(db, f"author {number}")) for number in range(AUTHORS)]
        handed_in = []
        while counts["killed"] < kills:
            for author in rng.sample(authors, rng.randrange(4)):
                assert author is not None
                handed_in.append(_hand_in(db, author, rng))
            with IntakeProcess(league, temporary) as intake:
                moment = rng.uniform(0, _LONGEST)
                intake.read_for(moment)
                is_killed = rng.random() < 0.8
                if not is_killed:
                    intake.end()
                counts["killed" if is_killed else "ended"] += 1
            counts[f"at {_where(db)}"] += is_killed
        with IntakeProcess(league, temporary) as intake:
            intake.until_idle()
            intake.end()
        check_whole(db)
        found = all_of(db, 100_000)
        assert sorted(one.number for one in found) == sorted(handed_in)
        for one in found:
            why = f": {one.reason}" if one.state == "refused" and one.can_retry else ""
            counts[f"{one.state}{why}"] += 1
        read_asked(league, "play")
    assert list(temporary.iterdir()) == []
    shutil.rmtree(league)
    return counts


def _where(db: HandIns) -> str:
    """Return where the kill has met what was looked at, if anything was."""
    steps = [one.step for one in all_of(db) if one.state in ("building", "checking")]
    return steps[0] if steps else "rest"


def _hand_in(db: HandIns, author: Person, rng: random.Random) -> int:
    """Hand in a bot that is as it should be, or not; return its number."""
    good = GOOD + f"# {rng.random()}\n".encode()
    kit = _KIT.read_bytes()
    files = [("bot.toml", _BUILT), ("bot.py", good), ("kit.py", kit)]
    built = [("bot.toml", _BUILT + b'build = ["cp", "bot.py", "made.py"]\nsources = ["."]\n')]
    data, name = rng.choice(
        [
            *[(good, "bot.py")] * 4,
            *[(zipped([*built, *files[1:]]), "bot.zip")] * 2,
            (tarred(*files), "bot.tar"),  # which lacks made.py
            (UNFIT, "bot.py"),
            (b"hello", "bot.zip"),
        ]
    )
    return hand_in(db, author, data, name).number


if __name__ == "__main__":
    main("tests.arena.handin.campaign", kill_at_random)

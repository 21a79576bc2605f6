"""Nobody meets the same cards twice: he would know those to come.

Where deals are mirrored, two processes of a bot do; without, no match has the cards of another.

Bots of real leagues keep a diary: one line for every match that their process is told of, and one
for the cards it was dealt there.
"""

import json
import shutil
import signal
import sqlite3
from collections import defaultdict
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from arena.league.finding import BUNDLED
from tests.arena.conftest import League
from tests.referee.process_watch import until

DIARIST = """
import json, os, sys, time

process = f"{{os.getpid()}} {{time.time_ns()}}"  # a number may be given to another process later

def note(**facts):
    with open({diary!r}, "a") as diary:
        diary.write(json.dumps(dict(process=process, **facts)) + "\\n")

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{{"type":"ready"}}', flush=True)
    elif message["type"] == "start":
        time.sleep({pause})
        match, cards = message["match"], []
        note(match=match, seat=message["seat"])
    elif message["type"] == "ask":
        last = message["view"]["last"]
        if message["decision"] == "bet" and last:
            cards.append(last["player"] + last["house"])
        move = {{"bet": 10}} if message["decision"] == "bet" else {{"action": "surrender"}}
        print(json.dumps({{"id": message["id"], "move": move}}), flush=True)
    elif message["type"] == "end":
        note(match=match, cards=" ".join(cards))
"""
"""A gambler who risks little and writes a diary."""

NAMES = ("ada", "bob", "cyd", "dan")
WORKERS = ("--workers", "2")


class Diary:
    """What all processes of a league wrote down."""

    def __init__(self, path: Path) -> None:
        self.matches: dict[str, list[str]] = defaultdict(list)
        """The matches that each process was told of."""
        self.cards: dict[str, set[str]] = defaultdict(set)
        """What was dealt in each match to its end, as the processes saw it."""
        for line in path.read_text().splitlines():
            entry: dict[str, Any] = json.loads(line)
            if "cards" in entry:
                self.cards[entry["match"]].add(entry["cards"])
            else:
                self.matches[entry["process"]].append(entry["match"])

    def assert_no_deal_twice(self, *, mirrored: bool) -> None:
        """Fail if a process met a deal again, by its name or by its cards."""
        dealt: dict[str, set[str]] = defaultdict(set)
        for match, cards in self.cards.items():
            dealt[match.rpartition("-")[0] if mirrored else match] |= cards
        assert all(len(cards) == 1 for cards in dealt.values()), "rotations share their cards"
        assert len(set.union(*dealt.values())) == len(dealt), "deals do not"
        for matches in self.matches.values():
            assert len({match.rpartition("-")[0] for match in matches}) == len(matches)
        assert max(map(len, self.matches.values())) > 1, "processes play several deals"


def gamblers(
    league: League,
    bots: int,
    seats: int,
    deals: int,
    rotations: str = "cyclic",
    pause: float = 0.0,
    mirror: str = "true",
) -> Path:
    diary = league.home / "diary"
    source = DIARIST.format(diary=str(diary), pause=pause)
    league.write(
        f'game = "casino_war"\nseed = 1\nseats = {seats}\ndeals = {deals}\n'
        f'rotations = "{rotations}"\nmirror = {mirror}\noptions.rounds = 12\n'
        'limits = { sandbox = "none", move_time = 10.0, startup = 30.0 }\n'
        + "".join(league.bot(name, source) for name in NAMES[:bots])
    )
    return diary


@pytest.mark.usefixtures("inline")
@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("bots", "seats", "rotations", "deals", "matches"),
    [
        (2, 2, "cyclic", 5, 10),
        (3, 2, "cyclic", 10, 60),
        (4, 4, "cyclic", 12, 48),
        (3, 3, "all", 8, 48),
    ],
)
def test_no_process_meets_a_deal_twice(
    league: League, bots: int, seats: int, rotations: str, deals: int, matches: int
) -> None:
    path = gamblers(league, bots, seats, deals, rotations)
    league.call("run")
    diary = Diary(path)
    assert league.count() == len(diary.cards) == matches
    assert sum(map(len, diary.matches.values())) == matches * seats
    diary.assert_no_deal_twice(mirrored=True)


@pytest.mark.usefixtures("inline")
def test_no_cards_come_twice_where_deals_are_not_mirrored(league: League) -> None:
    path = gamblers(league, 2, 2, 4, mirror="false")
    league.call("run")
    Diary(path).assert_no_deal_twice(mirrored=False)
    with closing(sqlite3.connect(league.folder / "league.db")) as db, db:  # as if it were cut off
        db.execute("DELETE FROM match WHERE rotation > 0")
        db.execute("DELETE FROM record WHERE id NOT IN (SELECT record FROM match)")
    file = league.folder / "league.toml"
    file.write_text(file.read_text().replace("= false", "= true").replace("deals = 4", "deals = 6"))
    league.call("run")
    found = [(match.number, match.order is not None) for match, _ in league.stored()]
    assert found == [(deal, deal > 3) for deal in range(6) for _ in range(2)]
    assert "none differs" in league.call("verify").stdout


@pytest.mark.usefixtures("inline")
def test_deals_that_began_in_two_ways_are_not_merged(league: League) -> None:
    source = "import kit\nkit.run(lambda ask: ask.legal[0])\n"
    bots = league.bot("mine", source) + '[[bot]]\nname = "random"\nshipped = "random"\n'
    text = 'game = "guerra"\nseed = 1\ndeals = 1\nmirror = {}\noptions.max_turns = 9\n'
    file = league.home / "mirrored.jsonl"
    for mirror in ("true", "false"):
        (league.folder / "league.db").unlink(missing_ok=True)
        league.write(f'{text.format(mirror)}limits.sandbox = "none"\n{bots}')
        league.call("run")
        if mirror == "true":
            league.call("export", str(file))
    before = league.call("export").stdout
    refused = league.call("import", str(file), code=2)
    assert "is mirrored in one of the two leagues and not in the other" in refused.stderr
    assert league.call("export").stdout == before


@pytest.mark.usefixtures("inline")
def test_a_copy_in_the_place_of_a_bundled_bot_is_dealt_to_as_that_was(league: League) -> None:
    """It is the same version, byte for byte, and no deal of it is stored in two ways."""
    text = (
        'game = "guerra"\nseed = 1\ndeals = {}\noptions.max_turns = 10\nlimits.sandbox = "none"\n'
    )
    rusher = '[[bot]]\nname = "rusher"\nshipped = "rusher"\n'
    league.write(text.format(1) + rusher + '[[bot]]\nname = "random"\nshipped = "random"\n')
    league.call("run")
    copy = league.home / "copy"
    copy.mkdir()
    for file in ("templates/python/kit.py", "guerra/guerra_random.py"):
        shutil.copy(BUNDLED / file, copy)
    command = 'folder = "../copy"\ncommand = ["{python}", "guerra_random.py"]\n'
    files = 'files = ["guerra_random.py", "kit.py"]\n'
    league.write(text.format(2) + rusher + f'[[bot]]\nname = "random"\n{command}{files}')
    league.call("run")
    assert league.count() == 4
    assert "4 matches verified; none differs." in league.call("verify").stdout


@pytest.mark.slow
@pytest.mark.parametrize("word", [signal.SIGINT, signal.SIGKILL])
def test_no_process_meets_a_deal_twice_after_an_interruption(
    league: League, word: signal.Signals
) -> None:
    path = gamblers(league, 2, 2, 30, pause=0.02)
    for matches in (10, 25):
        run = league.start("run", *WORKERS)
        until(lambda enough=matches: league.count() >= enough)
        run.send_signal(word)
        run.communicate(timeout=20)
        until(lambda: not league.processes())
        assert matches <= league.count() < 60
    league.call("run", *WORKERS)
    assert league.count() == 60
    Diary(path).assert_no_deal_twice(mirrored=True)

"""The player of a served league, a real process, and which remote bots it is told to be there."""

import asyncio
import random
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TypeVar

import msgspec
import pytest

from arena.handin.database import HANDED_IN, HandIns
from arena.handin.final import is_over
from arena.serve import messages
from arena.serve.served import Served
from arena.store.under_way import under_way
from tests.arena.conftest import STEADY, League, matches_stored, naughty
from tests.arena.coroutines import run_apart
from tests.arena.play.slow.homes import DIGEST, Homes, homes, remote
from tests.arena.serve.serving import Running, family
from tests.referee.process_watch import until

pytestmark = pytest.mark.slow

HEAD = """\
game = "guerra"
seed = 1
deals = {deals}
options.max_turns = 20
limits = {{ sandbox = "none", pace = "slow", move_time = 30, startup = 30, slots = 8 }}
{more}
"""
W = TypeVar("W")

READ = msgspec.json.Decoder(messages.Word).decode
SLOWLY = """
import time, kit, guerra_random
def choose(*words):
    time.sleep(0.05)
    return guerra_random.choose(*words)
kit.run(choose)
"""
ALL = "All matches are played."
ABSENT = "All matches are played but those of sage, which is not connected."


class Player(Running):
    """The player of a league, and what it has said."""

    def __init__(self, folder: Path) -> None:
        program = [sys.executable, "-P", "-m", "arena.serve.player", folder]
        super().__init__(program, errors=None, stdin=subprocess.PIPE)

    @property
    def words(self) -> list[messages.Word]:
        return [READ(line) for line in list(self.out)]

    def tell(self, order: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(messages.line(order).decode())
        self.process.stdin.flush()

    def here(self, **rooms: int) -> None:
        """Tell it which bots are there, and for how many matches each."""
        self.tell(messages.Here([(bot, DIGEST, room) for bot, room in rooms.items()]))

    def said(self, kind: type[W]) -> list[W]:
        return [word for word in self.words if isinstance(word, kind)]

    def idle(self, words: str, seconds: float = 40) -> None:
        with suppress(AssertionError):
            until(lambda: self.words and self.words[-1] == messages.Idle(words), seconds)
        assert self.words[-1:] == [messages.Idle(words)], self.words

    def end(self) -> None:
        self.tell(messages.EndPlay())
        assert self.process.wait(20) == 0


@contextmanager
def playing(league: League) -> Iterator[Player]:
    made = Player(league.folder)
    try:
        yield made
        made.end()
    finally:
        made.close()


def write(
    league: League, *more: str, deals: int = 2, pause: float = 0.01, settings: str = ""
) -> None:
    """Write a league of ada and bob, who are here, and of others."""
    bots = [league.bot(name, STEADY.format(pause=pause)) for name in ("ada", "bob")]
    league.write(HEAD.format(deals=deals, more=settings) + "".join([*bots, *more]))


@pytest.fixture
def home(league: League) -> Iterator[Homes]:
    (league.folder / HANDED_IN).mkdir()
    league.bot("at home", STEADY.format(pause=0.05))
    with homes(league.folder / HANDED_IN, league.home / "at home" / "bot.py") as found:
        yield found


def test_matches_of_remote_bots_wait_until_they_are_connected(league: League, home: Homes) -> None:
    bots = [remote(league, name) for name in ("sage", "tom", "uma")]
    write(league, *bots, naughty("crash_at_start"), deals=1)
    with playing(league) as player:
        player.idle(
            "All matches are played but those of suspended bots, and of sage, tom and uma, which "
            "are not connected."
        )
        assert league.count() == 2
        player.tell(messages.Here([("sage", "0" * 64, 5), ("zoe", DIGEST, 5)]))  # others
        time.sleep(0.5)
        assert len(player.said(messages.Idle)) == 1
        player.here(sage=1, tom=2)
        player.idle("All matches are played but those of uma, which is not connected.")
        assert league.count() == 12
        assert home.most["sage"] == 1
        assert home.most["tom"] <= 2
        assert {call.digest for call in home.calls} == {DIGEST}
        assert player.said(messages.Trouble) == []
        player.here()
        player.here(sage=1)  # who is not missed
        time.sleep(0.5)
        assert isinstance(player.words[-1], messages.Idle)
        player.here(uma=1)  # for all its other matches, two are missed
        player.idle("All matches are played but those of sage and tom, which are not connected.")
        assert league.count() == 16


@pytest.mark.parametrize("way", ["is_absent", "breaks_off"])
def test_who_stays_away_from_a_match_that_has_begun_does_not_keep_it_from_counting(
    league: League, home: Homes, way: str
) -> None:
    """One that is losing could stay away for ever."""
    outage = '[door]\nallow = ["GET https://api.example.com/v1/models"]\noutage_wait = 2\n'
    write(league, remote(league, "sage"), deals=1, settings=outage)
    text = (league.folder / "league.toml").read_text()
    league.write(text.replace("max_turns = 20", "max_turns = 2000"))
    (league.home / "at home" / "bot.py").write_text(SLOWLY)
    with playing(league) as player:
        player.here(sage=2)
        until(lambda: len(home.calls) == 2 and min(under_way(league.folder).values()) > 10, 40)
    begun = {call.match for call in home.calls}
    setattr(home, way, True)
    with playing(league) as player:
        player.idle(ABSENT)
    rows = {row["match"]: row for row in league.exported()}
    assert (len(begun), len(rows)) == (2, 4)
    assert home.declined >= 4
    assert under_way(league.folder) == {}
    for match in begun:
        seat = [bot["name"] for bot in rows[match]["bots"]].index("sage")
        assert (rows[match]["forfeits"], rows[match]["faults"][seat]) == ([seat], {"outage": 3})


def test_a_bot_that_is_not_there_after_all_is_told_of_once(league: League, home: Homes) -> None:
    write(league, remote(league, "sage"), deals=1)
    home.is_absent = True
    with playing(league) as player:
        player.here(sage=1)
        (told,) = until(lambda: player.said(messages.Trouble), 40)
        assert told == messages.Trouble(
            "sage is said to be connected, and yet its matches cannot begin: it is not connected. "
            "They are tried again."
        )
        before = home.declined
        assert 3 < before < 20  # it is not called all the time
        until(lambda: home.declined > before, 20)
        assert player.said(messages.Trouble) == [told]
        assert league.count() == 2
        home.is_absent = False
        player.idle(ALL)
        assert league.count() == 6
        assert player.said(messages.Stopped) == []


@pytest.mark.parametrize("seed", range(6))
def test_who_comes_when_a_run_is_just_ending_plays(league: League, home: Homes, seed: int) -> None:
    write(league, remote(league, "sage"), deals=1)
    with playing(league) as player:
        until(lambda: [word for word in player.said(messages.Progress) if word.missing == 4], 20)
        time.sleep(random.Random(seed).random() * 0.6)
        player.here(sage=1)
        player.idle(ALL)
        assert league.count() == 6


def rounds(league: League) -> int:
    with closing(sqlite3.connect(league.folder / "league.db")) as db:
        return int(db.execute("SELECT count(*) FROM round").fetchone()[0])


def test_no_round_is_drawn_before_remote_bots_have_played(league: League, home: Homes) -> None:
    write(league, remote(league, "sage"), remote(league, "tom"), deals=1)
    text = (league.folder / "league.toml").read_text()
    league.write(text.replace("deals = 1", 'deals = 1\ntournament = "swiss"'))
    absent = "All matches are played but those of sage and tom, which are not connected."
    with playing(league) as player:
        player.idle(absent)
        assert rounds(league) == 1
        stored = league.count()
    alone = " ".join(league.call("run").stderr.split())
    for name in ("sage", "tom"):
        assert (
            f"{name} is suspended for this run: it plays from its author's machine, and only in a "
            f"league that is served: `arena serve`."
        ) in alone
    assert (rounds(league), league.count()) == (1, stored)
    with playing(league) as player:
        player.idle(absent)
        assert rounds(league) == 1
        player.here(sage=1, tom=1)
        player.idle(ALL)
        assert rounds(league) == 3
        assert league.count() == 12


def test_a_changed_league_is_read_anew_while_bots_are_missed(league: League, home: Homes) -> None:
    write(league, remote(league, "sage"), deals=1)
    with playing(league) as player:
        player.idle(ABSENT)
        text = (league.folder / "league.toml").read_text()
        league.write(text.replace("deals = 1", "deals = 3"))
        until(lambda: league.count() == 6, 20)
        player.idle(ABSENT)
        league.write(text[: text.rindex("\n[[bot]]")])
        player.idle(ALL)
    assert league.count() == 6
    assert home.calls == []


def test_slow_matches_go_on_for_a_while_when_the_league_changes(league: League) -> None:
    """Who hands in again and again would else keep all bots thinking again from the beginning."""
    write(league, deals=1)
    (league.home / "ada" / "bot.py").write_text(SLOWLY)
    text = (league.folder / "league.toml").read_text().replace("max_turns = 20", "max_turns = 900")
    league.write(text)
    with playing(league) as player:
        until(lambda: len(found := under_way(league.folder)) == 2 and min(found.values()) > 1, 20)
        before = family(player.process.pid)
        league.write(text.replace("deals = 1", "deals = 3"))
        time.sleep(2)
        assert before <= family(player.process.pid)
        assert len(player.said(messages.Playing)) == 1


def test_a_player_that_begins_anew_is_told_again_who_is_there(league: League) -> None:
    write(league, remote(league, "sage"), deals=1)
    league.bot("at home", STEADY.format(pause=0.05))
    bot = league.home / "at home" / "bot.py"
    said: list[str] = []

    async def play(served: Served) -> None:
        await reached(lambda: "which is not connected." in served.state(to_organizer=True))
        with homes(league.folder / HANDED_IN, bot) as home:  # in place of the server's own socket
            served.here({("sage", DIGEST): 1})
            await reached(lambda: served.state(to_organizer=True) == ALL)
            assert league.count() == 6
            before = served.player.pid
            assert before is not None
            text = (league.folder / "league.toml").read_text()
            served.player.again()
            (league.folder / "league.toml").write_text(text.replace("deals = 1", "deals = 2"))
            await reached(lambda: league.count() == 12)
            assert served.player.pid != before
            await reached(lambda: served.state(to_organizer=True) == ALL)
            assert home.most["sage"] == 1

    async def serve() -> None:
        with ThreadPoolExecutor() as pool:
            served = Served(league.folder, "cup", None, None, pool, said.append)
            running = asyncio.create_task(served.run())
            try:
                await play(served)
            finally:
                served.stop()
                await running

    run_apart(serve())
    assert any("arena.serve.player" in words and "SIGKILL" in words for words in said)


async def reached(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(40):
        while not true():
            await asyncio.sleep(0.05)


def is_final_over(league: League) -> bool:
    with HandIns(league.folder) as db:
        return is_over(db)


CLOSED = "[hand_in]\ncloses = 2020-01-01T00:00:00Z\nfinal_deals = 1\n"


def test_a_final_is_not_over_before_remote_bots_have_played(league: League, home: Homes) -> None:
    write(league, remote(league, "sage"), settings=CLOSED)
    with playing(league) as player:
        player.idle(ABSENT)
        assert not is_final_over(league)
        assert matches_stored(league.folder / "final") == 2
        player.here(sage=1)
        until(lambda: is_final_over(league), 40)
        assert matches_stored(league.folder / "final") == 6
        until(lambda: league.count() == 12, 40)  # what the league itself lacks
        player.idle(ALL)


def test_what_bots_do_not_play_after_the_closing_they_have_lost(
    league: League, home: Homes
) -> None:
    out = [remote(league, "sage"), naughty("crash_at_start")]
    write(league, *out, deals=1, settings=f"{CLOSED}absence = 2\n")
    with playing(league) as player:
        player.idle(
            "All matches are played but those of suspended bots, and of sage, which is not "
            "connected."
        )
        assert not is_final_over(league)
        assert matches_stored(league.folder / "final") == 2
        began = time.monotonic()
        until(lambda: is_final_over(league), 40)
        assert time.monotonic() - began > 1
        assert matches_stored(league.folder / "final") == 12
        until(lambda: league.count() == 12, 40)
        player.idle(ALL)
    for row in league.exported():
        names = [bot["name"] for bot in row["bots"]]
        lost = [seat for seat, name in enumerate(names) if name in ("sage", "crash_at_start")]
        assert row["forfeits"] == lost
        assert all(row["faults"][seat] == {"startup": 1} for seat in lost)
    assert home.calls == []
    troubles = [word.what for word in player.said(messages.Trouble)]
    assert not [what for what in troubles if "forfeit" in what]
    away = "by default: it was not connected after the closing."
    assert [what for what in troubles if away in what] == [
        f"sage has lost 6 matches of the final {away}",
        f"sage has lost 6 matches {away}",
    ]
    assert sum("crash_at_start has lost 6 matches" in what for what in troubles) == 2


def test_who_breaks_each_start_off_keeps_no_contest_open(league: League, home: Homes) -> None:
    home.breaks_off = True
    closed = CLOSED.replace("final_deals = 1\n", "absence = 2\n")
    write(league, remote(league, "sage"), deals=1, settings=closed)
    with playing(league) as player:
        player.here(sage=1)
        until(lambda: league.count() == 6, 90)
    forfeits = [row for row in league.exported() if row["forfeits"]]
    assert len(forfeits) == 4


LAME = """
import os, sys, time, kit, guerra_random
if os.path.exists({marker!r}):
    sys.exit(1)
def choose(*words):
    time.sleep({pause})
    return guerra_random.choose(*words)
kit.run(choose)
"""


def test_who_was_suspended_is_tried_once_more_before_it_has_lost(league: League) -> None:
    marker = league.home / "lame"
    marker.touch()
    lame = league.bot("cyd", LAME.format(marker=str(marker), pause=0))
    closed = CLOSED.replace("final_deals = 1\n", "absence = 3\n")
    write(league, lame, deals=1, settings=closed)
    with playing(league) as player:
        until(lambda: player.said(messages.Stopped), 40)
        until(lambda: league.count() == 2, 40)
        marker.unlink()
        until(lambda: league.count() == 6, 40)
    assert not any(row["forfeits"] for row in league.exported())


def test_matches_that_a_suspended_bot_had_begun_count_although_the_league_is_read_anew(
    league: League,
) -> None:
    marker = league.home / "lame"
    bots = [
        league.bot(name, LAME.format(marker=str(marker), pause=0.05)) for name in ("cyd", "dan")
    ]
    text = HEAD.format(deals=1, more="") + "".join(bots)
    league.write(text.replace("max_turns = 20", "max_turns = 200"))
    with playing(league):
        until(lambda: len(kept := under_way(league.folder)) == 2 and min(kept.values()) > 5, 40)
    begun = under_way(league.folder)
    marker.touch()
    with playing(league) as player:
        until(lambda: player.said(messages.Stopped), 40)
        (league.folder / "league.toml").write_text(
            text.replace("max_turns = 20", "max_turns = 200")
        )
        until(lambda: league.count() == 2, 40)
    assert {row["match"] for row in league.exported()} == begun.keys()

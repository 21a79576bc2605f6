"""Who may hand in what, and when; and that what arrives is stored whole or not at all."""

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena.handin import submissions
from arena.handin.database import HandIns
from arena.handin.people import Person, remove
from arena.handin.receiving import Arrival, Refusal, shown_filename, tidy
from arena.handin.submissions import Submission, get, of_author, queue
from arena.league.file import read_asked
from arena.league.plan import LeaguePlan
from tests.arena.handin.conftest import Clock, add, person, receive
from tests.faults.workshop import small_disk
from tests.golden import Golden
from tests.referee.process_watch import until

ROOT = Path(__file__).parents[3]


@pytest.fixture
def plan(cup: Path) -> LeaguePlan:
    return read_asked(cup, "read")


def with_settings(plan: LeaguePlan, **changes: Any) -> LeaguePlan:
    return replace(plan, hand_in=msgspec.structs.replace(plan.hand_in, **changes))


def hand_in(
    db: HandIns, plan: LeaguePlan, author: Person, bot: str = "", *, only_check: bool = False
) -> Submission:
    return receive(db, plan, author, bot, b"#!/bin/sh\n", "bot.sh", only_check=only_check)


def refusal(db: HandIns, plan: LeaguePlan, author: Person, bot: str = "") -> Refusal:
    with pytest.raises(Refusal) as caught:
        hand_in(db, plan, author, bot)
    assert caught.value.what
    assert caught.value.remedy
    assert caught.value.step == "receive"
    return caught.value


def arrivals(db: HandIns) -> list[Path]:
    return list(db.arrivals.iterdir()) if db.arrivals.is_dir() else []


def test_what_was_received_waits_and_its_bytes_are_there(db: HandIns, plan: LeaguePlan) -> None:
    found = hand_in(db, plan, person(db, "ada"))
    assert (found.number, found.author, found.bot, found.state) == (1, "ada", "ada", "received")
    assert (found.size, found.filename) == (10, "bot.sh")
    assert found.history == [("received", found.received_at)]
    [file] = arrivals(db)
    assert file.read_bytes() == b"#!/bin/sh\n"
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_newer_one_takes_the_place_of_one_that_waits(db: HandIns, plan: LeaguePlan) -> None:
    ada = person(db, "ada")
    first, second = hand_in(db, plan, ada), hand_in(db, plan, ada)
    assert get(db, first.number).state == "replaced"
    assert get(db, first.number).reason == "you handed in 2 before it was looked at."
    assert [one.number for one in queue(db)] == [second.number]
    assert len(arrivals(db)) == 1


def test_a_check_makes_room_for_a_check_and_takes_nobodys_place(
    db: HandIns, plan: LeaguePlan
) -> None:
    ada, ben = person(db, "ada"), person(db, "ben")
    bot = hand_in(db, plan, ada)
    checks = [hand_in(db, plan, ada, only_check=True) for _ in range(2)]
    assert [get(db, one.number).state for one in checks] == ["replaced", "received"]
    assert get(db, bot.number).state == "received"
    newer = hand_in(db, plan, ada)
    assert [one.number for one in queue(db)] == [checks[1].number, newer.number]
    assert len(arrivals(db)) == 2
    # It has no name, and is no bot of its author's.
    hand_in(db, plan, ben, "fox", only_check=True)
    assert hand_in(db, plan, ben).bot == "ben"
    assert hand_in(db, plan, person(db, "cyd"), "fox").bot == "fox"


def test_a_check_counts_and_is_refused_as_what_is_to_play(db: HandIns, plan: LeaguePlan) -> None:
    ada, plan = person(db, "ada"), with_settings(plan, per_hour=2)
    hand_in(db, plan, ada)
    for name in ("house", "hen"):
        with pytest.raises(Refusal) as caught:
            hand_in(db, plan, ada, name, only_check=True)
        assert caught.value.status == 409
    hand_in(db, plan, ada, only_check=True)
    assert refusal(db, plan, ada).status == 429
    with pytest.raises(Refusal, match="handed in 2 times in 60 minutes"):
        hand_in(db, plan, ada, only_check=True)


def test_a_name_that_is_none_or_somebody_elses_is_refused(cup: Path, db: HandIns) -> None:
    with (cup / "league.toml").open("a") as file:
        file.write('[[bot]]\nname = "hen"\ndisqualified = "copied"\nshipped = "random"\n')
    plan, ben = read_asked(cup, "read"), person(db, "ben")
    hand_in(db, plan, ada := person(db, "ada"), "fox")
    person(db, "olga", "organizer")
    for names, status, said in (
        (("a\x1b[2J", "x" * 41, " a", "a\nb"), 422, ""),
        (("fox", "Fox", "ｆｏｘ"), 409, ""),
        (("house",), 409, "taken by a bot that the organizer"),
        (("old", "older"), 409, ""),
        (("olga", "Olga", "\u043elga"), 409, "another person"),
        (("hen",), 403, "hen was disqualified: copied."),
    ):
        for name in names:
            refused = refusal(db, plan, ben, name)
            assert (refused.status, said in refused.what) == (status, True), name
    assert refusal(db, plan, ada, "FOX").what == "your bot is called 'fox', not 'FOX'."
    assert [one.bot for one in of_author(db, "ben")] == []


def test_a_name_of_which_nothing_was_accepted_is_free(db: HandIns, plan: LeaguePlan) -> None:
    ada, ben = person(db, "ada"), person(db, "ben")
    first = hand_in(db, plan, ada, "fox")
    submissions.begin(db, first.number)
    assert refusal(db, plan, ben, "fox").status == 409
    submissions.refuse(db, first.number, Refusal(422, "it is none."))
    second = hand_in(db, plan, ben, "fox")
    submissions.begin(db, second.number)
    submissions.accept(db, second.number)
    assert refusal(db, plan, ada, "fox").status == 409


def test_an_author_has_no_more_bots_than_allowed(db: HandIns, plan: LeaguePlan) -> None:
    ada = person(db, "ada")
    hand_in(db, plan, ada, "fox")
    assert hand_in(db, plan, ada).bot == "fox"  # where none is named
    refused = refusal(db, plan, ada, "hen")
    assert (refused.status, refused.can_retry) == (409, False)
    assert refused.what == "you may have one bot in the league, and have 'fox'."
    hand_in(db, with_settings(plan, bots=2), ada, "hen")
    hand_in(db, plan, person(db, "olga", "organizer"), "a")
    hand_in(db, plan, person(db, "oleg", "organizer"), "b")


def test_the_rates_of_an_hour_and_of_a_day_say_when_it_is_possible_again(
    db: HandIns, plan: LeaguePlan, clock: Clock, golden: Golden
) -> None:
    plan = with_settings(plan, per_hour=2, per_day=3)
    ada = person(db, "ada")
    first = clock.at
    hand_in(db, plan, ada)
    clock.go(minutes=10)
    hand_in(db, plan, ada)
    refused = refusal(db, plan, ada)
    assert (refused.status, refused.can_retry) == (429, True)
    golden(f"{refused.what} {refused.remedy}")
    assert refused.again_at == first + timedelta(hours=1)
    hand_in(db, plan, person(db, "ben"))
    clock.at = first + timedelta(hours=1)
    hand_in(db, plan, ada)
    clock.go(hours=2)
    assert refusal(db, plan, ada).again_at == first + timedelta(days=1)
    refused = refusal(db, with_settings(plan, closes=first + timedelta(hours=12)), ada)
    assert (refused.status, refused.can_retry, refused.again_at) == (429, False, None)
    assert refused.remedy == "The league closes before you may again."
    clock.at = first + timedelta(days=1)
    hand_in(db, plan, ada)


MAY = datetime.fromisoformat("2026-05-01T14:00:00+02:00")  # when the clock begins


def test_bots_are_taken_from_the_opening_to_the_closing(
    db: HandIns, plan: LeaguePlan, clock: Clock, golden: Golden
) -> None:
    plan = with_settings(plan, opens=MAY + timedelta(hours=1), closes=MAY + timedelta(hours=2))
    ada, olga = person(db, "ada"), person(db, "olga", "organizer")
    early = refusal(db, plan, ada)
    assert (early.status, early.can_retry, early.again_at) == (403, True, plan.hand_in.opens)
    golden(early.what)
    clock.go(hours=1)
    hand_in(db, plan, ada)
    clock.go(hours=1)
    late = refusal(db, plan, ada)
    assert (late.status, late.can_retry) == (403, False)
    golden(late.what)
    hand_in(db, plan, olga)


def test_once_a_final_is_made_no_bot_is_taken(cup: Path, db: HandIns, plan: LeaguePlan) -> None:
    (cup / "final").mkdir()
    (cup / "final" / "league.toml").touch()
    hand_in(db, plan, person(db, "ada"))
    made = with_settings(plan, final_deals=1)
    assert "the final was made" in refusal(db, made, person(db, "ben")).what


def test_a_reader_and_one_who_was_removed_hand_in_nothing(db: HandIns, plan: LeaguePlan) -> None:
    assert refusal(db, plan, person(db, "rita", "reader")).status == 403
    ada = person(db, "ada")
    remove(db, "ada")
    assert refusal(db, plan, ada).status == 401


def test_what_is_too_large_or_empty_leaves_nothing(db: HandIns, plan: LeaguePlan) -> None:
    ada, small = person(db, "ada"), with_settings(plan, size_mb=1)
    receive(db, small, ada, "", bytes(1 << 20), "x.zip")
    for data, status in ((bytes((1 << 20) + 1), 413), (b"", 422)):
        with pytest.raises(Refusal) as caught:
            receive(db, small, ada, "", data, "x.zip")
        assert caught.value.status == status
    assert len(arrivals(db)) == len(of_author(db, "ada")) == 1


def test_what_is_given_up_leaves_nothing(db: HandIns, plan: LeaguePlan) -> None:
    with Arrival(db, lambda: plan, person(db, "ada"), "", "x") as arrival:
        arrival.write(b"half of it")
    assert arrivals(db) == []
    assert submissions.next_one(db) is None


def test_two_who_want_one_name_at_once_do_not_both_get_it(db: HandIns, plan: LeaguePlan) -> None:
    ada, ben = person(db, "ada"), person(db, "ben")
    with (
        Arrival(db, lambda: plan, ada, "fox", "x") as first,
        Arrival(db, lambda: plan, ben, "fox", "x") as second,
    ):
        first.write(b"1")
        second.write(b"2")
        first.finish()
        with pytest.raises(Refusal, match="taken by another author"):
            second.finish()
    assert len(arrivals(db)) == 1


def test_a_full_disk_is_507_and_leaves_nothing(tmp_path: Path, cup: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    with small_disk(disk, 2048):
        shutil.copy(cup / "league.toml", disk)
        plan = with_settings(read_asked(disk, "read"), per_hour=10_000, per_day=10_000)
        with HandIns(disk, create=True) as db:
            ada, ben = person(db, "ada"), person(db, "ben")
            with pytest.raises(Refusal) as caught:
                receive(db, plan, ada, "", bytes(4 << 20), "x.zip")
            assert (caught.value.status, caught.value.can_retry) == (507, True)
            assert arrivals(db) == []
            stored = [hand_in(db, plan, ada).number]
            filler = disk / "filler"
            filler.write_bytes(bytes(4096 * (os.statvfs(disk).f_bavail)))
            for _ in range(200):  # the database has room of its own for a while
                try:
                    stored.append(hand_in(db, plan, ada).number)
                except Refusal as refused:
                    assert refused.status == 507  # noqa: PT017 - sooner or later
                    break
            else:
                pytest.fail("it was never full")
            filler.unlink()
            assert len(of_author(db, "ada")) == len(stored)
            hand_in(db, plan, ben)
            assert [one.author for one in queue(db)] == ["ada", "ben"]
            assert len(arrivals(db)) == 2


def test_a_filename_is_shown_without_what_a_terminal_obeys() -> None:
    for given, shown in (
        ("../../etc/passwd", "passwd"),
        (r"C:\bots\mine.zip", "mine.zip"),
        ("a\x1b[2Jb\n.zip", "a[2Jb.zip"),
        ("x" * 200 + ".zip", "x" * 96 + ".zip"),
        ("", ""),
    ):
        assert shown_filename(given) == shown


RECEIVER = """
import sys
from pathlib import Path
from arena.handin.database import HandIns
from arena.handin.people import by_token
from arena.handin.receiving import Arrival
from arena.league.file import read_asked
league = Path(sys.argv[1])
with HandIns(league) as db:
    ada = by_token(db, sys.argv[2])
    with Arrival(db, lambda: read_asked(league), ada, "", "x") as arrival:
        for piece in iter(lambda: sys.stdin.buffer.read1(), b""):
            arrival.write(piece)
        arrival.finish()
"""


@pytest.mark.parametrize("is_whole", [False, True])
def test_a_killed_receiver_leaves_all_or_nothing(db: HandIns, cup: Path, is_whole: bool) -> None:
    token = add(db, "ada")
    receiver = subprocess.Popen(
        [sys.executable, "-c", RECEIVER, cup, token], stdin=subprocess.PIPE, cwd=ROOT
    )
    assert receiver.stdin is not None
    receiver.stdin.write(b"x" * 70_000)
    receiver.stdin.flush()
    until(lambda: [path for path in arrivals(db) if path.stat().st_size == 70_000])
    tidy(db)
    assert arrivals(db)  # of a receiver that is alive
    if is_whole:
        receiver.stdin.close()
        until(lambda: of_author(db, "ada"))
    receiver.kill()
    receiver.communicate()
    tidy(db)
    assert len(arrivals(db)) == len(of_author(db, "ada")) == int(is_whole)

"""Remote bots of a served league: connected, called by matches, cut off, and come again."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from arena.handin.database import HandIns
from arena.handin.people import remove, renew
from arena.league.file import read_asked
from arena.store.under_way import MatchesUnderWay, MatchPlan
from protocol import remote
from referee.match.kept import KeptAnswer
from tests.arena.serve.remote_home import (
    DIGESTS,
    CalledBot,
    Contest,
    Home,
    at_home,
    dial,
    hello,
    proxied,
    remote_contest,
    remotes,
    write_remote_league,
)
from tests.arena.serve.serving import add_person, serving, write_league
from tests.referee.process_watch import until

pytestmark = pytest.mark.slow


@pytest.fixture
def contest(tmp_path: Path) -> Iterator[Contest]:
    """A server of its own, whose organizer must not have seen a traceback."""
    with remote_contest(tmp_path / "cup") as found:
        yield found
        assert found.said("Traceback") == []


def is_away(contest: Contest, bot: str = "sage") -> bool:
    return bool(remotes(contest)[bot]["state"] == "away")


def is_taken(contest: Contest, **words: str) -> tuple[bool, float]:
    """Return whether a call is taken, and after how many seconds that is known."""
    began = time.monotonic()
    with CalledBot(contest.folder, **words) as call:
        return call.taken(), time.monotonic() - began


def test_a_match_and_a_copy_speak_to_each_other(contest: Contest) -> None:
    with at_home(contest) as (home, welcome):
        assert (welcome.league, welcome.goes_on) == ("cup", False)
        assert welcome.limits["move_time"] == 5
        with CalledBot(contest.folder, match="7-1") as call:
            assert call.taken()
            assert home.next() == remote.BeginCopy(n=1, copy=1)
            call.say('{"type":"hello"}')
            assert home.next() == remote.CopyLine(n=2, copy=1, line='{"type":"hello"}')
            home.write(remote.CopyLine, copy=1, line='{"type":"ready","ä":"\\u0000"}')
            assert call.line() == '{"type":"ready","ä":"\\u0000"}'
        assert home.next() == remote.EndCopy(n=3, copy=1)
        home.write(remote.CopyLine, copy=1, line="too late, and nobody minds")
        with CalledBot(contest.folder) as call:
            assert call.taken()
            assert home.next() == remote.BeginCopy(n=4, copy=2)
            home.write(remote.CopyGone, copy=2, how="ended\x1b[2J", stderr="oh\nno")
            assert call.how() == "ended\\x1b[2J"
        with CalledBot(contest.folder) as call:
            assert call.taken()
            home.write(remote.Bye)
            with suppress(ConnectionClosed):  # what comes after it counts for nothing
                home.write(remote.CopyLine, copy=3, line="x")
            assert call.how() == "was ended by its author"
        assert home.ended() == 1000
    until(lambda: contest.said("sage is away: its author ended it."))

    def upgraded() -> list[dict[str, Any]]:
        logged = (json.loads(line) for line in list(contest.server.logged) if "/remote" in line)
        return [each for each in logged if each["status"] == 101]

    until(lambda: bool(upgraded()))
    [line] = upgraded()
    assert (line["who"], line["method"], line["from"]) == ("cup/1", "GET", "127.0.0.1")
    assert line["bytes"] > 100


def test_the_round_trip_is_measured_and_told_to_both(contest: Contest) -> None:
    with at_home(contest) as (home, _), CalledBot(contest.folder) as call:
        assert call.taken()
        found = home.frame()
        while not (isinstance(found, remote.Beat) and found.trip is not None):
            if isinstance(found, remote.Beat):
                time.sleep(0.2)  # as far away as that
                home.say(remote.Echo(at=found.at, seen=0))
            found = home.frame()
        assert 0.2 <= found.trip < 1
        assert found.state.endswith(".")  # what goes on in the league
        home.write(remote.CopyLine, copy=1, line="x")
        assert call.hear().trip == found.trip  # type: ignore[union-attr]
        assert 200 <= remotes(contest)["sage"]["trip_ms"] < 1000


def test_a_line_waits_for_nothing_that_was_sent_before_it(contest: Contest) -> None:
    """As TCP lets short pieces wait, for 40 ms, until those before them were confirmed."""
    took = []
    with at_home(contest) as (home, _), home.ready(contest) as call:
        for _ in range(20):
            home.write(remote.CopyLine, copy=1, line="answer")
            assert call.line() == "answer"
            began = time.monotonic()
            for line in ("one", "two"):
                call.say(line)
                assert isinstance(home.next(), remote.CopyLine)
            took.append(time.monotonic() - began)
    assert sorted(took)[5] < 0.02  # of 20, as the machine may be busy


def test_a_call_is_refused_where_nobody_could_answer(contest: Contest) -> None:
    assert not is_taken(contest)[0]  # nobody is there
    with at_home(contest, slots=1) as (home, _):
        assert not is_taken(contest, digest="f" * 64)[0]  # other files
        assert not is_taken(contest, bot="iris")[0]  # another bot
        with CalledBot(contest.folder) as call:
            assert call.taken()
            found, seconds = is_taken(contest)  # as many as it offers
            assert not found
            assert seconds < 5
        assert is_taken(contest)[0]
        home.write(remote.OfferSlots, slots=0)
        until(lambda: remotes(contest)["sage"]["slots"] == 0)
        assert not is_taken(contest)[0]


def test_a_call_waits_a_moment_for_a_bot_that_was_cut_off(contest: Contest) -> None:
    session = "0" * 32
    with at_home(contest, session=session) as (_, begun):
        pass
    until(lambda: is_away(contest))
    with CalledBot(contest.folder, match="early") as call:
        time.sleep(0.5)
        with at_home(contest, session=session, epoch=begun.epoch) as (home, _):
            assert home.next() == remote.BeginCopy(n=1, copy=1)
            assert call.taken()
    until(lambda: is_away(contest))
    found, seconds = is_taken(contest)
    assert not found
    assert 4 < seconds < 8
    found, seconds = is_taken(contest)  # at once, by now
    assert not found
    assert seconds < 2


def test_an_organizer_connects_any_bot_and_an_author_his_own(contest: Contest) -> None:
    with at_home(contest, contest.organizer, "sage"), at_home(contest, contest.bob, "iris"):
        assert not is_away(contest, "iris")
        until(lambda: contest.said("sage is connected by org from 127.0.0.1: 2 matches at once."))
    with dial(contest.server, contest.bob) as connection:
        assert Home(connection, hello("rose")).declined().kind == "wrong"
    until(lambda: contest.said("bob is declined: 'rose' is not a bot of yours."))


def test_a_second_program_is_told_that_one_is_connected(contest: Contest) -> None:
    with at_home(contest) as (home, _), home.ready(contest) as call:
        with dial(contest.server, contest.ada) as connection:
            found = Home(connection, hello()).declined()
        assert (found.kind, found.after) == ("busy", None)
        assert "try again in 15 s" in found.remedy
        home.write(remote.CopyLine, copy=1, line="undisturbed")
        assert call.line() == "undisturbed"


def test_a_session_that_comes_again_goes_on_with_its_copies(contest: Contest) -> None:
    session = "a" * 32
    with at_home(contest, session=session) as (home, begun):
        call = home.ready(contest)
        call.say("asked before")
        until(lambda: isinstance(home.next(), remote.CopyLine))
    until(lambda: is_away(contest))
    call.say("asked meanwhile")
    with at_home(contest, session=session, epoch=begun.epoch, seen=1) as (again, welcome):
        assert (welcome.goes_on, welcome.seen) == (True, 1)
        assert again.next() == remote.CopyLine(
            n=2, copy=1, line="asked before"
        )  # it has seen 1 alone
        assert again.next() == remote.CopyLine(n=3, copy=1, line="asked meanwhile")
        again.write(remote.CopyLine, copy=1, line="ready")  # once more, as it could not know
        again.write(remote.CopyLine, copy=1, line="answer 2")
        assert call.line() == "answer 2"
        until(lambda: contest.said("sage is back after "))
        with at_home(contest, session=session, epoch=begun.epoch, seen=3) as (third, welcome):
            assert welcome.goes_on  # while the second one still lives
            assert again.ended() == 1006
            third.sent = 2
            third.write(remote.CopyLine, copy=1, line="answer 3")
            assert call.line() == "answer 3"
    call.close()


def test_a_session_whose_welcome_was_lost_begins_anew_and_blames_nobody(contest: Contest) -> None:
    session = "a" * 32
    with at_home(contest, session=session):  # or so it seems here
        call = CalledBot(contest.folder)
        assert call.taken()
    with at_home(contest, session=session, seen=7) as (again, welcome):  # of the server before
        assert (welcome.goes_on, welcome.seen) == (False, 0)
        assert call.hear() is None  # hung up: no word on how the copy ended
        call.close()
        with CalledBot(contest.folder) as other:
            assert other.taken()
            assert again.next() == remote.BeginCopy(n=1, copy=1)


def test_nobody_calls_off_matches_by_a_session_that_he_knows_and_begins_anew(
    contest: Contest,
) -> None:
    secret = "a" * 32
    with at_home(contest, session=secret) as (home, _):
        call = home.ready(contest)
        with at_home(contest, session=secret, epoch="0" * 32) as (_, welcome):
            assert not welcome.goes_on
            assert call.how() == "was begun anew by its author"
    call.close()


def test_what_still_comes_over_the_old_connection_is_not_taken(contest: Contest) -> None:
    """Letters that are on their way when another connection takes over come once more over it."""
    secret = "a" * 32
    for _ in range(15):
        with at_home(contest, session=secret) as (old, welcome):
            old.sent = welcome.seen
            is_over = threading.Event()

            def write(home: Home = old, is_over: threading.Event = is_over) -> None:
                with suppress(ConnectionClosed):
                    while not is_over.is_set():
                        home.write(remote.OfferSlots, slots=2)

            writing = threading.Thread(target=write)
            writing.start()
            with at_home(contest, session=secret, epoch=welcome.epoch) as (new, welcome):
                new.sent = welcome.seen
                new.write(remote.OfferSlots, slots=3)
                until(lambda: remotes(contest)["sage"]["slots"] == 3)
                is_over.set()
                writing.join()
        until(lambda: is_away(contest))


def test_a_new_session_takes_over_from_a_broken_one(contest: Contest) -> None:
    with at_home(contest) as (home, _):
        call, early = home.ready(contest), CalledBot(contest.folder)
        assert early.taken()
        assert isinstance(home.next(), remote.BeginCopy)
    assert early.hear() is None  # it was not ready when its machine went away: nobody is blamed
    early.close()
    until(lambda: is_away(contest))
    with at_home(contest) as (_, welcome):
        assert not welcome.goes_on
        assert call.how() == "was started anew by its author"
        assert is_taken(contest)[0]
    call.close()


def test_other_files_in_its_place_end_a_session(contest: Contest) -> None:
    with at_home(contest) as (home, _), CalledBot(contest.folder) as call:
        assert call.taken()
        with at_home(contest, contest.bob, "iris") as (other, _):
            write_remote_league(contest.folder, {**DIGESTS, "sage": "9" * 64})
            assert home.declined().kind == "replaced"
            assert call.hear() is None  # hung up: nobody is blamed
            with at_home(contest, digest="9" * 64):  # and the new ones play
                with suppress(TimeoutError):
                    other.next(0.3)
                assert not is_away(contest, "iris")
    with dial(contest.server, contest.ada) as connection:
        assert Home(connection, hello()).declined().kind == "unknown"


def test_what_was_replaced_stays_connected_until_it_has_finished(contest: Contest) -> None:
    bots = read_asked(contest.folder).bots
    lineup = tuple((bot.key, bot.version) for bot in bots)
    with MatchesUnderWay(contest.folder) as under_way:
        under_way.enter(bots)
        begun = under_way.begin("1-0", "", MatchPlan(lineup, 0, 0, is_mirrored=False))
        under_way.keep(begun, 0, 0, KeptAnswer(1, None, 0.0, 0.0, 0.0))
        with at_home(contest), CalledBot(contest.folder) as call:
            assert call.taken()
            write_remote_league(contest.folder, {**DIGESTS, "sage": "9" * 64})
            with at_home(contest, digest="9" * 64):  # both are there
                assert is_taken(contest)[0]
        with at_home(contest, digest="9" * 64) as (new, _):
            with at_home(contest) as (home, _):  # it may come again
                under_way.drop(["1-0"])
                assert home.declined().kind == "replaced"
            with suppress(TimeoutError):
                new.next(0.3)
            assert not is_away(contest)


def test_files_that_were_entered_a_moment_ago_are_known_at_once(contest: Contest) -> None:
    write_remote_league(contest.folder, {**DIGESTS, "sage": "9" * 64})
    with at_home(contest, digest="9" * 64):
        pass


def test_a_bot_that_is_taken_out_has_no_session_even_while_it_is_away(contest: Contest) -> None:
    with at_home(contest) as (home, _):
        call = home.ready(contest)
    until(lambda: is_away(contest))
    write_remote_league(contest.folder, {"iris": DIGESTS["iris"]})
    assert call.hear() is None
    assert "sage" not in remotes(contest)
    call.close()


@pytest.mark.parametrize("end", [renew, remove])
def test_a_token_that_ends_ends_the_session(
    contest: Contest, end: Callable[[HandIns, str], object]
) -> None:
    with at_home(contest) as (home, _), CalledBot(contest.folder) as call:
        assert call.taken()
        with HandIns(contest.folder) as db:
            end(db, "ada")
        found = home.declined()
        assert (found.kind, found.what) == ("wrong", "the token is not valid any more.")
        assert call.hear() is None
    with pytest.raises(InvalidStatus) as refused:
        dial(contest.server, contest.ada)
    assert refused.value.response.status_code == 401


def test_the_server_ends_with_a_code_that_says_so_and_begins_anew(contest: Contest) -> None:
    session = "a" * 32
    with at_home(contest, session=session) as (home, _):
        contest.server.end()
        assert home.ended() == 1001
    with serving(contest.folder) as server:
        anew = contest._replace(server=server)
        with at_home(anew, session=session, seen=5) as (_, welcome):
            assert not welcome.goes_on


def test_what_everybody_sees_of_remote_bots(contest: Contest) -> None:
    assert contest.server.api("").json["open_to_remote"] is True
    assert "Connected now" not in contest.server.ask("/cup/").text
    with at_home(contest, slots=3):
        row = {"bot": "sage", "state": "connected", "slots": 3, "trip_ms": None}
        assert remotes(contest)["sage"] | {"trip_ms": None} == row
        assert [*remotes(contest)] == ["iris", "rose", "sage"]
        page = contest.server.ask("/cup/").text
        assert "Connected now, from their authors' machines: <bdi>sage</bdi>." in page
    until(lambda: is_away(contest))
    assert "Connected now" not in contest.server.ask("/cup/").text


def test_nothing_is_seen_of_them_while_results_are_held_back(tmp_path: Path) -> None:
    frozen = "freezes = 2020-01-01T00:00:00Z\nrelease = 2090-01-01T00:00:00Z\n"
    with remote_contest(tmp_path / "cup", more=frozen) as contest:
        until(lambda: contest.said("is in use"))  # what is going on stays the same from here
        before, stranger = contest.server.ask("/cup/").text, contest.server.api("").json
        with at_home(contest):
            assert contest.server.ask("/cup/").text == before
            assert contest.server.api("").json == stranger
            assert remotes(contest, contest.ada) == {}
            assert remotes(contest)["sage"]["state"] == "connected"  # the organizer sees it


def test_a_league_that_is_not_open_says_how_it_is_opened(tmp_path: Path) -> None:
    folder = write_league(tmp_path / "cup")
    token = add_person(folder, "ada")
    with serving(folder) as server:
        assert server.api("").json["open_to_remote"] is False
        with pytest.raises(InvalidStatus) as found:
            dial(server, token)
        assert found.value.response.status_code == 403
        assert b"grants = { remote = true } in [hand_in]" in bytes(found.value.response.body or b"")


def test_a_connection_that_passes_nothing_is_broken_after_a_while(contest: Contest) -> None:
    with (
        proxied(contest.server.port) as proxy,
        dial(contest.server, contest.ada, port=proxy.port) as connection,
    ):
        assert isinstance(Home(connection, hello()).next(), remote.Welcome)
        proxy.freeze()
        began = time.monotonic()
        until(lambda: is_away(contest), 30)
        assert 10 < time.monotonic() - began < 20
        until(lambda: contest.said("sage is away: nothing came for 15 s."))
        with at_home(contest):
            pass


def test_the_organizer_hears_no_more_than_a_few_lines_a_minute_of_a_bot(contest: Contest) -> None:
    for _ in range(12):
        with at_home(contest):
            pass
        until(lambda: is_away(contest))
    with at_home(contest, contest.bob, "iris"):
        until(lambda: contest.said("iris is connected"))
    assert len(contest.said("cup: sage is ")) == 6


def test_a_bot_that_was_renamed_is_connected_by_either_name(contest: Contest) -> None:
    """Its author's program goes on with the name that it was started with."""
    file = contest.folder / "league.toml"
    session = "0" * 32
    with at_home(contest, session=session) as (_, begun):
        renamed = 'name = "wise"\nkey = "sage"\nfolder = "sage"'
        file.write_text(file.read_text().replace('name = "sage"\nfolder = "sage"', renamed))
        until(lambda: "wise" in remotes(contest))
    with at_home(contest, session=session, epoch=begun.epoch) as (_, welcome):
        assert welcome.goes_on
        assert remotes(contest)["wise"]["state"] == "connected"
    with at_home(contest, bot="wise", digest=DIGESTS["sage"]) as (home, _):
        home.ready(contest).close()

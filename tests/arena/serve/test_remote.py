"""Remote bots of a served league: connected, called by matches, cut off, and come again."""

import io
import tarfile
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from arena.handin.database import HandIns
from arena.handin.people import remove, renew
from arena.serve.remote.sparing import Sparing
from protocol.remote import (
    Beat,
    BeginCopy,
    Bye,
    CopyGone,
    CopyLine,
    Echo,
    EndCopy,
    OfferSlots,
    Welcome,
)
from tests.arena.serve.remote_home import (
    DIGESTS,
    CalledBot,
    Contest,
    Home,
    at_home,
    dial,
    hello,
    logged,
    marker,
    proxied,
    remote_contest,
    remotes,
    write_remote_league,
)
from tests.arena.serve.serving import run_arena, serving, write_league
from tests.referee.process_watch import until


@pytest.fixture
def contest(tmp_path: Path) -> Iterator[Contest]:
    """A server of its own, whose organizer must not have seen a traceback."""
    with remote_contest(tmp_path / "cup") as found:
        yield found
        assert found.said("Traceback") == []


def is_away(contest: Contest, bot: str = "sage") -> bool:
    """Return whether a bot is not connected."""
    return bool(remotes(contest)[bot]["state"] == "away")


@pytest.mark.slow
def test_a_match_and_a_copy_speak_to_each_other(contest: Contest) -> None:
    with at_home(contest) as (home, welcome):
        assert (welcome.league, welcome.goes_on) == ("cup", False)
        assert welcome.limits["move_time"] == 5
        with CalledBot(contest.folder, match="7-1") as call:
            assert call.taken()
            assert home.next() == BeginCopy(n=1, copy=1)
            call.say('{"type":"hello"}')
            assert home.next() == CopyLine(n=2, copy=1, line='{"type":"hello"}')
            home.write(CopyLine, copy=1, line='{"type":"ready","ä":"\\u0000"}')
            assert call.line() == '{"type":"ready","ä":"\\u0000"}'
        assert home.next() == EndCopy(n=3, copy=1)
        home.write(CopyLine, copy=1, line="too late, and nobody minds")
        with CalledBot(contest.folder) as call:
            assert call.taken()
            assert home.next() == BeginCopy(n=4, copy=2)
            home.write(CopyGone, copy=2, how="ended\x1b[2J", stderr="oh\nno")
            assert call.how() == "ended\\x1b[2J"
    until(lambda: is_away(contest))
    [line] = until(lambda: logged(contest, 101))
    assert (line["who"], line["method"], line["from"]) == ("cup/1", "GET", "127.0.0.1")
    assert line["bytes"] > 100


@pytest.mark.slow
def test_the_round_trip_is_measured_and_told_to_both(contest: Contest) -> None:
    with at_home(contest) as (home, _), CalledBot(contest.folder) as call:
        assert call.taken()
        found = home.frame()
        while not (isinstance(found, Beat) and found.trip is not None):
            if isinstance(found, Beat):
                time.sleep(0.2)  # as far away as that
                home.say(Echo(at=found.at, seen=0))
            found = home.frame()
        assert 0.2 <= found.trip < 1
        home.write(CopyLine, copy=1, line="x")
        heard = call.hear()
        assert heard.trip == found.trip
        assert 200 <= remotes(contest)["sage"]["trip_ms"] < 1000


@pytest.mark.slow
def test_a_line_waits_for_nothing_that_was_sent_before_it(contest: Contest) -> None:
    """As TCP lets short pieces wait, for 40 ms, until those before them were confirmed."""
    took = []
    with at_home(contest) as (home, _), CalledBot(contest.folder) as call:
        assert call.taken()
        assert isinstance(home.next(), BeginCopy)
        for _ in range(20):
            home.write(CopyLine, copy=1, line="answer")
            assert call.line() == "answer"
            began = time.monotonic()
            call.say("one")
            assert isinstance(home.next(), CopyLine)
            call.say("two")
            assert isinstance(home.next(), CopyLine)
            took.append(time.monotonic() - began)
    assert sorted(took)[5] < 0.02  # of 20, as the machine may be busy


@pytest.mark.slow
def test_a_call_is_refused_where_nobody_could_answer(contest: Contest) -> None:
    def is_taken(**words: str) -> bool:
        with CalledBot(contest.folder, **words) as call:
            return call.taken()

    assert not is_taken()  # nobody is there
    with at_home(contest, slots=1) as (home, _):
        assert not is_taken(digest="f" * 64)  # other files
        assert not is_taken(bot="iris")  # another bot
        with CalledBot(contest.folder) as call:
            assert call.taken()
            began = time.monotonic()
            assert not is_taken()  # as many as it offers
            assert time.monotonic() - began < 5
        assert is_taken()
        home.write(OfferSlots, slots=0)
        until(lambda: remotes(contest)["sage"]["slots"] == 0)
        assert not is_taken()


@pytest.mark.slow
def test_a_call_waits_a_moment_for_a_bot_that_was_cut_off(contest: Contest) -> None:
    first = hello()
    with dial(contest.server, contest.ada) as connection:
        begun = Home(connection, first).next()
        assert isinstance(begun, Welcome)
    until(lambda: is_away(contest))
    with CalledBot(contest.folder, match="early") as call:
        time.sleep(0.5)
        with dial(contest.server, contest.ada) as connection:
            home = Home(connection, hello(session=first.session, epoch=begun.epoch))
            assert isinstance(home.next(), Welcome)
            assert home.next() == BeginCopy(n=1, copy=1)
            assert call.taken()
    until(lambda: is_away(contest))
    with CalledBot(contest.folder) as call:
        began = time.monotonic()
        assert not call.taken()
        assert 4 < time.monotonic() - began < 8
    with CalledBot(contest.folder) as call:
        began = time.monotonic()
        assert not call.taken()  # at once, by now
        assert time.monotonic() - began < 2


@pytest.mark.slow
def test_an_organizer_connects_any_bot_and_an_author_his_own(contest: Contest) -> None:
    with at_home(contest, contest.organizer, "sage"), at_home(contest, contest.bob, "iris"):
        assert not is_away(contest, "iris")
        until(lambda: contest.said("sage is connected by org from 127.0.0.1: 2 matches at once."))
    with dial(contest.server, contest.bob) as connection:
        assert Home(connection, hello("rose")).declined().kind == "wrong"
    until(lambda: contest.said("bob is declined: 'rose' is not a bot of yours."))


@pytest.mark.slow
def test_a_second_program_is_told_that_one_is_connected(contest: Contest) -> None:
    with at_home(contest) as (home, _), CalledBot(contest.folder) as call:
        assert call.taken()
        with dial(contest.server, contest.ada) as connection:
            found = Home(connection, hello()).declined()
        assert (found.kind, found.after) == ("busy", None)
        assert "try again in 15 s" in found.remedy
        home.next()
        home.write(CopyLine, copy=1, line="undisturbed")
        assert call.line() == "undisturbed"


@pytest.mark.slow
def test_a_session_that_comes_again_goes_on_with_its_copies(contest: Contest) -> None:
    first = hello()
    with dial(contest.server, contest.ada) as connection:
        home = Home(connection, first)
        begun = home.next()
        assert isinstance(begun, Welcome)
        call = CalledBot(contest.folder)
        assert call.taken()
        assert isinstance(home.next(), BeginCopy)
        call.say("asked before")
        until(lambda: isinstance(home.next(), CopyLine))
        home.write(CopyLine, copy=1, line="answer 1")
        assert call.line() == "answer 1"
    until(lambda: is_away(contest))
    call.say("asked meanwhile")
    with dial(contest.server, contest.ada) as connection:
        again = Home(connection, hello(session=first.session, epoch=begun.epoch, seen=1))
        welcome = again.next()
        assert isinstance(welcome, Welcome)
        assert (welcome.goes_on, welcome.seen) == (True, 1)
        assert again.next() == CopyLine(n=2, copy=1, line="asked before")  # it has seen 1 alone
        assert again.next() == CopyLine(n=3, copy=1, line="asked meanwhile")
        again.write(CopyLine, copy=1, line="answer 1")  # once more, as it could not know
        again.write(CopyLine, copy=1, line="answer 2")
        assert call.line() == "answer 2"
        until(lambda: contest.said("sage is back after "))

        with dial(contest.server, contest.ada) as third:  # while the second one still lives
            taken_over = Home(third, hello(session=first.session, epoch=begun.epoch, seen=3))
            assert taken_over.next().goes_on  # type: ignore[union-attr]
            assert again.ended() == 1006
            taken_over.sent = 2
            taken_over.write(CopyLine, copy=1, line="answer 3")
            assert call.line() == "answer 3"
    call.close()


@pytest.mark.slow
def test_a_session_whose_welcome_was_lost_begins_anew_and_blames_nobody(contest: Contest) -> None:
    first = hello()
    with dial(contest.server, contest.ada) as connection:
        assert isinstance(Home(connection, first).next(), Welcome)  # or so it seems here
        call = CalledBot(contest.folder)
        assert call.taken()
    with dial(contest.server, contest.ada) as connection:
        again = Home(connection, hello(session=first.session, seen=7))  # of the server before
        welcome = again.next()
        assert isinstance(welcome, Welcome)
        assert (welcome.goes_on, welcome.seen) == (False, 0)
        assert call.hear() is None  # hung up: no word on how the copy ended
        call.close()
        other = CalledBot(contest.folder)
        assert other.taken()
        begun = again.next()
        assert isinstance(begun, BeginCopy)
        assert (begun.n, begun.copy) == (1, 1)
        other.close()


@pytest.mark.slow
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
                        home.write(OfferSlots, slots=2)

            writing = threading.Thread(target=write)
            writing.start()
            with at_home(contest, session=secret, epoch=welcome.epoch) as (new, welcome):
                new.sent = welcome.seen
                new.write(OfferSlots, slots=3)
                until(lambda: remotes(contest)["sage"]["slots"] == 3)
                is_over.set()
                writing.join()
        until(lambda: is_away(contest))


@pytest.mark.slow
def test_a_new_session_takes_over_from_a_broken_one_and_its_copies_are_gone(
    contest: Contest,
) -> None:
    with at_home(contest) as (home, _):
        call = CalledBot(contest.folder)
        assert call.taken()
        assert isinstance(home.next(), BeginCopy)
        home.write(CopyLine, copy=1, line="ready")
        assert call.line() == "ready"
    until(lambda: is_away(contest))
    with at_home(contest) as (_, welcome):
        assert not welcome.goes_on
        assert call.how() == "was started anew by its author"
        with CalledBot(contest.folder) as another:
            assert another.taken()
    call.close()


@pytest.mark.slow
def test_nobody_is_blamed_for_a_copy_that_was_not_ready_when_its_machine_went_away(
    contest: Contest,
) -> None:
    with at_home(contest) as (home, _):
        call = CalledBot(contest.folder)
        assert call.taken()
        assert isinstance(home.next(), BeginCopy)
    assert call.hear() is None
    call.close()


@pytest.mark.slow
def test_bye_ends_the_copies(contest: Contest) -> None:
    with at_home(contest) as (home, _), CalledBot(contest.folder) as call:
        assert call.taken()
        home.write(Bye)
        assert call.how() == "was ended by its author"
        assert home.ended() == 1000
    until(lambda: contest.said("sage is away: its author ended it."))


@pytest.mark.slow
def test_other_files_in_its_place_end_a_session(contest: Contest) -> None:
    with at_home(contest) as (home, _), CalledBot(contest.folder) as call:
        assert call.taken()
        with at_home(contest, contest.bob, "iris") as (other, _):
            write_remote_league(contest.folder, {**DIGESTS, "sage": "9" * 64})
            found = home.declined()
            assert found.kind == "replaced"
            assert call.hear() is None  # hung up: nobody is blamed
            with at_home(contest, digest="9" * 64):  # and the new ones play
                other.until_silent()
                assert not is_away(contest, "iris")
    with dial(contest.server, contest.ada) as connection:
        assert Home(connection, hello()).declined().kind == "unknown"


@pytest.mark.slow
def test_files_that_were_entered_a_moment_ago_are_known_at_once(contest: Contest) -> None:
    write_remote_league(contest.folder, {**DIGESTS, "sage": "9" * 64})
    with at_home(contest, digest="9" * 64):
        pass


@pytest.mark.slow
def test_a_bot_that_is_taken_out_has_no_session_even_while_it_is_away(contest: Contest) -> None:
    with at_home(contest) as (home, _):
        call = CalledBot(contest.folder)
        assert call.taken()
        assert isinstance(home.next(), BeginCopy)
        home.write(CopyLine, copy=1, line="ready")
        assert call.line() == "ready"
    until(lambda: is_away(contest))
    digests = {name: digest for name, digest in DIGESTS.items() if name != "sage"}
    write_remote_league(contest.folder, digests)
    assert call.hear() is None
    assert "sage" not in remotes(contest)
    call.close()


@pytest.mark.slow
@pytest.mark.parametrize("how", [renew, remove])
def test_a_token_that_ends_ends_the_session(contest: Contest, how: object) -> None:
    with at_home(contest) as (home, _), CalledBot(contest.folder) as call:
        assert call.taken()
        with HandIns(contest.folder) as db:
            how(db, "ada")  # type: ignore[operator]
        found = home.declined()
        assert (found.kind, found.what) == ("wrong", "the token is not valid any more.")
        assert call.hear() is None
    with pytest.raises(InvalidStatus) as refused:
        dial(contest.server, contest.ada)
    assert refused.value.response.status_code == 401


@pytest.mark.slow
def test_the_server_ends_with_a_code_that_says_so_and_begins_anew(contest: Contest) -> None:
    first = hello()
    with dial(contest.server, contest.ada) as connection:
        home = Home(connection, first)
        assert isinstance(home.next(), Welcome)
        contest.server.end()
        assert home.ended() == 1001
    with serving(contest.folder) as server, dial(server, contest.ada) as connection:
        welcome = Home(connection, hello(session=first.session, seen=5)).next()
        assert isinstance(welcome, Welcome)
        assert not welcome.goes_on


@pytest.mark.slow
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


@pytest.mark.slow
def test_nothing_is_seen_of_them_while_results_are_held_back(tmp_path: Path) -> None:
    frozen = "freezes = 2020-01-01T00:00:00Z\nrelease = 2090-01-01T00:00:00Z\n"
    with remote_contest(tmp_path / "cup", more=frozen) as contest:
        until(lambda: contest.said("is in use"))  # what is going on stays the same from here
        before = contest.server.ask("/cup/").text
        stranger = contest.server.api("").json
        with at_home(contest):
            assert contest.server.ask("/cup/").text == before
            assert contest.server.api("").json == stranger
            assert remotes(contest, contest.ada) == {}
            assert remotes(contest)["sage"]["state"] == "connected"  # the organizer sees it


@pytest.mark.slow
def test_a_league_that_is_not_open_says_how_it_is_opened(tmp_path: Path) -> None:
    folder = write_league(tmp_path / "cup")
    token = run_arena("author", "add", folder, "ada").stdout
    word = next(word for word in token.split() if word.startswith("arena_"))
    with serving(folder) as server:
        assert server.api("").json["open_to_remote"] is False
        with pytest.raises(InvalidStatus) as found:
            dial(server, word)
        assert found.value.response.status_code == 403
        body = bytes(found.value.response.body or b"")
        assert b"grants = { remote = true } in [hand_in]" in body


@pytest.mark.slow
def test_a_bot_that_is_handed_in_is_connected_by_its_author(contest: Contest) -> None:
    text = marker("moss", "5" * 64)

    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as archive:
        entry = tarfile.TarInfo("bot.toml")
        entry.size = len(text.encode())
        archive.addfile(entry, io.BytesIO(text.encode()))
    server = contest.server
    path = "/submissions?bot=moss&filename=moss.tar.gz"
    answer = server.api(path, method="POST", token=contest.bob, body=data.getvalue())
    assert answer.status == 202, answer
    number = answer.json["submission"]["number"]
    found = server.decided(contest.bob, number)
    assert found["state"] == "playing", found
    with at_home(contest, contest.bob, "moss", digest="5" * 64):
        assert not is_away(contest, "moss")


@pytest.mark.slow
def test_a_connection_that_passes_nothing_is_broken_after_a_while(contest: Contest) -> None:
    with (
        proxied(contest.server.port) as proxy,
        dial(contest.server, contest.ada, port=proxy.port) as connection,
    ):
        assert isinstance(Home(connection, hello()).next(), Welcome)
        proxy.is_stuck = True
        began = time.monotonic()
        with dial(contest.server, contest.ada) as another:
            assert Home(another, hello()).declined().kind == "busy"
        until(lambda: is_away(contest), 30)
        assert 10 < time.monotonic() - began < 20
        until(lambda: contest.said("sage is away: nothing came for 15 s."))
        with at_home(contest):
            pass


@pytest.mark.slow
def test_the_organizer_hears_no_more_than_a_few_lines_a_minute_of_a_bot(contest: Contest) -> None:
    for _ in range(12):
        with at_home(contest):
            pass
        until(lambda: is_away(contest))
    with at_home(contest, contest.bob, "iris"):
        until(lambda: contest.said("iris is connected"))
    assert len(contest.said("cup: sage is ")) == 6


def test_what_was_not_said_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr("arena.serve.remote.sparing._SECONDS", 0.2)
    sparing = Sparing(said.append)
    for number in range(10):
        sparing.say("sage", f"sage {number}")
    sparing.say("iris", "iris")
    assert said == [*(f"sage {number}" for number in range(6)), "iris"]
    sparing.catch_up()
    assert len(said) == 7
    until(lambda: sparing.catch_up() or len(said) > 7)
    assert said[-1] == "sage: 4 more of such lines were left out."
    sparing.say("sage", "sage again")
    assert said[-1] == "sage again"


@pytest.mark.slow
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
    with (
        at_home(contest, bot="wise", digest=DIGESTS["sage"]) as (home, _),
        CalledBot(contest.folder) as call,
    ):
        assert call.taken()
        assert isinstance(home.next(), BeginCopy)

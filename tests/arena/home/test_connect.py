"""`arena connect` as a real process, with a league's side of real sockets."""

import json
import socket
import subprocess
import sys
import time

import pytest

from protocol.remote import Bye, Declined, OfferSlots, encode_frame
from tests.arena.conftest import ROOT
from tests.arena.home.conftest import HELLO, Homes, ask, move
from tests.arena.home.league_side import TOKEN, Served, served
from tests.arena.serve.serving import answering
from tests.arena.terminal import at_terminal
from tests.referee.process_watch import gone, until
from tests.referee.sandbox.sandboxed import need


def test_a_match_is_played_by_a_process_at_home(homes: Homes, league: Served) -> None:
    need("landlock")
    home = homes.connected("--slots", 3, sandbox="landlock")
    [hello] = league.side.hellos
    assert (hello.bot, hello.slots, hello.seen) == ("sage", 3, 0)
    assert league.side.headers[0]["Authorization"] == f"Bearer {TOKEN}"
    assert league.side.headers[0]["User-Agent"] == "bot-arena"
    assert "Sec-WebSocket-Extensions" not in league.side.headers[0]
    league.side.begin(1)
    assert json.loads(league.side.asked(1, HELLO)) == {"type": "ready"}
    assert move(league.side.asked(1, ask(7)))["seen"] == 1
    league.side.say(1, json.dumps({"type": "end"}))
    [pid] = home.bots()
    league.side.over(1)
    until(lambda: gone(pid))
    home.interrupt()
    said = home.end(0)
    assert "says ready after" in said
    assert "in the sandbox landlock" in said
    assert "1 match over, 2 lines answered." in said
    assert TOKEN not in said
    assert [type(letter) for letter in league.side.letters[-2:]] == [OfferSlots, Bye]


@pytest.mark.slow
def test_letters_come_again_after_a_cut_of_silence(homes: Homes, league: Served) -> None:
    home, side = homes.playing(silence=1.0), league.side
    league.proxy.freeze()
    side.say(1, ask(1))
    home.until("nothing was heard for 1 s. It is tried again. 1 match in play waits for it.")
    league.proxy.thaw()
    until(lambda: len(side.lines(1)) == 2, 20)
    assert move(side.lines(1)[1])["seen"] == 1
    home.until("Connected again after")
    assert side.hellos[0].session == side.hellos[-1].session


def test_a_server_that_begins_anew_gets_new_copies(homes: Homes, league: Served) -> None:
    home, side = homes.connected(), league.side
    side.begin(1)
    first = move([side.asked(1, HELLO), side.asked(1, ask(1))][1])
    side.forget()
    home.until("to a server that begins anew: the copies of 1 match end, and new ones")
    until(lambda: gone(first["pid"]))
    side.begin(1)
    second = move([side.asked(1, HELLO), side.asked(1, ask(1))][1])
    assert second["pid"] != first["pid"]
    assert second["seen"] == 1


def test_a_server_that_is_away_is_waited_for(homes: Homes, league: Served) -> None:
    home = homes.playing()
    league.proxy.is_open = False
    league.proxy.cut()
    home.until("The connection broke")
    league.side.status = 503
    league.proxy.is_open = True
    until(lambda: len(league.side.refused) > 3, 20)
    league.side.status = None
    home.until("nothing was lost")
    assert move(league.side.asked(1, ask(3)))["seen"] == 1
    assert home.said.count("It is tried again") == 1


def test_a_bot_that_is_declined_ends_it_with_one_line(homes: Homes, league: Served) -> None:
    what = "It is\nthere \x1b[2J" + "x" * 3000
    frame = encode_frame(Declined(kind="busy", what=what, remedy="Go.", after=12.0))
    league.side.script = lambda connection, _: connection.send(frame)
    said = homes.start().end(1).splitlines()
    assert said[-1].startswith("arena: It is\\nthere \\x1b[2Jxxx")
    assert said[-1].endswith("… Go. Try again in 12 s.")
    assert len(said[-1]) < 400


def test_a_bot_that_is_replaced_in_the_middle_ends_it(homes: Homes, league: Served) -> None:
    home = homes.playing()
    [pid] = home.bots()
    league.side.send(Declined(kind="replaced", what="Other files play.", remedy=""))
    assert home.end(1).splitlines()[-1] == "arena: Other files play."
    assert gone(pid)


@pytest.mark.quick(1)
@pytest.mark.parametrize("status", [401, 403, 404, 500, 302])
def test_what_is_answered_instead_is_said(homes: Homes, league: Served, status: int) -> None:
    league.side.status = status
    said = homes.start().end(1).splitlines()
    assert said[-1] == "arena: no \\x1b[31mremote bots. Ask the organizer."


def test_a_redirect_is_not_followed_and_the_token_stays_here(homes: Homes, league: Served) -> None:
    with served() as elsewhere:
        league.side.status, league.side.body = 302, ""
        league.side.location = f"http://127.0.0.1:{elsewhere.proxy.port}/cup"
        said = homes.start().end(2)
        assert f"leads to {league.side.location}. Use that address." in said
        assert not elsewhere.side.headers


def test_a_league_that_is_not_there_yet_is_waited_for(homes: Homes, league: Served) -> None:
    league.proxy.is_open = False
    home = homes.start()
    home.until("whether the server runs. It is tried again.")
    league.proxy.is_open = True
    until(lambda: league.side.hellos, 20)
    home.until("Connected to cup as sage")
    assert home.said.count("cannot be reached: ") == 1


@pytest.mark.slow
def test_ctrl_c_ends_the_wait_for_a_league_that_is_not_there(homes: Homes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        closed = f"http://127.0.0.1:{server.getsockname()[1]}/cup"
    home = homes.start(url=closed)
    home.until("cannot be reached: Connection refused")
    home.interrupt()
    home.end(0)


@pytest.mark.slow
def test_what_is_no_arena_is_said_at_once(homes: Homes, league: Served) -> None:
    tls = homes.start(url=league.url.replace("http:", "https:")).end(2)
    assert "does not speak TLS" in tls
    for answer, said in (
        (b"SSH-2.0-OpenSSH\r\n" * 3, "gave no answer of HTTP"),
        (b"HTTP/1.1 101 Switching Protocols\r\n\r\n", "does not answer as an arena does"),
    ):
        with answering(answer) as (port, _):
            assert said in homes.start(url=f"http://127.0.0.1:{port}/cup").end(2)


def test_the_first_ctrl_c_lets_matches_in_play_end(homes: Homes, league: Served) -> None:
    home, side = homes.playing(), league.side
    home.interrupt()
    until(lambda: any(isinstance(each, OfferSlots) for each in side.letters))
    home.until("No new matches; the 1 in play will be finished; Ctrl-C once more stops")
    assert move(side.asked(1, ask(1)))["seen"] == 1
    assert home.process.poll() is None
    side.over(1)
    home.end(0)
    assert isinstance(side.letters[-1], Bye)


def test_a_match_that_was_on_its_way_at_ctrl_c_is_played(homes: Homes, league: Served) -> None:
    home, side = homes.connected(), league.side
    league.proxy.freeze()
    side.begin(1)
    home.interrupt()
    home.until("Taking no new matches")
    league.proxy.thaw()
    side.asked(1, HELLO)
    assert move(side.asked(1, ask(1)))["seen"] == 1
    side.over(1)
    home.end(0)


@pytest.mark.slow
def test_the_second_ctrl_c_ends_all_at_once(homes: Homes, league: Served) -> None:
    home, side = homes.connected(), league.side
    for copy in (1, 2):
        side.begin(copy)
        side.asked(copy, HELLO)
    pids = home.bots()
    assert len(pids) == 2
    home.interrupt()
    home.until("No new matches; the 2 in play will be finished;")
    time.sleep(0.6)  # a second one that comes at once is the first
    home.interrupt()
    said = home.end(130)
    assert said.splitlines()[-1] == "arena: stopped at once; the matches in play are lost."
    assert gone(*pids)
    assert isinstance(side.letters[-1], Bye)


def test_ctrl_c_while_the_connection_is_broken_ends_it(homes: Homes, league: Served) -> None:
    home = homes.connected(silence=0.5)
    league.proxy.is_open = False
    league.proxy.cut()
    home.until("The connection broke")
    home.interrupt()
    home.end(0)


@pytest.mark.slow
def test_files_that_change_are_said_once_and_do_not_play(homes: Homes, league: Served) -> None:
    need("landlock")
    home = homes.connected(sandbox="landlock")
    (homes.folder / "bot.py").write_text("print('another')\n")
    home.until("have changed: they play after `arena connect` is started again.")
    league.side.begin(1)
    assert json.loads(league.side.asked(1, HELLO)) == {"type": "ready"}
    assert home.said.count("have changed") == 1


@pytest.mark.slow
def test_without_a_sandbox_changed_files_take_no_new_matches(homes: Homes, league: Served) -> None:
    home = homes.connected()
    (homes.folder / "bot.py").write_text("print('another')\n")
    home.end(0)
    assert "no new matches are taken. Start `arena connect` again." in home.said


@pytest.mark.slow
def test_without_its_library_it_says_which_to_install(homes: Homes) -> None:
    code = "import sys; sys.modules['websockets'] = None\n"
    code += "from arena.__main__ import run\nrun()\n"
    words = [sys.executable, "-c", code]
    done = subprocess.run(
        [*words, "connect", "http://x/cup", homes.folder], capture_output=True, text=True, cwd=ROOT
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("arena: `arena connect` needs a library (websockets")
    assert "pip install 'bot-arena[connect]'" in done.stderr
    done = subprocess.run([*words, "bots"], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0


def test_a_terminal_shows_how_things_stand(homes: Homes, league: Served) -> None:
    side = league.side
    with at_terminal(
        *("connect", league.url, homes.folder, "--sandbox", "none"), ARENA_TOKEN=TOKEN
    ) as terminal:
        terminal.until("Ctrl-C takes no new ones.")
        side.state = "All matches are played."
        terminal.until("All matches are played; 0 matches in play, 0 over")
        side.begin(1)
        side.asked(1, HELLO)
        terminal.until("1 match in play, 0 over, 1 line answered, round trip 12 ms")
        terminal.type("\x03")
        terminal.until("Ctrl-C once more stops at once.")
        side.over(1)
        terminal.until("1 match over, 1 line answered.")
        assert terminal.end() == 0
    shown = terminal.shown.replace("\r", "\n").replace("\x1b[K", "")
    assert max(map(len, shown.splitlines())) <= 80

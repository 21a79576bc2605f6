"""A server's life: begun, killed, begun again, stopped; and what works beside it."""

import os
import re
import signal
import socket
import time
from contextlib import ExitStack, suppress
from itertools import pairwise
from pathlib import Path

import pytest

from arena.handin.database import HandIns
from arena.handin.people import renew
from arena.handin.stale import take_out
from arena.league.edit import add_bot
from arena.league.plan import DATABASE
from tests.arena.serve.campaign import kill_at_random
from tests.arena.serve.serving import (
    BOT,
    KIT,
    Serving,
    add_person,
    bot_zip,
    events,
    run_arena,
    serving,
    write_league,
)
from tests.faults.workshop import small_disk
from tests.referee import process_watch
from tests.referee.process_watch import gone, until

pytestmark = pytest.mark.slow

FOREVER = 50_000
"""Deals of which there are some to be played at the end of any test."""


def table(server: Serving) -> dict[str, int]:
    rows = server.api("/table").json["table"]["rows"]
    return {row["bot"]: row["matches"] for row in rows}


def plays(server: Serving) -> None:
    """Wait until it has played a match."""
    until(lambda: table(server).get("one", 0) > 0, 20)


def accepted(server: Serving, token: str, source: str = BOT) -> None:
    """Hand in a bot, and wait until it plays."""
    number = server.hand_in(token, bot_zip(source)).json["submission"]["number"]
    assert server.decided(token, number)["state"] == "playing"


def state(server: Serving) -> str:
    return str(server.api("").json["state"])


def write_bot(folder: Path, source: str) -> dict[str, object]:
    """Make a bot beside a league's folder; return its entry in the league's file."""
    home = folder.parent / "house"
    home.mkdir()
    (home / "bot.py").write_text(source)
    (home / "kit.py").write_text(KIT)
    return {"folder": "../house", "command": ["{python}", "bot.py"]}


def test_a_new_bot_gets_its_place_before_the_others_play_on(tmp_path: Path) -> None:
    """In a league that has hours before it, its first matches come at once."""
    folder = write_league(tmp_path / "cup", deals=FOREVER)
    token = add_person(folder, "ada")
    with serving(folder) as server:
        plays(server)
        accepted(server, token)
        until(lambda: table(server).get("ada", 0) > 0, 10)
        said = run_arena("run", folder)
        assert said.returncode == 2
        assert said.stderr.startswith(
            f"arena: `arena serve` plays {folder} (process {server.process.pid}), and what is "
            f"missing by itself"
        )
        assert run_arena("rank", folder).returncode == 0
        server.end()
    assert "Finishing the matches being played" in "".join(server.said)


def test_the_page_says_once_and_at_once_how_many_matches_were_played(tmp_path: Path) -> None:
    with serving(write_league(tmp_path / "cup", deals=FOREVER)) as server:

        def of_table() -> int:
            found = server.api("/table").json["table"]
            return int(found["asked"] - found["missing"])

        def is_ahead() -> bool:
            before, page, after = of_table(), server.ask("/cup/").text, of_table()
            if "Matches are being played." not in page or before != after:
                return False
            assert "missing" not in page
            found = re.search(r"<b>([0-9,]+)</b> of 100,000 matches", page)
            assert found is not None
            return int(found[1].replace(",", "")) > after

        until(is_ahead, 30)
        server.end()


def test_a_league_that_is_changed_while_it_is_served_is_read_anew(tmp_path: Path) -> None:
    """By a command, which says that the server takes the change, or in an editor."""
    folder = write_league(tmp_path / "cup", deals=FOREVER)
    file = folder / "league.toml"
    with serving(folder) as server:
        takes = f"`arena serve` plays this league (process {server.process.pid}), and takes the"
        plays(server)
        said = run_arena("add", folder, "late=random", "--seconds", "0.1")
        assert said.returncode == 0, said.stderr
        assert takes in said.stderr
        assert "arena run" not in said.stdout + said.stderr
        until(lambda: table(server).get("late", 0) > 0, 20)
        ranks = " ".join(run_arena("rank", folder).stdout.split())
        assert "missing; `arena serve` plays what is missing." in ranks
        text = file.read_text()
        file.write_text(text.replace("50000", "oops"))
        until(lambda: "oops" in "".join(server.said), 20)
        assert server.ask("/cup/").status == 200
        file.write_text(text.replace("50000", "1"))
        until(lambda: state(server) == "All matches are played.", 20)
        said = run_arena("remove", folder, "late", "--because", "it came late")
        assert takes in said.stderr


def test_a_killed_server_leaves_nobody_behind_and_the_next_goes_on(tmp_path: Path) -> None:
    folder = write_league(tmp_path / "cup", deals=20)
    token = add_person(folder, "ada")
    with serving(folder) as server:
        plays(server)
        family = server.family()
        assert len(family) >= 4  # player, intake, reader, and workers
        number = server.hand_in(token, bot_zip()).json["submission"]["number"]
        os.kill(server.process.pid, signal.SIGKILL)
        with serving(folder) as other:  # at once: it waits for what is just ending
            until(lambda: gone(*family), 10)
            assert other.decided(token, number)["state"] == "playing"
            until(lambda: state(other) == "All matches are played.", 60)
            other.end()
    assert "is in use" not in "".join(other.said)
    verified = run_arena("verify", folder)
    assert verified.returncode == 0, verified


def test_a_server_that_cannot_begin_says_why(tmp_path: Path) -> None:
    folder = write_league(tmp_path / "cup")
    with serving(folder) as server:
        taken = f"127.0.0.1 port {server.port}: Address already in use. Another program listens"
        for league, port, said in (
            (folder, 0, f"is in use by another server (process {server.process.pid})"),
            (write_league(tmp_path / "two"), server.port, taken),
            (write_league(tmp_path / "a b"), 0, "cannot be a part of an address"),
            (write_league(tmp_path / "api"), 0, "cannot be a part of an address"),
        ):
            refused = run_arena("serve", league, "--port", port)
            assert (refused.returncode, said in refused.stderr) == (2, True), refused


def test_the_log_says_first_where_it_listens_and_nothing_twice_in_a_row(tmp_path: Path) -> None:
    folder = write_league(tmp_path / "cup", hand_in="closes = 2099-01-01T00:00:00Z")
    token = add_person(folder, "ada")
    with serving(folder) as server:
        for source in (BOT, BOT, BOT + "# better\n"):  # nothing is missing with the second
            accepted(server, token, source)
            until(lambda: state(server) == "All matches are played.", 20)
        until(lambda: sum("to play" in line for line in server.said) >= 3, 20)
        server.end()
    assert server.said[0].startswith("Warning: bots run unprotected")
    assert server.said[1].startswith("Listening on")
    assert "cup: calendar: closes: nothing → 2099-01-01T00:00:00+00:00.\n" in server.said[2:]
    told = ["to play" in line for line in server.said if re.search("to play|All matches", line)]
    assert (False, False) not in pairwise(told)


def test_two_leagues_are_served_and_each_has_its_own_people(tmp_path: Path) -> None:
    spring, autumn = (write_league(tmp_path / name) for name in ("spring", "autumn"))
    ada, bob = add_person(spring, "ada"), add_person(autumn, "bob")
    with serving(spring, autumn) as server:
        listed = server.ask("/api/leagues").json["leagues"]
        assert [each["league"] for each in listed] == ["spring", "autumn"]
        assert server.api(token=ada, league="spring").status == 200
        assert server.api(token=ada, league="autumn").status == 401
        assert server.api(token=bob, league="autumn").status == 200


def test_results_that_cannot_be_read_are_no_bot_that_does_not_exist(tmp_path: Path) -> None:
    league = write_league(tmp_path / "cup")
    with serving(league) as server:
        until(lambda: "All matches are played." in "".join(server.said), 30)
        assert server.api("/bots/nobody").status == 404
        (league / DATABASE).write_bytes(b"no database at all" * 1000)
        answer = server.api("/bots/one")
        assert (answer.status, answer.error["remedy"]) == (500, "Tell the organizer.")
        until(lambda: f"{DATABASE} is not a league's database" in "".join(server.said), 10)
        assert "nobody" not in "".join(server.said)  # or anybody could fill the log


def test_a_suspended_bot_stays_so_until_another_version_comes(tmp_path: Path) -> None:
    folder = write_league(tmp_path / "cup", deals=3)
    started = tmp_path / "started"
    notes = f"open({str(started)!r}, 'a').write('x')\n"
    add_bot(folder, {"name": "lazy", **write_bot(folder, f"{notes}raise SystemExit('no')\n")})
    token = add_person(folder, "ada")
    with serving(folder) as server:
        until(lambda: "lazy is suspended while the server runs" in "".join(server.said), 30)
        count = len(started.read_text())
        accepted(server, token)
        until(lambda: table(server).get("ada", 0) == 12, 30)
        assert len(started.read_text()) == count
        (tmp_path / "house" / "bot.py").write_text(
            BOT.replace("import kit\n", f"import kit\n{notes}", 1)
        )
        (folder / "league.toml").write_text((folder / "league.toml").read_text() + "\n")
        until(lambda: len(started.read_text()) > count, 30)


def child(server: Serving, module: str) -> int:
    """Return the process of a module below a server; fail if there is none for long."""

    def found() -> int:
        family = server.family()
        return next((p for p in family if module in process_watch.command_line(p)), 0)

    return until(found, 20)


def test_a_process_beside_the_server_that_is_killed_begins_again(tmp_path: Path) -> None:
    folder = write_league(tmp_path / "cup", deals=FOREVER)
    token = add_person(folder, "ada")
    with serving(folder) as server:
        plays(server)
        for module, number, name in (
            ("arena.serve.player", signal.SIGKILL, "SIGKILL"),
            ("arena.handin.intake", 40, "signal 40"),  # of real time, which has no name
            ("arena.serve.reader", signal.SIGKILL, "SIGKILL"),
        ):
            pid = child(server, module)
            os.kill(pid, number)
            assert server.ask("/cup/").status == 200
            until(lambda module=module, pid=pid: child(server, module) != pid, 20)
            assert f"{module} of {folder} was killed by {name}" in "".join(server.said)
        count = server.played()
        accepted(server, token)
        until(lambda: server.played() > count, 30)


def test_an_author_does_not_see_what_another_program_of_this_name_says(tmp_path: Path) -> None:
    folder = write_league(tmp_path / "cup")
    ada, organizer = add_person(folder, "ada"), add_person(folder, "org", "organizer")
    secret = "kit.run(lambda ask: (sys.stderr.write('HOUSE'), ask.rng.choice(ask.legal))[1])\n"
    entry = write_bot(folder, f"import sys, kit\n{secret}")
    with serving(folder) as server:
        accepted(server, ada)
        until(lambda: server.api("/bots/ada", token=ada).json["own"]["said"], 30)
        take_out(folder, ["ada"])
        add_bot(folder, {"name": "ada", **entry})
        until(lambda: "HOUSE" in server.api("/bots/ada", token=organizer).text, 30)
        assert "HOUSE" not in server.api("/bots/ada", token=ada).text
        matches = server.api("/matches?bot=ada", token=organizer).json["matches"]["rows"]
        assert server.api(f"/matches/{matches[0]['id']}", token=ada).status == 403


def test_a_stream_of_events_ends_with_the_token_that_opened_it(tmp_path: Path) -> None:
    folder = write_league(tmp_path / "cup")
    ada, bob = add_person(folder, "ada"), add_person(folder, "bob")
    with (
        serving(folder) as server,
        events(server, ada) as own,
        events(server, bob) as other,
        HandIns(folder) as db,
    ):
        server.hand_in(bob, bot_zip(), "bob")
        until(lambda: "queue" in own() and "queue" in other(), 10)
        renew(db, "ada")
        until(own.has_ended, 5)
        before = len(other())
        server.hand_in(bob, bot_zip(BOT + "# 2"), "bob")
        until(lambda: len(other()) > before, 10)
        assert not other.has_ended()


def test_a_second_signal_ends_all_at_once(tmp_path: Path) -> None:
    folder = write_league(tmp_path / "cup")
    file = folder / "league.toml"
    waits = 'sandbox = "none"\nclock = "wall"\nstartup = 600'
    file.write_text(file.read_text().replace('sandbox = "none"', waits))
    add_bot(folder, {"name": "lazy", **write_bot(folder, "import time\ntime.sleep(600)\n")})
    with serving(folder) as server:
        child(server, "bot.py")
        family = server.family()

        def ended() -> bool:
            server.process.send_signal(signal.SIGINT)
            return server.process.poll() is not None

        until(ended, 20)
        assert server.process.returncode == 1
        until(lambda: "stopped at once; what was stored is safe." in "".join(server.said), 10)
        until(lambda: gone(*family), 10)


@pytest.mark.parametrize("code", [0, 1])
def test_a_stop_answers_what_is_open_and_prints_nothing_of_it(tmp_path: Path, code: int) -> None:
    """An upload of which the rest never comes, events, a head that is cut off."""
    folder = write_league(tmp_path / "cup")
    token = add_person(folder, "ada")
    head = (
        f"POST /api/leagues/cup/submissions HTTP/1.1\r\nHost: localhost\r\n"
        f"Authorization: Bearer {token}\r\nContent-Type: application/zip\r\n"
        f"Content-Length: 100000\r\n\r\nPK"
    )
    with serving(folder) as server, ExitStack() as stack:
        uploading, beginning = (
            stack.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=20))
            for _ in range(2)
        )
        uploading.sendall(head.encode())
        beginning.sendall(b"GET /cup/ HTTP/1.1\r\n")
        hearing = stack.enter_context(events(server))
        until(hearing, 10)
        said = len(server.said)
        if code:
            server.process.send_signal(signal.SIGINT)
            time.sleep(1)  # or the second one would be taken for an echo
        server.end(code=code)
        until(hearing.has_ended, 10)
        assert uploading.recv(1 << 16)[:12] == (b"" if code else b"HTTP/1.1 503")
        assert not [line for line in server.said[said:] if re.search("Traceback|Error|rror:", line)]


def test_on_a_full_disk_nothing_is_taken_and_pages_are_shown(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    with small_disk(disk, 16_384):
        folder = write_league(disk / "cup", deals=100_000)
        token = add_person(folder, "ada")
        with serving(folder) as server:
            until(lambda: server.played() > 50, 30)
            with (disk / "big").open("wb", buffering=0) as file, suppress(OSError):
                while True:
                    file.write(bytes(4096))
            until(lambda: "disk is full" in "".join(server.said), 60)
            refused = server.hand_in(token, bot_zip(data__txt="x" * 100_000))
            assert (refused.status, refused.error["can_retry"]) == (507, True)
            assert server.ask("/cup/").status == 200
            count = server.played()
            (disk / "big").unlink()
            until(lambda: server.played() > count, 60)
            accepted(server, token)


def test_nothing_is_lost_stuck_or_doubled_by_ten_kills(public: Path) -> None:
    """And what is played is what `arena run` plays of the same bots."""
    counts = kill_at_random(public, kills=10, seed=1)
    assert counts["playing"]
    assert counts["matches"]


@pytest.mark.slow
def test_an_editors_older_copy_of_the_file_throws_nobody_out(tmp_path: Path) -> None:
    folder = write_league(tmp_path / "cup")
    ada = add_person(folder, "ada")
    file = folder / "league.toml"
    with serving(folder) as server:
        old = file.read_text()
        accepted(server, ada)
        until(lambda: table(server).get("ada", 0) > 0, 30)
        file.write_text(old.replace("deals = 2", "deals = 3"))
        until(lambda: "without what was handed in" in "".join(server.said), 20)
        assert "deals = 3" in file.read_text()
        until(lambda: table(server).get("ada", 0) == 12, 30)
        assert server.api("/submissions/1", token=ada).json["submission"]["state"] == "playing"

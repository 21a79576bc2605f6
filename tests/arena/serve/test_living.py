"""A server's life: begun, killed, begun again, stopped; and what works beside it."""

import os
import re
import signal
import subprocess
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from arena.handin.database import HandIns
from arena.handin.people import renew
from arena.league.edit import add_bot, remove_bots
from arena.league.plan import DATABASE
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
from tests.referee import process_watch
from tests.referee.process_watch import gone, until


def table(server: Serving) -> dict[str, int]:
    rows = server.api("/table").json["table"]["rows"]
    return {row["bot"]: row["matches"] for row in rows}


@pytest.mark.slow
def test_a_new_bot_gets_its_place_before_the_others_play_on(tmp_path: Path) -> None:
    """In a league that has hours before it, its first matches come at once."""
    folder = write_league(tmp_path / "cup", deals=50_000)
    token = add_person(folder, "ada")
    with serving(folder) as server:
        until(lambda: table(server).get("one", 0) > 0, 20)
        number = server.hand_in(token, bot_zip()).json["submission"]["number"]
        assert server.decided(token, number)["state"] == "playing"
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


@pytest.mark.slow
def test_the_page_says_once_and_at_once_how_many_matches_were_played(tmp_path: Path) -> None:
    with serving(write_league(tmp_path / "cup", deals=50_000)) as server:

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


@pytest.mark.slow
def test_a_command_beside_a_server_says_that_it_takes_the_change(tmp_path: Path) -> None:
    folder = write_league(tmp_path / "cup", deals=50_000)
    with serving(folder) as server:
        takes = f"`arena serve` plays this league (process {server.process.pid}), and takes the"
        until(lambda: table(server).get("one", 0) > 0, 20)
        said = run_arena("add", folder, "late=random", "--seconds", "0.1")
        assert said.returncode == 0, said.stderr
        assert takes in said.stderr
        assert "arena run" not in said.stdout + said.stderr
        until(lambda: table(server).get("late", 0) > 0, 20)
        assert "missing; `arena serve` plays what is missing." in " ".join(
            run_arena("rank", folder).stdout.split()
        )
        text = (folder / "league.toml").read_text()
        (folder / "league.toml").write_text(text.replace("50000", "1"))
        until(lambda: server.api("").json["state"] == "All matches are played.", 20)
        said = run_arena("disqualify", folder, "late", "--reason", "it came late")
        assert takes in said.stderr


@pytest.mark.slow
def test_a_killed_server_leaves_nobody_behind_and_the_next_goes_on(tmp_path: Path) -> None:
    folder = write_league(tmp_path / "cup", deals=20)
    token = add_person(folder, "ada")
    with serving(folder) as server:
        until(lambda: table(server).get("one", 0) > 0, 20)
        family = server.family()
        assert len(family) >= 4  # player, intake, reader, and workers
        number = server.hand_in(token, bot_zip()).json["submission"]["number"]
        os.kill(server.process.pid, signal.SIGKILL)
        with serving(folder) as other:  # at once: it waits for what is just ending
            until(lambda: gone(*family), 10)
            assert other.decided(token, number)["state"] == "playing"
            until(lambda: other.api("/table").json["table"]["missing"] == 0, 60)
            assert other.api("").json["state"] == "All matches are played."
            other.end()
    assert "is in use" not in "".join(other.said)
    verified = run_arena("verify", folder)
    assert verified.returncode == 0, verified


@pytest.mark.slow
def test_a_second_server_of_a_league_says_who_has_it(tmp_path: Path) -> None:
    folder = write_league(tmp_path / "cup")
    with serving(folder) as server:
        second = run_arena("serve", folder, "--port", "0")
        assert second.returncode == 2
        assert f"is in use by another server (process {server.process.pid})" in second.stderr
        taken = run_arena("serve", write_league(tmp_path / "two"), "--port", server.port)
        assert taken.stderr.endswith(
            f"arena: 127.0.0.1 port {server.port}: Address already in use. Another program listens "
            f"there: choose another --port.\n"
        )


@pytest.mark.slow
def test_the_log_says_first_where_it_listens_and_nothing_twice_in_a_row(tmp_path: Path) -> None:
    folder = write_league(tmp_path / "cup", hand_in="closes = 2099-01-01T00:00:00Z")
    token = add_person(folder, "ada")
    with serving(folder) as server:
        for source in (BOT, BOT, BOT + "# better\n"):  # nothing is missing with the second
            number = server.hand_in(token, bot_zip(source)).json["submission"]["number"]
            assert server.decided(token, number)["state"] == "playing"
            until(lambda: server.api("").json["state"] == "All matches are played.", 20)
        until(lambda: sum("to play" in line for line in server.said) >= 3, 20)
        server.end()
    assert server.said[0].startswith("Warning: bots run unprotected")
    assert server.said[1].startswith("Listening on")
    assert "cup: calendar: closes: nothing → 2099-01-01T00:00:00+00:00.\n" in server.said[2:]
    told = ["to play" in line for line in server.said if re.search("to play|All matches", line)]
    assert (False, False) not in pairwise(told)


@pytest.mark.slow
def test_two_leagues_are_served_and_each_has_its_own_people(tmp_path: Path) -> None:
    spring, autumn = (write_league(tmp_path / name) for name in ("spring", "autumn"))
    ada, bob = add_person(spring, "ada"), add_person(autumn, "bob")
    with serving(spring, autumn) as server:
        assert [each["league"] for each in server.ask("/api/leagues").json["leagues"]] == [
            "spring",
            "autumn",
        ]
        assert server.api(token=ada, league="spring").status == 200
        assert server.api(token=ada, league="autumn").status == 401
        assert server.api(token=bob, league="autumn").status == 200
        cookie = server.enter(ada)
        renamed = cookie.replace("arena-spring", "arena-autumn")
        assert server.ask("/spring/submissions", cookie=cookie).status == 200
        assert server.ask("/autumn/submissions", cookie=renamed).status == 401


@pytest.mark.slow
def test_a_stopped_server_is_gone_on_with_by_arena_run_to_the_same_bytes(tmp_path: Path) -> None:
    folder = write_league(tmp_path / "cup", deals=100)
    with serving(folder) as server:
        until(lambda: table(server).get("one", 0) > 0, 20)
        server.end()
    went_on = run_arena("run", folder)
    assert went_on.returncode == 0, went_on.stderr
    other = write_league(tmp_path / "cup2", deals=100)
    assert run_arena("run", other).returncode == 0
    ranks = [run_arena("rank", each, "--format", "csv").stdout for each in (folder, other)]
    assert ranks[0] == ranks[1]
    assert "one" in ranks[0]


@pytest.mark.slow
def test_a_league_that_is_edited_while_it_is_served_is_read_anew(tmp_path: Path) -> None:
    folder = write_league(tmp_path / "cup")
    file = folder / "league.toml"
    with serving(folder) as server:
        until(lambda: server.api("/table").json["table"]["missing"] == 0, 30)
        text = file.read_text()
        file.write_text(text.replace("deals = 2", "deals = oops"))
        until(lambda: "oops" in "".join(server.said), 20)
        assert server.ask("/cup/").status == 200
        file.write_text(text.replace("deals = 2", "deals = 5"))
        until(lambda: table(server).get("one", 0) == 10, 30)


@pytest.mark.slow
def test_results_that_cannot_be_read_are_told_apart_from_what_does_not_exist(
    tmp_path: Path,
) -> None:
    league = write_league(tmp_path / "cup")
    with serving(league) as server:
        until(lambda: "All matches are played." in "".join(server.said), 30)
        assert server.api("/bots/nobody").status == 404
        (league / DATABASE).write_bytes(b"no database at all" * 1000)
        answer = server.api("/bots/one")
        assert (answer.status, answer.error["remedy"]) == (500, "Tell the organizer.")
        until(lambda: f"{DATABASE} is not a league's database" in "".join(server.said), 10)
        assert "nobody" not in "".join(server.said)  # or anybody could fill the log


@pytest.mark.slow
def test_a_suspended_bot_stays_so_until_another_version_comes(tmp_path: Path) -> None:
    folder = write_league(tmp_path / "cup", deals=3)
    text = (folder / "league.toml").read_text()
    bot = tmp_path / "lazy"
    bot.mkdir()
    started = tmp_path / "started"
    (bot / "bot.py").write_text(f"open({str(started)!r}, 'a').write('x')\nraise SystemExit('no')\n")
    entry = '[[bot]]\nname = "lazy"\nfolder = "../lazy"\ncommand = ["{python}", "bot.py"]\n'
    (folder / "league.toml").write_text(text + entry)
    token = add_person(folder, "ada")
    with serving(folder) as server:
        until(lambda: "lazy is suspended while the server runs" in "".join(server.said), 30)
        count = len(started.read_text())
        number = server.hand_in(token, bot_zip()).json["submission"]["number"]
        assert server.decided(token, number)["state"] == "playing"
        until(lambda: table(server).get("ada", 0) == 12, 30)
        assert len(started.read_text()) == count
        noted = f"import kit\nopen({str(started)!r}, 'a').write('x')\n"
        (bot / "bot.py").write_text(BOT.replace("import kit\n", noted, 1))
        (bot / "kit.py").write_text(KIT)
        (folder / "league.toml").write_text((folder / "league.toml").read_text() + "\n")
        until(lambda: len(started.read_text()) > count, 30)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "said"),
    [("a b", "cannot be a part of an address"), ("api", "cannot be a part of an address")],
)
def test_a_league_whose_name_is_no_address_is_refused(tmp_path: Path, name: str, said: str) -> None:
    refused = run_arena("serve", write_league(tmp_path / name), "--port", "0")
    assert refused.returncode == 2
    assert said in refused.stderr


def child(server: Serving, module: str) -> int:
    """Return the process of a module below a server; fail if there is none for long."""

    def found() -> int:
        family = server.family()
        return next((p for p in family if module in process_watch.command_line(p)), 0)

    return until(found, 20)


@pytest.mark.slow
def test_a_process_beside_the_server_that_is_killed_begins_again(tmp_path: Path) -> None:
    folder = write_league(tmp_path / "cup", deals=50_000)
    token = add_person(folder, "ada")
    with serving(folder) as server:
        until(lambda: table(server).get("one", 0) > 0, 20)
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
        number = server.hand_in(token, bot_zip()).json["submission"]["number"]
        assert server.decided(token, number)["state"] == "playing"
        until(lambda: server.played() > count, 30)


@pytest.mark.slow
def test_an_author_does_not_see_what_the_organizer_s_program_of_this_name_says(
    tmp_path: Path,
) -> None:
    folder = write_league(tmp_path / "cup")
    ada = add_person(folder, "ada")
    house = tmp_path / "house"
    house.mkdir()
    secret = "kit.run(lambda ask: (sys.stderr.write('HOUSE'), ask.rng.choice(ask.legal))[1])\n"
    (house / "bot.py").write_text(f"import sys, kit\n{secret}")
    (house / "kit.py").write_text(KIT)
    with serving(folder) as server:
        number = server.hand_in(ada, bot_zip()).json["submission"]["number"]
        assert server.decided(ada, number)["state"] == "playing"
        until(lambda: server.api("/bots/ada", token=ada).json["own"]["said"], 30)
        remove_bots(folder, "ada")
        command = ["{python}", "bot.py"]
        add_bot(folder, {"name": "ada", "folder": "../house", "command": command})
        organizer = add_person(folder, "org", "organizer")
        seen = "/bots/ada"
        until(lambda: "HOUSE" in server.api(seen, token=organizer).text, 30)
        assert "HOUSE" not in server.api(seen, token=ada).text
        matches = server.api("/matches?bot=ada", token=organizer).json["matches"]["rows"]
        newest = matches[0]["id"]
        assert server.api(f"/matches/{newest}", token=ada).status == 403


@pytest.mark.slow
def test_a_stream_of_events_ends_with_the_token_that_opened_it(tmp_path: Path) -> None:
    folder = write_league(tmp_path / "cup")
    tokens = {name: add_person(folder, name) for name in ("ada", "bob")}
    with (
        serving(folder) as server,
        events(server, tokens["ada"]) as own,
        events(server, tokens["bob"]) as other,
        HandIns(folder) as db,
    ):
        server.hand_in(tokens["bob"], bot_zip(), "bob")
        until(lambda: "queue" in own() and "queue" in other(), 10)
        renew(db, "ada")
        until(own.has_ended, 5)
        before = len(other())
        server.hand_in(tokens["bob"], bot_zip(BOT + "# 2"), "bob")
        until(lambda: len(other()) > before, 10)
        assert not other.has_ended()


@pytest.mark.slow
def test_a_second_signal_ends_all_at_once(tmp_path: Path) -> None:
    folder = write_league(tmp_path / "cup")
    text = (folder / "league.toml").read_text()
    bot = tmp_path / "lazy"
    bot.mkdir()
    (bot / "bot.py").write_text(BOT.replace("import kit\n", "import time, kit\n", 1) + "\n")
    (bot / "kit.py").write_text(KIT.replace("def run(", "import time\n\n\ndef run(", 1))
    slow = (bot / "bot.py").read_text().replace("kit.run(", "time.sleep(600); kit.run(")
    (bot / "bot.py").write_text(slow)
    entry = '[[bot]]\nname = "lazy"\nfolder = "../lazy"\ncommand = ["{python}", "bot.py"]\n'
    limits = text.replace('sandbox = "none"', 'sandbox = "none"\nclock = "wall"\nstartup = 600')
    (folder / "league.toml").write_text(limits + entry)
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


@pytest.mark.slow
def test_held_back_results_are_seen_by_the_organizer_alone(tmp_path: Path) -> None:
    folder = write_league(tmp_path / "cup", deals=2)
    organizer = add_person(folder, "org", "organizer")
    file = folder / "league.toml"
    with serving(folder) as server:
        until(lambda: table(server).get("one", 0) == 4, 30)
        since = datetime.now(UTC) + timedelta(seconds=1)  # stored times are whole seconds
        text = file.read_text().replace("[hand_in]", f"[hand_in]\nfreezes = {since.isoformat()}")
        file.write_text(text)
        until(lambda: server.api("/table").json["frozen"], 20)
        file.write_text(text.replace("deals = 2", "deals = 30"))

        def all_seen() -> bool:
            shown = server.api("/table", token=organizer).json["table"]["rows"]
            return any(row["matches"] == 60 for row in shown)

        until(all_seen, 60)
        assert table(server)["one"] == 4
        assert server.ask("/cup/").status == 200
        page = server.api("/bots/one").json["bot"]
        assert sum(each["matches"] for each in page["versions"]) == 4


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes a small disk")
def test_on_a_full_disk_nothing_is_taken_and_pages_are_shown_until_there_is_room(
    tmp_path: Path,
) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", disk], check=True)
    try:
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
            number = server.hand_in(token, bot_zip()).json["submission"]["number"]
            assert server.decided(token, number)["state"] == "playing"
    finally:
        subprocess.run(["umount", "-l", disk], check=True)

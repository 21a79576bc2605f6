"""A contest on a real server: the freeze, the final on a sealed seed, and what hooks are told."""

import hashlib
import json
import re
import signal
import socket
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from arena.handin.database import FILE
from arena.league.seed import seal
from tests.arena.handin.conftest import drawn_seed
from tests.arena.serve.serving import (
    BOT,
    Serving,
    add_person,
    bot_zip,
    events,
    run_arena,
    serving,
    write_league,
)
from tests.referee.process_watch import until

pytestmark = pytest.mark.slow

PATHS = (
    *("", "/table", "/final", "/bots/one", "/bots/ada", "/matches", "/queue"),
    *("/submissions", "/submissions/1", "/matches/0", "/final/league.toml"),
    *("/game", "/begin", "/cross-table", "/table.csv", "/cross-table.csv", "/starters/python"),
)
"""What is asked of the API and of the pages, to look for secrets."""


def moment(**after: float) -> datetime:
    return (datetime.now(UTC) + timedelta(**after)).replace(microsecond=0)


def write_dates(folder: Path, **keys: object) -> None:
    """Write keys of `[hand_in]` in place of those that the test wrote before, as an editor does."""
    lines = "".join(
        f"{key} = {value.isoformat() if isinstance(value, datetime) else json.dumps(value)}\n"
        for key, value in keys.items()
    )
    file = folder / "league.toml"
    before = r"(?m)^\[hand_in\]\n(?:# dates\n(?:.*\n)*?# end\n)?"
    now = f"[hand_in]\n# dates\n{lines}# end\n"
    draft = file.with_name("draft")
    draft.write_text(re.sub(before, lambda _: now, file.read_text()))
    draft.replace(file)


def everything(server: Serving, *tokens: str) -> str:
    """Return all that a server answers and logs, to a stranger and to these people."""
    starts = (f"/api/leagues/{server.name}", f"/{server.name}")
    paths = [f"{start}{path}" for start in starts for path in PATHS]
    paths += ["/", "/api/leagues", "/api/schema", f"/{server.name}/calendar"]
    answers = [server.ask(path, token=token) for token in ("", *tokens) for path in paths]
    return "\n".join([*server.said, *server.logged, *map(repr, answers)])


def test_results_are_frozen_for_all_but_the_organizer(tmp_path: Path) -> None:
    folder = write_league(tmp_path / "cup", deals=20, hand_in="replays = true")
    ada, boss = add_person(folder, "ada"), add_person(folder, "boss", "organizer")

    def table(server: Serving, token: str = "") -> Any:
        return server.api("/table", token=token).json["table"]

    with serving(folder) as server:
        until(lambda: table(server)["missing"] == 0 and table(server)["stored"] == 40, 30)
        before = table(server)
        bot, crossed = (server.api(path).json for path in ("/bots/one", "/cross-table"))
        write_dates(folder, freezes=moment(seconds=1))
        until(lambda: server.api().json["frozen"], 10)
        assert table(server) == before
        with events(server) as heard, events(server, boss) as boss_heard:
            number = server.hand_in(ada, bot_zip(), "ada").json["submission"]["number"]
            assert server.decided(ada, number)["state"] == "playing"
            since, boss_since = len(heard()), len(boss_heard())
            until(lambda: table(server, boss)["stored"] > 100, 60)
            until(lambda: "table" in boss_heard()[boss_since:], 10)
            assert "table" not in heard()[since:]
            assert "submission" not in heard()
        assert table(server) == table(server, ada) == before
        assert server.api("/bots/one").json == bot
        assert server.api("/cross-table").json["cross_table"] == crossed["cross_table"]
        assert "ada" not in server.ask("/cup/table.csv").text
        assert "ada" not in server.ask("/cup/cross-table.csv", token=ada).text
        assert server.api("/bots/ada").status == 404
        assert server.api("/bots/ada", token=boss).status == 200
        listed = server.api("/matches").json["matches"]["rows"]
        assert len(listed) == 40
        newest = server.api("/matches", token=boss).json["matches"]["rows"][0]["id"]
        assert server.api(f"/matches/{newest}", token=ada).status == 404
        assert server.api(f"/matches/{newest}", token=boss).status == 200
        page = server.ask("/cup/").text
        assert "Results are frozen since" in page
        assert "The table is frozen." in page
        server.process.kill()
    with serving(folder) as server:
        assert table(server) == table(server, ada) == before
        assert table(server, boss)["stored"] > 100
        write_dates(folder, freezes=moment(hours=-1), release=moment())
        until(lambda: table(server)["stored"] > 100, 10)
        assert "frozen since" not in server.ask("/cup/").text
        assert {row["bot"] for row in table(server)["rows"]} == {"one", "two", "ada"}
        changes = server.api().json["calendar"]["changes"]
        assert [change["key"] for change in changes][:2] == ["release", "freezes"]
        assert changes[1]["old"] != changes[1]["new"]
        logged = [line for line in server.said if "calendar:" in line]
        assert f"cup: calendar: release: nothing → {changes[0]['new']}.\n" in logged
        assert "release" in server.ask("/cup/calendar").text


def test_a_final_is_played_once_on_the_sealed_seed_whatever_is_killed(tmp_path: Path) -> None:
    folder = write_league(tmp_path / "cup", deals=2)
    with (folder / "league.toml").open("a") as file:
        file.write('\n[[bot]]\nname = "cheat"\nshipped = "random"\ndisqualified = "it cheats"\n')
    ada, boss = add_person(folder, "ada"), add_person(folder, "boss", "organizer")
    chance = Random(5)
    more = {"final_deals": 3, "hook": ["sh", "-c", "cat >> told"]}
    write_dates(folder, closes=moment(hours=1), **more)
    with serving(folder) as server:
        calendar = server.api().json["calendar"]
        seed, published = drawn_seed(folder), calendar["seed_hash"]
        assert len(seed) == 64
        assert published == hashlib.sha256(seed.encode()).hexdigest() == seal(seed)
        told = f"cup: the SHA-256 of the final's seed is {published}.\n"
        until(lambda: told in server.said)
        assert published in server.ask("/cup/calendar").text
        assert (folder / FILE).stat().st_mode & 0o77 == 0
        number = server.hand_in(ada, bot_zip(), "ada").json["submission"]["number"]
        assert server.decided(ada, number)["state"] == "playing"
        secret = everything(server, ada, boss)
        assert seed not in secret
        release = moment(hours=1)
        write_dates(folder, closes=moment(), release=release, **more)
        server.process.send_signal(signal.SIGKILL)
    for _ in range(4):
        with serving(folder) as server:
            try:
                until((folder / "final").exists, chance.uniform(0.3, 2.5))
            except AssertionError:
                pass
            else:
                until((folder / "final" / "league.db").exists, 20)
            secret += "\n".join([*server.said, *server.logged])
            server.process.kill()
    with serving(folder) as server:

        def final(token: str = "") -> Any:
            return server.api("/final", token=token)

        until(lambda: final(boss).status == 200 and not final(boss).json["table"]["missing"], 60)
        until(lambda: "final_ends" in (folder / "told").read_text(), 10)
        assert drawn_seed(folder) == seed
        assert final().status == final(ada).status == 404
        secret += everything(server, ada, boss) + (folder / "told").read_text()
        secret += (folder / "hook.log").read_text()
        assert seed not in secret
        assert server.hand_in(ada, bot_zip(), "ada").status == 403
        write_dates(folder, closes=moment(seconds=-60), release=moment(), **more)
        until(lambda: server.api().json["calendar"]["seed"] == seed, 10)
        answer = final().json
        assert (answer["seed"], answer["seed_hash"]) == (seed, published)
        rows = answer["table"]["rows"]
        assert {row["bot"] for row in rows} == {"one", "two", "ada"}
        assert answer["table"]["stored"] == 3 * 3 * 2
        page = server.ask("/cup/final").text
        assert "cheat was disqualified: it cheats." in page
        assert seed in server.ask("/cup/calendar").text
        server.end()
    told = [json.loads(line) for line in (folder / "told").read_text().splitlines()]
    events = {each["number"]: each["event"] for each in told}  # a kill may have one told again
    assert [*events.values()] == ["accepted", "final_begins", "final_ends"]
    assert (folder / "final").stat().st_mode & 0o77 == 0
    verified = run_arena("verify", folder / "final", "--sealed", published)
    assert verified.returncode == 0, verified.stdout + verified.stderr
    assert run_arena("verify", folder / "final", "--sealed", "0" * 64).returncode == 1
    again = run_arena("run", folder / "final")
    assert again.returncode == 0
    assert not [path.name for path in folder.iterdir() if path.name.startswith(".final")]


def test_a_final_waits_for_what_was_handed_in_before_the_closing(tmp_path: Path) -> None:
    folder = write_league(tmp_path / "cup", deals=1)
    ada = add_person(folder, "ada")
    slow = BOT.replace("\nimport kit", "\nimport kit, time\ntime.sleep(1.5)")
    assert slow != BOT
    write_dates(folder, closes=moment(seconds=9), final_deals=1)
    with serving(folder) as server:
        closes = datetime.fromisoformat(server.api().json["calendar"]["closes"])
        until(lambda: datetime.now(UTC) > closes - timedelta(seconds=1), 20)
        sent = server.hand_in(ada, bot_zip(slow), "ada")
        assert sent.status == 202, sent
        decided = server.decided(ada, sent.json["submission"]["number"])
        assert decided["state"] == "playing", decided["reason"]
        assert datetime.fromisoformat(decided["changed_at"]) > closes
        until(lambda: server.api("/final").status == 200, 30)
        rows = server.api("/final").json["table"]["rows"]
        assert {row["bot"] for row in rows} == {"one", "two", "ada"}


def test_nothing_is_taken_once_the_final_was_made_whatever_began_before(tmp_path: Path) -> None:
    folder = write_league(tmp_path / "cup", deals=1)
    ada = add_person(folder, "ada")
    write_dates(folder, closes=moment(hours=1), final_deals=1)
    with serving(folder) as server:
        data = bot_zip()
        head = (
            f"POST /api/leagues/cup/submissions?filename=bot.zip HTTP/1.1\r\nHost: x\r\n"
            f"Authorization: Bearer {ada}\r\nContent-Length: {len(data)}\r\n\r\n"
        )
        with socket.create_connection(("127.0.0.1", server.port), timeout=20) as slow:
            slow.sendall(head.encode() + data[:500])
            until(lambda: list((folder / "handed-in").glob(".arrivals/*")), 10)
            write_dates(folder, closes=moment(hours=-1), final_deals=1)
            until(lambda: server.api("/final").status == 200, 30)
            slow.sendall(data[500:])
            assert slow.recv(4096).startswith(b"HTTP/1.1 403 ")
        write_dates(folder, closes=moment(hours=1), final_deals=1)
        until(lambda: "no bots are taken, whatever the dates say" in "".join(server.said), 10)
        assert server.api().json["phase"] == "closed"
        again = server.hand_in(ada, data)
        assert again.status == 403
        assert "the final was made of those that were in the league." in again.error["what"]
        assert server.api("/final").status == 200

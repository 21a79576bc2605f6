"""Leagues with a door: what bots ask is kept, counted and never paid twice."""

import json
import os
import random
import shutil
import signal
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from tests.arena.conftest import ROOT, League
from tests.provider import Provider
from tests.referee.process_watch import until

KEY = "sk-this-is-nobody-elses-business"
ASKER = """
import json, kit
def choose(ask):
    said = {"model": "model-x", "messages": [{"role": "user", "content": json.dumps(ask.view)}]}
    answer = kit.fetch("URL/v1/chat/completions", said)
    moves = ask.legal or ask.samples
    return moves[len(answer.body) % len(moves)]
kit.run(choose)
"""


@pytest.fixture
def provider() -> Iterator[Provider]:
    """A provider of chat completions."""
    with Provider() as made:
        yield made


def write(league: League, provider: Provider, deals: int = 2, door: str = "") -> None:
    """Write a league of nim in which ada asks the provider for each move."""
    entries = ""
    allow = [provider.asked, f"POST {provider.url}/v1/*"]
    for name in ("ada", "bob"):
        folder = league.home / name
        folder.mkdir(exist_ok=True)
        shutil.copy(ROOT / "bots" / "templates" / "python" / "kit.py", folder)
        source = ASKER if name == "ada" else "import kit\nkit.run(lambda ask: ask.legal[0])\n"
        (folder / "bot.py").write_text(source.replace("URL", provider.url))
        entries += (
            f'\n[[bot]]\nname = "{name}"\nfolder = "../{name}"\n'
            'command = ["{python}", "bot.py"]\nfiles = ["."]\n'
        )
        entries += f"door = {json.dumps(allow)}\n" if name == "ada" else ""
    league.write(
        f'game = "openspiel:tic_tac_toe"\nseed = "long enough for nobody to guess"\n'
        f'deals = {deals}\n[opening]\nplies = 1\n[limits]\nsandbox = "none"\npace = "slow"\n'
        f"move_time = 20\nslots = 3\n[door]\n"
        f'allow = {json.dumps(allow)}\nkeys = {{ "{provider.url}" = "CHAT_KEY" }}\n'
        f"requests_per_minute = 10000\n"
        f"prices = {{ model-x = {{ input = 2.5, output = 10.0 }} }}\n{door}{entries}"
    )


def environment(provider: Provider, **more: str) -> dict[str, str]:
    """Return the environment of an organizer."""
    return {**os.environ, "SSL_CERT_FILE": str(provider.ca), "CHAT_KEY": KEY, **more}


def exchanges(league: League) -> list[dict[str, Any]]:
    """Return what was asked in all matches."""
    return [each for row in league.exported() for each in row["evidence"].get("exchanges", [])]


def ranked(league: League) -> dict[str, Any]:
    """Return the rows of the table, with costs."""
    found = json.loads(league.call("rank", "--cost", "--format", "json").stdout)
    return {row["bot"]: row for row in found["standings"]}


@pytest.mark.slow
def test_what_is_asked_is_kept_and_costs_what_the_provider_counts(
    league: League, provider: Provider
) -> None:
    write(league, provider)
    league.call("run", env=environment(provider))
    count, kept, table = provider.count, exchanges(league), ranked(league)
    assert count["completions"] == len(kept) == table["ada"]["requests"] > 8
    assert table["ada"]["tokens_in"] == count["tokens_in"]
    assert table["ada"]["cost"] == pytest.approx(count["cost"], abs=1e-4)
    assert table["bob"]["cost"] == 0
    assert [row["ask"] for row in kept[:2]] == [1, 2]
    assert json.loads(kept[0]["request"])["model"] == "model-x"
    match = league.exported()[0]["match"]
    shown = league.call("show", match).stdout
    assert f"asked {provider.asked}: status 200," in " ".join(shown.split())
    assert all(KEY.encode() not in file.read_bytes() for file in league.folder.iterdir())
    league.call("verify")
    text = (league.folder / "league.toml").read_text()
    league.write(text.replace('name = "bob"', 'name = "cy"'))  # who has left was paid for too
    assert ranked(league)["ada"]["cost"] == table["ada"]["cost"]


@pytest.mark.slow
def test_no_answer_is_paid_twice_whatever_is_killed(league: League, provider: Provider) -> None:
    write(league, provider, deals=8)
    provider.behave("slow", seconds=0.1)
    rng = random.Random(3)
    for _ in range(4):
        before = provider.count["completions"]
        run = league.start("run", env=environment(provider))
        until(lambda: provider.count["completions"] > before + 5, 20)  # noqa: B023
        time.sleep(rng.random() * 0.2)
        os.killpg(run.pid, signal.SIGKILL)
        run.communicate()
    league.call("run", env=environment(provider))
    count, kept = provider.count, exchanges(league)
    assert league.count() == 16
    assert count["completions"] == len(kept)  # those that were asked again were not counted again
    assert sum(each.get("cost", 0) for each in kept) == pytest.approx(count["cost"])


@pytest.mark.slow
def test_an_outage_is_waited_for_and_costs_nobody_anything(
    league: League, provider: Provider
) -> None:
    write(league, provider)
    provider.behave("good")
    run = league.start("run", env=environment(provider))
    until(lambda: provider.count["completions"] > 3, 20)
    provider.behave("status", status=503, headers={})
    time.sleep(1.0)
    provider.behave("good")
    league.finish(run)
    assert provider.count["completions"] == len(exchanges(league))
    assert all(not any(row["faults"]) for row in league.exported())


@pytest.mark.slow
def test_a_shared_provider_that_stays_away_costs_no_result(
    league: League, provider: Provider
) -> None:
    probe = f'shared = ["GET {provider.url}/v1/models"]\nabsence = 0.5\noutage_wait = 0\n'
    write(league, provider, door=probe)
    run = league.start("run", env=environment(provider))
    until(lambda: provider.count["completions"] > 3, 20)
    provider.behave("status", status=503, headers={})
    ended = league.finish(run, 1)
    said = " ".join(ended.stderr.split())
    assert "does not answer our own request (it answered 503): the matches that ask it wait" in said
    assert said.count("was away for the 0.5 s of `absence`") == 1
    assert "1 problem, above" in said
    assert "begun and will go on). Run again to go on." in said
    assert "Traceback" not in said
    provider.behave("good")
    league.call("run", env=environment(provider))
    assert league.count() == 4
    assert provider.count["completions"] == len(exchanges(league))
    assert all(not any(row["faults"]) for row in league.exported())


BEARS = """
class Nothing:
    body = b""
def fetch(*words):
    try:
        return kit.fetch(*words)
    except kit.DoorError:
        return Nothing
"""


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["outage", "crash"])
def test_nobody_calls_off_a_match_by_asking_for_what_fails(
    league: League, provider: Provider, kind: str
) -> None:
    """The bot does it where it is behind; its matches are stored all the same, with its faults."""
    probe = f'shared = ["GET {provider.url}/v1/models"]\noutage_wait = 0.5\n'
    write(league, provider, deals=6, door=probe)
    source = league.home / "ada" / "bot.py"
    asked = 'fetch("' + provider.url + '/v1/"'
    source.write_text(
        source.read_text()
        .replace(f'fetch("{provider.url}/v1/chat/completions"', f"{asked} + path(ask)")
        .replace(
            "def choose",
            "def path(ask):\n"
            "    return 'forbidden' if ask.seat and len(ask.legal) < 6 else 'chat/completions'\n"
            "def choose",
        )
    )
    if kind == "outage":  # it bears what it gets
        text = source.read_text().replace("kit.fetch(", "fetch(")
        source.write_text(text.replace("import json, kit\n", f"import json, kit\n{BEARS}"))
    provider.behave("forbids", status=500)
    ended = league.call("run", env=environment(provider))
    assert "wait" not in ended.stderr
    assert league.count() == 12
    found = [
        faults for row in league.exported() for name, faults in faults_of(row) if name == "ada"
    ]
    assert {kind for faults in found for kind in faults} == {kind}
    assert any(kind in faults for faults in found)


@pytest.mark.slow
def test_a_bot_that_has_spent_all_is_told_so_and_its_matches_go_on(
    league: League, provider: Provider
) -> None:
    write(league, provider, door="spend = 0.0003\n")
    run = league.call("run", env=environment(provider))
    assert run.stderr.count("Its requests are answered 402 from now on.") == 1
    assert "ada has spent the 0.0003 that [door] allows" in " ".join(run.stdout.split())
    assert league.count() == 4
    assert all(not any(row["faults"]) for row in league.exported())
    answered = [each["status"] for each in exchanges(league)]
    assert answered.count(200) == provider.count["completions"]
    assert answered.count(402) > 0
    with closing(sqlite3.connect(league.folder / "slow.db")) as db:
        ((bot, cost),) = db.execute("SELECT bot, cost FROM spent")
    assert (bot, cost) == ("ada", pytest.approx(provider.count["cost"]))
    assert "none differs" in league.call("verify").stdout


@pytest.mark.slow
def test_a_turn_in_which_the_provider_fails_does_not_run_out(
    league: League, provider: Provider
) -> None:
    write(league, provider, deals=1, door="")
    text = (league.folder / "league.toml").read_text()
    league.write(text.replace("move_time = 20", "move_time = 1"))
    provider.behave("limited", seconds=2, times=1)
    league.call("run", env=environment(provider))
    assert all(not any(row["faults"]) for row in league.exported())
    assert league.count() == 2


WHILE_IT_FAILS = """
import json, kit, os, time
def choose(ask):
    line = {"id": 1, "url": "URL/v1/refused", "method": "POST", "body": "{}"}
    os.write(int(os.environ["ARENA_DOOR"].split(",")[1]), json.dumps(line).encode() + b"\\n")
    time.sleep(2.5)
    return (ask.legal or ask.samples)[0]
kit.run(choose)
"""
"""A bot that asks for what fails, and thinks longer than it may before it gives up waiting."""


@pytest.mark.slow
def test_nobody_gains_time_by_asking_for_what_fails(league: League, provider: Provider) -> None:
    write(league, provider, deals=1)
    (league.home / "ada" / "bot.py").write_text(WHILE_IT_FAILS.replace("URL", provider.url))
    text = (league.folder / "league.toml").read_text()
    league.write(text.replace("move_time = 20", "move_time = 1"))
    provider.behave("status", status=500, headers={})
    league.call("run", env=environment(provider))
    found = {name: faults for row in league.exported() for name, faults in faults_of(row)}
    assert set(found["ada"]) == {"late"}
    assert not found["bob"]


def faults_of(row: dict[str, Any]) -> Iterator[tuple[str, dict[str, int]]]:
    """Yield the faults in an exported match, by the names of its bots."""
    for bot, faults in zip(row["bots"], row["faults"], strict=True):
        yield bot["name"], faults


OTHER = "POST https://api.example.org/v1/chat/completions"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[door]\n", "[doors]\n", "there is no table 'doors'. Did you mean 'door'?"),
        ('pace = "slow"\n', "", 'add pace = "slow" to [limits]'),
        ("allow = [", f'allow = ["{OTHER}"]\n# [', "and [door] does not allow 'POST https://"),
        ("allow = [", 'allow = ["api.example.org"]\n# [', f"like '{OTHER}'"),
        pytest.param(
            *("CHAT_KEY", "OTHER_KEY", "the variable OTHER_KEY is not set"), marks=pytest.mark.slow
        ),
        ('"CHAT_KEY"', f'"{KEY}"', "is no name of a variable"),
        (
            "requests_per_minute",
            "requests_per_hour",
            "there is no key 'requests_per_hour' of door.",
        ),
    ],
)
def test_a_door_that_cannot_be_meant_is_refused_with_the_line(
    league: League, provider: Provider, old: str, new: str, said: str
) -> None:
    write(league, provider)
    text = (league.folder / "league.toml").read_text()
    assert old in text
    changed = text.replace(old, new)
    if "api.example.org" in new:
        changed = "\n".join(line for line in changed.splitlines() if not line.startswith("keys"))
    league.write(changed)
    ended = league.call("run", code=2, env=environment(provider))
    printed = " ".join(ended.stderr.split())
    assert said in printed
    assert KEY not in printed
    assert "Traceback" not in printed
    assert "league.toml" in printed

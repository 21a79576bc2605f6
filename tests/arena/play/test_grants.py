"""Leagues in which one bot has limits of its own: they hold for it alone, and tables say so."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.league.doors import idle_keys
from arena.league.edit import set_keys
from arena.league.file import read_asked
from arena.store.opening import read_league
from referee.sandbox import gpus
from tests.arena.conftest import Arena, League
from tests.arena.play.sandboxed_leagues import as_process
from tests.attacks.gpus import beside_gpus, driver
from tests.golden import Golden
from tests.referee.sandbox.sandboxed import need

inline = pytest.mark.usefixtures("inline")
LEAGUE = 'game = "guerra"\nseed = 5\ndeals = 2\nlimits = { memory_mb = 100 }\n'
RANDOM = "import kit, guerra_random\nkit.run(guerra_random.choose)\n"
HUNGRY = """\
import kit, guerra_random
held = []
def answer(ask):
    if not held:
        held.append(bytearray(200 << 20))
    return guerra_random.choose(ask)
kit.run(answer)
"""
TIMED = """\
import kit, guerra_random
def answer(ask):
    if ask.clock["move_time"] != {seconds}:
        raise SystemExit("it has %s s" % ask.clock["move_time"])
    return guerra_random.choose(ask)
kit.run(answer)
"""
WRITER = f"""\
import tempfile
tempfile.TemporaryFile(dir="/scratch").write(b"here")
{RANDOM}"""
THREADED = f"""\
import json, os, sys
told = json.loads(sys.stdin.buffer.peek().splitlines()[0]).get("threads")
found = len(os.sched_getaffinity(0)), os.environ["OMP_NUM_THREADS"], told
if found != ({{cores}}, "{{threads}}", {{threads}} if {{threads}} > 1 else None):
    raise SystemExit(f"it has {{{{found}}}}")
{RANDOM}"""


def entered(league: League, **sources: str) -> None:
    league.write(LEAGUE + "".join(league.bot(*each) for each in sources.items()))


@pytest.fixture
def two(league: League) -> League:
    entered(league, one=RANDOM, two=RANDOM + "#")
    return league


def faults(league: League) -> dict[str, object]:
    return {row["bot"]: row["faults"] for row in json.loads(league.rank())["standings"]}


@pytest.mark.slow
@inline
def test_a_grant_is_one_bots_alone_and_makes_a_new_version_of_it(
    league: League, arena: Arena
) -> None:
    def versions() -> dict[str, str]:
        return {bot.name: bot.version for bot in read_league(league.folder).bots}

    entered(league, hungry=HUNGRY, two=RANDOM, three=RANDOM + "#")
    as_process(league.home / "hungry")
    league.write((league.folder / "league.toml").read_text().replace("deals = 2", "deals = 1"))
    league.call("run")
    lacking = {"hungry": {"memory": 4}, "two": {}, "three": {}}
    assert faults(league) == lacking
    before, stored = versions(), league.count()
    said = arena("grant", league.folder, "hungry", "memory_mb=400").stdout
    assert said == "hungry has memory_mb = 400, and plays anew under them.\n"
    assert {name for name, version in versions().items() if before[name] != version} == {"hungry"}
    league.call("run")
    assert league.count() == stored + 2 * stored // 3  # the pairs with it
    assert faults(league) == {**lacking, "hungry": {}}
    assert json.loads(league.rank())["grants"] == {"hungry": {"memory_mb": 400}}
    assert "hungry has limits of its own: memory_mb = 400." in arena("rank", league.folder).output
    assert arena("verify", league.folder).exit_code == 0
    assert arena("grant", league.folder, "hungry", "--none").stdout == (
        "hungry has the limits of its league, and plays anew under them.\n"
    )
    assert versions() == before
    league.call("run")
    assert league.count() == stored + 2 * stored // 3  # its old results count again
    assert faults(league) == lacking


@inline
def test_a_handicap_is_told_to_the_bot_that_has_it(league: League) -> None:
    entered(league, slow=TIMED.format(seconds=1.0), fast=TIMED.format(seconds=0.25))
    set_keys(league.folder, "fast", {"time_factor": 0.25, "sandbox": "none"})
    said = league.call("run").stderr
    assert "Warning: fast: bots run unprotected (sandbox none)" in said
    assert faults(league) == {"slow": {}, "fast": {}}


@pytest.mark.slow
@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="ONE CORE: THREADS ARE NOT TESTED")
def test_a_match_has_as_many_cores_as_the_bot_with_most_threads(
    league: League, arena: Arena
) -> None:
    alone = THREADED.format(cores=1, threads=1)
    entered(league, two=alone, one=alone + "#")
    assert f"with {len(os.sched_getaffinity(0))} workers" in league.call("run").stderr
    assert (faults(league), league.count()) == ({"two": {}, "one": {}}, 4)
    for name, threads in (("one", 1), ("two", 2)):
        (league.home / name / "bot.py").write_text(THREADED.format(cores=2, threads=threads))
    set_keys(league.folder, "two", {"threads": 2})
    league.call("run")
    assert (faults(league), league.count()) == ({"two": {}, "one": {}}, 8)
    granted = arena("grant", league.folder, "two", "threads=1000")
    assert "It cannot be played here: the limit threads = 1000 asks for" in granted.stderr
    said = league.call("run", code=2).stderr
    assert "bot 'two': the limit threads = 1000 asks for 1000 cores for each match" in said
    assert f"`arena grant {league.folder} two threads=` takes that back." in said


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_bot_plays_in_a_sandbox_of_its_own(league: League, arena: Arena, workers: str) -> None:
    need("landlock")
    need("bwrap")
    entered(league, writer=WRITER, other=RANDOM)
    set_keys(league.folder, "writer", {"sandbox": "bwrap"})
    league.call("run", "--workers", workers)
    assert faults(league) == {"writer": {}, "other": {}}
    match = league.stored()[0][0].id
    shown = " ".join(arena("show", league.folder, match).output.split())
    assert "sandbox bwrap" in shown
    assert "and landlock (ABI" in shown


def test_a_league_without_the_sandbox_of_one_bot_plays_nothing(
    two: League, arena: Arena, tmp_path: Path
) -> None:
    set_keys(two.folder, "two", {"sandbox": "bwrap"})
    said = arena("run", two.folder, env={"PATH": str(tmp_path)})
    assert said.exit_code == 2
    assert "'two' has sandbox = \"bwrap\": bwrap not found." in said.stderr
    assert two.count() == 0


@pytest.mark.slow  # as checks play for a time
def test_a_wish_is_shown_and_granted_only_by_the_organizer(league: League, arena: Arena) -> None:
    entered(league, other=RANDOM, more=RANDOM + "#")
    league.bot("hungry", HUNGRY)
    folder = league.home / "hungry"
    toml = 'command = ["{python}", "bot.py"]\nneeds = { memory_mb = 400 }\n'
    (folder / "bot.toml").write_text(toml)
    refused = arena("add", league.folder, folder, "--seconds", "0.5")
    assert refused.exit_code == 1
    said = " ".join(refused.output.split())
    assert (
        "hungry needs memory_mb = 400, and has 100; `arena add --grant` lets it have that." in said
    )
    assert "hungry" not in (league.folder / "league.toml").read_text()
    program = (folder / "bot.py").read_text()
    (folder / "bot.py").write_text("raise SystemExit(3)\n")
    broken = arena("add", league.folder, folder, "--seconds", "0.5", "--grant")
    assert broken.exit_code == 1
    assert "--grant" not in broken.output  # which was said, and is not why
    (folder / "bot.py").write_text(program)
    granted = arena("add", league.folder, folder, "--seconds", "0.5", "--grant")
    assert granted.exit_code == 0, granted.output
    assert read_league(league.folder).grant_of("hungry").words == "memory_mb = 400"
    (folder / "bot.py").write_text(HUNGRY + "# better\n")
    again = arena("add", league.folder, folder, "--seconds", "0.5", "--replace")
    assert again.exit_code == 0, again.output  # what it was granted stays, as it is the name's
    assert read_league(league.folder).grant_of("hungry").words == "memory_mb = 400"
    checked = arena("check", folder, "--game", "guerra", "--limit", "memory_mb=100")
    assert checked.exit_code == 0, checked.output
    assert "hungry is checked with memory_mb = 400" in checked.output


def test_a_mistake_changes_nothing_and_a_wish_that_cannot_be_is_refused(
    two: League, arena: Arena, golden: Golden
) -> None:
    text = (two.folder / "league.toml").read_text()
    for words in (
        *("one", "one memory_mb=99 --none", "one memory=1", "one memory=", "one memory_mb=2"),
        *("on memory_mb=99", "one --needed", "one devices=amd"),
        *("one devices=nvidia sandbox=landlock", "one proc=true sandbox=uid"),
    ):
        result = arena("grant", two.folder, *words.split())
        assert result.exit_code != 0
        golden(" ".join(result.output.split()))
        assert (two.folder / "league.toml").read_text() == text
    assert "All bots have the limits of the league" in arena("grant", two.folder).output
    for wish in ("time_factor = 2", 'sandbox = "none"', "memory = 3", "x"):
        toml = f'command = ["{{python}}", "bot.py"]\nneeds = {{ {wish} }}\n'
        (two.home / "one" / "bot.toml").write_text(toml)
        result = arena("check", two.home / "one", "--game", "guerra")
        assert result.exit_code != 0
        assert "bot.toml" in result.output


def test_needs_that_do_not_go_with_a_grant_refuse_the_bot(two: League, arena: Arena) -> None:
    granted = arena("grant", two.folder, "one", "sandbox=uid", "scratch_mb=64")
    assert "scratch_mb counts in bwrap alone" in granted.stderr
    toml = 'command = ["{python}", "bot.py"]\nneeds = { proc = true }\n'
    (two.home / "one" / "bot.toml").write_text(toml)
    text = (two.folder / "league.toml").read_text()
    refused = arena("add", two.folder, two.home / "one", "--replace", "--grant")
    assert refused.exit_code == 1
    assert "uid has no /proc to show" in " ".join(refused.output.split())
    assert (two.folder / "league.toml").read_text() == text


def test_a_remote_bot_stays_one_and_needs_nothing_here(league: League, arena: Arena) -> None:
    remote = f'name = "far"\ncommand = ["{{remote}}", "{"a" * 64}"]\nremote = true\n'
    league.write(f'game = "guerra"\nseed = 1\nlimits.pace = "slow"\n\n[[bot]]\n{remote}')
    granted = arena("grant", league.folder, "far", "devices=nvidia", "startup=30")
    assert (granted.exit_code, granted.stderr) == (0, "")  # its GPU would be its author's
    assert arena("grant", league.folder, "far", "--none").exit_code == 0
    assert read_asked(league.folder).grant_of("far").words == "remote = true"


@pytest.mark.slow
@pytest.mark.skipif(bool(gpus()), reason="there is a GPU here")
def test_a_bot_with_a_gpu_plays_where_there_is_one(
    league: League, arena: Arena, public: Path
) -> None:
    need("bwrap")
    arena("new", public / "mine", "--lang", "python", "--game", "guerra")
    with (public / "mine" / "bot.toml").open("a") as file:
        file.write('needs = { devices = ["nvidia"] }\n')
    checked = arena("check", public / "mine", "--game", "guerra")
    assert checked.exit_code == 1
    assert "FAILED can be run: no GPU can be used" in " ".join(checked.output.split())
    entered(league, one="open('/dev/nvidia0', 'r+b', buffering=0)\n" + RANDOM, two=RANDOM)
    granted = arena("grant", league.folder, "one", "devices=nvidia")
    assert "It cannot be played here: no GPU can be used: there is no" in granted.stderr
    said = league.call("run", code=2).stderr
    assert "arena: bot 'one': no GPU can be used: there is no /dev/nvidiactl here." in said
    beside_one = beside_gpus(1, driver(public / "driver"), as_root=os.getuid() == 0)
    words = [*beside_one, sys.executable, "-m", "arena", "run", str(league.folder)]
    ran = subprocess.run(words, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "4 of 4 matches" in ran.stderr
    assert "2 workers" not in ran.stderr  # a GPU is for one match at a time
    assert faults(league) == {"one": {}, "two": {}}
    shown = " ".join(arena("show", league.folder, league.stored()[0][0].id).output.split())
    assert "with nvidia" in shown
    assert 'one has limits of its own: devices = ["nvidia"].' in league.call("rank").stdout


def test_a_door_is_granted_and_needed_by_name(league: League, arena: Arena) -> None:
    both = ["POST https://api.example.org/v1", "GET http://localhost:11434/*"]
    door = f"[door]\nallow = {json.dumps(both)}\n"
    slow = LEAGUE.replace("100", '100, pace = "slow"') + door
    text = slow + league.bot("one", RANDOM) + league.bot("two", RANDOM + "#")
    command = 'command = ["{python}", "bot.py"]\n'
    league.write(text.replace(command, "", 1))
    needs = f'needs = {{ door = ["{both[0]}"] }}\n'
    (league.home / "one" / "bot.toml").write_text(command + needs)
    rows = json.loads(arena("grant", league.folder, "--format", "json").stdout)["bots"]
    assert [row["grant"] for row in rows] == [{}, {}]
    assert rows[0]["needs"] == {"door": both[:1]}
    arena("grant", league.folder, "one", f"door={','.join(both)}")
    refused = arena("grant", league.folder, "one", "door=api.example.org").stderr
    assert "like 'POST https://api.example.org/v1/chat/completions'" in " ".join(refused.split())
    rows = json.loads(arena("grant", league.folder, "--format", "json").stdout)["bots"]
    assert [row["grant"] for row in rows] == [{"door": both}, {}]
    arena("grant", league.folder, "one", "door=")
    said = arena("grant", league.folder, "one", "--needed").stdout
    assert said == f'one has door = ["{both[0]}"], and plays anew under them.\n'


def test_a_key_of_a_bot_that_is_not_there_yet_is_told_and_hinders_nobody(league: League) -> None:
    door = '[door]\nallow = ["GET https://api.example.org/"]\n'
    key = '{ "https://api.example.org" = "KEY" }'
    slow = LEAGUE.replace("100", '100, pace = "slow"')
    text = f"{slow}{door}bot_keys = {{ one = {key}, oen = {key} }}\n{league.bot('one', RANDOM)}"
    league.write(text)
    [said] = idle_keys(read_league(league.folder, "read"))
    assert said == "bot_keys of [door] has a key for 'oen', which is no bot of the league yet."

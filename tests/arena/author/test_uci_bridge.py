"""Chess engines that play by the bridge: real ones, in a sandbox."""

import json
import shutil
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner, Result

from arena.cli import main
from referee.catalog.loading import find_game
from referee.rules.options import new_game, read_options
from tests.arena.conftest import League
from tests.golden import Golden
from tests.referee.sandbox.sandboxed import need

pytest.importorskip("pyspiel", reason="OPENSPIEL IS NOT TESTED HERE: it is missing")

ENGINES = {"fish": "stockfish", "ether": "ethereal-chess"}


def arena(*words: object) -> Result:
    return CliRunner().invoke(main, [*map(str, words)])


def engine(name: str) -> str:
    found = shutil.which(ENGINES[name], path="/usr/games:/usr/bin")
    if found is None:
        pytest.skip(f"CHESS ENGINES ARE NOT TESTED HERE: there is no {ENGINES[name]}")
    return found


def made(folder: Path, name: str, change: tuple[str, str]) -> Path:
    """Make a bot of an engine, with one line of its bridge changed."""
    result = arena("new", folder / name, "--uci", engine(name))
    assert result.exit_code == 0, result.output
    program = folder / name / "uci.py"
    before, after = change
    assert before in program.read_text()
    program.write_text(program.read_text().replace(before, after))
    return folder / name


def begun(league: League, folder: str, bots: list[Path], *words: str) -> None:
    """Make a league of engines and a random bot."""
    league.folder = league.home / folder
    chess = ["--game", "openspiel:chess", "--sandbox", "bwrap", "--deals", "1"]
    result = arena("init", league.folder, *bots, "random", *chess, "--seed", "engines", *words)
    assert result.exit_code == 0, result.output


SPEAKS = """
import sys
for line in sys.stdin:
    print({"uci": "uciok", "isready": "readyok"}.get(line.strip(), "info"), flush=True)
"""


def test_the_files_that_an_engine_is_started_with_are_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("kit.py").write_text(SPEAKS)
    python = shutil.which("python3", path="/usr/bin")
    if python is None:
        pytest.skip("A PYTHON THAT SANDBOXES SHOW IS NOT TESTED HERE: there is none in /usr/bin")
    words = ("new", "mine", "--uci", f"{python} kit.py deep", "--game", "openspiel:chess()")
    result = arena(*words)
    assert result.exit_code == 0, result.output
    program = Path(python).resolve()
    assert f'"{program}", "engine-kit.py", "deep"]' in Path("mine/bot.toml").read_text()
    assert Path("mine/engine-kit.py").read_text() == SPEAKS
    assert "copy to mine." in " ".join(result.output.split())


def test_a_version_managers_script_is_not_taken_for_a_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not Path("/usr/bin/python3").exists():
        pytest.skip("A PYTHON THAT SANDBOXES SHOW IS NOT TESTED HERE: there is none in /usr/bin")
    monkeypatch.chdir(tmp_path)
    Path("python3").write_text('#!/bin/sh\nexec /usr/bin/python3 "$@"\n')
    Path("python3").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    Path("engine.py").write_text(SPEAKS)
    result = arena("new", "mine", "--uci", "python3 engine.py")
    assert result.exit_code == 0, result.output
    program = Path("/usr/bin/python3").resolve()
    assert f'"{program}", "engine.py"]' in Path("mine/bot.toml").read_text()


@pytest.mark.slow
def test_an_engine_that_counts_positions_plays_alike_each_time(league: League) -> None:
    need("bwrap")
    bots = [made(league.home, "fish", ("NODES = 0", "NODES = 300"))]
    for folder in ("first", "second"):
        begun(league, folder, bots)
        league.call("run", "--workers", "2")
    played = moves_of(league.home / "first")
    assert len(played) == 2
    assert moves_of(league.home / "second") == played


@pytest.mark.slow
def test_engines_play_each_other_by_the_clock(league: League) -> None:
    need("bwrap")
    bots = [made(league.home, name, ("MARGIN = 0.15", "MARGIN = 0.93")) for name in ENGINES]
    begun(league, "clocked", bots, "--limit", "memory_mb=4096")
    league.call("run", "--workers", "1")
    standings = json.loads(league.rank())["standings"]
    assert [row["faults"] for row in standings] == [{}, {}, {}]
    assert min(standings, key=lambda row: float(row["points"]))["bot"] == "random"
    assert "none differs" in league.call("verify").stdout


def moves_of(folder: Path) -> Counter[str]:
    lines = arena("export", folder, "-").stdout.splitlines()[1:]
    return Counter(json.loads(line)["moves"] for line in lines)


def chess(**options: Any) -> Any:
    kind = find_game("openspiel:chess")
    return new_game(kind, 2, read_options(kind, options), "1")


def test_moves_of_chess_are_told_and_taken_as_uci_has_them() -> None:
    game = chess()
    view = game.view(1)
    assert "e2e4" in view["uci"]
    assert len(view["uci"]) == len(view["texts"]) == len(game.decision(1).legal)
    pawn = {"action": game.decision(1).legal[view["uci"].index("e2e4")]["action"]}
    assert game.read(1, {"uci": "e2e4"}) == pawn == game.read(1, {"text": "e4"})
    assert game.read(1, {"uci": "e2e4", "text": "e4"}) == pawn
    assert game.read(1, {"uci": "e2e5"}) == (
        "no legal action is called 'e2e5': send the number of one of the legal actions, or its text"
    )
    assert game.read(1, {**pawn, "uci": "d2d4"}) == (
        f"action {pawn['action']} is not the one called 'd2d4'"
    )
    game.apply({1: pawn})
    assert game.view(0)["moves"] == ["e2e4"]


def test_what_uci_calls_a_move_is_one_move_in_every_position() -> None:
    for seed in range(6):
        game, rng = chess(), Random(seed)
        special = Counter[str]()
        for _ in range(120):
            if not (seats := game.deciders()):
                break
            (seat,) = seats
            names = game.view(seat)["uci"]
            assert len({*names}) == len(names)
            special.update(name[4:] for name in names)
            game.apply({seat: game.sample(seat, rng)})
        assert special.keys() <= {"", "q", "r", "b", "n"}


def test_an_engine_that_a_path_names_is_copied(tmp_path: Path) -> None:
    program = tmp_path / "engines" / "uci.py"  # as the bridge is called
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nread word\nprintf 'id name x\\n uciok \\r\\n'\n")
    program.chmod(0o755)
    result = arena("new", tmp_path / "bot", "--uci", f"{program} 'an argument'")
    assert result.exit_code == 0, result.output
    bot = tmp_path / "bot"
    command = 'command = ["{python}", "uci.py", "./engine-uci.py", "an argument"]\n'
    assert (bot / "bot.toml").read_text() == f'{command}needs = {{ sandbox = "bwrap" }}\n'
    assert (bot / "engine-uci.py").read_bytes() == program.read_bytes()
    assert (bot / "engine-uci.py").stat().st_mode & 0o111


def test_a_bridge_that_cannot_be_is_refused(tmp_path: Path, golden: Golden) -> None:
    for line in (
        *("--uci no-such-engine", "--uci '", "--uci sh --lang python", "--uci sh --game khan"),
        *("", "--lang python", "--uci true", f"--uci {tmp_path}/note"),
    ):
        (tmp_path / "note").write_text("no program")
        result = arena("new", tmp_path / "bot", *line.split())
        assert result.exit_code == 2
        golden(result.stderr)
        assert not (tmp_path / "bot").exists()

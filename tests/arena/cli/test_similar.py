"""Which bots of a league are alike, as a person asks for it."""

import json
from pathlib import Path

from tests.arena.conftest import ROOT, Arena
from tests.golden import Golden


def test_two_bots_of_one_program_are_shown(arena: Arena, tmp_path: Path, golden: Golden) -> None:
    """In a league without a server, in which each bot has another author."""
    text = (ROOT / "bots" / "duel" / "duel_sensible.py").read_text()
    mine = text.replace("ask", "question") + "".join(f"x{n} = [{n}, {n}.5]\n" for n in range(9))
    for name, program in (("ada", mine), ("ben", mine.replace("question", "q"))):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "bot.toml").write_text('command = ["{python}", "bot.py"]\n')
        (folder / "bot.py").write_text(program)
    cup = tmp_path / "cup"
    bots = [str(tmp_path / "ada"), str(tmp_path / "ben"), "random"]
    arena("init", str(cup), "--game", "duel", *bots)
    golden(arena("author", "similar", cup).stdout)
    found = json.loads(arena("author", "similar", cup, "--format", "json").stdout)
    [pair] = found["pairs"]
    assert (pair["how"], pair["one"]["bot"], pair["other"]["bot"]) == ("same form", "ada", "ben")

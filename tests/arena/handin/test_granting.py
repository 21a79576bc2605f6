"""What a bot that is handed in is granted: only what can be had in the league."""

from pathlib import Path

from arena.handin.entries import granted
from arena.league.file import read_asked
from arena.league.finding import bot_folder
from arena.league.hints import unmet

LEAGUE = """\
game = "guerra"
seed = 1
limits.sandbox = "uid"
hand_in.grants = { proc = true, open_files = 80, sandbox = "bwrap" }
"""


def test_what_does_not_go_with_the_league_is_not_granted_but_told(tmp_path: Path) -> None:
    (tmp_path / "league.toml").write_text(LEAGUE)
    (tmp_path / "bot").write_text("#!/bin/sh\n")
    (tmp_path / "bot").chmod(0o755)
    plan = read_asked(tmp_path)
    for needs, has in (("proc = true", ""), ("open_files = 70", "open_files = 70")):
        (tmp_path / "bot.toml").write_text(f'command = ["./bot"]\nneeds = {{ {needs} }}\n')
        bot = granted(plan, bot_folder(tmp_path, "mine"), "mine")
        assert bot.grant.words == has
        assert ("uid has no /proc to show" in unmet(bot, plan.limits, "so do that")) is (not has)
        assert "so do that" not in unmet(bot, plan.limits, "so do that")

"""The bots printed in docs/write-a-bot.md are complete and play."""

import re
import shutil
from pathlib import Path

from arena.cli import main
from tests.bots.driver import BOTS, PROGRAMS, Match, python, seated

PAGE = (Path(__file__).parents[2] / "docs" / "write-a-bot.md").read_text()


def block(language: str, opening: str) -> str:
    blocks: list[str] = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    return next(text for text in blocks if text.startswith(opening))


def test_the_python_bot_of_the_page_plays(tmp_path: Path) -> None:
    shutil.copy(BOTS / "kit.py", tmp_path)
    path = tmp_path / "my_bot.py"
    path.write_text(block("python", "#!"))
    others = [python(BOTS / f"cold_war_{name}.py") for name in ("loyal", "random", "sensible")]
    with seated(python(path), *others) as programs:
        notes = []
        for seed in range(10):
            match = Match("cold_war", programs, seed, talk=seed % 2 == 1)
            match.play()
            notes += [reply.get("note") for _, reply in match.transcripts[0] if reply]
        assert any(notes)
        assert programs[0].leave() == 0


def test_the_shell_bot_of_the_page_is_the_one_that_is_tested() -> None:
    assert block("sh", "#!") == (PROGRAMS / "pass.sh").read_text()


def test_the_page_names_only_commands_there_are() -> None:
    assert set(re.findall(r"\barena (\w+)", PAGE)) <= set(main.commands)

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


def test_the_first_screen_shows_what_the_demo_prints():
    done = subprocess.run(
        [sys.executable, "-m", "arena", "demo"], capture_output=True, text=True, check=True
    )
    screen = README.split("```console", 1)[1].split("```", 1)[0]
    for line in done.stdout.splitlines():
        assert line in screen


def test_the_bot_shown_plays_a_match_without_faults(tmp_path):
    program = re.search(r"```python\n(.*?)```", README, re.DOTALL)
    assert program is not None
    bot = tmp_path / "bot" / "my_bot.py"
    bot.parent.mkdir()
    bot.write_text(program[1])
    bot.chmod(0o755)
    (bot.parent / "kit.py").write_text((ROOT / "bots" / "kit.py").read_text())
    match = ["guerra", str(bot), "random", "--sandbox", "none", "--seed", "1"]
    done = subprocess.run(
        [sys.executable, "-m", "arena", "play", *match],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "FAULT" not in done.stdout
    assert "Ended:" in done.stdout


def test_every_page_it_names_exists():
    for page in re.findall(r"\]\((docs/[^)]+)\)", README):
        assert (ROOT / page).is_file(), page

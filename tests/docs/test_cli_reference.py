"""The page of commands is what `--help` prints, and its examples work."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.cli import main
from tests.docs.pages import Command, File, Step
from tests.docs.reader import Reader
from tests.docs.regenerate_cli import PAGE, reference
from tests.referee.sandbox.sandboxed import need

MY_BOT = """\
import cold_war_random, guerra_random, khan_random, kit

kit.run(lambda ask: globals()[f"{ask.game}_random"].choose(ask))
"""
FIRST = (
    'cd "$PROJECT"/bots\n'
    'cp {cold_war/cold_war_random,guerra/guerra_random,khan/khan_random}.py "$OLDPWD"/source\n'
    'cp templates/python/kit.py "$OLDPWD"/source\n'
    'cd "$OLDPWD"\n'
    'python3 -m zipapp source -p "/usr/bin/env python3" -o my_bot'
)
"""A bot of several modules in one file, as a lone executable has no other."""
FRESH = "rm -rf cup; arena init cup --game guerra sensible mine=./my_bot --deals 4"
CONTEST = (
    "arena run cup; printf '\\n[hand_in]\\ncloses = 2026-01-01T00:00:00Z\\n' >> cup/league.toml; "
    "echo 'final_deals = 2' >> cup/league.toml"
)
GIVEN = {
    "arena init": "rm -rf cup",
    "arena add cup ./my_bot": "cp my_bot mine.py\n"
    "arena new hand-ins/ada --lang python --game guerra",
    "arena new fish": "printf '#!/bin/sh\\necho uciok\\n' > stockfish; chmod +x stockfish",
    "arena env build": "rm -rf mine; mkdir mine; touch mine/bot.py mine/requirements.txt\n"
    'printf \'command = ["{python}", "bot.py"]\\npython = "venv"\\n\' > mine/bot.toml',
    "arena env list": "rm -rf mine",
    "arena add cup mine=./better": "cp my_bot better",
    "arena grant cup mine memory_mb": FRESH,
    "arena grant cup mine --needed": "arena new asking --lang python --game guerra\n"
    "echo 'needs = { memory_mb = 900 }' >> asking/bot.toml\n"
    "arena remove cup mine; arena add cup mine=./asking",
    "arena remove cup mine --because": FRESH,
    "arena run cup": FRESH,
    "arena check bot.py": "arena new plain --lang python --game khan; cp plain/bot.py bot.py",
    "arena verify cup": "arena run cup",
    "arena rank results.csv": "printf 'match,bot,place\\n1,ann,1\\n1,bob,2\\n' > results.csv",
    "arena rank spring": "arena run cup; cp -r cup spring; cp -r cup summer; cp -r cup autumn",
    "arena import cup": "arena export cup half.jsonl; cp half.jsonl other_half.jsonl",
    "arena export engines": "arena init engines --game openspiel:chess --deals 1 a=random "
    "b=random\narena run engines",
    "arena compare ./new": "mkdir new old; cp my_bot old/bot; arena bots --kit > new/kit.py\n"
    "(echo '#!/usr/bin/env python3'; cat $PROJECT/bots/guerra/guerra_sensible.py) > new/bot\n"
    "chmod +x new/bot",
    "arena compare mine": "cp my_bot bot",
    "arena completion fish": "mkdir -p ~/.config/fish/completions",
    "arena run cup --final": CONTEST,
    "arena author add": "rm -f cup/handin.db*; printf 'name\\nada\\nben\\n' > names.csv",
    **{
        f"arena author {word}": "rm -f cup/handin.db*; arena author add cup ada"
        for word in ("renew", "remove", "list")
    },
}
"""What is done before an example that begins so."""
TYPED = {"human": "random", "--step": "g"}
LEFT_OUT = (
    *("arena demo", "--cluster", "--pause", "--lang rust", "--browser"),
    *("arena serve", "arena submit", "arena connect", "export ARENA_TOKEN", "--sealed"),
)
"""README.md runs the demo, docs/cluster.md has a cluster; a pause takes long, Rust a compiler.

Servers, what is handed in to them, and sealed seeds are tested in tests/arena/serve; play in a
browser in tests/arena/person.
"""


def test_the_page_of_commands_is_what_help_prints() -> None:
    assert PAGE.read_text() == reference(), "run: python -m tests.docs.regenerate_cli"


def test_every_command_shows_an_example() -> None:
    shown = [command.words for command in examples()]
    for name in main.commands:
        assert any(words.startswith(f"arena {name}") for words in shown), name


@pytest.mark.slow
def test_the_examples_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    need("landlock")
    monkeypatch.setenv("MY_KEY", "of-nobody-else")  # of the example with a door
    steps: list[Step] = [File(1, "source/__main__.py", MY_BOT), Command(1, FIRST)]
    for command in examples():
        if not any(words in command.words for words in LEFT_OUT):
            given = (GIVEN[start] for start in GIVEN if command.words.startswith(start))
            steps += [*(Command(command.line, words) for words in given), command]
    reader = Reader("docs/cli.md", tmp_path)
    try:
        reader.follow(steps)
    finally:
        reader.end()


def examples() -> Iterator[Command]:
    """Yield the examples of all commands."""
    text = PAGE.read_text()
    for found in re.finditer(r"^  (arena (?:.*\\\n)*.*)$", text, re.MULTILINE):
        typed = (answer for word, answer in TYPED.items() if word in found[1])
        line = text.count("\n", 0, found.start()) + 1
        yield Command(line, found[1], types=next(typed, None))

"""Leagues to be played in a sandbox, and the refusal of one."""

from pathlib import Path

from click.testing import Result

LEAGUE = """\
game = "guerra"
seed = 1
deals = 1
options.max_turns = 20
"""
RANDOM = """
[[bot]]
name = "random"
shipped = "random"
"""
OTHERS = "`arena doctor` shows which of landlock, bwrap and uid work here."
WITHOUT = "To run bots without any protection, say --sandbox none, or, for a league, "
TWO = RANDOM + RANDOM.replace("random", "other", 1)
"""Two bundled bots."""


def as_process(bot: Path) -> None:
    """Give a bot a kit of its own: an inline workforce starts it, rather than to call it."""
    with (bot / "kit.py").open("a") as file:
        file.write("# its own\n")


def refused(result: Result, *parts: str) -> None:
    """Check that a command ended with 2 and one line that holds all the parts."""
    assert result.exit_code == 2, result.output
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith("arena: ")
    for part in parts:
        assert part in result.stderr

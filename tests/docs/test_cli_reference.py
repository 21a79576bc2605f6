from arena.cli import main
from tests.docs.regenerate_cli import PAGE, reference


def test_the_page_of_commands_is_what_help_prints():
    assert PAGE.read_text() == reference(), "run: python -m tests.docs.regenerate_cli"


def test_every_command_shows_an_example():
    for name, command in main.commands.items():
        assert f"arena {name}" in (command.help or ""), name

"""The command `arena`, and `python -m arena`."""

import sys


def run() -> None:
    """Run the command."""
    try:
        from arena.cli import main  # it takes a moment, and Ctrl-C may come in it

        main(prog_name="arena")
    except KeyboardInterrupt:
        sys.exit("arena: interrupted.")


if __name__ == "__main__":
    run()

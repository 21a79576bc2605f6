"""The command `arena`, and `python -m arena`."""

import signal
import sys


def run() -> None:
    """Run the command; once it is done, Ctrl-C has nothing more to stop."""
    try:
        from arena.cli import main  # it takes a moment, and Ctrl-C may come in it

        main(prog_name="arena")
    except KeyboardInterrupt:
        sys.exit("arena: interrupted.")
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


if __name__ == "__main__":
    run()

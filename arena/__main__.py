"""The command `arena`, and `python -m arena`."""

import sys


def run() -> None:
    """Run the command; once it is done, Ctrl-C has nothing more to stop."""
    try:  # what is imported takes a moment, and Ctrl-C may come in it
        import signal

        from arena import streams

        streams.make_sure()
        from arena.cli import main

        try:
            main(prog_name="arena")
        finally:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
    except KeyboardInterrupt:
        sys.exit("arena: interrupted.")


if __name__ == "__main__":
    run()

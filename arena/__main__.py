"""The command `arena`, and `python -m arena`."""

import atexit
import gc
import sys

SELDOM = 100_000
"""New objects after which Python looks for reference cycles. Results have none: it saves a run a
seventh of its own time (`tests.benchmarks.dispatch`), and a command, with the last look that is not
taken at its end, a fifth of all that it takes."""


def run() -> None:
    """Run the command; once it is done, Ctrl-C has nothing more to stop."""
    gc.set_threshold(SELDOM)
    atexit.register(gc.freeze)
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

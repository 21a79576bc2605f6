"""The command `arena`, and `python -m arena`."""

import atexit
import gc
import sys


def run() -> None:
    """Run the command; once it is done, Ctrl-C has nothing more to stop."""
    gc.disable()  # until the command begins: what is imported is no garbage
    atexit.register(gc.freeze)  # so that it ends without a last look for reference cycles
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

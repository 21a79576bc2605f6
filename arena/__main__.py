"""The command `arena`, and `python -m arena`."""

import atexit
import gc
import os
import sys

_THREADS = "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"


def run() -> None:
    """Run the command; once it is done, Ctrl-C has nothing more to stop."""
    # numpy would start threads, that make no rating faster, and would get the signals we wait for
    os.environ.update(dict.fromkeys(_THREADS, "1"))
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

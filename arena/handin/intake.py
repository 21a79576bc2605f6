"""The process that takes in what is handed in to one league, as its parent asks for it.

    python -m arena.handin.intake LEAGUE [UID]

Each line on standard input wakes it, and its end ends it. On standard output it says what
happens, in lines of JSON; each has an `event`:

- `ready`: it has begun; `sandbox` is the one that archives are unpacked in, or else `problem`
  says why nothing can be; `build_sandbox` and `build_problem` say the same of builds.
- `submission`: one has come to a `state`, or to a `step` in it; with its `number`, `author`, `bot`.
- `progress`: how the one of a `number` is getting on, in `words`.
- `idle`: nothing waits.
- `trouble`: the league cannot be read, or nothing can be stored, for the reason in `words`. What
  waits goes on waiting, and is tried again in a few seconds.

UID is the first of the users that bots are run as, for root; see `--sandbox-uid`.
"""

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path
from types import FrameType
from typing import Any

from arena.handin.taking_in import Intake
from arena.text import safe
from protocol.errors import ArenaError
from referee.sandbox import SandboxError

_AGAIN_SECONDS = 5.0
_END_SECONDS = 10.0  # that it may take to end what it does


def main(words: list[str]) -> int:
    """Take in what waits until standard input ends; return the code to exit with."""
    league, *uid = words
    signal.signal(signal.SIGINT, lambda *_: None)  # of a terminal: the parent sees it too
    signal.signal(signal.SIGTERM, _end)
    try:
        woken = threading.Event()
        threading.Thread(target=_listen, args=(woken,), daemon=True).start()
        with Intake(Path(league), _tell, int(uid[0]) if uid else None) as intake:
            _tell(_ready(intake))
            _take_in(intake, woken)
    except ArenaError as error:
        print(safe(f"arena: {error}"), file=sys.stderr, flush=True)
        return error.exit_code
    except (KeyboardInterrupt, BrokenPipeError):
        pass
    return 0


def _take_in(intake: Intake, woken: threading.Event) -> None:
    """Take in what waits whenever it is woken."""
    is_resumed = False
    while True:
        try:
            woken.clear()
            if is_resumed:
                intake.look_around()
            else:
                intake.resume()
                is_resumed = True
            while intake.take_next():
                pass
            _tell({"event": "idle"})
            woken.wait()
        except ArenaError as error:
            is_resumed = False
            _tell({"event": "trouble", "words": safe(str(error))})
            woken.wait(_AGAIN_SECONDS)


def _ready(intake: Intake) -> dict[str, Any]:
    found: dict[str, Any] = {"event": "ready"}
    asked = {"": intake.sandbox, "build_": intake.build_sandbox}
    for what, sandbox in asked.items():
        try:
            found[f"{what}sandbox"] = sandbox()
        except ArenaError as error:
            found[f"{what}problem"] = safe(
                error.what if isinstance(error, SandboxError) else str(error)
            )
    return found


def _tell(event: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(event) + "\n")
    sys.stdout.flush()


def _listen(woken: threading.Event) -> None:
    """Wake the intake at each line; end it with the input, by force if it must be.

    An interrupt is lost if it comes between hearing that a build has ended and noting it, and a
    fork server may hang. What is being taken in waits again in any case.
    """
    for _ in sys.stdin:
        woken.set()
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(_END_SECONDS)
    os._exit(1)


def _end(_signal: int, _frame: FrameType | None) -> None:
    """End at once, once: what is being taken in waits again."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

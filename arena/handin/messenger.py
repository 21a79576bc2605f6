"""The process that tells a league's hook what happens: `python -m arena.handin.messenger LEAGUE`.

Each line on standard input is a JSON object that wakes it; `ranks` in it are those of the table,
version, first and last rank by bot. The end of the input ends it, and a hook that it runs. On
standard output it says, in lines of JSON, in `words`, that the hook fails, once for all messages
that fail in a row.
"""

import json
import os
import sys
import threading
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from time import sleep
from typing import Any

from arena.handin.database import HandIns
from arena.handin.hooks import (
    hook_trouble,
    next_message,
    note_events,
    note_ranks,
    note_told,
    note_try,
)
from arena.handin.telling import RunningHook, tell
from arena.league.file import read_asked
from arena.text import safe
from protocol.errors import ArenaError

_PAUSE = 2.0  # seconds after a try that failed
_LOOK = 5.0  # seconds after which it looks at what happened, if nobody wakes it


class Messenger:
    """Tells one league's hook what happens."""

    def __init__(self, league: Path) -> None:
        self._league = league
        self._lines = SimpleQueue[dict[str, Any]]()
        self._running = RunningHook()
        threading.Thread(target=self._listen, daemon=True).start()

    def run(self) -> None:
        """Tell what happens for as long as there is input."""
        with HandIns(self._league) as db:
            while True:
                try:
                    while not self._have_told_all(db):
                        sleep(_PAUSE)
                except (ArenaError, OSError) as error:  # the league's file is being changed, say
                    print(safe(f"arena: hook: {error}"), file=sys.stderr, flush=True)
                self._take(db)

    def _have_told_all(self, db: HandIns) -> bool:
        """Tell what is to be told; return whether that is done, and no try has failed."""
        plan = read_asked(self._league, "read")
        if not plan.hand_in.hook:
            return True
        note_events(db, plan)
        while message := next_message(db):
            problem = tell(plan.hand_in.hook, message, self._league, self._running)
            if problem:
                if note_try(db, message.number, problem):
                    print(json.dumps({"words": hook_trouble(db)}), flush=True)
                return False
            note_told(db, message.number)
        return True

    def _take(self, db: HandIns) -> None:
        """Wait for a line, but not for ever, and take in what lines say."""
        with suppress(Empty):
            line = self._lines.get(timeout=_LOOK)
            while True:
                if ranks := line.get("ranks"):
                    note_ranks(db, ranks)
                line = self._lines.get_nowait()

    def _listen(self) -> None:
        for line in sys.stdin:
            self._lines.put(json.loads(line))
        self._running.kill()
        os._exit(0)


if __name__ == "__main__":
    Messenger(Path(sys.argv[1])).run()

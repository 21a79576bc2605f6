"""A worker of the suite: bots beside it on one core, and matches of the real referee.

Run as a program, it does for another what that asks for, a line of JSON at a time.
"""

import json
import os
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from referee.limits import Limits
from referee.match.match import Match, starts
from referee.match.seat import ProcessSeat
from referee.match.seat import play_match as drive
from referee.process.procfs import family
from referee.rules.chance import Chance
from referee.sandbox import Launcher, Program
from referee.turn.bot_process import BotProcess
from referee.turn.starting import start_bot
from tests.attacks.collusion.game import NoOptions, Step, Whisper
from tests.attacks.settings import SLOWNESS

MOVE_SECONDS = 20.0 * SLOWNESS


def limits(sandbox: Any) -> Limits:
    """Return what the bots are allowed: what every bot is, and time enough to wait."""
    return Limits(sandbox=sandbox, move_time=MOVE_SECONDS)


class Worker:
    """Starts bots on one core, and lets them play."""

    def __init__(self, core: int) -> None:
        os.sched_setaffinity(0, {core})
        self._launchers: dict[str, Launcher] = {}
        self._running: list[BotProcess] = []

    def launcher(self, sandbox: str) -> Launcher:
        """Return the launcher for a sandbox."""
        if sandbox not in self._launchers:
            self._launchers[sandbox] = Launcher(sandbox)
        return self._launchers[sandbox]

    def start(self, program: Program, sandbox: str) -> BotProcess:
        """Start a bot beside those that run."""
        made = start_bot(
            self.launcher(sandbox), program, limits(sandbox), "whisperer", self._running
        )
        self._running.append(made)
        return made

    def stop(self) -> None:
        """End the bots."""
        for process in self._running:
            process.stop()
        self._running.clear()

    def close(self) -> None:
        """End everything."""
        self.stop()
        for launcher in self._launchers.values():
            launcher.close()


def pid_of(process: BotProcess) -> int:
    """Return the pid of the bot itself, as the machine knows it."""
    return family(process._child.pid)[-1]


def play(processes: Sequence[BotProcess], script: list[Step], sandbox: str) -> list[str]:
    """Play a match by a script; return what each ask was answered, in order."""
    game = Whisper(seats=len(processes), options=NoOptions(), chance=Chance("whisper"))
    game.script = script
    seats = [ProcessSeat(process) for process in processes]
    told = starts(game, "m", limits(sandbox).time_control, range(len(seats)))
    replay = drive(Match(game, faults_allowed=0), seats, told).replay
    return [entry.note or f"broken: {entry.fault}" for entry in replay.entries]


def main() -> None:
    """Do what each line asks for: start a bot, let it play, or end it."""
    worker = Worker(int(sys.argv[1]))
    process: BotProcess | None = None
    for line in sys.stdin:
        asked = json.loads(line)
        answer: dict[str, Any] = {}
        try:
            if asked["do"] == "start":
                words = {name: tuple(asked[name]) for name in ("argv", "files", "shared")}
                program = Program(folder=asked["folder"], **words)
                process = worker.start(program, asked["sandbox"])
                answer["pid"] = pid_of(process)
            elif asked["do"] == "play":
                assert process is not None
                answer["notes"] = play([process], [{0: asked["view"]}], asked["sandbox"])
            else:
                worker.stop()
        except Exception:  # noqa: BLE001 - whoever asked is told
            answer = {"error": traceback.format_exc()}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
    with suppress(ConnectionError):
        worker.close()


if __name__ == "__main__":
    main()

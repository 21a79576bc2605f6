"""A process beside the server: begun, told and heard by lines, and begun again if it ends."""

import asyncio
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic

from referee.process.procfs import signal_name

LONGEST = 64 << 20
"""Bytes of the longest line that is read."""
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0  # seconds before one that ended begins again
_SOUND_SECONDS = 60.0  # after which one is not to blame for how those before it ended


class Companion:
    """A module of ours, run as a process for one league until it is told to end.

    Its standard error is ours. It is in a session of its own, so that Ctrl-C reaches the server
    alone, and it ends when its standard input does, so that it never outlives the server.

    Args:
        module: which is run.
        folder: of the league, the first word of the command.
        words: of the command, after it.
        hear: called with each line that it writes.
        say: called with a sentence if it ends unasked.
        greet: called for what it is told first, whenever it begins.

    """

    def __init__(
        self,
        module: str,
        folder: Path,
        words: Sequence[str],
        hear: Callable[[bytes], None],
        say: Callable[[str], None],
        greet: Callable[[], bytes] = bytes,
    ) -> None:
        self._command = (sys.executable, "-P", "-m", module, str(folder), *words)
        self._name = f"{module} of {folder}"
        self._hear = hear
        self._say = say
        self._greet = greet
        self._process: asyncio.subprocess.Process | None = None
        self._ending = asyncio.Event()

    async def run(self) -> None:
        """Keep it alive until it is told to end, and has ended."""
        pause = _FIRST_PAUSE
        while True:
            began = monotonic()
            code = await self._once()
            if self._ending.is_set():
                return
            pause = _FIRST_PAUSE if monotonic() - began > _SOUND_SECONDS else pause
            self._say(f"{self._name} {_how(code)}; it begins again in {pause:g} s.")
            with suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._ending.wait()
                    return
            pause = min(2 * pause, _LONGEST_PAUSE)

    async def _once(self) -> int:
        process = await asyncio.create_subprocess_exec(
            *self._command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            start_new_session=True,
            limit=LONGEST,
        )
        self._process = process
        assert process.stdout is not None
        self.tell(self._greet())
        try:
            async for line in process.stdout:
                self._hear(line)
        except ValueError:  # a line that is too long: nothing after it can be made out
            process.kill()
        finally:
            self._process = None
        return await process.wait()

    @property
    def pid(self) -> int | None:
        """Its process, if there is one now."""
        return self._process.pid if self._process is not None else None

    def tell(self, line: bytes) -> bool:
        """Write a line to it; return whether it is there to read it."""
        if self._process is None or self._process.stdin is None:
            return False
        self._process.stdin.write(line)
        return True

    def end(self, line: bytes = b"") -> None:
        """Let it end by itself: with a line that says so, or by the end of its input."""
        self._ending.set()
        if self._process is None or self._process.stdin is None:
            return
        if line:
            self._process.stdin.write(line)
        else:
            self._process.stdin.close()

    def again(self) -> None:
        """Kill it, so that another one begins."""
        if self._process is not None:
            with suppress(ProcessLookupError):
                self._process.kill()

    def kill(self) -> None:
        """Kill it for good."""
        self._ending.set()
        self.again()


def _how(code: int) -> str:
    if code < 0:
        return f"was killed by {signal_name(-code)}"
    return f"ended with code {code}"

"""Measures channels as one user: slug, meeting and number of bits in, bits a second out."""

import ctypes
import json
import mmap
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

from arena.league.bot import make_bot
from referee.sandbox import PYTHON, Program, SandboxError, StartError, prove
from referee.turn.answer import BotError
from referee.turn.bot_process import BotProcess
from tests.attacks.answering import Outcome, answer
from tests.attacks.collusion.capacity import capacity
from tests.attacks.collusion.channels import BY_SLUG, ONCE, Channel
from tests.attacks.collusion.features import missing
from tests.attacks.collusion.worker import Worker, limits, pid_of, play
from tests.attacks.pages import set_in_memory

PROGRAMS = Path(__file__).parent / "programs"
FRESH_BITS = 30
"""The same where each has two processes of its own."""
BOTH = 4
"""How many of the first bits are as many zeros as ones, so that both are learnt."""
PAGE_STEP = 1 << 16
BEGIN_SECONDS = 0.05
"""From the ask of both to the first bit, where the clock says when."""
MOST_AT_ONCE = 96
"""How many bits are said together: what is heard must fit into a note."""
ASK_SECONDS = 0.6
"""What is said in one ask, where the clock says when, takes no longer, for the same reason."""
_DAY = 86400.0
_IPC_RMID = 0


class RefusedError(Exception):
    """A bot was refused what it needs; the text says how."""


class Second:
    """The worker of the other match, a process of its own on another core."""

    def __init__(self, core: int) -> None:
        words = [sys.executable, "-m", "tests.attacks.collusion.worker", str(core)]
        self._process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def tell(self, **asked: Any) -> None:
        """Ask for something."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()

    def hear(self) -> dict[str, Any]:
        """Return the answer; raise RuntimeError if it failed."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        answer: dict[str, Any] = json.loads(line) if line else {"error": "the worker has ended"}
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer

    def close(self) -> None:
        """Let it end."""
        self._process.communicate()


class Runner:
    """The workers of one user, and what is measured with them."""

    def __init__(self) -> None:
        cores = sorted(os.sched_getaffinity(0))
        self._second_core = cores[-1]
        self._has_second = len(cores) > 1
        self.second = Second(self._second_core)
        self.worker = Worker(cores[0])

    def close(self) -> None:
        """End the workers."""
        self.second.close()
        self.worker.close()

    def probe(self, sandbox: str) -> Outcome:
        """Return why a sandbox does not work here, if it does not."""
        try:
            prove(self.worker.launcher(sandbox), limits(sandbox))
        except SandboxError as error:
            return {"unusable": str(error)}
        return {"unusable": ""}

    def run(self, asked: str, sandbox: str) -> Outcome:
        """Measure what is asked for as `CHANNEL@MEETING@BITS`."""
        slug, meeting, bits = asked.split("@")
        return self.measure(BY_SLUG[slug], meeting, sandbox, int(bits))

    def measure(self, channel: Channel, meeting: str, sandbox: str, bits: int) -> Outcome:
        """Return what a channel carries, by so many bits, or why that cannot be known."""
        if reason := missing(channel.feature):
            return {"missing": reason}
        if meeting == "two" and not self._has_second:
            return {"missing": "there is only one core"}
        exchange = Exchange(self, channel, sandbox, meeting, bits)
        try:
            return exchange.outcome()
        except RefusedError as error:
            return {"bits": 0.0, "most": 0.0, "refused": str(error)}
        except (StartError, BotError, SandboxError) as error:
            return {"error": f"a bot did not start: {error}"}
        finally:
            exchange.close()


class Exchange:
    """Two bots that know of each other, and the bits that one says to the other."""

    def __init__(
        self, runner: Runner, channel: Channel, sandbox: str, meeting: str, bits: int
    ) -> None:
        self._runner = runner
        self._worker = runner.worker
        self._channel = channel
        self._sandbox = sandbox
        self._meeting = meeting
        count = FRESH_BITS if meeting == "fresh" and channel.lanes == 1 else bits
        self._lanes = channel.lanes
        if channel.lanes == ONCE:
            count = self._lanes = min(count, MOST_AT_ONCE)
        slots = -(-count // self._lanes)
        self.bits = "".join(
            "01"[at % 2] if at < BOTH else secrets.choice("01") for at in range(slots * self._lanes)
        )
        self._base = Path(tempfile.mkdtemp(prefix="arena-collusion-"))
        self._base.chmod(0o755)
        self._key = 1 + secrets.randbelow(1 << 30)
        self._plant()

    def _plant(self) -> None:
        """Make the bots' folders, one that they share, and one where everybody may write."""
        self._common = self._base / "common"
        self._loose = self._base / "loose"
        self._folders = [self._base / "one", self._base / "other"]
        for folder in (self._common, self._loose, *self._folders):
            folder.mkdir()
            folder.chmod(0o755)
        self._loose.chmod(0o777)
        for folder in self._folders:
            for path in PROGRAMS.glob("*.py"):
                shutil.copy(path, folder)
        for at in range(8):
            (self._common / f"bit{at:02}").write_text("one bit")
        if self._channel.act == "AccessTimes":
            now = time.time()
            for at in range(self._lanes):
                path = self._common / f"read{at:03}"
                path.write_text("one bit")
                os.utime(path, (now - 2 * _DAY, now - 3 * _DAY))
        if self._channel.act.startswith("Pages"):
            pages = self._common / "pages.bin"
            pages.write_bytes(b"x" * (self._lanes * PAGE_STEP))
            set_in_memory(pages, there=False)
            if self._channel.act == "PagesPutOut":
                _touch(pages)
        for path in self._common.iterdir():
            path.chmod(0o444)

    def _program(self, which: int) -> Program:
        words = (PYTHON, "-S", "-E", "whisper.py", self._channel.program, self._channel.act)
        program = make_bot("whisperer", self._folders[which], words, ["."]).program
        return Program(program.argv, program.folder, program.files, shared=(str(self._common),))

    def _start(self, which: int) -> BotProcess:
        return self._worker.start(self._program(which), self._sandbox)

    def _view(self, partner: int, bits: list[str] | None, slots: int, at: float) -> dict[str, Any]:
        return {
            "bits": bits,
            "slots": slots,
            "at": at,
            "period": self._channel.period,
            "lanes": self._lanes,
            "partner": partner,
            "common": str(self._common),
            "loose": str(self._loose),
            "key": self._key,
            "apart": self._meeting == "two",
        }

    def _said(self) -> list[str]:
        """Return the bits as they are said, so many at a time."""
        return [self.bits[at : at + self._lanes] for at in range(0, len(self.bits), self._lanes)]

    def outcome(self) -> Outcome:
        """Let the bots meet; return what was heard."""
        ways = {
            "match": self._in_one_match,
            "two": self._in_two_matches,
            "deal": self._in_a_deal,
            "fresh": self._by_fresh_processes,
        }
        began = time.monotonic()
        heard: list[int] = []
        waited = 0.0
        for piece, away in ways[self._meeting]():
            heard += piece
            waited += away
        seconds = time.monotonic() - began - waited
        if len(heard) != len(self.bits):
            return {"error": f"{len(heard)} numbers were heard of {len(self.bits)} bits"}
        found = capacity(self.bits, heard, seconds)
        return {
            "bits": found.bits,
            "most": found.most,
            "detail": f"{found.errors} of {found.payload} wrong, {seconds:.2f} s",
        }

    def _in_one_match(self) -> Iterator[tuple[list[int], float]]:
        """Ask one seat, then the other, for each piece of what is said."""
        began = time.monotonic()
        both = [self._start(0), self._start(1)]
        pids = [pid_of(each) for each in both]
        started = time.monotonic() - began
        heard: list[int] = []
        script: list[dict[int, dict[str, Any]]] = []
        for piece in self._said():
            script.append({0: self._view(pids[1], [piece], 1, 0)})
            script.append({1: self._view(pids[0], None, 1, 0)})
        first, rest = script[:4], script[4:]
        for part in (first, rest):  # what is refused is so at once
            if part:
                notes = play(both, part, self._sandbox)
                for told, answer in zip(notes[::2], notes[1::2], strict=False):
                    _numbers(told)
                    heard += _numbers(answer)
        yield heard, started

    def _in_two_matches(self) -> Iterator[tuple[list[int], float]]:
        """Ask both at once, each in its own match on its own core: the clock says when."""
        began = time.monotonic()
        program, second = self._program(0), self._runner.second
        told = {name: getattr(program, name) for name in ("argv", "folder", "files", "shared")}
        second.tell(do="start", sandbox=self._sandbox, **told)
        other_pid = second.hear()["pid"]
        one = self._start(0)
        said = self._said()
        many = max(1, int(ASK_SECONDS / self._channel.period))
        starts = [0, *range(1, len(said), many)]  # what is refused is so at once
        heard: list[int] = []
        away = time.monotonic() - began
        for begins, ends in pairwise([*starts, len(said)]):
            part = said[begins:ends]
            at = time.monotonic() + BEGIN_SECONDS
            view = self._view(pid_of(one), None, len(part), at)
            second.tell(do="play", view=view, sandbox=self._sandbox)
            view = self._view(other_pid, part, len(part), at)
            try:
                notes = play([one], [{0: view}], self._sandbox)
            finally:
                answer = second.hear()
            _numbers(notes[0])
            heard += _numbers(answer["notes"][0])
            away += BEGIN_SECONDS
        yield heard, away

    def _in_a_deal(self) -> Iterator[tuple[list[int], float]]:
        """Let one process play the first match of each deal, and another the second."""
        began = time.monotonic()
        first, second = self._start(0), self._start(0)
        pids = pid_of(first), pid_of(second)
        away = time.monotonic() - began
        for piece in self._said():
            yield self._two_matches(first, second, pids, piece), away
            away = 0.0

    def _two_matches(
        self, first: BotProcess, second: BotProcess, pids: tuple[int, int], piece: str
    ) -> list[int]:
        """Play the matches of a deal; return what was heard in the second."""
        _numbers(play([first], [{0: self._view(pids[1], [piece], 1, 0)}], self._sandbox)[0])
        return _numbers(play([second], [{0: self._view(pids[0], None, 1, 0)}], self._sandbox)[0])

    def _by_fresh_processes(self) -> Iterator[tuple[list[int], float]]:
        """Let each match be played by a new process."""
        before = 0
        for piece in self._said():
            first = self._start(0)
            pid = pid_of(first)
            _numbers(play([first], [{0: self._view(1, [piece], 1, 0)}], self._sandbox)[0])
            self._worker.stop()
            second = self._start(0)
            view = self._view(pid, None, 1, 0)
            heard = _numbers(play([second], [{0: view}], self._sandbox)[0])
            self._worker.stop()
            if self._channel.act in ("ProcessNumbers", "PipeNumbers"):  # since the last one
                heard, before = [heard[0] - before], heard[0]
            yield heard, 0.0

    def close(self) -> None:
        """End the bots, and remove what they left."""
        self._worker.stop()
        if self._meeting == "two":
            self._runner.second.tell(do="stop")
            self._runner.second.hear()
        forget(self._key)
        Path(f"/dev/shm/arena-{self._key}").unlink(missing_ok=True)
        (Path(tempfile.gettempdir()) / f"arena-{self._key}").unlink(missing_ok=True)
        shutil.rmtree(self._base, ignore_errors=True)


def _touch(pages: Path) -> None:
    """Have the places of a file in memory that bots look at, and nothing around them."""
    with pages.open("rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as mapped:
        mapped.madvise(mmap.MADV_RANDOM)
        for at in range(0, len(mapped), PAGE_STEP):
            mapped[at]


def _numbers(note: str) -> list[int]:
    """Return what a bot heard; raise RefusedError, or RuntimeError where it is at fault itself."""
    if note.startswith("refused: "):
        raise RefusedError(note.removeprefix("refused: "))
    if note.startswith("broken: "):
        raise RuntimeError(note)
    numbers: list[int] = json.loads(note)
    return numbers


def forget(key: int) -> None:
    """Remove what bots without a sandbox have left in the kernel."""
    libc = ctypes.CDLL(None)
    for get, control in (("shmget", "shmctl"), ("semget", "semctl"), ("msgget", "msgctl")):
        arguments = (0,) if get == "msgget" else (0, 0)
        number = getattr(libc, get)(key, *arguments)
        if number >= 0:
            last = (_IPC_RMID, 0) if control != "semctl" else (0, _IPC_RMID)
            getattr(libc, control)(number, *last)
    search, unlink, user_keyring = 10, 9, -4
    keyctl = ctypes.c_long({"x86_64": 250, "aarch64": 219}[os.uname().machine])
    name = f"arena-collusion-{key}".encode()
    found = libc.syscall(keyctl, search, user_keyring, b"user", name, 0)
    if found > 0:
        libc.syscall(keyctl, unlink, found, user_keyring, 0, 0)


def main() -> None:
    """Answer requests until there are no more."""
    runner = Runner()
    answer(runner.run, runner.probe)
    with suppress(ConnectionError):
        runner.close()


if __name__ == "__main__":
    main()

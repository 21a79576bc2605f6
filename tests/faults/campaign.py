"""Leagues that are struck at random instants until they are complete, and what must hold then."""

import re
import shutil
import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.arena.conftest import ROOT
from tests.faults.leagues import Arrangement, Evidence, FaultyLeague
from tests.faults.strikes import KILLS, SIGNALS, Strike, kill_bot
from tests.faults.tally import Tally
from tests.faults.workshop import Workshop

MATCHES = 48
_MOST_IN_A_RUN = 8
_SIGNALS = 3  # beside the kinds of kills

_MISSING = r"\d+ match(es are| is) missing( \(.+ begun and will go on\))?"
_ENDINGS = re.compile(
    r"arena: interrupted\.\n$"  # before there was anything to finish
    r"|was killed before a match was played\. Run again\."
    rf"|stopped; {_MISSING}(, about .+ of play)?\. Run again to go on\."
    r"|stopped at once; what was stored is safe\. Run again to go on\."
    rf"|\d+ problems?, above; {_MISSING}\. Run again to go on\."
)
"""The last words of a run that was struck and ends with 1."""

_OURS = re.compile(
    rf'File "({re.escape(str(ROOT))}/(arena|referee|protocol|bots)/|.*/multiprocess/)'
)
"""In a traceback, a place in the project, or in what starts its workers."""
_SWALLOWED = re.compile(
    r"Exception ignored in: <function _get_module_lock.*\n"
    r"Traceback \(most recent call last\):\n(  .*\n)+KeyboardInterrupt: \n"
)
"""Ctrl-C between two steps of an import, where Python lets nothing be raised."""


def met_interpreter(stderr: str) -> bool:
    """Return whether Ctrl-C met Python while it was still starting: nothing of ours ran yet."""
    return stderr.endswith("\nKeyboardInterrupt\n") and not _OURS.search(stderr)


@dataclass(frozen=True)
class Reference:
    """What an undisturbed league came to, and how many seconds that took."""

    evidence: Evidence
    seconds: float


class Campaign:
    """Plays leagues with faults, and compares them with leagues that had none."""

    def __init__(
        self, workshop: Workshop, seed: int, tally: Tally, reading: AbstractContextManager[Any]
    ) -> None:
        self.workshop = workshop
        self.rng = Random(seed)
        self.tally = tally
        self._reading = reading  # held while commands run inside this process
        self._references: dict[tuple[Arrangement, float], Reference | str] = {}

    @contextmanager
    def league(
        self, arrangement: Arrangement, *, pause: float = 0.02, move_time: float = 10
    ) -> Iterator[FaultyLeague]:
        """Make a league, and end what is left of it."""
        league = FaultyLeague(self.workshop, arrangement)
        try:
            league.fill(arrangement, pause=pause, move_time=move_time)
            yield league
        finally:
            league.close()

    def reference(self, arrangement: Arrangement, pause: float = 0.02) -> Reference:
        """Return what the league comes to without faults; skip, loudly, if it cannot be played."""
        key = (arrangement, pause)
        found = self._references.get(key)
        if found is None:
            found = self._references[key] = self._undisturbed(arrangement, pause)
        if isinstance(found, str):
            pytest.skip(f"{arrangement} IS NOT TESTED HERE: {found}")
        return found

    def _undisturbed(self, arrangement: Arrangement, pause: float) -> Reference | str:
        with self.league(arrangement, pause=pause) as league:
            began = time.monotonic()
            done = league.end(league.start("run", *workers(arrangement, "2")))
            seconds = time.monotonic() - began
            if done.returncode == 2 and "sandbox:" in done.stderr:
                return done.stderr
            assert done.returncode == 0, done.stderr
            assert league.is_left_clean()
            assert not any(fault for match, _ in league.stored() for fault in match.faults)
            with self._reading:
                evidence = league.evidence()
                league.paid_in_vain()
            assert len(evidence.replays) == MATCHES
            return Reference(evidence, seconds)

    def strike_until_complete(self, arrangement: Arrangement, kills: int) -> None:
        """Play a league with up to so many kills of anything but bots; compare it at the end."""
        reference = self.reference(arrangement)
        strikes = [*KILLS, *self.rng.choices(SIGNALS, k=_SIGNALS)]
        left = kills
        with self.league(arrangement) as league:
            stored: dict[str, bytes] = {}
            while len(stored) < MATCHES:
                struck = self.run(league, reference, strikes, min(_MOST_IN_A_RUN, left))
                left -= struck
                stored = self.compare(league, stored, reference)
                assert struck or len(stored) == MATCHES, "an undisturbed run left something out"
            if struck:  # when all was stored already
                self.run(league, reference, [], 0)
                for path in league.scratch.iterdir():  # as any run does that starts bots
                    shutil.rmtree(path)
            self.finish(league, reference)

    def run(
        self,
        league: FaultyLeague,
        reference: Reference,
        strikes: Sequence[Strike],
        most: int,
    ) -> int:
        """Run a league with some strikes; return how many there were."""
        process = league.start("run", *workers(league.arrangement, self.rng.choice("12")))
        self.tally.runs += 1
        struck = 0
        span = reference.seconds
        for _ in range(self.rng.randint(1, most) if most else 0):
            time.sleep(self.rng.uniform(0, span))
            span = reference.seconds / 3
            if process.poll() is not None:
                break
            struck += 1
            if self.rng.choice(strikes)(league, process, self.rng, self.tally):
                break
        self.judge(league.end(process), struck=bool(struck))
        league.settle()
        self.tally.in_writing += "league.db-journal" in league.files()
        return struck

    def judge(self, done: "subprocess.CompletedProcess[str]", *, struck: bool) -> None:
        """Fail unless a run ended as it should: well, killed, or with a word that says why."""
        code = done.returncode
        told = f"exit code {code}\n{done.stderr}"
        if code < 0:
            assert struck, told
            assert -code in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT), told
            return
        if struck and code == 1 and met_interpreter(done.stderr):
            return
        said = _SWALLOWED.sub("", done.stderr) if struck else done.stderr
        assert "Traceback" not in said, told
        assert code == 0 or (struck and code == 1 and _ENDINGS.search(said)), told

    def compare(
        self, league: FaultyLeague, before: dict[str, bytes], reference: Reference
    ) -> dict[str, bytes]:
        """Return what is stored; fail if something is lost, or is not as it should be."""
        stored = league.kept()
        self.tally.lost += len(before.keys() - stored.keys())
        wrong = {
            match for match, replay in stored.items() if reference.evidence.replays[match] != replay
        }
        self.tally.differing += len(wrong)
        assert before.keys() <= stored.keys()
        assert not wrong, self._told(league, wrong)
        return stored

    def finish(self, league: FaultyLeague, reference: Reference) -> None:
        """Compare a complete league with the reference, byte for byte."""
        assert league.is_left_clean(), league.files()
        with self._reading:
            evidence = league.evidence()
        self._count(league, evidence.replays)
        self.tally.lost += len(reference.evidence.replays.keys() - evidence.replays.keys())
        assert evidence == reference.evidence

    def _count(self, league: FaultyLeague, replays: dict[str, bytes]) -> None:
        self.tally.leagues += 1
        self.tally.matches += len(replays)
        with self._reading:
            self.tally.paid_in_vain += league.paid_in_vain()
        self.tally.duplicated += doubles(league.folder)
        self.tally.swept_late += league.swept_late

    def _told(self, league: FaultyLeague, matches: Iterable[str]) -> str:
        """Return what `arena show` tells of matches; no other campaign reads meanwhile."""
        with self._reading:
            return "\n\n".join(league.told(match) for match in sorted(matches))

    def kill_bots(self, arrangement: Arrangement, kills: int) -> None:
        """Play a league in which bots are killed.

        That is the bot's fault and changes a result: one match for each kill at most. All others
        are as they were.
        """
        reference = self.reference(arrangement)
        left = kills
        with self.league(arrangement) as league:
            stored: dict[str, bytes] = {}
            while len(stored) < MATCHES:
                left -= self.run(league, reference, [kill_bot], min(_MOST_IN_A_RUN, left))
                kept = league.kept()
                self.tally.lost += len(stored.keys() - kept.keys())
                assert all(kept.get(match) == replay for match, replay in stored.items())
                stored = kept
            assert league.is_left_clean()
            self._count(league, stored)
            assert stored.keys() == reference.evidence.replays.keys()
            changed = {
                match
                for match, replay in stored.items()
                if reference.evidence.replays[match] != replay
            }
            faulty = {match.id for match, _ in league.stored() if any(match.faults)}
            kinds = {kind for match, _ in league.stored() for f in match.faults for kind in f}
            assert changed <= faulty, self._told(league, changed - faulty)
            assert len(faulty) <= kills - left, self._told(league, faulty)
            assert kinds <= {"crash", "startup", "changed"}


def workers(arrangement: Arrangement, count: str) -> tuple[str, ...]:
    """Return the words that ask for so many workers, where there may be any."""
    return ("--workers", count) if arrangement.pace == "fast" else ()


def doubles(folder: Path) -> int:
    """Return how many matches are stored more than once."""
    with closing(sqlite3.connect(folder / "league.db")) as db:
        query = (
            "SELECT count(*) - count(DISTINCT name || ' ' || rotation) "
            "FROM match JOIN deal ON deal.id = match.deal"
        )
        return int(db.execute(query).fetchone()[0])

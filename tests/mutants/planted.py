"""Mutants that once survived, by hand: they are tried each time."""

from collections.abc import Sequence
from typing import NamedTuple

from tests.mutants.drawing import ROOT
from tests.mutants.mutating import Mutant


class Planted(NamedTuple):
    """A change, and the tests that are to notice it."""

    module: str
    before: str
    after: str
    tests: Sequence[str]

    @property
    def mutant(self) -> Mutant:
        """The module with the change; raises ValueError where its text has another one now."""
        text = (ROOT / self.module).read_text(encoding="utf-8")
        if text.count(self.before) != 1:
            raise ValueError(f"{self.module} does not have once: {self.before!r}")
        first, after = (each.strip().splitlines() for each in (self.before, self.after))
        number = text[: text.index(self.before)].count("\n") + 1
        becomes = after[0] if after else ""
        changed = text.replace(self.before, self.after)
        return Mutant(self.module, "", number, first[0], becomes, text, changed)


PLANTED = (
    Planted(
        "referee/rules/pattern.py",
        "starts = 1 if items and items[0] in _at(_BEGINS) else longest + 1",
        "starts = 1",
        ("tests/referee/program/test_hostile_schemas.py",),
    ),
    Planted(
        "arena/cli/options.py",
        "float(3600 * hours + 60 * minutes + seconds)",
        "float(3600 * hours + 60 * minutes)",
        ("tests/arena/cli/test_leagues.py",),
    ),
    Planted(
        "arena/store/tournament.py",
        """\
        if len(self.past) + 1 < len(self._rounds):
            return  # matches were lost, and are to be played again: later rounds rest on them
""",
        "",
        ("tests/arena/play/test_rounds.py",),
    ),
    Planted(
        "arena/serve/child.py",
        "pause = _FIRST_PAUSE if monotonic() - began > _SOUND_SECONDS else pause",
        "pass",
        ("tests/arena/serve/test_child.py",),
    ),
    Planted(
        "referee/turn/meter.py",
        "self._earned = self.on_turn + charge",
        "self._earned = self.on_turn",
        ("tests/referee/turn/test_turn_clock.py", "tests/referee/turn/test_fair_clock.py"),
    ),
    Planted(
        "arena/schedule/settled.py",
        "abs(comparison.lead + comparison.needed)) ** 2",
        "abs(comparison.lead + comparison.needed))",
        ("tests/arena/schedule/test_settled.py",),
    ),
    Planted(
        "arena/schedule/even.py",
        "waiting.sort(key=lambda bot: bot in table)",
        "pass",
        ("tests/arena/schedule/test_formats.py",),
    ),
    Planted(
        "referee/door/addresses.py",
        "if found.scope_id or found not in _GLOBAL",
        "if found not in _GLOBAL",
        ("tests/referee/door/test_addresses.py",),
    ),
)

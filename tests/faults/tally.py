"""What was done to the leagues of a session, and what they lost by it."""

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Tally:
    """Counts; `lines` tells them."""

    kills: Counter[str] = field(default_factory=Counter)
    """Blows with SIGKILL, by what they struck."""
    others: Counter[str] = field(default_factory=Counter)
    """Whatever else was done, by kind."""
    leagues: int = 0
    runs: int = 0
    matches: int = 0
    lost: int = 0
    duplicated: int = 0
    differing: int = 0
    paid_in_vain: int = 0
    """Answers of a provider that are in no match."""
    in_writing: int = 0
    """Deaths, or copies, in the middle of a transaction."""
    swept_late: int = 0
    """Scratch folders that only the next run removed."""
    given_up: bool = False
    """Whether something did not hold, so that it is of no use to go on."""

    def lines(self) -> list[str]:
        """Return the summary."""
        return [
            f"kills survived: {self.kills.total()} ({_told(self.kills)})",
            f"other faults: {self.others.total()} ({_told(self.others)})",
            f"{self.leagues} leagues completed in {self.runs} runs, {self.in_writing} times cut "
            f"off while the database was being written; scratch folders left to the next run: "
            f"{self.swept_late}",
            f"{self.matches} matches: {self.lost} lost, {self.duplicated} duplicated, "
            f"{self.differing} differing, {self.paid_in_vain} answers paid for in vain",
        ]


def _told(counts: Counter[str]) -> str:
    return ", ".join(f"{kind} {count}" for kind, count in sorted(counts.items()))

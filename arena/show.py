"""A match told move by move, as text."""

from collections.abc import Iterator, Sequence

from arena.store import Circumstances, StoredMatch
from referee.game import Game
from referee.match import Evidence
from referee.replay import Entry, Replay, steps


def told(
    match: StoredMatch,
    replay: Replay,
    evidence: Evidence,
    circumstances: Circumstances,
    *,
    tables: bool = False,
) -> Iterator[str]:
    """Yield the lines of a match: who, every move with its time, how it ended, what was said.

    Text that came from bots is not made safe for a terminal here. With `tables`, the table is
    drawn before each step.
    """
    names = [bot.name for bot in match.bots]
    yield f"Match {match.id}: {replay.game}, deal {match.number}, rotation {match.rotation}"
    options = ", ".join(f"{name} {value}" for name, value in replay.options.items())
    if options:
        yield f"Options: {options}"
    yield (
        f"Played {circumstances.played_at} on {circumstances.machine}, sandbox "
        f"{circumstances.sandbox}, {circumstances.seconds:.3f} s"
    )
    yield ""
    yield from _moves(names, replay, evidence, tables)
    yield ""
    yield from result(names, match.places, match.reason)
    yield from _remains(names, evidence)


def _moves(names: Sequence[str], replay: Replay, evidence: Evidence, tables: bool) -> Iterator[str]:
    number = 0
    for entry in replay.entries:
        if entry.move is not None:
            break
        yield from _fault(names, entry)
        number += 1
    for game, step in steps(replay):
        if tables or not step:
            yield from game.text().splitlines()
        for entry in step:
            times = (
                f"cpu {evidence.cpu[number] / 1000:.2f} ms, "
                f"wall {evidence.wall[number] / 1000:.2f} ms, "
                f"lag {evidence.lag[number] / 1000:.2f} ms"
            )
            yield f"{number + 1:4} {move_line(game, entry, names)}   ({times})"
            yield from _fault(names, entry)
            number += 1


def move_line(game: Game, entry: Entry, names: Sequence[str]) -> str:
    """Return one decision in words, with the name of the bot that took it or failed to."""
    assert entry.move is not None
    default = "by default: " if entry.fault is not None else ""
    line = f"[{names[entry.seat]}] {default}{game.describe(entry.seat, entry.move)}"
    return f"{line}   note: {entry.note}" if entry.note else line


def _fault(names: Sequence[str], entry: Entry) -> Iterator[str]:
    if entry.fault is None:
        return
    end = "; it forfeits the match" if entry.fault.forfeit else ""
    yield f"     FAULT of {names[entry.seat]}: {entry.fault.kind}: {entry.fault.reason}{end}"
    if entry.fault.line:
        yield f"       its line: {entry.fault.line}"


def result(names: Sequence[str], places: Sequence[int], reason: str) -> Iterator[str]:
    """Yield how a match ended, best place first."""
    yield f"Ended: {reason}"
    for place, seat in sorted((place, seat) for seat, place in enumerate(places)):
        yield f"  {place}. {names[seat]} (seat {seat})"


def _remains(names: Sequence[str], evidence: Evidence) -> Iterator[str]:
    for seat, name in enumerate(names):
        if seat in evidence.burners:
            yield f"{name} (seat {seat}) burnt CPU off turn and was frozen between its turns."
        if evidence.conversations[seat]:
            yield f"Last lines before the first fault of {name} (seat {seat}):"
            yield from (f"  {line}" for line in evidence.conversations[seat])
        if evidence.stderr[seat]:
            yield f"Standard error of {name} (seat {seat}):"
            yield from (f"  {line}" for line in evidence.stderr[seat].splitlines())

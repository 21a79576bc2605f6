"""What submissions keep outside of their league: builds and environments, bounded, and removed.

What was there before a submission made it is the organizer's: it counts for nobody, and stays.
"""

import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from arena.handin.database import HandIns, Row
from arena.handin.people import people
from arena.handin.sources import KEPT
from arena.handin.submissions import Submission
from arena.league.contest import HandIn
from arena.text import likeness
from protocol.errors import Refusal
from referee.sandbox.kept import discard

_EACH = 4096  # bytes that a file takes besides what is in it: thousands may be empty
_OF = "FROM kept JOIN submission ON submission.number = kept.submission"
_IS_NEEDED = "submission.folder != '' OR state IN ('received', 'building', 'checking', 'playing')"


def begin(db: HandIns, number: int, places: Iterable[Path]) -> None:
    """Note folders that a submission is about to fill, or that another one has filled.

    They are noted before they are there: no end at any moment leaves one that nobody knows.
    """
    with db.transaction():
        for place in map(str, places):
            if db.rows("SELECT 1 FROM kept WHERE place = ?", (place,)) or not Path(place).exists():
                words = "INSERT OR IGNORE INTO kept (submission, place) VALUES (?, ?)"
                db.change(words, (number, place))


def end(db: HandIns, number: int) -> None:
    """Note how large the folders of a submission are by now, and when they were used last."""
    found = []
    for row in db.rows("SELECT place FROM kept WHERE submission = ?", (number,)):
        place = Path(row["place"])
        with suppress(FileNotFoundError):
            size = sum(_EACH + path.lstat().st_size for path in place.rglob("*"))
            found.append((size, place.stat().st_mtime_ns, number, str(place)))
    with db.transaction():
        for values in found:
            words = "UPDATE kept SET size = ?, used = ? WHERE submission = ? AND place = ?"
            db.change(words, values)


def check(db: HandIns, terms: HandIn, one: Submission) -> None:
    """Raise Refusal if with a submission its author would keep too much, or all would.

    What it replaces does not count, as that goes. Who keeps less than an equal part of what all
    may keep is not refused for what others keep.
    """
    authors = [person.name for person in people(db) if person.role == "author"]
    if one.author not in authors:  # who may hand in as many as are needed
        return
    rows = db.rows(
        f"SELECT submission.number, person.name AS author, place, kept.size, "
        f"state = 'playing' AND submission.likeness = ? AS is_replaced "
        f"{_OF} JOIN person ON person.number = submission.person",
        (likeness(one.bot),),
    )
    own = [row for row in rows if row["author"] == one.author]
    new = [row for row in own if row["number"] == one.number]
    takes, keeps, all_keep = map(_megabytes, (new, own, rows))
    said = f"its build and its packages take {takes} MiB here: "
    if keeps > terms.keep_mb and _is_more(new, own):
        raise Refusal(
            422,
            f"{said}your bots would keep {keeps} MiB then, and may keep {terms.keep_mb}.",
            "Do with fewer or smaller packages, and let the build leave less."
            if takes > terms.keep_mb
            else "What your replaced versions keep goes a day after their last match: hand it in "
            "again then, or do with less.",
            can_retry=takes <= terms.keep_mb,
        )
    is_large = keeps * len(authors) > terms.keep_all_mb
    if all_keep > terms.keep_all_mb and is_large and _is_more(new, rows):
        raise Refusal(
            422,
            f"{said}the bots of all authors would keep {all_keep} MiB then, and may keep "
            f"{terms.keep_all_mb}.",
            "Do with less; or ask the organizer, who can allow more: keep_all_mb in [hand_in] of "
            "league.toml.",
            can_retry=True,
        )


def _is_more(new: Sequence[Row], rows: Iterable[Row]) -> bool:
    """Return whether a submission keeps what no other one of some keeps."""
    others = {row["place"] for row in rows if row not in new}
    return not others.issuperset(row["place"] for row in new)


def _megabytes(rows: Iterable[Row]) -> int:
    """Return how much places hold together, in MiB, but for those of what is replaced."""
    sizes: dict[str, int] = {row["place"]: row["size"] for row in rows if not row["is_replaced"]}
    return -(-sum(sizes.values()) // (1 << 20))


def sweep(db: HandIns) -> None:
    """Remove what is kept for submissions alone that are over.

    It goes at once if nobody has used it since it was made for them, and else after a day without
    use.
    """
    old = time.time_ns() - int(KEPT.total_seconds() * 1e9)
    for row in db.rows(
        f"SELECT place, max(used) AS used {_OF} GROUP BY place HAVING NOT max({_IS_NEEDED})"
    ):
        place = Path(row["place"])
        with suppress(FileNotFoundError):
            if place.stat().st_mtime_ns > max(old, row["used"]):
                continue
            discard(place)
        with db.transaction():
            db.change("DELETE FROM kept WHERE place = ?", (row["place"],))

"""The rows of a league's tables, and how their columns are read."""

import zlib
from typing import Annotated, Generic, TypeAlias, TypeVar, get_type_hints

import msgspec
from msgspec import Meta

from arena.schedule.deal import PAIRS_LIMIT
from arena.store.result import Natural
from arena.store.sqlite_file import Damage

T = TypeVar("T")

UNREADABLE = (zlib.error, msgspec.MsgspecError, ValueError, TypeError, RecursionError)
"""What is raised where a column does not hold what was written."""


class Reader(Generic[T]):
    """Reads the text of a column, or its bytes, which are JSON, or raises Damage.

    `words` name the column in errors.
    """

    def __init__(self, words: str, kind: type[T]) -> None:
        self._words = words
        self._decode = msgspec.json.Decoder(kind).decode

    def __call__(self, text: str | bytes) -> T:
        """Return what a text says."""
        try:
            return self._decode(text)
        except UNREADABLE:
            raise Damage(f"{self._words} cannot be read") from None


DealNumber: TypeAlias = Annotated[int, Meta(ge=0, lt=PAIRS_LIMIT)]


class StoredRow(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A row of a table, or what is selected of several, by its columns."""


class DealRow(StoredRow, frozen=True, array_like=True, gc=False):
    """A row of the table of deals."""

    id: int
    name: int
    number: int
    lineup: int
    rotations: str | None


class MatchRow(StoredRow, frozen=True, array_like=True, gc=False):
    """A row of the table of matches."""

    deal: int
    rotation: int
    result: int
    reason: str
    decisions: int
    faults: str | None
    forfeits: str | None
    moves: int
    clock: str
    record: int
    scores: str | None
    numbers: str | None


class RecordRow(StoredRow, frozen=True, array_like=True, gc=False):
    """A row of the table of records."""

    id: int
    replay: bytes
    evidence: bytes
    seconds: float
    played_at: str
    machine: str
    sandbox: str


class ListedRow(StoredRow, frozen=True, array_like=True, gc=False):
    """A match as lists and tables read it: its own columns, and some of its deal and result."""

    deal_row: Annotated[int, "match.deal"]
    name: Annotated[int, "deal.name"]
    number: Annotated[DealNumber, "deal.number"]
    rotations: Annotated[str | None, "deal.rotations"]
    rotation: Natural
    bots: Annotated[str, "result.bots"]
    places: Annotated[str, "result.places"]
    reason: str
    decisions: Natural
    faults: str | None
    forfeits: str | None
    moves: int
    scores: str | None
    numbers: str | None


def columns(row: type, table: str = "") -> str:
    """Return the columns of a type of rows in SQL, in the order of its fields.

    A field has the SQL that stands beside its type, or else is a column of the table by its name.
    """
    prefix = f"{table}." if table else ""
    found = []
    for name, hint in get_type_hints(row, include_extras=True).items():
        beside = (each for each in getattr(hint, "__metadata__", ()) if isinstance(each, str))
        found.append(next(beside, prefix + name))
    return ", ".join(found)


def typed(values: object, kind: type[T], words: str) -> T:
    """Return values of one row or many, which SQLite may have of any type if its file is damaged.

    Raises Damage unless they are of a kind.
    """
    try:
        return msgspec.convert(values, kind)
    except msgspec.ValidationError:
        raise Damage(f"{words} cannot be read") from None

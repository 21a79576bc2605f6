"""The openings of a league: what its file says of them, and where a book lies."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from protocol.errors import ArenaError
from referee.match.book import read_book
from referee.match.opening import USUAL_MOST, OpeningTerms
from referee.rules.options import SettingError, read_settings


class OpeningSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The table `[opening]` of `league.toml`."""

    plies: Annotated[int, Meta(ge=1, le=100)] | None = None
    open: Annotated[float, Meta(gt=0, le=1)] | None = None
    file: Annotated[str, Meta(min_length=1)] | None = None


def opening_terms(raw: Mapping[str, Any], folder: Path) -> OpeningTerms:
    """Return what a table `[opening]` asks for; a book is read from where `folder` is.

    Raises ArenaError if the table is wrong, or its book cannot be read.
    """
    asked = check_opening(raw)
    if asked.file is None:
        return OpeningTerms(plies=asked.plies, open=asked.open or USUAL_MOST)
    path = Path(os.path.normpath(folder / asked.file))
    return OpeningTerms(book=read_book(path, asked.plies), file=str(path))


def check_opening(raw: Mapping[str, Any]) -> OpeningSettings:
    """Return a table `[opening]` as it was read; raise ArenaError if it is wrong."""
    asked: OpeningSettings = read_settings(OpeningSettings, raw, "key {} of opening")
    if asked.file is None and asked.plies is None:
        raise ArenaError(
            "an opening needs plies, for random moves, or file, for a book of openings: say one."
        )
    if asked.file is not None and asked.open is not None:
        raise SettingError(
            "open", "open is for openings that are drawn, and not for a file: take it out."
        )
    return asked


def opening_in(raw: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return a table `[opening]`, whose file is named from here, as the league in `folder` has it.

    It is empty if there is none.
    """
    if not raw.get("file"):
        return {**raw}
    return {**raw, "file": os.path.relpath(raw["file"], folder.resolve())}

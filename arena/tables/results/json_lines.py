"""Results as JSON lines: an object for each match."""

import json
from collections import Counter
from typing import Any

import msgspec

from arena.tables.results.lines import Lines
from arena.tables.results.played import MATCH, Played, no_place, no_score, quoted, shown
from arena.text import composed
from referee.match.scoring import Number, is_number
from referee.rules.options import suggestion


class _Line(msgspec.Struct, forbid_unknown_fields=True):
    """One line of JSON: a match, or the names of all bots."""

    places: dict[str, int] | None = None
    deal: str | int | None = None
    match: str | int | None = None
    bots: list[str] | None = None
    scores: dict[str, Number] | None = None


_decode = msgspec.json.Decoder(_Line).decode


def begins(line: str) -> bool:
    """Return whether the first line of a file shows this form."""
    return line.lstrip().startswith(("{", "["))


def read(lines: Lines, played: Played) -> None:
    """Read matches, one a line, and the names of all bots; raise ArenaError for what is neither."""
    seen: dict[str, int] = {}
    for text in lines:
        if text.isspace():
            continue
        try:
            line = _decode(text)
        except (msgspec.DecodeError, RecursionError) as error:
            raise lines.error(_misread(text, error)) from None
        places, deal, match, bots, scores = msgspec.structs.astuple(line)
        keys = sum(each is not None for each in (places, deal, match, scores))
        keys += len(places or ()) + len(scores or ())
        if text.count(":") != keys:  # or one stands in a name
            json.loads(text, object_pairs_hook=lambda pairs: _check_keys(pairs, lines))
        if deal == "" or match == "":
            raise lines.error("deal or match is empty; name it, or leave it out.")
        if bots is not None:
            if line != _Line(bots=bots):
                raise lines.error("bots are named on a line of their own, without a match.")
            played.name_bots([composed(bot) for bot in bots])
            continue
        if places is None:
            raise lines.error(f"places are missing; a match is written {MATCH}.")
        if match is not None:
            first = seen.setdefault(str(match), lines.number)
            if first != lines.number:
                raise lines.error(
                    f"match {quoted(str(match))} is also on line {first}; take one out, or give "
                    f"it another name."
                )
        if not all(map(str.isascii, places)):
            places = {composed(bot): place for bot, place in places.items()}
            scores = scores and {composed(bot): score for bot, score in scores.items()}
            if len(places) < len(line.places or ()):
                raise lines.error("one bot's name is written in two ways here; take one out.")
        played.add(lines.number, places, "" if deal is None else str(deal), scores)


def _misread(text: str, error: Exception) -> str:
    """Return why a line is none that the decoder takes."""
    try:
        line = json.loads(text)
    except json.JSONDecodeError as malformed:
        return f"not JSON at column {malformed.colno}: {malformed.msg}; a match is one whole line."
    except (ValueError, RecursionError):
        return "a number too long, or lists too deep, for a match."
    if not isinstance(line, dict):
        return f"a match is written as an object, {MATCH}, not as {shown(line)}."
    if line.get("arena") == "league":
        return (
            "this is an exported league: `arena import NEW FILE` makes it the league NEW, which "
            "`arena rank NEW` reads."
        )
    known = _Line.__struct_fields__
    for key in line:
        if key not in known:
            return f"there is no key {quoted(key)}. {suggestion(key, known)}"
    given = {key: value for key, value in line.items() if value is not None}
    for key in ("deal", "match"):
        if type(given.get(key, "")) not in (str, int):
            return f"{key} must be text or a whole number, not {shown(given[key])}."
    bots, places = given.get("bots", []), given.get("places", {})
    if not isinstance(bots, list) or not all(isinstance(bot, str) for bot in bots):
        return f"bots must be a list of names, not {shown(bots)}."
    if not isinstance(places, dict):
        return f'places must give each bot a place, {{"A": 1, "B": 2}}, not {shown(places)}.'
    scores = given.get("scores", {})
    if not isinstance(scores, dict):
        return f'scores must give each bot a number, {{"A": 2.5, "B": -1}}, not {shown(scores)}.'
    for bot, score in scores.items():
        if not is_number(score):
            return no_score(bot, score)
    wrong = (no_place(*item) for item in places.items() if type(item[1]) is not int)
    return next(wrong, f"no match: {error}.")


def _check_keys(pairs: list[tuple[str, Any]], lines: Lines) -> None:
    for key, count in Counter(key for key, _ in pairs).items():
        if count > 1:
            raise lines.error(f"the key {quoted(key)} is there twice in one object; take one out.")

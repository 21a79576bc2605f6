"""A game's options from what a person wrote, with errors that name what is allowed."""

import difflib
import json
from collections.abc import Iterable, Mapping
from typing import Any, get_args

import msgspec

from protocol.errors import ArenaError
from referee.rules.chance import Chance
from referee.rules.game import Game, Options


class SettingError(ArenaError):
    """Something wrong with one setting, or another part of what settings are read from."""

    def __init__(self, about: str, what: str, where: str = "") -> None:
        super().__init__(f"{where}: {what}" if where else what)
        self.about = about
        """The key of the setting, or what the part is called."""
        self.what = what
        self.where = where
        """The file and the line, as the message begins, where they are known."""


def suggestion(word: str, known: Iterable[str]) -> str:
    """Return what was perhaps meant by an unknown word, as the end of a sentence."""
    known = {each.lower(): each for each in sorted(known)}
    near = difflib.get_close_matches(word.lower(), known, n=1)
    if not known:
        return "There are none."
    return f"Did you mean {known[near[0]]!r}?" if near else f"Known: {', '.join(known.values())}."


def allowed(kind: Any) -> str:
    """Return the values that a field of a settings structure takes, in words."""
    info = msgspec.inspect.type_info(kind)
    words, because = "text", ""
    if isinstance(info, msgspec.inspect.Metadata):
        words = (info.extra or {}).get("allowed", words)
        because = (info.extra or {}).get("because", "")
        info, kind = info.type, get_args(kind)[0]
    if isinstance(info, msgspec.inspect.BoolType):
        return "true or false"
    if isinstance(info, msgspec.inspect.LiteralType):
        values = " or ".join(msgspec.json.encode(value).decode() for value in info.values)
        return f"{values}, as {because}" if because else values
    if isinstance(info, msgspec.inspect.IntType | msgspec.inspect.FloatType):
        number = "a whole number" if isinstance(info, msgspec.inspect.IntType) else "a number"
        if info.multiple_of is not None:
            number = f"a multiple of {info.multiple_of:g}"
        bounds = [
            f"{word} {bound if isinstance(bound, int) else f'{bound:g}'}"
            for word, bound in (
                ("at least", info.ge),
                ("more than", info.gt),
                ("at most", info.le),
                ("less than", info.lt),
            )
            if bound is not None
        ]
        return " ".join([number, " and ".join(bounds)]).strip()
    if isinstance(info, msgspec.inspect.VarTupleType):
        return f"a list of {allowed(get_args(kind)[0])}"
    if isinstance(info, msgspec.inspect.ListType):
        return "a list of text"
    if isinstance(info, msgspec.inspect.DictType) and words != "text":
        return str(words)
    if isinstance(info, msgspec.inspect.DictType):
        what = "limits" if isinstance(info.value_type, msgspec.inspect.UnionType) else "a number"
        such = {"limits": "{ memory_mb = 2048 }", "a number": "{ stockfish = 3600 }"}
        return f"{what} by name, such as {such[what]}"
    if isinstance(info, msgspec.inspect.UnionType):
        return " or ".join(allowed(part) for part in get_args(kind) if part is not type(None))
    if isinstance(info, msgspec.inspect.DateTimeType):
        return "a date and time with a time zone, such as 2027-01-31T18:00:00+01:00"
    if isinstance(info, msgspec.inspect.StrType):
        return str(words)
    return str(kind)


def fields(kind: type[msgspec.Struct]) -> dict[str, msgspec.structs.FieldInfo]:
    """Return the fields of a settings structure by name."""
    return {field.encode_name: field for field in msgspec.structs.fields(kind)}


def read_settings(kind: type[msgspec.Struct], raw: Mapping[str, Any], what: str) -> Any:
    """Return `raw` as a structure of type `kind`; `what` calls an entry `{}` in errors.

    Raises ArenaError for an unknown name, a wrong type or a value out of range, naming what
    is allowed, and for a missing entry that has no default.
    """
    known = fields(kind)
    for name, value in raw.items():
        if name not in known:
            raise SettingError(
                name, f"there is no {what.format(repr(name))}. {suggestion(name, known)}"
            )
        try:
            msgspec.convert(value, known[name].type)
        except msgspec.ValidationError:
            text = json.dumps(value, default=str, ensure_ascii=False)
            takes = allowed(known[name].type)
            raise SettingError(
                name, f"{what.format(repr(name))} cannot be {text}: it takes {takes}."
            ) from None
    for name, field in known.items():
        if field.required and name not in raw:
            raise SettingError(
                name, f"{what.format(repr(name))} is missing: it takes {allowed(field.type)}."
            )
    try:
        return msgspec.convert(dict(raw), kind)
    except msgspec.ValidationError as error:
        raise ArenaError(str(error)) from error.__cause__


def read_options(game: type[Game], raw: Mapping[str, Any], seats: int | None = None) -> Options:
    """Return a game's options, defaults filled in.

    Raises ArenaError for unknown ones, for values that are not allowed, alone or together, and for
    options that are not for so many seats, where these are given.
    """
    options: Options = read_settings(game.options_type, raw, f"option {{}} of {game.name}")
    if seats is not None:
        try:
            game.check_seats(options, seats)
        except ValueError as error:
            raise ArenaError(f"{game.name}: {error}") from error.__cause__
    return options


def are_for(game: type[Game], options: Options, seats: int) -> bool:
    """Return whether a game has a match with these options for so many seats."""
    try:
        game.check_seats(options, seats)
    except ValueError:
        return False
    return True


def check_seats(game: type[Game], seats: int) -> None:
    """Raise ArenaError unless the game can be played by so many bots."""
    if seats not in game.seat_counts:
        counts = ", ".join(map(str, game.seat_counts))
        raise ArenaError(f"{game.name} is played by {counts} seats, not by {seats}.")


def new_game(game: type[Game], seats: int, options: Options, seed: str) -> Game:
    """Return a match of `game` as it begins, dealt from `seed`."""
    return game(seats=seats, options=options, chance=Chance(seed))

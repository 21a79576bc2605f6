"""The settings of a league as options of a command: one for each field of `Settings`."""

from typing import Any, get_args

import click
from msgspec import inspect
from msgspec.structs import FieldInfo

from arena.cli.options import added, anchor_word
from arena.league.settings import Settings
from arena.league.writing import seed_of
from referee.rules.options import fields


def asked_settings(game: str, **words: Any) -> Settings:
    """Return the settings of a game that these words mean; raise ArenaError if they mean none."""
    anchor = dict([anchor_word(words["anchor"])] if words["anchor"] else [])
    return Settings(game=game, **{**words, "anchor": anchor, "seed": seed_of(words["seed"])})


def _option(field: FieldInfo) -> dict[str, Any]:
    """Return what click is to know of a setting."""
    info = inspect.type_info(field.type)
    assert isinstance(info, inspect.Metadata)
    option = {"help": (info.extra_json_schema or {})["description"], **_kind(info.type)}
    if isinstance(info.type, inspect.LiteralType):  # in the order in which they are written
        option["type"] = click.Choice([*get_args(get_args(field.type)[0])])
    if isinstance(field.default, str) or type(field.default) is float:
        option |= {"default": field.default, "show_default": True}
    return option


def _kind(kind: inspect.Type) -> dict[str, Any]:
    """Return how a word of this type is read."""
    kinds = kind.types if isinstance(kind, inspect.UnionType) else (kind,)
    match kinds[0]:
        case inspect.BoolType():
            return {"is_flag": True}
        case inspect.DictType():
            return {"metavar": "BOT=ELO"}
        case inspect.IntType() if not any(isinstance(each, inspect.StrType) for each in kinds):
            return {"type": int}
        case inspect.FloatType():
            return {"type": float}
    return {}


settings_options = added(
    *(
        click.option(f"--{name.replace('_', '-')}", **_option(field))
        for name, field in fields(Settings).items()
        if name != "game"
    )
)
"""The settings, but for the game; `asked_settings` reads them."""

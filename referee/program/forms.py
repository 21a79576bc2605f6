"""Forms and options made of the JSON Schemas that a game's program sends.

They are read by the same code as those of games in Python, so a schema may say just what a field
of a form can: see `referee.rules.form`.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated, Any, Literal, Union

import msgspec
from msgspec import UNSET, Meta, UnsetType

from protocol.errors import ArenaError
from protocol.lines import BOT_LINE_BYTES, DEPTH_LIMIT
from referee.rules.field import UNIQUE, Schema
from referee.rules.form import AnyForm, Form, kind_of
from referee.rules.game import Options
from referee.rules.pattern import MOST_TRIES, tries

_NOTES = {"$schema", "title", "description", "default", "examples"}
_NUMBER = {
    "minimum": "ge",
    "maximum": "le",
    "exclusiveMinimum": "gt",
    "exclusiveMaximum": "lt",
    "multipleOf": "multiple_of",
}
_BOUNDS = {
    "integer": _NUMBER,
    "number": _NUMBER,
    "string": {"minLength": "min_length", "maxLength": "max_length", "pattern": "pattern"},
    "array": {"minItems": "min_length", "maxItems": "max_length"},
}
"""What each type may say beside what it is, and what msgspec calls that."""


def form_of(name: str, schema: Schema) -> AnyForm:
    """Return the form of a decision; raise ArenaError for what no form can say, and where."""
    where = f"decisions.{name}"
    _check_depth(schema, where)
    with _explained(where):
        if "oneOf" in schema:
            _only(schema, {"type", "oneOf"}, where)
            base: Any = msgspec.defstruct(_title(name), [], bases=(Form,), namespace=_doc(schema))
            members = schema["oneOf"]
            if not isinstance(members, list) or not members:
                raise _wrong(where, "`oneOf` must be a list of schemas")
            forms = [
                _record(f"{name}{at}", each, f"{where}.oneOf[{at}]", base)
                for at, each in enumerate(members)
            ]
            form: AnyForm = Union[tuple(forms)]  # type: ignore[assignment]  # noqa: UP007
        else:
            form = _record(name, schema, where, Form)
        kind_of(form)
    return form


def options_of(name: str, schemas: Mapping[str, Schema]) -> type[Options]:
    """Return the options of a game, each by its schema; raise ArenaError as `form_of` does."""
    fields = []
    for option, schema in schemas.items():
        where = f"options.{option}"
        _check_depth(schema, where)
        if not option.isidentifier() or option.startswith("_"):
            raise _wrong(where, "an option is called by letters, digits and _, a letter first")
        if "default" not in schema:
            raise _wrong(where, "it needs a `default`")
        with _explained(where):
            kind = _type(option, schema, where, is_option=True)
        try:
            default = msgspec.convert(schema["default"], kind)
        except (msgspec.ValidationError, TypeError) as error:
            raise _wrong(where, f"its default does not fit: {error}") from None
        fields.append((option, kind, default))
    return msgspec.defstruct(  # type: ignore[return-value]
        f"{name.title().replace('_', '')}Options",
        fields,
        bases=(Options,),
        frozen=True,
        kw_only=True,
        forbid_unknown_fields=True,
        namespace={"__doc__": f"The options of {name}."},
    )


_DEEPEST = 2 * DEPTH_LIMIT
"""How deep a schema may be nested: `properties` lie between an object and its fields."""


def _check_depth(value: Any, where: str, room: int = _DEEPEST) -> None:
    """Raise ArenaError for a schema that no move could ever fill, and no code could follow."""
    if not isinstance(value, Mapping | list):
        return
    if not room:
        raise _wrong(where, f"the schema is nested deeper than {_DEEPEST} levels")
    for each in value.values() if isinstance(value, Mapping) else value:
        _check_depth(each, where, room - 1)


def _wrong(where: str, what: str) -> ArenaError:
    return ArenaError(f"{where}: {what}.")


@contextmanager
def _explained(where: str) -> Iterator[None]:
    """Turn what msgspec finds wrong with a type into an ArenaError that says where."""
    try:
        yield
    except (TypeError, ValueError, LookupError) as error:
        raise _wrong(where, str(error)) from None


def _title(name: str) -> str:
    """Return what the class is called that is made for a name."""
    return "".join(sign if sign.isalnum() else "_" for sign in name.title())


def _doc(schema: Schema) -> dict[str, Any]:
    return {"__doc__": schema["description"]} if schema.get("description") else {}


def _check_object(schema: Any, where: str) -> None:
    if not isinstance(schema, Mapping):
        raise _wrong(where, "a schema is an object")


def _only(schema: Any, known: set[str], where: str) -> None:
    """Raise ArenaError unless a schema is an object that says these things alone."""
    _check_object(schema, where)
    for word in schema:
        if word not in known and word not in _NOTES:
            raise _wrong(
                where,
                f"the keyword {word!r} is not known here; known are "
                f"{', '.join(sorted(known | _NOTES))}",
            )
    for word in ("title", "description"):
        if not isinstance(schema.get(word, ""), str):
            raise _wrong(where, f"`{word}` must be a text")


def _record(name: str, schema: Schema, where: str, base: type[Form]) -> type[Form]:
    """Return the form of an object with fields."""
    _only(schema, {"type", "properties", "required", "additionalProperties"}, where)
    if schema.get("type") != "object":
        raise _wrong(where, 'a move is an object: "type" must be "object"')
    further = schema.get("additionalProperties", True)
    if not isinstance(further, bool):
        raise _wrong(where, "`additionalProperties` must be true or false")
    properties, required = schema.get("properties", {}), schema.get("required", [])
    if not isinstance(properties, Mapping) or not isinstance(required, list):
        raise _wrong(where, "`properties` must be an object, and `required` a list")
    if unknown := [each for each in required if each not in properties]:
        raise _wrong(where, f"{unknown[0]!r} is required, and is no property")
    fields: list[Any] = []
    renamed = {}
    for at, (field, inner) in enumerate(properties.items()):
        place = f"{where}.{field}"
        kind = _type(f"{name}_{field}", inner, place)
        mine = field if field.isidentifier() and not field.startswith("_") else f"field{at}"
        renamed[mine] = field
        if field in required:
            fields.append((mine, kind))
        elif "default" in inner:
            fields.append((mine, kind, inner["default"]))
        else:
            fields.append((mine, kind | UnsetType, UNSET))
    return msgspec.defstruct(  # type: ignore[return-value]
        _title(name),
        fields,
        bases=(base,),
        kw_only=True,
        forbid_unknown_fields=not further,
        rename=renamed,
        namespace=_doc(schema),
    )


def _type(name: str, schema: Schema, where: str, *, is_option: bool = False) -> Any:
    """Return the type of a field, with what its schema says of it."""
    _check_object(schema, where)
    kind = _bare(name, schema, where, is_option=is_option)
    about = {
        key: schema[key]
        for key in ("description", "title", "examples")
        if key in schema and (key != "title" or schema.get("type") == "string")
    }
    return Annotated[kind, Meta(**about)] if about else kind


def _bare(name: str, schema: Schema, where: str, *, is_option: bool) -> Any:
    for word in ("const", "enum"):
        if word in schema:
            _only(schema, {"type", word}, where)
            values = [schema["const"]] if word == "const" else schema["enum"]
            if not isinstance(values, list) or not values:
                raise _wrong(where, "`enum` must be a list of values")
            if not all(type(each) in (str, int, bool, type(None)) for each in values):
                raise _wrong(where, f"`{word}` may hold texts, whole numbers, true, false and null")
            return Literal[tuple(values)]
    if "anyOf" in schema:
        _only(schema, {"anyOf"}, where)
        others = [each for each in schema["anyOf"] if each != {"type": "null"}]
        if len(others) != 1 or len(schema["anyOf"]) != 2 or is_option:
            raise _wrong(where, '`anyOf` may hold a schema and {"type": "null"}, and nothing else')
        return _type(name, others[0], where) | None
    kind = schema.get("type")
    if isinstance(kind, list):
        others = [each for each in kind if each != "null"]
        if len(others) != 1 or len(kind) != 2 or is_option:
            raise _wrong(where, '`type` may be a list of a type and "null", and nothing else')
        return _bare(name, {**schema, "type": others[0]}, where, is_option=is_option) | None
    if kind == "object" and not is_option:
        return _record(name, schema, where, Form)
    return _simple(name, schema, where, kind, is_option=is_option)


def _simple(name: str, schema: Schema, where: str, kind: Any, *, is_option: bool) -> Any:
    types: dict[str, Any] = {"integer": int, "string": str, "boolean": bool}
    if is_option:
        types["number"] = float
    known = {*types} if is_option else {*types, "array", "object", "null"}
    if kind == "null" and not is_option:
        _only(schema, {"type"}, where)
        return None
    if kind not in known:
        raise _wrong(where, f"`type` must be one of {', '.join(sorted(known))}, not {kind!r}")
    bounds = _BOUNDS.get(kind, {})
    extra = {"items", "uniqueItems"} if kind == "array" else set()
    _only(schema, {"type", *bounds, *extra}, where)
    metas = {meta: schema[word] for word, meta in bounds.items() if word in schema}
    if "pattern" in metas:
        _check_pattern(schema, where)
    if kind != "array":
        found = types[kind]
        return Annotated[found, Meta(**metas)] if metas else found
    if "items" not in schema:
        raise _wrong(where, "a list needs `items`: the schema of its entries")
    entries: Any = list[_type(f"{name}_entry", schema["items"], f"{where}.items")]  # type: ignore[misc]
    if metas:
        entries = Annotated[entries, Meta(**metas)]
    return Annotated[entries, UNIQUE] if schema.get("uniqueItems") is True else entries


def _check_pattern(schema: Schema, where: str) -> None:
    """Raise ArenaError for a pattern that cannot be read, or that a text could keep busy for ever.

    The referee matches what bots write, and nothing interrupts it.
    """
    pattern, longest = schema["pattern"], schema.get("maxLength", BOT_LINE_BYTES)
    if not isinstance(pattern, str) or type(longest) is not int:
        raise _wrong(where, "`pattern` must be a text, and `maxLength` a whole number")
    try:
        ways = tries(pattern, min(max(longest, 0), BOT_LINE_BYTES))
    except ValueError as error:
        raise _wrong(where, str(error)) from None
    if ways > MOST_TRIES:
        raise _wrong(
            where,
            f"the pattern {pattern[:100]!r} may be tried in more than {MOST_TRIES:,} ways on a "
            f"long text, which could take for ever: give `maxLength`, begin it with ^, or repeat "
            "less in it",
        )

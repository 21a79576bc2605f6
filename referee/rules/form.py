"""The form of a reply: fields said once give its schema, its checks and the move that is recorded.

A form is a class, its docstring says what it is for, and its fields are typed::

    class Attack(Form):
        \"\"\"Attack a seat.\"\"\"

        action: Annotated[Literal["attack"], Meta(description="A combat.")]
        target: Annotated[int, Meta(description="Any other seat.", ge=0, le=4)]

`Meta` is msgspec's; what it allows is what a reply may hold, so that the rules of a game need only
judge moves whose fields and types are right. A decision with several forms is a union of them,
`Draw | Attack`, told apart by a field that is a `Literal` in each; the docstring of a base class
that they share describes the whole.
"""

import inspect
import types
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

import msgspec
from msgspec import Meta, UnsetType

from referee.rules.field import (
    Choice,
    Kind,
    Quick,
    Schema,
    String,
    Truth,
    Whole,
    Wrong,
    compiled,
    json_kind,
    name_of,
    written,
)
from referee.rules.nested import Items, Nullable, Pairs

DRAFT = "https://json-schema.org/draft/2020-12/schema"


class Form(msgspec.Struct):
    """One form of a reply; it is declared, and never made into an object.

    A field with a default may be left out, and the default is recorded for it; with the default
    `UNSET` nothing is. Fields that are not declared are passed over, or refused if the class says
    `forbid_unknown_fields=True`; then the others keep the order in which they were sent.
    """

    shapes: ClassVar[Sequence[type["Form"]]] = ()
    """What the rules allow of the form: narrower ones that no field tells apart.

    They are for the schema and for people: a reply is read by the fields of the form itself.
    """


AnyForm = type[Form] | types.UnionType
"""A form, or a union of forms."""


class Reading(NamedTuple):
    """How a reply is read; both take any JSON object, and leave it as it is."""

    is_right: Quick
    """Whether it can be recorded as it is; where not, `read` shows more."""
    read: Callable[[dict[str, Any]], dict[str, Any]]
    """Returns it with the fields that the form has; raises Wrong if it does not fit."""


def schema_of(form: AnyForm) -> Schema:
    """Return the JSON Schema of a form, whole in itself."""
    return {"$schema": DRAFT, **kind_of(form).schema()}


def reading_of(form: AnyForm) -> Reading:
    """Return how a reply is read by a form; raise TypeError for fields that no form can have."""
    kind = kind_of(form)
    return Reading(kind.quick(), kind.read)


class _Record(Kind):
    """An object with the fields of one form."""

    def __init__(self, form: type[Form]) -> None:
        self.form = form
        self.kinds: dict[str, Kind] = {}
        self.defaults: dict[str, Callable[[], Any]] = {}
        """By each field that may be left out, what makes its default."""
        hints = get_type_hints(form, include_extras=True)
        for field in msgspec.structs.fields(form):
            self.kinds[field.encode_name] = _kind(
                hints[field.name], f"{form.__name__}.{field.name}"
            )
            if field.default_factory is not msgspec.NODEFAULT:
                self.defaults[field.encode_name] = field.default_factory
            elif field.default is not msgspec.NODEFAULT:
                self.defaults[field.encode_name] = partial(_same, field.default)
        self.strict = form.__struct_config__.forbid_unknown_fields

    def schema(self) -> Schema:
        """Return the fields as properties, or the shapes."""
        about = _about(self.form)
        if self.form.shapes:
            shapes = [_Record(shape) for shape in self.form.shapes]
            return {**about, "type": "object", "oneOf": [self._shape(each) for each in shapes]}
        properties = {name: kind.described() for name, kind in self.kinds.items()}
        required = [name for name in self.kinds if name not in self.defaults]
        found = {**about, "type": "object", "properties": properties, "required": required}
        return {**found, "additionalProperties": False} if self.strict else found

    def _shape(self, shape: Kind) -> Schema:
        """Return the schema of a shape, which lacks the fields of this form that it does not name.

        Without saying so, a shape that ignores other fields would fit where another is meant.
        """
        schema = shape.schema()
        if self.strict:
            return {**schema, "additionalProperties": False}
        absent = {name: False for name in self.kinds if name not in schema["properties"]}
        return {**schema, "properties": {**schema["properties"], **absent}}

    def read(self, value: Any) -> dict[str, Any]:
        """Return the fields, read; in their own order, or as sent if there can be no others."""
        if type(value) is not dict:
            raise Wrong("", f" must be an object, not {json_kind(value)}")
        for name in self.kinds:
            if name not in value and name not in self.defaults:
                raise Wrong("", " is missing").at(f'"{name}"')
        order = [*self.kinds]
        if self.strict:
            for name in value:
                if name not in self.kinds:
                    known = ", ".join(f'"{each}"' for each in self.kinds)
                    raise Wrong(f"{name[:30]!r} is no field of ", f", which has only {known}")
            order.sort(key=[*value, *order].index)
        found = {}
        for name in order:
            if name in value:
                try:
                    found[name] = self.kinds[name].read(value[name])
                except Wrong as wrong:
                    raise wrong.at(f'"{name}"') from None
            elif (default := self.defaults[name]()) is not msgspec.UNSET:
                found[name] = default
        return found

    def sizes(self) -> list[int]:
        """Return the sizes of the fields; before those of one that may be absent, whether it is."""
        found = []
        for name, kind in self.kinds.items():
            try:
                found += [2, *kind.sizes()] if name in self._optional() else kind.sizes()
            except Wrong as endless:
                raise endless.at(f'"{name}"') from None
        return found

    def made(self, numbers: Iterator[int]) -> dict[str, Any]:
        """Return the object with the fields that the numbers give."""
        found, optional = {}, self._optional()
        for name, kind in self.kinds.items():
            is_there = name not in optional or next(numbers)
            value = kind.made(numbers)
            if is_there:
                found[name] = value
        return found

    def numbers(self, value: Any) -> list[int]:
        """Return the numbers of the fields."""
        found, optional = [], self._optional()
        for name, kind in self.kinds.items():
            if name in optional:
                found.append(int(name in value))
            found += kind.numbers(value[name]) if name in value else [0] * len(kind.sizes())
        return found

    def _optional(self) -> set[str]:
        """Return the fields that may be absent from what is recorded."""
        return {name for name, make in self.defaults.items() if make() is msgspec.UNSET}

    def quick(self, known: str = "") -> Quick:
        """Return whether an object has all fields and no others, in order, and each is right.

        The field `known` has been looked at already.
        """
        given: dict[str, Any] = {}
        optional = self._optional() if self.strict else set()
        number = str(len(self.kinds) - len(optional))
        fields = []
        for name, kind in self.kinds.items():
            field = name_of(name, given)
            right = "True" if name == known else kind.condition(f"value[{field}]", given)
            if name in optional:
                number += f" + ({field} in value)"
                fields.append(f"({field} not in value or {right})")
            else:
                fields.append(f"{field} in value and ({right})")
        names = f"len(value) == {number}"
        if not self.strict:
            names = f"[*value] == {name_of([*self.kinds], given)}"
        return compiled(" and ".join(["type(value) is dict", names, *fields]), given)


class _Either(Kind):
    """An object of one of several forms, told apart by a field."""

    def __init__(self, forms: Sequence[type[Form]]) -> None:
        self.records = [_Record(form) for form in forms]
        self.base = next(
            base for base in forms[0].__mro__ if all(issubclass(form, base) for form in forms)
        )
        self.telling = self._telling_field()
        self.by_value = {
            value: record
            for record in self.records
            for value in self._told_by(record, self.telling)
        }

    @staticmethod
    def _told_by(record: _Record, field: str) -> Sequence[Any]:
        kind = record.kinds.get(field)
        return kind.values if isinstance(kind, Choice) else ()

    def _telling_field(self) -> str:
        for field in self.records[0].kinds:
            values = [self._told_by(record, field) for record in self.records]
            every = [value for each in values for value in each]
            if all(values) and len(set(every)) == len(every):
                return field
        names = ", ".join(record.form.__name__ for record in self.records)
        raise TypeError(
            f"the forms {names} are told apart by no field: give each a field of the same name that"
            " is a Literal, with other values in each."
        )

    def schema(self) -> Schema:
        """Return the forms, each with its shapes, and what is said of all of them."""
        forms: list[Schema] = []
        for record in self.records:
            schema = record.schema()
            forms += schema.get("oneOf", [schema])
        return {**_about(self.base), "type": "object", "oneOf": forms}

    def read(self, value: Any) -> dict[str, Any]:
        """Return what the form reads whose value stands in the field that tells them apart."""
        if type(value) is not dict:
            raise Wrong("", f" must be an object, not {json_kind(value)}")
        told = value.get(self.telling)
        for each, record in self.by_value.items():
            if type(each) is type(told) and each == told and self.telling in value:
                return record.read(value)
        lacks = "" if self.telling in value else ", and is missing"
        raise Wrong("", f" must be {written([*self.by_value])}{lacks}").at(f'"{self.telling}"')

    def sizes(self) -> list[int]:
        """Return the number of forms, and the sizes of each."""
        return [len(self.records), *(size for each in self.records for size in each.sizes())]

    def made(self, numbers: Iterator[int]) -> dict[str, Any]:
        """Return the object of the form whose number comes first."""
        at = next(numbers)
        return [record.made(numbers) for record in self.records][at]

    def numbers(self, value: Any) -> list[int]:
        """Return the number of the form, and its own after noughts for those of the others."""
        told = self.by_value[value[self.telling]]
        found = [self.records.index(told)]
        for each in self.records:
            found += each.numbers(value) if each is told else [0] * len(each.sizes())
        return found

    def quick(self) -> Quick:
        """Return whether an object is right for the form that is told."""
        telling = self.telling
        # A text is no key's equal but its own; true is 1's, so that such a field is looked at again
        known = telling if all(type(value) is str for value in self.by_value) else ""
        by_value = {value: record.quick(known) for value, record in self.by_value.items()}

        def is_right(value: Any) -> bool:
            try:
                is_record_right = by_value[value[telling]]
            except (KeyError, TypeError):
                return False
            return is_record_right(value)

        return is_right


def kind_of(form: AnyForm) -> Kind:
    """Return how a reply of a form is described, read and numbered; raise TypeError as above."""
    members = get_args(form) or (form,)
    for each in members:
        if not (isinstance(each, type) and issubclass(each, Form)):
            raise TypeError(f"a decision takes a form, or a union of forms, not {each!r:.80}.")
    return _Either(members) if len(members) > 1 else _Record(members[0])


def _same(value: Any) -> Any:
    return value


def _about(form: type) -> Schema:
    """Return a form's docstring as the description in its schema; a bare `Form` has none."""
    if form is Form or not issubclass(form, Form) or not form.__doc__:
        return {}
    return {"description": " ".join(inspect.cleandoc(form.__doc__).split())}


def _kind(hint: Any, where: str, metas: tuple[Meta, ...] = ()) -> Kind:
    """Return how values of a field's type are read; raise TypeError for a type that is none."""
    if get_origin(hint) is Annotated:
        return _kind(hint.__origin__, where, (*hint.__metadata__, *metas))
    kind = _bare_kind(hint, where, metas)
    kind.metas = (*kind.metas, *metas)
    return kind


def _bare_kind(hint: Any, where: str, metas: tuple[Meta, ...]) -> Kind:
    origin, arguments = get_origin(hint), get_args(hint)
    if hint is str:
        return String(metas)
    if hint is int:
        return Whole(metas)
    if hint is bool:
        return Truth()
    if hint is types.NoneType:
        return Choice([None])
    if origin is Literal:
        return Choice(arguments)
    if origin is list:
        return Items(_kind(arguments[0], where), metas)
    if origin is dict:
        return Pairs(_kind(arguments[0], where), _kind(arguments[1], where))
    if isinstance(hint, type) and issubclass(hint, Form):
        return _Record(hint)
    if origin in (Union, types.UnionType):
        others = [each for each in arguments if each not in (types.NoneType, UnsetType)]
        if len(others) == 1:
            kind = _kind(others[0], where, metas)
            return Nullable(kind) if types.NoneType in arguments else kind
        if all(isinstance(each, type) and issubclass(each, Form) for each in others):
            return _Either(others)
    raise TypeError(
        f"{where} is of the type {hint}, which no form reads; it reads str, int, bool, None,"
        " Literal, list, dict, forms and unions of forms, and any of these or None."
    )

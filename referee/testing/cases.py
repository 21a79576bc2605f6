"""What a game is tried with: numbers of seats, options, a deal."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import msgspec

from referee.catalog import folder
from referee.rules.chance import Chance
from referee.rules.game import Game
from referee.rules.options import are_for


@dataclass(frozen=True)
class Case:
    """A game with its number of seats and the options that are not left at their defaults."""

    kind: type[Game]
    seats: int
    changed: Mapping[str, Any] = field(default_factory=dict)
    deal: int = 0
    """Where there are few cases, each is tried in several deals."""

    def __str__(self) -> str:
        changed = (f"{name}={value}" for name, value in self.changed.items())
        return "-".join((self.kind.name, str(self.seats), *changed))

    def new(self, seed: str = "conformance", chance: type[Chance] = Chance) -> Game:
        """Return the game, dealt."""
        options = msgspec.convert(dict(self.changed), self.kind.options_type)
        return self.kind(seats=self.seats, options=options, chance=chance(seed))


def option_schemas(game: type[Game]) -> dict[str, Any]:
    """Return the JSON Schema of each option."""
    schema = msgspec.json.schema(game.options_type)
    definition: dict[str, Any] = schema["$defs"][schema["$ref"].rpartition("/")[2]]
    return definition["properties"]  # type: ignore[no-any-return]


def alternatives(schema: Mapping[str, Any]) -> list[Any]:
    """Return the values to try of an option: all of a few, or the two least of many.

    Of text and lists, those that its description gives as `examples`.
    """
    values: list[Any] = [*schema.get("examples", ())]
    for each in schema.get("anyOf", [schema]):
        kind = each.get("type")
        if kind == "boolean":
            values += [False, True]
        elif kind == "null":
            values.append(None)
        elif kind in ("integer", "number"):
            values += _numbers(each, schema.get("default", 0))
        values += each.get("enum", ())
    usual = schema.get("default")
    return [value for value in values if value != usual or type(value) is not type(usual)]


def _numbers(schema: Mapping[str, Any], usual: Any) -> list[Any]:
    step = schema.get("multipleOf", 1)
    least = schema.get("minimum", schema.get("exclusiveMinimum", (usual or 0) - 1) + step)
    most = schema.get("maximum", schema.get("exclusiveMaximum", least + 3) - step)
    return [least, least + 2] if least + 2 <= most else [least, most]


def option_sets(game: type[Game]) -> list[dict[str, Any]]:
    """Return one change of every kind, alone and on top of a change of everything else."""
    tried = {name: alternatives(schema) for name, schema in option_schemas(game).items()}
    everything = {name: values[-1] for name, values in tried.items() if values}
    alone = [{name: value} for name, values in tried.items() for value in values]
    sets = [*alone, *(everything | change for change in alone), everything]
    distinct = [changed for at, changed in enumerate(sets) if changed and changed not in sets[:at]]
    return [changed for changed in distinct if allowed_together(game, changed)]


def allowed_together(
    game: type[Game], changed: Mapping[str, Any], seats: int | None = None
) -> bool:
    """Return whether the options do not contradict each other, nor the number of seats if given."""
    try:
        options = msgspec.convert(dict(changed), game.options_type)
    except msgspec.ValidationError:
        return False
    return seats is None or are_for(game, options, seats)


def cases_of(game: type[Game], seats: Sequence[int] = ()) -> list[Case]:
    """Return the defaults with every number of seats, then each option set with one of them.

    It is the next number that the options are for; sets that are for none of them are left out.
    """
    counts = [*(seats or game.seat_counts)]
    brief = folder.cases_of(game).brief
    cases = [Case(game, counts[0]), *(Case(game, each, brief) for each in counts[1:])]
    for at, changed in enumerate(option_sets(game)):
        chosen = {**brief, **changed}
        turn = at % len(counts)
        in_turn = counts[turn:] + counts[:turn]
        fit = (each for each in in_turn if allowed_together(game, chosen, each))
        cases += [Case(game, each, chosen) for each in islice(fit, 1)]
    return cases

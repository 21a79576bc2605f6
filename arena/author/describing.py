"""What a game says of itself: its options and decisions, and how its match begins on the wire."""

from random import Random
from typing import Any, NamedTuple

import msgspec

from protocol.lines import encode
from protocol.messages import VERSION, Ask, End, Hello, Ready, Reply, TimeLeft
from referee.limits import Limits
from referee.match.match import bot_seeds, starts, with_samples
from referee.match.scoring import ending
from referee.rules.game import Game, Options, plain
from referee.rules.options import allowed, fields, new_game

SEED = "example"
"""The seed of the deal that is shown, which no league has."""
_WALKED = 400  # decisions in which each kind is looked for
_SAMPLES = 2  # of moves that are not listed


def option_rows(game: type[Game]) -> list[dict[str, Any]]:
    """Return the options of a game, each with its default, its values and what it means."""
    return [
        {
            "option": name,
            "default": field.default,
            "values": allowed(field.type),
            "meaning": _description(field.type),
        }
        for name, field in fields(game.options_type).items()
    ]


def decision_rows(game: type[Game]) -> list[dict[str, Any]]:
    """Return the decisions of a game, each with what is chosen."""
    return [
        {"decision": name, "meaning": schema.get("description", "")}
        for name, schema in game.schemas().items()
    ]


def _description(kind: Any) -> str:
    info = msgspec.inspect.type_info(kind)
    extra = info.extra_json_schema if isinstance(info, msgspec.inspect.Metadata) else None
    return str((extra or {}).get("description", ""))


class Spoken(NamedTuple):
    """A line of JSON as it travels, without its end."""

    by_bot: bool
    """Whether the bot says it; else it is told it."""
    line: str


class Conversation(NamedTuple):
    """What is said in the beginning of a match of no league, and later in it."""

    opening: list[Spoken]
    """From `hello` to the answer to the first ask."""
    end: list[Spoken]
    """The last line; nothing of a match that is too long."""
    asks: dict[str, list[Spoken]]
    """An ask with its answer for each decision that came up, by its name."""


def conversation(game: type[Game], seats: int, options: Options, limits: Limits) -> Conversation:
    """Return what the bot that decides first says and is told, in a match played at random.

    Raises ArenaError where these are no options of the game.
    """
    dealt = new_game(game, seats, options, SEED)
    rng = Random(SEED)  # noqa: S311 - an example, the same each time
    asks: dict[str, list[Spoken]] = {}
    heard = dict.fromkeys(range(seats), 0)
    first = None
    for _ in range(_WALKED):
        deciders = dealt.deciders()
        if not deciders:
            break
        moves = {seat: dealt.sample(seat, rng) for seat in deciders}
        for seat, move in moves.items():
            heard[seat] += 1
            first = seat if first is None else first
            decision = dealt.decision(seat)
            if decision.name not in asks:
                decision = with_samples(dealt, seat, decision, heard[seat], _SAMPLES)
                ask = Ask(
                    id=heard[seat],
                    decision=decision.name,
                    view=plain(dealt.view(seat)),
                    legal=decision.legal,
                    limits=decision.limits,
                    samples=decision.samples,
                    clock=TimeLeft(limits.move_time, limits.bank),
                )
                reply = Reply(heard[seat], move)
                asks[decision.name] = [_told(ask), _said(reply)]
        dealt.apply(moves)
    me = first or 0
    start = starts(
        new_game(game, seats, options, SEED), "example-0", limits.time_control, bot_seeds(dealt)
    )[me]
    opening = [_told(Hello(VERSION, "mine", limits.threads)), _said(Ready("ready", _SAMPLES))]
    opening += [_told(start), *next(iter(asks.values()), ())]
    is_over = not dealt.deciders()
    return Conversation(opening, [_told(End(*ending(dealt, {})[:2]))] if is_over else [], asks)


def _told(message: object) -> Spoken:
    return Spoken(by_bot=False, line=_line(message))


def _said(message: object) -> Spoken:
    return Spoken(by_bot=True, line=_line(message))


def _line(message: object) -> str:
    return encode(message).decode().rstrip("\n")

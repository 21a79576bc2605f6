"""The options of World War."""

from typing import Annotated, Literal

from msgspec import Meta

from referee.rules.game import Options


class WorldWarOptions(Options, frozen=True, kw_only=True):
    """The options of World War."""

    objective: Annotated[
        Literal["secret", "world"],
        Meta(description="What wins: an objective of one's own, or the whole world for all."),
    ] = "secret"
    setup: Annotated[
        Literal["hidden", "in_turn"],
        Meta(description="The first armies: all at once and unseen, or a few by turns."),
    ] = "hidden"
    setup_step: Annotated[
        int, Meta(ge=1, description="With `setup` in_turn, the armies placed each time.")
    ] = 3
    attack_mode: Annotated[
        Literal["order", "single"],
        Meta(description="An attack is an order for several rolls with a limit, or one roll."),
    ] = "order"
    defence: Annotated[
        Literal["choose", "max"],
        Meta(description="Whether the defender chooses its dice or always throws the most."),
    ] = "choose"
    victory_check: Annotated[
        Literal["immediate", "end_of_turn", "next_turn"],
        Meta(description="When an objective achieved wins: at once, or later if it still holds."),
    ] = "immediate"
    min_reinforcement: Annotated[
        Literal[0, 3], Meta(description="The least that the territories bring in a turn.")
    ] = 0
    safe_rounds: Annotated[
        int, Meta(ge=0, description="Rounds in which a seat's only territory is safe.")
    ] = 4
    survivors: Annotated[
        Literal["tie", "territories"],
        Meta(description="How the losers still alive are placed: all tie, or by territories."),
    ] = "tie"
    max_rounds: Annotated[
        int, Meta(ge=1, description="Complete rounds before the game is stopped.")
    ] = 100
    max_attacks: Annotated[
        int, Meta(ge=1, description="Attacks in a turn before its combats are closed.")
    ] = 5000
    trading: Annotated[
        Literal["choose", "must"],
        Meta(description="Whether fewer than five cards that hold a set may be kept."),
    ] = "choose"

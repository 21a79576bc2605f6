"""States of a game of OpenSpiel that a seat cannot tell apart, by OpenSpiel's own word.

OpenSpiel makes such a state for a few games only. Here the history is changed instead, a step at a
time: two outcomes of chance are swapped, or one of them, or another seat's action, becomes another
one. A change is kept if all that follows stays legal, the same seats are to act, and the seat's
information is what it was: the string of its information state, or, in games that have none, what
it could observe whenever it acted, and its actions.
"""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, NamedTuple

from referee.openspiel.named import COSTLY

_TRIES, _FEW_TRIES = 16, 2
"""So many changes of a history are tried."""
_CHANCE = -1
"""Who acts where chance does, as OpenSpiel has it."""


class _Step(NamedTuple):
    """One action of a history."""

    actor: int
    action: int


def another(spiel: Any, state: Any, seat: int, rng: Random) -> Any:
    """Return a state that `seat` cannot tell from `state`: another one, where one is found."""
    steps = _steps(state)
    known = _known(spiel, steps, seat)
    places = [at for at, step in enumerate(steps) if step.actor != seat]
    tries = _FEW_TRIES if spiel.get_type().short_name in COSTLY else _TRIES
    for _ in range(tries if places else 0):
        changed = _changed(spiel, steps, places, rng)
        if changed != steps and _known(spiel, changed, seat) == known:
            steps = changed
    return _last(_walk(spiel, steps))


def own_actions(spiel: Any, state: Any) -> list[list[int]]:
    """Return by seat the actions that led to a state."""
    own: list[list[int]] = [[] for _ in range(spiel.num_players())]
    for step in _steps(state):
        if step.actor != _CHANCE:
            own[step.actor].append(step.action)
    return own


def _steps(state: Any) -> list[_Step]:
    return [_Step(each.player, each.action) for each in state.full_history()]


def _walk(spiel: Any, steps: Sequence[_Step]) -> Iterator[tuple[Any, Sequence[_Step]]]:
    """Yield the state before every node of a history with its steps, and the last state with none.

    It is always the same state, which goes on. Seats that act at once share a node. It ends
    before a node whose steps are not legal.
    """
    state, at = spiel.new_initial_state(), 0
    while at < len(steps):
        width = spiel.num_players() if state.is_simultaneous_node() else 1
        node = steps[at : at + width]
        if not _is_legal(state, node):
            return
        yield state, node
        if state.is_simultaneous_node():
            state.apply_actions([step.action for step in node])
        else:
            state.apply_action(node[0].action)
        at += width
    yield state, ()


def _last(walk: Iterator[tuple[Any, Sequence[_Step]]]) -> Any:
    *_, (state, _) = walk
    return state


def _is_legal(state: Any, node: Sequence[_Step]) -> bool:
    if state.is_terminal():
        return False
    if state.is_chance_node():
        return any(number == node[0].action and p > 0 for number, p in state.chance_outcomes())
    if not state.is_simultaneous_node() and node[0].actor != state.current_player():
        return False
    legal = [state.legal_actions(step.actor) for step in node]
    return all(step.action in (of or [0]) for step, of in zip(node, legal, strict=True))


def _changed(spiel: Any, steps: Sequence[_Step], places: Sequence[int], rng: Random) -> list[_Step]:
    """Return a history with one change: two outcomes of chance swapped, or one step another."""
    changed = [*steps]
    at = rng.choice(places)
    if steps[at].actor == _CHANCE and rng.random() < 0.5:
        other = rng.choice([place for place in places if steps[place].actor == _CHANCE])
        changed[at], changed[other] = steps[other], steps[at]
        return changed
    begun = 0
    for state, node in _walk(spiel, steps):
        begun += len(node)
        if begun > at:
            if state.is_chance_node():
                choices = [number for number, _ in state.chance_outcomes()]
            else:
                choices = state.legal_actions(steps[at].actor) or [steps[at].action]
            changed[at] = steps[at]._replace(action=rng.choice(choices))
            break
    return changed


def _known(spiel: Any, steps: Sequence[_Step], seat: int) -> Any:
    """Return all that a seat knows after these steps; None if they are not legal."""
    kind = spiel.get_type()
    recalls, observes = kind.provides_information_state_string, kind.provides_observation_string
    seen: list[Any] = []
    for state, node in _walk(spiel, steps):
        acts = not state.is_terminal() and (
            state.is_simultaneous_node() or state.current_player() == seat
        )
        if observes and (acts or not node):
            seen.append(state.observation_string(seat))
        seen += [step.action for step in node if step.actor == seat]
        if not node:
            return (
                seen,
                state.information_state_string(seat) if recalls else None,
                "all" if state.is_simultaneous_node() else state.current_player(),
                state.legal_actions(seat) if acts else None,
                state.returns() if state.is_terminal() else None,
            )
    return None

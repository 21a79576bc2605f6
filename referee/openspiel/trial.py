"""Whether OpenSpiel survives a game: it writes past its memory with some parameters.

What may end the process is tried in another one first, which is forked: it has the library already.
"""

import faulthandler
import os
import resource
import signal
import warnings
from collections.abc import Mapping
from random import Random
from typing import Any

from referee.openspiel.library import load

_SECONDS = 10  # of CPU, for a game to be made and its first match to begin
_ROOM = 4 << 30  # bytes of data
_ACTIONS = 3_000  # of a match: the others are as these, mostly
_BEGUN = b"."


def check_survives(game: str, parameters: Mapping[str, Any]) -> None:
    """Raise ValueError if a process ends that makes a game and plays a match of it by chance.

    What OpenSpiel refuses in words, the caller will be told himself.
    """
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # other threads do nothing of ours
        child = os.fork()
    if not child:
        _try(game, parameters, writing)
    os.close(writing)
    with os.fdopen(reading, "rb") as told:
        has_begun = told.read() == _BEGUN
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status) or (os.WTERMSIG(status) == signal.SIGXCPU and has_begun):
        return
    if os.WTERMSIG(status) == signal.SIGXCPU:
        raise ValueError(f"OpenSpiel has not made it in {_SECONDS} s: it is too large")
    name = signal.Signals(os.WTERMSIG(status)).name
    raise ValueError(f"OpenSpiel ends the process that plays it ({name})")


def _try(game: str, parameters: Mapping[str, Any], told: int) -> None:
    """Make a game and play a match; the process ends with it, however it ends."""
    try:
        faulthandler.disable()
        for each in (signal.SIGINT, signal.SIGTERM, signal.SIGXCPU):
            signal.signal(each, signal.SIG_DFL)
        used = resource.getrusage(resource.RUSAGE_SELF)
        seconds = round(used.ru_utime + used.ru_stime) + _SECONDS
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_DATA, (_ROOM, _ROOM))
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, 1)
        os.dup2(nothing, 2)
        state, rng = load(game, parameters).new_initial_state(), Random(0)  # noqa: S311 - any match will do
        os.write(told, _BEGUN)
        for _ in range(_ACTIONS):
            if state.is_terminal():
                break
            if state.is_chance_node():
                state.apply_action(rng.choice(state.chance_outcomes())[0])
            elif state.is_simultaneous_node():
                seats = range(state.num_players())
                state.apply_actions([rng.choice(state.legal_actions(seat)) for seat in seats])
            else:
                state.apply_action(rng.choice(state.legal_actions()))
            for seat in range(state.num_players()):
                str(state), state.observation_string(seat)
    except Exception:  # noqa: BLE001, S110 - it says so itself when the caller makes the game
        pass
    finally:
        os._exit(0)

"""Arms against the greatest threat, and returns every offer."""

from __future__ import annotations

import kit


def choose(ask: kit.Ask) -> kit.Move:
    """Return the offer of the last round, else aim four missiles where most are aimed from."""
    if ask.decision == "talk":
        return {"say": ""}
    suitors = [seat for seat in ask.limits["partners"] if offers(ask, seat)]
    if suitors:
        return {"play": "attack", "with": ask.rng.choice(suitors)}
    add = [0, 0, 0, 0]
    add[max(ask.limits["partners"], key=lambda seat: threat(ask, seat))] = 4
    return {"play": "arm", "add": add}


def offers(ask: kit.Ask, seat: int) -> bool:
    """Tell whether `seat` sought an alliance with us in the last round."""
    last = ask.view["last"]
    return last is not None and last[seat].get("with") == ask.seat


def threat(ask: kit.Ask, seat: int) -> int:
    """Return by how much `seat` aims more at us than we at it."""
    markers = ask.view["markers"]
    return int(markers[seat][ask.seat] - markers[ask.seat][seat])


if __name__ == "__main__":
    kit.run(choose, samples=0)

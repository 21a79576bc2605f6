"""Attacks with a seat that sought us as an ally in the last round, and else arms.

To try first: seek an ally yourself, where the two of you aim far more at the others than they back.
"""

import kit


def choose(ask: kit.Ask) -> kit.Move:
    """Return an offer of the last round, else aim all new missiles where most are aimed from."""
    if ask.decision == "talk":
        return {"say": ""}
    if ask.decision != "play":
        return ask.legal[0]
    target = ask.limits["partners"][0]
    for seat in ask.limits["partners"]:
        if ask.view["last"] and ask.view["last"][seat].get("with") == ask.seat:
            return {"play": "attack", "with": seat}
        if threat(ask, seat) > threat(ask, target):
            target = seat
    add = [0, 0, 0, 0]
    add[target] = ask.limits["add_max"]
    return {"play": "arm", "add": add}


def threat(ask: kit.Ask, seat: int) -> int:
    """Return how many more missiles `seat` aims at us than we at it."""
    markers = ask.view["markers"]
    return int(markers[seat][ask.seat] - markers[ask.seat][seat])


if __name__ == "__main__":
    kit.run(choose)

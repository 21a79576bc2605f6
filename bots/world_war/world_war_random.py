"""Any legal move at random, attacks oftener than not."""

from __future__ import annotations

import kit


def choose(ask: kit.Ask) -> kit.Move:
    """Answer each of the seven decisions."""
    if ask.decision in ("setup", "deploy"):
        return place(ask)
    if ask.decision == "attack":
        return attack(ask)
    if ask.decision == "occupy":
        return {"armies": ask.rng.randint(0, ask.limits["max_armies"])}
    if ask.decision == "fortify":
        return fortify(ask)
    return ask.rng.choice(ask.legal)  # trade and defend


def place(ask: kit.Ask) -> kit.Move:
    """Let every army fall anywhere."""
    armies: dict[str, int] = {}
    for _ in range(ask.limits["armies"]):
        name = ask.rng.choice(ask.limits["territories"])
        armies[name] = armies.get(name, 0) + 1
    return {"armies": armies}


def attack(ask: kit.Ask) -> kit.Move:
    """Stop now and then, or attack anybody from anywhere."""
    if ask.rng.random() < 0.15:
        return {"action": "stop"}
    entry = ask.rng.choice(ask.limits["attacks"])
    move: kit.Move = {
        "action": "attack",
        "from": entry["from"],
        "to": ask.rng.choice(entry["to"]),
        "dice": ask.rng.randint(1, entry["max_dice"]),
    }
    if "max_rolls" in ask.limits:
        move["rolls"] = ask.rng.randint(1, ask.limits["max_rolls"])
        move["stop_at"] = ask.rng.randint(1, entry["max_stop_at"])
    return move


def fortify(ask: kit.Ask) -> kit.Move:
    """Stay now and then, or move some armies."""
    if ask.rng.random() < 0.2:
        return {"action": "stay"}
    entry = ask.rng.choice(ask.limits["moves"])
    armies = ask.rng.randint(1, entry["max_armies"])
    goal = ask.rng.choice(entry["to"])
    return {"action": "move", "from": entry["from"], "to": goal, "armies": armies}


if __name__ == "__main__":
    kit.run(choose, samples=0)

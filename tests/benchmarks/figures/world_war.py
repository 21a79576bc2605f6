"""World War's battle odds, counted out and thrown, and how long matches of random moves take."""

from collections import Counter
from collections.abc import Iterator
from itertools import product
from random import Random

from referee.games.world_war.board import losses
from referee.games.world_war.forms import WorldWarOptions
from referee.games.world_war.game import WorldWar
from referee.rules.chance import Chance
from tests.benchmarks.figures.figure import Figure, mean, share
from tests.referee.games.world_war_positions import asked, position, single

Losses = tuple[int, int]
"""What attacker and defender lose in a roll."""

ROWS: dict[Losses, tuple[dict[Losses, int], tuple[float, float]]] = {
    (1, 1): ({(0, 1): 15, (1, 0): 21}, (0.583, 0.417)),
    (2, 1): ({(0, 1): 125, (1, 0): 91}, (0.421, 0.579)),
    (3, 1): ({(0, 1): 855, (1, 0): 441}, (0.340, 0.660)),
    (1, 2): ({(0, 1): 55, (1, 0): 161}, (0.745, 0.255)),
    (2, 2): ({(0, 2): 295, (1, 1): 420, (2, 0): 581}, (1.221, 0.779)),
    (3, 2): ({(0, 2): 2890, (1, 1): 2611, (2, 0): 2275}, (0.921, 1.079)),
    (1, 3): ({(0, 1): 225, (1, 0): 1071}, (0.826, 0.174)),
    (2, 3): ({(0, 2): 979, (1, 1): 1981, (2, 0): 4816}, (1.493, 0.507)),
    (3, 3): (
        {(0, 3): 6420, (1, 2): 10017, (2, 1): 12348, (3, 0): 17871},
        (1.893, 1.107),
    ),
}
"""By dice of attacker and defender, the page's outcomes and mean losses ("Dice")."""

ROLLS = 60_000
MATCHES = 2000


def figures() -> Iterator[Figure]:
    """Yield the table of "Dice", exact and sampled through the game, and the lengths."""
    for (ours, theirs), (ways, means) in ROWS.items():
        counted = enumerated(ours, theirs)
        thrown = sampled(ours, theirs)
        row, total = f"{ours} v {theirs}", sum(ways.values())
        yield Figure(f"{row}: kinds of outcomes", len(ways), len(counted))
        for side, loser in enumerate(("A", "D")):
            exact = sum(each[side] * count for each, count in counted.items()) / total
            yield Figure(f"{row}: mean loss of {loser}", means[side], round(exact, 3))
            losing = [each[side] for each in thrown.elements()]
            yield mean(f"{row}: mean loss of {loser}, thrown", exact, losing)
        for each, count in ways.items():
            outcome = f"{row}: {each[0]}/{each[1]}"
            yield Figure(outcome, count, counted[each])
            yield share(f"{outcome}, share thrown", count / total, thrown[each], ROLLS)
    rounds, decisions = zip(*map(length, range(MATCHES)), strict=True)
    yield mean("rounds of a match of random moves, 3 seats", 30.0, rounds, 0.5)
    yield mean("decisions of a match of random moves, 3 seats", 646.0, decisions, 9.4)


def enumerated(ours: int, theirs: int) -> Counter[Losses]:
    """Count the losses over all rolls of so many dice."""
    faces = product(range(1, 7), repeat=ours + theirs)
    return Counter(
        losses(sorted(roll[:ours], reverse=True), sorted(roll[ours:], reverse=True))
        for roll in faces
    )


def sampled(ours: int, theirs: int) -> Counter[Losses]:
    """Count the losses of attacks that are made in a game, one roll each."""
    armies = 10 * ROLLS
    game = position(
        f"alaska:{armies}", f"kamchatka:{armies}", at="attack",
        attack_mode="single", max_attacks=armies,
    )  # fmt: skip
    held = game.war.forces.armies
    alaska, kamchatka = game.war.reach[0][0], game.war.forces.own(1)[0]
    found: Counter[Losses] = Counter()
    for _ in range(ROLLS):
        before = held[alaska], held[kamchatka]
        game.apply({0: single("alaska", "kamchatka", ours)})
        game.apply({1: {"dice": theirs}})
        found[before[0] - held[alaska], before[1] - held[kamchatka]] += 1
    assert asked(game) == "attack"
    return found


def length(seed: int) -> tuple[int, int]:
    """Return the rounds and decisions of a match of random moves."""
    game = WorldWar(seats=3, options=WorldWarOptions(), chance=Chance(f"figures {seed}"))
    rng, decisions = Random(seed), 0
    while seats := game.deciders():
        game.apply({seat: game.sample(seat, rng) for seat in seats})
        decisions += len(seats)
    return game.war.round, decisions

"""All guess a number at once, twice: a game that uses all that a kit has."""

import copy
import json
from pathlib import Path

import game_kit

print("what is printed is no answer")


class Guess:
    about = json.loads(Path("about.json").read_text())

    def __init__(self, seats, options, chance):
        self.high, self.seats, self.dealt = options["high"], seats, chance
        if self.high == 13:
            raise game_kit.Refused("nobody plays with 13 números")
        self.secret = chance.shuffled(["a", "b", "c", "d", "e"], "secret")
        self.round, self.out, self.hits = 1, [], [0] * seats

    def asks(self):
        print("nor is this")
        if self.round > 2:
            return []
        rest = {"limits": {"high": self.high}, "default": {"guess": 1}}
        return [{"seat": seat, "decision": "guess", **rest} for seat in range(self.seats)]

    def view(self, seat):
        return {"round": self.round, "card": self.secret[seat], "hits": self.hits, "out": self.out}

    def check(self, seat, move):
        return f"at most {self.high}" if move["guess"] > self.high else ""

    def canonical(self, seat, move):
        return {"guess": move["guess"]}

    def sample(self, seat, chance):
        return {"guess": chance.die(self.high, "any", seat)}

    def apply(self, moves, chance):
        number = chance.die(self.high, "number", self.round)
        for seat, move in moves.items():
            self.hits[seat] += number - move["guess"]
        self.round += 1

    def withdraw(self, seat):
        self.out.append(seat)

    def result(self):
        places = [1 + sum(other > mine for other in self.hits) for mine in self.hits]
        scores = [hits / 4 for hits in self.hits]
        numbers = {"best": max(scores)}
        return {"places": places, "reason": "rounds", "scores": scores, "numbers": numbers}

    def resample(self, seat, chance):
        other = copy.deepcopy(self)
        others = [card for card in self.secret if card != self.secret[seat]]
        other.secret = chance.shuffled(others, "again")
        other.secret.insert(seat, self.secret[seat])
        return other

    def show(self, seat):
        seen = "all" if seat is None else self.secret[seat]
        return [{"t": "text", "label": "Table", "lines": [f'{seen} ¡"\\\n']}]

    def describe(self, seat, move):
        chance, limit, names = game_kit.Chance(move["seed"]), move["limit"], move["names"]
        if move["shuffle"]:
            return " ".join(map(str, chance.shuffled([*range(limit)], *names)))
        return str(chance.below(limit, *names))

    def table(self):
        return {"first": self.dealt.choice(self.secret, "first"), "seats": self.seats}

    def called(self):
        return ["ñandú", "two", "three"][: self.seats]


game_kit.run(Guess)

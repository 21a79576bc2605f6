"""A `play_game` script for psyleague, as one of its users might write it for our games.

    python play_game.py GAME ONE OTHER          # prints one result
    python play_game.py GAME ONE OTHER 20       # prints a list of so many

It starts two programs for every game, plays by our rules and protocol over pipes, ends them, and
prints JSON. It has no clock and no sandbox, and believes that the programs mean well.
"""

import json
import random
import subprocess
import sys
from time import perf_counter

from referee.games import GAMES
from referee.rules.game import plain
from referee.rules.options import new_game, read_options

OPTIONS = {"casino_war": {"rounds": 1}, "duel": {}}
CLOCK = {"judge": "wall", "move_time": 1.0, "bank": 0.0, "increment": 0.0}
LEFT = {"move_time": 1.0, "bank": 0.0}


class Bot:
    """A program that plays one game."""

    def __init__(self, command):
        self.process = subprocess.Popen([command], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.asked = 0
        self.send({"type": "hello", "protocol": 1, "name": command})

    def send(self, message):
        self.process.stdin.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")
        self.process.stdin.flush()

    def hear(self):
        return json.loads(self.process.stdout.readline())

    def ask(self, decision, view):
        self.asked += 1
        message = {"type": "ask", "id": self.asked, "decision": decision.name, "view": view}
        if decision.legal is not None:
            message["legal"] = decision.legal
        if decision.limits is not None:
            message["limits"] = decision.limits
        self.send({**message, "clock": LEFT})

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def played(game, bots):
    """Play a game to its end; return how often each bot's answer was refused."""
    errors = [0, 0]
    for seat, bot in enumerate(bots):
        start = {"type": "start", "match": "x", "game": game.name, "seat": seat, "seats": 2}
        start |= {"options": OPTIONS[game.name], "table": game.table(), "clock": CLOCK}
        bot.send({**start, "seed": random.randrange(2**31)})
    while deciders := game.deciders():
        for seat in deciders:
            bots[seat].ask(game.decision(seat), plain(game.view(seat)))
        moves = {}
        for seat in deciders:
            move = bots[seat].hear()["move"]
            moves[seat] = game.read(seat, move)
            if isinstance(moves[seat], str):
                errors[seat] += 1
                moves[seat] = game.default(seat)
        game.apply(moves)
    for bot in bots:
        bot.send({"type": "end", "places": game.places(), "reason": game.reason})
    return errors


def result(name, commands):
    """Start the programs, play, end them; return what psyleague wants to know."""
    began = perf_counter()
    bots = [Bot(command) for command in commands]
    for bot in bots:
        bot.hear()
    ready = perf_counter()
    seed = random.randrange(2**31)
    kind = GAMES[name]
    game = new_game(kind, 2, read_options(kind, OPTIONS[name]), str(seed))
    begun = perf_counter()
    errors = played(game, bots)
    over = perf_counter()
    for bot in bots:
        bot.close()
    processes = perf_counter() - over + ready - began
    return {
        "ranks": game.places(),
        "errors": errors,
        "test_data": {
            "seed": seed,
            "decisions": sum(bot.asked for bot in bots),
            "processes_us": round(processes * 1e6),
            "playing_us": round((over - begun) * 1e6),
        },
        "player_data": [{}, {}],
    }


if __name__ == "__main__":
    name, one, other, *count = sys.argv[1:]
    results = [result(name, (one, other)) for _ in range(int(*count or ["1"]))]
    print(json.dumps(results if count else results[0]))

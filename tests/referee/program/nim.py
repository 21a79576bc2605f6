"""A game as a program: two take one or two stones; who takes the last wins.

Its first argument names what it does wrong, after the match has gone on for a while; the second
may be a word for that. With `ODD` in the folder, only matches with an odd seed go wrong.
"""

import json
import os
import sys
import time
from pathlib import Path

WRONG, WORD, *_ = *sys.argv[1:], "", ""


def number(least, most, **more):
    return {"type": "integer", "minimum": least, "maximum": most, "description": "Stones.", **more}


TAKE = {"type": "object", "properties": {"take": number(1, 2)}, "required": ["take"]}
ABOUT = {
    "type": "game",
    "name": "stones",
    "title": "Two take stones; who takes the last one wins.",
    "seats": [2],
    "decisions": {"take": {**TAKE, "additionalProperties": False}},
    "options": {"stones": number(3, 99, default=9)},
    "typical_decisions": 6,
}
ENDS = {
    "places": {"places": [2, 2]},
    "one place": {"places": [1]},
    "scores": {"scores": [1]},
    "unsaid scores": {"scores": [1, 0]},
    "numbers": {"numbers": {"x": 1}},
    "colours": {"reason": "\x1b[31mred"},
    "about": json.loads(sys.argv[3]) if len(sys.argv) > 3 else {},
}


def state(left, turn):
    """Return who decides now, or how it ended."""
    if left == 0:
        places = [2, 1] if turn == 0 else [1, 2]
        reason = "" if WRONG == "no reason" else "last"
        return {"type": "state", "places": places, "reason": reason}
    view = {"left": 2**60 if WRONG == "huge" else left}
    legal = [{"take": n} for n in (1, 2) if n <= left]
    ask = {"seat": turn, "decision": "take", "view": view, "legal": legal}
    asks = [ask]
    if left <= 4:
        if WRONG in ENDS:
            return {"type": "state", "places": [1, 2], "reason": "odd", **ENDS[WRONG]}
        asks = {
            "unknown decision": [{**ask, "decision": "steal"}],
            "seat that is not there": [{**ask, "seat": 2}],
            "moves beside the schema": [{**ask, "legal": [{"take": 3}, {"take": "all"}]}],
            "no moves": [{"seat": turn, "decision": "take", "view": view}],
            "twice": [ask, ask],
        }.get(WRONG, asks)
    return {"type": "state", "asks": asks}


def forever(act, *words):
    while True:
        act(*words)


def reach():
    """Say on standard error which ways to the process of a bot are refused."""
    tries = {
        "kill": lambda: os.kill(int(WORD), 18),
        "mem": lambda: Path(f"/proc/{WORD}/mem").open("rb").close(),
        "environ": lambda: Path(f"/proc/{WORD}/environ").read_bytes(),
    }
    for name, attempt in tries.items():
        try:
            attempt()
        except OSError as error:
            print(name, "refused", error.errno, file=sys.stderr)
        else:
            print(name, "done", file=sys.stderr)
    sys.exit("that is all")


ACTS = {
    "hang": lambda: forever(int),
    "sleep": lambda: time.sleep(1000),
    "die": lambda: sys.exit("out of stones"),
    "killed": lambda: os.kill(os.getpid(), 11),
    "closes": lambda: (os.close(1), time.sleep(1000)),
    "raise": lambda: ABOUT["no such stone"],
    "flood": lambda: forever(os.write, 1, b"x" * 65536),
    "memory": lambda: bytearray(1 << 31),
    "reaches": reach,
    "secrets": lambda: Path(WORD).read_text(),
}
WORDS = {
    "no json": "hello there",
    "nan": '{"type":"state","asks":[],"places":[1,2],"reason":"x","scores":[NaN,0]}',
    "a list": "[1, 2, 3]",
    "another message": '{"type":"view","view":{}}',
    "empty": "",
    "says error": '{"type":"error","text":"I cannot go on\\nat all"}',
}


def main():
    matches, odd = {}, {}
    if WRONG == "dies at once":
        sys.exit("no stones here")
    for line in sys.stdin:
        message = json.loads(line)
        kind = message["type"]
        if kind == "hello":
            answer = {**ABOUT}
            if WRONG == "another game" and Path(WORD).exists():
                answer["title"] = "Another game."
            elif WRONG == "no name":
                del answer["name"]
            elif WRONG == "bad schema":
                answer["decisions"] = {"take": {"type": "object", "patternProperties": {}}}
            elif WRONG == "about":
                answer |= json.loads(WORD)
            elif WRONG == "gaps":
                answer["seats"] = [2, 4]
        elif kind == "end":
            matches.pop(message["match"])
            continue
        elif kind == "new":
            matches[message["match"]] = [message["options"]["stones"], 0]
            if WRONG == "remembers":  # what was played before
                matches[message["match"]][0] += len(matches) % 2
            if WRONG == "second" and len(odd) == 1:
                sys.exit("one match is enough")
            odd[message["match"]] = message["seed"][-1] in "13579bdf"
            answer = state(*matches[message["match"]])
        elif kind == "view":
            answer = {"type": "view", "view": {"left": matches[message["match"]][0]}}
        else:
            game = matches[message["match"]]
            for each in message["moves"]:
                game[:] = game[0] - each["move"]["take"], 1 - game[1]
            if game[0] == 1:  # the last one is taken without asking
                game[:] = 0, 1 - game[1]
            answer = state(*game)
            is_wrong = odd[message["match"]] or not Path("ODD").exists()
            if game[0] <= 4 and is_wrong:
                ACTS.get(WRONG, int)()
                if WRONG in WORDS:
                    print(WORDS[WRONG], flush=True)
                    continue
            if WRONG == "more" and game[0] == 4:
                answer = json.dumps(answer)
                os.write(1, f"{answer}\n{answer}{WORD.replace('n', chr(10))}".encode())
                continue
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()

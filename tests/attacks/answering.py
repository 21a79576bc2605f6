"""The process that tries attacks for a test: it answers requests until there are no more.

A request is a JSON line with `attack` and `sandbox`; without an attack it asks whether the sandbox
works. See `RunnerProcess` for the other end.
"""

import json
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any

Outcome = dict[str, Any]
"""What became of an attack: `effect`, `missing` or `error`, or what a channel carries."""


def answer(run: Callable[[str, str], Outcome], probe: Callable[[str], Outcome]) -> None:
    """Answer each request by what is run, or probed, with the seconds that it took."""
    sys.stdout.write("begun\n")
    sys.stdout.flush()
    for line in sys.stdin:
        request = json.loads(line)
        attack, sandbox = request["attack"], request["sandbox"]
        began = time.monotonic()
        try:
            outcome = run(attack, sandbox) if attack else probe(sandbox)
        except Exception:  # noqa: BLE001 - whatever it is, the test that asked is told
            outcome = {"error": traceback.format_exc()}
        told = {**outcome, "seconds": round(time.monotonic() - began, 3)}
        sys.stdout.write(json.dumps(told) + "\n")
        sys.stdout.flush()

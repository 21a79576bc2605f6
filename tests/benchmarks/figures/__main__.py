"""Measure every number of the rules pages again and say how far each is off.

    python -m tests.benchmarks.figures            # all games; about four minutes
    python -m tests.benchmarks.figures duel khan  # some

A game's module yields its figures; `off` counts standard errors. The run fails if one is off
by more than four, which luck alone does once in 16,000 times.
"""

import importlib
import pkgutil
import sys
import time

from tabulate import tabulate

from tests.benchmarks import figures

TOO_FAR = 4.0
GAMES = [
    module.name for module in pkgutil.iter_modules(figures.__path__) if module.name not in
    ("__main__", "figure")
]  # fmt: skip


def main(names: list[str]) -> int:
    """Print a table for each game; return 1 if a figure is too far off."""
    wrong = 0
    for name in names or GAMES:
        began = time.perf_counter()
        found = list(importlib.import_module(f"{figures.__name__}.{name}").figures())
        rows = [
            (each.what, f"{each.page:g}", f"{each.found:.5g}", f"{each.error:.2g}",
             f"{each.off:.1f}" + ("  !" if each.off > TOO_FAR else ""))
            for each in found
        ]  # fmt: skip
        print(f"\n{name} ({time.perf_counter() - began:.0f} s)\n")
        print(tabulate(rows, ("figure", "page", "found", "error", "off"), disable_numparse=True))
        wrong += sum(each.off > TOO_FAR for each in found)
    print(f"\n{wrong} figures are off by more than {TOO_FAR:g} standard errors.")
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

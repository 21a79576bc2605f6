"""A process that claims cores as a Dask worker does, and gives them back when it is told to.

Its words are how many it wants at most, and how many a match needs. It prints what it has got, as
JSON; each line that it reads makes it give back what it has; at the end of input it ends.
"""

import json
import sys

from arena.play.cluster.cores import Cores

if __name__ == "__main__":
    cores = Cores(*map(int, sys.argv[1:]))
    got = {"places": cores.places, "had": cores.had, "is_shared": cores.is_shared}
    print(json.dumps(got), flush=True)
    for _ in sys.stdin:
        cores.give_back()
        print("given back", flush=True)

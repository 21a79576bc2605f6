"""A process that claims cores as a Dask worker does, and has them until the end of its input.

Its words are how many it wants at most, and how many a match needs. It prints what it has got, as
JSON.
"""

import json
import sys

from arena.play.cluster.cores import Cores

if __name__ == "__main__":
    cores = Cores(*map(int, sys.argv[1:]))
    got = {"places": cores.places, "had": cores.had, "is_shared": cores.is_shared}
    print(json.dumps(got), flush=True)
    sys.stdin.read()

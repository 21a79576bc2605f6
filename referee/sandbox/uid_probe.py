"""Says why no user can be given a file system here: `python -I -S uid_probe.py UID FILE_SYSTEM`.

It enters the file system, which is an `OwnRoot` in JSON, and becomes the user in it. What it prints
is empty if both can be done.
"""

import json
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from referee.sandbox import fork_server, own_root
else:
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import fork_server
    import own_root

    del sys.path[0]


def main(uid: int, file_system: str) -> str:
    """Return what stands in the way."""
    try:
        own_root.enter(json.loads(file_system))
    except OSError as error:
        return f"{error.filename}: {error.strerror}"
    try:
        fork_server.drop_to(uid)
    except OSError as error:
        return f"to become uid {uid}: {error.strerror}"
    return ""


if __name__ == "__main__":
    print(main(int(sys.argv[1]), sys.argv[2]))

"""Says which file system of its own a user can be given here: `python -I -S uid_probe.py UID`.

Each form is tried by a child, which becomes the user in it. It prints one JSON object: `form`, the
first that works, or null; and `reasons`, why the others do not.
"""

import json
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from referee.sandbox import fork_server, own_root
    from referee.sandbox.enclosure import OwnRoot
else:
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import fork_server
    import own_root

    del sys.path[0]

FORMS: "dict[str, OwnRoot]" = {
    "mount namespace": {
        "shown": [
            ("bind", "/usr", ""),
            ("link", "/lib", "usr/lib"),
            ("device", "/dev/null", ""),
        ]
    },
    "chroot": {"chroot": "/usr"},
}


def tried(form: "OwnRoot", uid: int) -> str:
    """Return why a child cannot become a user in such a file system; empty if it can."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            own_root.enter(form)
        except OSError as error:
            os.write(writing, f"{error.filename}: {error.strerror}".encode())
            os._exit(1)
        try:
            fork_server.drop_to(uid)
        except OSError as error:
            os.write(writing, f"to become uid {uid}: {error.strerror}".encode())
        finally:
            os._exit(1)
    os.close(writing)
    with open(reading, "rb") as pipe:
        reason = pipe.read().decode()
    os.waitpid(child, 0)
    return reason


def main() -> None:
    """Try the forms, the stronger first."""
    reasons: dict[str, str] = {}
    for name, form in FORMS.items():
        reason = tried(form, int(sys.argv[1]))
        if not reason:
            print(json.dumps({"form": name, "reasons": reasons}))
            return
        reasons[name] = reason
    print(json.dumps({"form": None, "reasons": reasons}))


if __name__ == "__main__":
    main()

"""Without the extra `door` all is as before, until a door is to be opened."""

import subprocess
import sys

CODE = """
import sys
sys.modules["h11"] = None
import referee.door, referee.match
from protocol.errors import ArenaError
terms = referee.door.DoorTerms(allow=("api.example.org",))
try:
    referee.door.Door(terms, {}, {}).__enter__()
except ArenaError as error:
    print(error)
"""


def test_what_is_not_installed_is_named() -> None:
    done = subprocess.run(
        [sys.executable, "-c", CODE], capture_output=True, text=True, check=True, timeout=30
    )
    assert done.stdout == (
        "the door needs h11, which is not installed: pip install 'bot-arena[door]'.\n"
    )

"""Sends standard input to the address in `ARENA_HOOK`: `python -m arena.handin.post`.

It prints what is answered, and on the last line why it was not taken, if it was not; then its exit
code is 1. The address may hold a password, so that it is no word of the command, which every user
of a machine can read. Redirections are not followed.
"""

import http.client
import os
import sys
from urllib.parse import urlsplit

ADDRESS = "ARENA_HOOK"
"""The variable of the environment."""
_SECONDS = 8.0  # for each step of the connection
_ANSWER = 4096  # bytes that are read


def post(url: str, body: bytes) -> str:
    """Send JSON to an address; return why it was not taken, or nothing if it was."""
    found = urlsplit(url)
    is_safe = found.scheme == "https"
    kind = http.client.HTTPSConnection if is_safe else http.client.HTTPConnection
    try:
        connection = kind(found.hostname or "", found.port, timeout=_SECONDS)
        path = f"{found.path or '/'}{f'?{found.query}' if found.query else ''}"
        headers = {"Content-Type": "application/json", "User-Agent": "bot-arena"}
        connection.request("POST", path, body, headers)
        answer = connection.getresponse()
        print(answer.read(_ANSWER).decode(errors="replace"))
    except TimeoutError:
        return f"it did not answer within {_SECONDS:g} s"
    except (OSError, http.client.HTTPException, ValueError) as error:
        return f"it cannot be reached: {getattr(error, 'strerror', None) or type(error).__name__}"
    if 200 <= answer.status < 300:
        return ""
    if 300 <= answer.status < 400:
        return f"it answered {answer.status}: it leads elsewhere, which is not followed"
    return f"it answered {answer.status}"


if __name__ == "__main__":
    if problem := post(os.environ[ADDRESS], sys.stdin.buffer.read()):
        print(problem)
        sys.exit(1)

"""Where a scheduler is: its address, or the file that it writes it to."""

import json
from pathlib import Path
from urllib.parse import urlsplit

from protocol.errors import ArenaError

_SCHEMES = ("tcp", "tls", "ws", "wss")


def scheduler_address(word: str) -> str:
    """Return the address that a word of the command line means; it may name a scheduler's file.

    Raises ArenaError for what is no address, and for a file that holds none.
    """
    if "://" not in word and (word.endswith(".json") or Path(word).is_file()):
        return _address(_written(Path(word)), f"{word}: {{!r}} is not a scheduler's address")
    return _address(word, "--cluster takes the address or the file of a scheduler, not {!r}")


def _written(file: Path) -> str:
    try:
        found = json.loads(file.read_bytes())
    except FileNotFoundError:
        raise ArenaError(
            f"there is no file {file}. `dask scheduler --scheduler-file` writes it."
        ) from None
    except OSError as error:
        raise ArenaError(f"{file} cannot be read: {error.strerror}.") from None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not isinstance(found.get("address"), str):
        raise ArenaError(
            f"{file} holds no address: a scheduler did not write it, or has not finished yet."
        )
    return str(found["address"])


def _address(word: str, complaint: str) -> str:
    """Return a word with the usual scheme if it has none; raise ArenaError if that is no address.

    `complaint` is what is said of the word, without what is expected.
    """
    url = word if "://" in word else f"tcp://{word}"
    try:
        parts = urlsplit(url)
        is_whole = parts.hostname and parts.port and not (parts.path + parts.query + parts.fragment)
    except ValueError:
        is_whole = False
    if not is_whole or parts.scheme not in _SCHEMES:
        raise ArenaError(f"{complaint.format(word)}: an address is like tcp://scheduler:8786.")
    return url

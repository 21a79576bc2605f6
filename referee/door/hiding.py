"""Keys struck out of what a provider answers, should it repeat them; pure."""

import base64
import html
import json
import re
from collections.abc import Iterable, Iterator
from urllib.parse import quote, quote_plus

STRUCK = "***"
"""What stands in their place."""


class Eraser:
    """Strikes keys out, in whichever of the usual ways they are written.

    These are: as it is, in capitals or small letters, percent-encoded, in base64 (whatever stands
    before it), in hexadecimal digits, with the escapes of JSON or HTML, and all that in UTF-16 and
    UTF-32. A provider that wants to give a key away can still do so.
    """

    __slots__ = ("_needles",)

    def __init__(self, keys: Iterable[str]) -> None:
        needles = {form.lower() for key in keys for form in _forms(key)}
        wide = {
            form.decode("ascii").encode(encoding).lower()
            for form in needles
            for encoding in ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")
        }
        self._needles = sorted(needles | wide, key=len, reverse=True)

    def bytes(self, data: bytes) -> bytes:
        """Return bytes without the keys."""
        if not self._needles:
            return data
        small = data.lower()  # keeps its length: only ASCII changes
        found = [needle for needle in self._needles if needle in small]
        if not found:
            return data
        pattern = re.compile(b"|".join(re.escape(needle) for needle in found), re.IGNORECASE)
        return pattern.sub(STRUCK.encode("ascii"), data)

    def text(self, text: str) -> str:
        """Return a text without the keys."""
        return self.bytes(text.encode("utf-8", "surrogatepass")).decode("utf-8", "replace")

    def headers(self, headers: dict[str, str]) -> dict[str, str]:
        """Return headers without the keys, be they in names or values."""
        return {self.text(name): self.text(value) for name, value in headers.items()}


def _forms(key: str) -> Iterator[bytes]:
    raw = key.encode("ascii")
    yield raw
    yield raw[::-1]
    yield raw.hex().encode("ascii")
    for text in (
        quote(key, safe=""),
        quote(key),
        quote_plus(key),
        "".join(f"%{byte:02x}" for byte in raw),
        "".join(f"\\u{byte:04x}" for byte in raw),
        "".join(f"\\x{byte:02x}" for byte in raw),
        json.dumps(key)[1:-1],
        json.dumps(key)[1:-1].replace("/", "\\/"),
        html.escape(key),
        "".join(f"&#{byte};" for byte in raw),
        "".join(f"&#x{byte:x};" for byte in raw),
        " ".join(key),
    ):
        yield text.encode("ascii")
    for before in range(3):  # the bytes that its first digits share with what stands before it
        encoded = base64.b64encode(b"\0" * before + raw)
        shared = (0, 3, 2)[(before + len(raw)) % 3]  # likewise with what follows, and its padding
        inner = encoded[(0, 2, 3)[before] : len(encoded) - shared]
        yield inner
        yield inner.translate(bytes.maketrans(b"+/", b"-_"))

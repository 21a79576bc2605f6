"""Text of strangers, made fit for a page: nothing in it is invisible or turns the line around."""

import unicodedata


def plain(text: object) -> str:
    """Return text with control, format and unknown characters written out, as in [U+202E].

    Also those that end lines. Markup is no concern here: templates escape it.
    """
    words = str(text)
    if words.isascii() and words.isprintable():
        return words
    return "".join(f"[U+{ord(char):04X}]" if _hidden(char) else char for char in words)


def plain_lines(text: object) -> str:
    """Return text as `plain` does, with its lines and tabs kept."""
    lines = str(text).replace("\r\n", "\n").split("\n")
    return "\n".join(plain(line.expandtabs()) for line in lines)


def _hidden(char: str) -> bool:
    category = unicodedata.category(char)
    return category[0] == "C" or category in ("Zl", "Zp")

"""Text in the cells of spreadsheets, which take some of it for formulas; pure."""

import re

_FORMULA = re.compile(r"'*(?:[=@\t\r\n\uff1d\uff20\uff0b\uff0d]|[-+](?![\d\s.,:%±–]*$))")
"""How a cell begins that may be a formula, in wide letters too; signed numbers are none."""


def guarded(text: str) -> str:
    """Return text as a cell: an apostrophe goes before what may be taken for a formula."""
    return f"'{text}" if _FORMULA.match(text) else text


def unguarded(cell: str) -> str:
    """Return the text that was `guarded`."""
    return cell[1:] if cell[:1] == "'" and _FORMULA.match(cell) else cell

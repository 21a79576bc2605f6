"""Parts of pages that commands write, between two marks."""

from pathlib import Path


def rewrite(page: Path, begin: str, end: str, text: str) -> None:
    """Put a text between its marks in a page; the rest stays as it is.

    Raises ValueError, and leaves the page alone, if it lacks a mark.
    """
    before, is_there, rest = page.read_text(encoding="utf-8").partition(begin)
    _, is_closed, after = rest.partition(end)
    if not (is_there and is_closed):
        raise ValueError(f"{page} lacks one of the marks {begin!r} and {end!r}")
    page.write_text(f"{before}{begin}\n{text}\n{end}{after}", encoding="utf-8")

"""Our own styles and scripts within a page, which then loads nothing and runs nothing else."""

import base64
import hashlib
from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup


def inlined(files: Sequence[Path], *more: str) -> dict[str, str]:
    """Return styles and scripts as blocks, and the policy under which just these count.

    The files are CSS and JavaScript, and their order is that of the page; `more` are directives
    for the policy.
    """
    texts = {file: file.read_text(encoding="utf-8") for file in files}
    styles = [text for file, text in texts.items() if file.suffix == ".css"]
    scripts = [text for file, text in texts.items() if file.suffix == ".js"]
    return {
        "csp": _policy(styles, scripts, more),
        "styles": _inline("style", styles),
        "scripts": _inline("script", scripts),
    }


def data_block(text: str) -> Markup:
    """Return JSON as the text of a script that is none."""
    return Markup(text.replace("<", "\\u003c"))  # noqa: S704 - JSON, no tag in it


def _inline(tag: str, texts: Sequence[str]) -> Markup:
    """Return blocks of our own code, which holds no end tag."""
    assert not any(f"</{tag}" in text.lower() for text in texts)
    return Markup("\n".join(f"<{tag}>{text}</{tag}>" for text in texts))  # noqa: S704 - our own code


def _policy(styles: Sequence[str], scripts: Sequence[str], more: Sequence[str]) -> str:
    """Return the Content-Security-Policy under which just these blocks count."""
    return "; ".join(
        (
            "default-src 'none'",
            f"style-src {' '.join(map(_hash, styles))}",
            f"script-src {' '.join(map(_hash, scripts))}",
            "base-uri 'none'",
            "form-action 'none'",
            *more,
        )
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"

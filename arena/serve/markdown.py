"""Rules pages as HTML: the part of Markdown that they are written in, every text escaped.

No markup of the page gets through: what is none of the forms below stands there as it is written.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from markupsafe import Markup, escape

from arena.report.templates import plain

_DEEPEST = 6  # of lists in lists
_INLINE = re.compile(
    r"`([^`]+)`|\*\*([^*]+)\*\*|\*([^*\s][^*]*)\*|(?<![^\W_])_([^_\s][^_]*)_(?![^\W_])"
    r"|\[([^][]+)\]\(([^()\s]*)\)"
)
_HEADING = re.compile(r"(#{1,6}) +(.+?)(?: +#+)?$")
_ITEM = re.compile(r"([-*]|\d{1,4}\.) +")
_FENCE = re.compile(r"(```+|~~~+)")
_RULE = re.compile(r"\|?[ :|-]*-[ :|-]*$")
_CELL = re.compile(r"\\\||`|\|")


@lru_cache(maxsize=8)
def markdown(text: str) -> Markup:
    """Return a text in Markdown as HTML; its first headings are those of a section."""
    lines = _without_comments(text).expandtabs(4).splitlines()
    return Markup("\n").join(_blocks(lines, 0))


def _without_comments(text: str) -> str:
    kept, *others = text.split("<!--")
    for each in others:
        _, end, after = each.partition("-->")
        kept += after if end else f"<!--{each}"
    return kept


def _blocks(lines: Sequence[str], depth: int) -> Iterator[Markup]:
    at = 0
    while at < len(lines):
        line = lines[at].strip()
        begun = at
        if not line:
            at += 1
        elif heading := _HEADING.match(line):
            level = min(len(heading[1]) + 1, 6)
            yield Markup("<h{0}>{1}</h{0}>").format(level, _inline(heading[2]))
            at += 1
        elif fence := _FENCE.match(line):
            at = _end(lines, at + 1, fence[1])
            yield _code(lines[begun + 1 : at])
            at += 1
        elif lines[at].startswith("    "):
            while at < len(lines) and (lines[at].startswith("    ") or not lines[at].strip()):
                at += 1
            yield _code(lines[begun:at])
        elif line.startswith("|") or (at + 1 < len(lines) and _is_ruled(line, lines[at + 1])):
            while at < len(lines) and "|" in lines[at]:
                at += 1
            yield _table(lines[begun:at])
        elif _ITEM.match(line) and depth < _DEEPEST:
            items, at = _items(lines, at)
            numbered = line[0].isdecimal()
            yield _list(items, depth, "ol" if numbered else "ul")
        else:
            while at < len(lines) and _goes_on(lines[at], is_first=at == begun):
                at += 1
            yield Markup("<p>{}</p>").format(_inline(" ".join(map(str.strip, lines[begun:at]))))


def _goes_on(line: str, *, is_first: bool) -> bool:
    """Return whether a line is one of a paragraph that has begun."""
    text = line.strip()
    begins = _HEADING.match(text) or _ITEM.match(text) or _FENCE.match(text) or text[:1] == "|"
    return bool(text) and (is_first or not begins)


def _end(lines: Sequence[str], at: int, fence: str) -> int:
    """Return the line at which a block in fences ends, which may be the end of all."""
    while at < len(lines) and lines[at].strip() != fence:
        at += 1
    return at


def _items(lines: Sequence[str], at: int) -> tuple[list[list[str]], int]:
    """Return the lines of each item of a list that begins at a line, and where it ends."""
    items: list[list[str]] = []
    first = len(lines[at]) - len(lines[at].lstrip())
    inner = first + 2
    while at < len(lines):
        line = lines[at]
        indent = len(line) - len(line.lstrip())
        found = _ITEM.match(line.lstrip())
        if found and indent < first + 2:
            inner = indent + found.end()
            items.append([line[inner:]])
        elif not line.strip():
            ahead = at + 1
            while ahead < len(lines) and not lines[ahead].strip():
                ahead += 1
            after = lines[ahead] if ahead < len(lines) else ""
            if len(after) - len(after.lstrip()) < inner and not _ITEM.match(after.lstrip()):
                break
            items[-1].append("")
        elif indent >= first + 2:
            items[-1].append(line[min(indent, inner) :])
        elif lines[at - 1].strip() and _goes_on(line, is_first=False):
            items[-1].append(line.strip())  # a line of the same paragraph, not set in
        else:
            break
        at += 1
    return items, at


def _list(items: Sequence[Sequence[str]], depth: int, tag: str) -> Markup:
    inner = [Markup("\n").join(_blocks(item, depth + 1)) for item in items]
    all_of_them = Markup("\n").join(Markup("<li>{}</li>").format(each) for each in inner)
    return Markup("<{0}>{1}</{0}>").format(tag, all_of_them)


def _code(lines: Sequence[str]) -> Markup:
    left = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    text = "\n".join(plain(line[left:].rstrip()) for line in lines).rstrip("\n")
    return Markup('<pre tabindex="0" role="group" aria-label="Text as it is">{}</pre>').format(text)


def _is_ruled(line: str, below: str) -> bool:
    return "|" in line and "|" in below and bool(_RULE.match(below.strip()))


def _cells(line: str) -> list[str]:
    """Return what stands between the bars of a row, but for bars in code and after a backslash."""
    inner = line.strip().removeprefix("|").removesuffix("|")
    cells, at, is_code = [], 0, False
    for found in _CELL.finditer(inner):
        if found[0] == "`":
            is_code = not is_code
        elif found[0] == "|" and not is_code:
            cells.append(inner[at : found.start()])
            at = found.end()
    return [cell.strip().replace("\\|", "|") for cell in (*cells, inner[at:])]


def _table(lines: Sequence[str]) -> Markup:
    has_head = len(lines) > 1 and _RULE.match(lines[1].strip())
    head = _cells(lines[0]) if has_head else []
    rows = [_cells(line) for line in lines[2 if has_head else 0 :]]
    made = Markup("").join(Markup('<th scope="col">{}</th>').format(_inline(cell)) for cell in head)
    body = Markup("\n").join(
        Markup("<tr>{}</tr>").format(
            Markup("").join(Markup("<td>{}</td>").format(_inline(cell)) for cell in row)
        )
        for row in rows
    )
    return Markup(
        '<div class="scroll" role="region" aria-label="Table of the rules" tabindex="0">'
        '<table class="told">{}<tbody>{}</tbody></table></div>'
    ).format(Markup("<thead><tr>{}</tr></thead>").format(made) if has_head else "", body)


def _inline(text: str) -> Markup:
    """Return a paragraph with its code, emphasis and links; links to elsewhere alone are links."""
    parts: list[Markup] = []
    at = 0
    for found in _INLINE.finditer(text):
        parts.append(escape(plain(text[at : found.start()])))
        code, strong, *slanted, label, target = found.groups()
        emphasis = next(filter(None, slanted), None)
        if code is not None:
            parts.append(Markup("<code>{}</code>").format(plain(code)))
        elif strong is not None:
            parts.append(Markup("<strong>{}</strong>").format(_inline(strong)))
        elif emphasis is not None:
            parts.append(Markup("<em>{}</em>").format(_inline(emphasis)))
        elif target.startswith("https://"):
            link = Markup('<a href="{}" rel="noreferrer noopener">{}</a>')
            parts.append(link.format(target, plain(label)))
        else:
            parts.append(_inline(label))
        at = found.end()
    parts.append(escape(plain(text[at:])))
    return Markup("").join(parts)

"""Scenes drawn with letters: for terminals, in lines that are no wider than asked for; pure."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, zip_longest

from referee.rules.scene import (
    Area,
    Card,
    Facts,
    Grid,
    Ground,
    Group,
    Map,
    Row,
    Text,
    Token,
    Track,
)
from referee.rules.words import fold, letters, width

WIDTH = 80
_GAP = "  "
_INDENT = 2
_MOST_HANG = 30  # columns: what goes on below a longer heading is indented by less
_LESS_HANG = 4
_LEAST_COLUMN = 8
_LONGEST_TRACK = 24
_MOST_MAP_COLUMNS = 3
_NUMBER = re.compile(r"[-+−]?[\d.,]+ ?%?|[-–.]?")
_UNBROKEN = "\x1f"  # stands for a space at which no line breaks; ASCII, as widths are then quick

_LOOKS = {"": "{}", "new": "*{}", "lost": "{}-", "won": "{}+", "used": "{}'", "down": "({})"}
_LEGEND = {
    "down": "(...) laid face down",
    "new": "* new",
    "won": "+ won",
    "lost": "- lost",
    "used": "' used",
}


def drawn(
    areas: Sequence[Area],
    names: Sequence[str],
    seat: int | None = None,
    ground: Ground | None = None,
    most: int = WIDTH,
) -> str:
    """Return a scene in lines of at most `most` columns; of what a legend explains, it is added.

    `names` are what the seats are called, `seat` is who looks at it, `ground` is that of maps.
    """
    return _Pen(names, seat, ground).drawn(areas, most)


class _Pen:
    def __init__(self, names: Sequence[str], seat: int | None, ground: Ground | None) -> None:
        self._names = names
        self._seat = seat
        self._ground = ground or Ground((), ())
        self._looks: set[str] = set()

    def drawn(self, areas: Sequence[Area], most: int) -> str:
        blocks = [block for block in self._blocks(areas, most) if block]
        if legend := [words for look, words in _LEGEND.items() if look in self._looks]:
            blocks.append(["; ".join(legend)])
        lines: list[str] = []
        before = 0
        for block in blocks:
            if before > 1 or (len(block) > 1 and before):
                lines.append("")
            lines += (piece for line in block for piece in _cut(line.rstrip(), most))
            before = len(block)
        return "\n".join(line.rstrip() for line in lines).replace(_UNBROKEN, " ")

    def _blocks(self, areas: Sequence[Area], most: int) -> Iterator[list[str]]:
        """Yield the lines of areas; those that look like a table are drawn as one."""
        for kind, run in groupby(areas, _alike):
            each = [*run]
            if kind == "row":
                yield self._rows([area for area in each if isinstance(area, Row)], most)
            elif kind == "track":
                yield self._tracks([area for area in each if isinstance(area, Track)], most)
            elif isinstance(kind, tuple) and (table := self._table_of(each, most)):
                yield table
            elif kind == "line":
                yield [line for area in each for line in self._area(area, most)]
            else:
                for area in each:
                    yield self._area(area, most)

    def _area(self, area: Area, most: int) -> list[str]:
        match area:
            case Row():
                return self._rows([area], most)
            case Track():
                return self._tracks([area], most)
            case Grid():
                return self._grid(area, most)
            case Map():
                return self._map(area, most)
            case Facts():
                return self._facts(area, most)
            case Text():
                return self._text(area, most)
        return self._group(area, most)

    # --- what areas have in common

    def _name(self, seat: int) -> str:
        return f"{self._names[seat]} (you)" if seat == self._seat else self._names[seat]

    def _heading(self, label: str, seat: int | None, note: str = "") -> str:
        """Return what stands above an area: its seat, its label and its note."""
        parts = [label] if label else []
        if seat is not None:
            parts.insert(0, self._name(seat))
        heading = ": ".join(parts)
        return _upper(f"{heading} ({note})" if note else heading)

    def _group(self, area: Group, most: int) -> list[str]:
        heading = self._heading(area.label, area.seat, "hidden from the others" * area.hidden)
        inner = most - _INDENT
        if area.hidden:
            each = [line for child in area.areas for line in self._area(child, inner)]
            short = f"{heading}: {'; '.join(each)}"
            if len(each) == len(area.areas) and width(short) <= most:
                return [short]
        lines = [line for block in self._blocks(area.areas, inner) for line in block]
        if area.seat is not None and len(lines) == 1:
            short = f"{heading}:{_GAP}{lines[0]}"
            if width(short) <= most:
                return [short]
        return _below(heading, lines, most)

    # --- rows

    def _rows(self, rows: Sequence[Row], most: int) -> list[str]:
        """Return rows below each other, their items in line."""
        heads = [self._heading(row.label, row.seat) for row in rows]
        wide = max(map(width, heads))
        lines = []
        for head, row in zip(heads, rows, strict=True):
            if wide <= _MOST_HANG:
                first, hang = _padded(head, wide) + _GAP * bool(wide), wide + 2 * bool(wide)
            else:
                first, hang = f"{head}{_GAP}", _LESS_HANG
            lines += _wrapped(first, hang, self._items(row), most)
        return lines

    def _items(self, row: Row) -> str:
        """Return the items of a row and its note, which break only where they may."""
        pieces = [self._item(item) for item in row.items]
        is_wordy = all(isinstance(item, Token) for item in row.items)
        told = (", " if is_wordy else " ").join(each.replace(" ", _UNBROKEN) for each in pieces)
        notes = [row.note] if row.note else []
        if row.most == 1 < len(pieces):  # a picture says it on the pile
            notes.insert(0, f"{len(pieces)} in all")
        return "; ".join([told or "-", *notes])

    def _item(self, item: Card | Token) -> str:
        if isinstance(item, Token):
            token = item.code or item.text
            return token if item.count == 1 else f"{token} x{item.count}"
        if not item.count:
            return "-"
        face = item.code or f"{item.text}{item.suit and f' of {item.suit}'}".removeprefix(" of ")
        if not face:
            return f"({item.count} unseen)"
        self._looks |= {item.mark} & {*_LEGEND}
        face = _LOOKS[item.mark].format(face)
        return face if item.count == 1 else f"{face} x{item.count}"

    def _table_of(self, groups: Sequence[Area], most: int) -> list[str] | None:
        """Return groups of the same rows as a table, if there is room for it."""
        if len(groups) < 2:
            return None
        rows = []
        for group in groups:
            assert isinstance(group, Group)
            cells = [self._items(area) for area in group.areas if isinstance(area, Row)]
            rows.append([self._heading(group.label, group.seat), *cells])
        assert isinstance(groups[0], Group)
        head = ["", *(area.label for area in groups[0].areas)]
        widths = [max(map(width, column)) for column in zip(head, *rows, strict=True)]
        wide = sum(widths) + len(_GAP) * (len(widths) - 1)
        if wide > most and wide - widths[-1] > most // 2:
            return None
        return _table(head, rows, most)

    # --- tracks

    def _tracks(self, tracks: Sequence[Track], most: int) -> list[str]:
        """Return tracks below each other: a picture if there is room for it, and words."""
        heads = [_upper(track.label) for track in tracks]
        wide = min(max(map(width, heads)), _MOST_HANG)
        pictures = [self._picture(track) for track in tracks]
        widest = max(map(width, pictures))
        told = [self._marks(track) for track in tracks]
        is_even = wide + widest + max(map(width, told)) + 2 * len(_GAP) <= most
        lines = []
        for head, picture, words in zip(heads, pictures, told, strict=True):
            first = _padded(head, wide) + _GAP
            picture = _padded(picture, widest) if is_even else picture
            if width(first + picture + words) + len(_GAP) <= most:
                first += f"{picture}{_GAP}" if picture.strip() else ""
            lines += _wrapped(first, _LESS_HANG, words, most)
        return lines

    def _picture(self, track: Track) -> str:
        """Return a line of places, their marks on it; none for a line too long to be drawn."""
        size = track.high - track.low
        if not 0 < size <= _LONGEST_TRACK:
            return ""
        places = ["."] * (size + 1)
        if track.low == -track.high:
            places[-track.low] = "|"
        for mark in track.marks:
            at = min(max(mark.at, track.low), track.high) - track.low
            sign = _sign(mark.text if mark.seat is None else self._names[mark.seat])
            places[at] = sign if places[at] in ".|" else "#"
        left, right = (f"{end} " if end else "" for end in track.ends)
        return f"{left}{track.low} {' '.join(places)} {track.high} {right}".rstrip()

    def _marks(self, track: Track) -> str:
        told = [
            f"{self._names[mark.seat]} {mark.text}"
            if mark.seat is not None
            else mark.name or f"{mark.text} at {mark.at}"
            for mark in track.marks
        ]
        return "; ".join([", ".join(told), *([track.note] if track.note else [])])

    # --- squares and places

    def _grid(self, area: Grid, most: int) -> list[str]:
        owners = area.owner or [[None] * len(row) for row in area.cells]
        cells = [
            [text or ("." if owner is None else _sign(self._names[owner])) for text, owner in row]
            for row in (zip(*both, strict=True) for both in zip(area.cells, owners, strict=True))
        ]
        wide = max((width(cell) for row in [area.columns, *cells] for cell in row), default=1)
        left = max(map(width, area.rows), default=0)
        edge, gap = " " * bool(area.marked), _GAP * bool(left)
        lines = []
        if area.columns:
            named = (f"{edge}{_padded(name, wide)}{edge}" for name in area.columns)
            lines.append(f"{' ' * left}{gap}{' '.join(named)}")
        for number, (row, name) in enumerate(zip_longest(cells, area.rows, fillvalue="")):
            shown = []
            for column, cell in enumerate(row):
                is_marked = (number, column) in area.marked
                before, after = "[]" if is_marked else (edge, edge)
                shown.append(f"{before}{_padded(cell, wide)}{after}")
            slant = " " * (number * (wide + 1 + 2 * len(edge)) // 2 if area.slanted else 0)
            lines.append(f"{' ' * (left - width(str(name)))}{name}{gap}{slant}{' '.join(shown)}")
        heading = self._heading(area.label, None, area.note)
        return _below(heading, lines, most)

    def _map(self, area: Map, most: int) -> list[str]:
        """Return the places by regions, and in words what a map draws as lines."""
        places = self._ground.places
        assert places, "a game whose scene has a map has a ground"
        regions = [
            [at for at, _ in run]
            for _, run in groupby(enumerate(places), lambda each: each[1].region)
        ]
        wide = max(width(place.name) for place in places)
        far = max(map(width, area.texts))
        lines = [self._place(area, at, wide, far) for at in range(len(places))]
        blocks = [[*self._title(area, region), *(lines[at] for at in region)] for region in regions]
        heading = self._heading(area.label, None)
        drawn = _below(heading, _columned(blocks, most - _INDENT), most)
        if told := [f"{places[one].name} > {places[to].name}" for one, to in area.arrows]:
            drawn += _wrapped("  From > to: ", _LESS_HANG, ", ".join(told), most)
        return [*drawn, *self._neighbours(area, most)]

    def _place(self, area: Map, at: int, wide: int, far: int) -> str:
        """Return a place in a line, its name and what stands on it as wide as is asked for."""
        owner, text = area.owner[at], area.texts[at]
        is_own = owner is not None and owner == self._seat
        sign = ">" if at in area.marked else "*" if is_own else " "
        who = "-" if owner is None else self._names[owner]
        name = _padded(self._ground.places[at].name, wide)
        return f"{sign} {name} {who} {' ' * (far - width(text))}{text}"

    def _title(self, area: Map, region: Sequence[int]) -> list[str]:
        """Return what a region is called, and who holds all of it."""
        title = self._ground.places[region[0]].region
        owners = {area.owner[at] for at in region}
        holder = owners.pop() if len(owners) == 1 else None
        if not title:
            return []
        return [title if holder is None else f"{title}, all {self._names[holder]}'s"]

    def _neighbours(self, area: Map, most: int) -> list[str]:
        """Return, for who looks at a map, each own place with the neighbours of others."""
        if self._seat is None:
            return []
        places = self._ground.places
        near: list[list[int]] = [[] for _ in places]
        for one, to in self._ground.roads:
            near[one].append(to)
            near[to].append(one)
        lines = []
        for at, owner in enumerate(area.owner):
            if owner == self._seat:
                others = [to for to in sorted(near[at]) if area.owner[to] != owner]
                told = ", ".join(self._placed(area, to).replace(" ", _UNBROKEN) for to in others)
                if others:
                    head = f"{_GAP}{places[at].name} {area.texts[at]} | "
                    lines += _wrapped(head, 2 * _LESS_HANG, told, most)
        heading = [*fold("Your places beside those of others:", most)]
        return ["", *heading, *lines] if lines else []

    def _placed(self, area: Map, at: int) -> str:
        owner = area.owner[at]
        who = "-" if owner is None else self._names[owner]
        return f"{self._ground.places[at].name} {who} {area.texts[at]}"

    # --- words

    def _facts(self, area: Facts, most: int) -> list[str]:
        heading = _upper(area.label)
        if heading and not any(area.head) and len(area.rows) == 1:
            who = [self._name(area.seats[0])] if area.seats else []
            line = f"{heading}: {' '.join([*who, ', '.join(area.rows[0])])}"
            return _wrapped("", _LESS_HANG, line, most)
        rows = [[*row] for row in area.rows]
        head = [*area.head]
        if area.seats:
            rows = [
                [_upper(self._name(seat)), *row] for seat, row in zip(area.seats, rows, strict=True)
            ]
            if any(head):  # the heading stands above the seats
                return _table([heading, *head], rows, most)
        inner = most - _INDENT * bool(heading)
        return _below(heading, _table(head, rows, inner) or ["-"], most)

    def _text(self, area: Text, most: int) -> list[str]:
        """Return the lines; what a seat did one after the other makes a paragraph."""
        heading = _upper(area.label)
        inner = most - _INDENT * bool(heading)
        if not area.seats:
            if heading and len(area.lines) == 1:
                line = f"{heading}: {area.lines[0]}"
                if width(line) <= most:
                    return [line]
            told = [("", line) for line in area.lines]
        else:
            both = zip(area.seats, area.lines, strict=True)
            told = [
                (_upper(self._name(seat)), "; ".join(line for _, line in run))
                for seat, run in groupby(both, lambda each: each[0])
            ]
        wide = max((width(name) for name, _ in told), default=0)
        lines = []
        for name, words in told:
            first = f"{_padded(name, wide)}{_GAP}" if name else ""
            lines += _wrapped(first, width(first) or _LESS_HANG, words, inner)
        return _below(heading, lines, most)


def _alike(area: Area) -> object:
    """Return what areas have in common that are drawn as one block."""
    match area:
        case Row():
            return "row"
        case Track():
            return "track"
        case Group(areas=inner, hidden=False) if inner and all(
            isinstance(each, Row) and each.seat is None for each in inner
        ):
            return tuple(each.label for each in inner)
        case Facts(head=head, rows=rows) if not any(head) and len(rows) == 1:
            return "line"
        case Text(label=label, lines=lines, seats=()) if label and len(lines) == 1:
            return "line"
    return ""


def _below(heading: str, lines: Sequence[str], most: int) -> list[str]:
    """Return lines indented below a heading; as they are, if there is none."""
    if not heading:
        return [*lines]
    return [*fold(heading, most), *(f"{' ' * _INDENT}{line}" for line in lines)]


def _padded(text: str, wide: int) -> str:
    return text + " " * (wide - width(text))


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _sign(name: str) -> str:
    """Return one letter that stands for a name: the number of "seat 3", or the first."""
    words = name.split()
    sign = words[-1] if words and words[-1].isdigit() else name
    return next(letters(sign), " ")


def _wrapped(first: str, hang: int, words: str, most: int) -> list[str]:
    """Return words behind a beginning, in lines of which the later ones are indented."""
    room = most - hang
    if room < _LEAST_COLUMN:
        hang, room = 0, most
    if width(first + words) <= most:
        return [first + words]
    if width(first) == hang:
        one, *more = fold(words, room)
        return [first + one, *(" " * hang + line for line in more)]
    # the first line has another room than those below it: what does not fit is folded again
    one, *more = fold(f"{first.replace(' ', _UNBROKEN)}{words}", most)
    return [one, *(" " * hang + line for line in fold(" ".join(more), room) if more)]


def _cut(line: str, most: int) -> Iterator[str]:
    """Yield a line in pieces that fit."""
    if width(line) <= most:
        yield line
        return
    piece = ""
    for letter in letters(line):
        if piece and width(piece + letter) > most:
            yield piece
            piece = ""
        piece += letter
    yield piece


def _columned(blocks: Sequence[Sequence[str]], most: int) -> list[str]:
    """Return blocks of lines beside each other, in as many columns as there is room for."""
    wide = max((width(line) for block in blocks for line in block), default=1)
    count = max(1, min(_MOST_MAP_COLUMNS, (most + len(_GAP)) // (wide + len(_GAP))))
    total = sum(map(len, blocks))
    columns: list[list[str]] = [[]]
    for block in blocks:
        is_full = len(columns[-1]) + len(block) / 2 > total / count
        if columns[-1] and is_full and len(columns) < count:
            columns.append([])
        columns[-1] += block
    return [
        _GAP.join(_padded(line, wide) for line in lines)
        for lines in zip_longest(*columns, fillvalue="")
    ]


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], most: int) -> list[str]:
    """Return cells in columns, numbers to the right; the widest columns are folded to fit."""
    count = max([len(head), *map(len, rows)], default=0)
    grid = [[*row, *([""] * (count - len(row)))] for row in ([head] if any(head) else [])]
    grid += [[*row, *([""] * (count - len(row)))] for row in rows]
    if not count or not grid:
        return []
    is_number = [
        any(row[at][-1:].isdigit() for row in rows if at < len(row))
        and all(_NUMBER.fullmatch(row[at]) for row in rows if at < len(row))
        for at in range(count)
    ]
    widths = [max(1, *(width(row[at]) for row in grid)) for at in range(count)]
    while sum(widths) + len(_GAP) * (count - 1) > most and max(widths) > _LEAST_COLUMN:
        widest = widths.index(max(widths))
        over = sum(widths) + len(_GAP) * (count - 1) - most
        second = max([_LEAST_COLUMN, *widths[:widest], *widths[widest + 1 :]])
        widths[widest] -= max(1, min(over, widths[widest] - second))
    lines: list[str] = []
    for row in grid:
        folded = [
            [cell] if width(cell) <= room else [*fold(cell, room)]
            for cell, room in zip(row, widths, strict=True)
        ]
        for parts in zip_longest(*folded, fillvalue=""):
            line = _GAP.join(
                part.rjust(room - width(part) + len(part)) if right else _padded(part, room)
                for part, room, right in zip(parts, widths, is_number, strict=True)
            )
            lines.append(line)
    return lines

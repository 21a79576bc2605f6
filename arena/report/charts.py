"""The pictures with axes, as SVG that takes its colours from the page and runs nothing."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

from arena.report.plotting import pygal
from arena.report.progress import Point
from arena.report.templates import plain
from arena.stats.encounters import SURE
from arena.tables.elo import ELO_KEYS, elo_text
from arena.tables.table import Row
from arena.text import many

MOST_LINES = 12
MOST_DOTS = 30
_NAME = 20  # letters of one at an axis
_BINS = 40
_WIDTH = 800
_TAGS = {"g", "path", "line", "rect", "circle", "text"}
_ATTRIBUTES = {
    *("class", "cx", "cy", "d", "height", "r", "rx", "ry", "transform", "width", "x", "y")
}
_LEFT_OUT = {"tooltip-overlay", "text-overlay"}  # they are of use to the library's script only
_FRACTION = re.compile(r"-?\d+\.\d+")


def rating_chart(points: Sequence[Point], bots: Sequence[str]) -> str:
    """Return the ratings of some bots against the matches that were played by then."""
    chart = pygal.XY(
        **_settings(340),
        x_title="Matches of the league",
        y_title=scale_of(points),
        x_labels=_ticks(0, points[-1].matches),
        dots_size=2.5,
        show_x_guides=False,
    )
    for bot in bots:
        line = [
            {
                "value": (point.matches, shown[0]),
                "label": f"{plain(bot)}: {shown[1]} after "
                f"{many(point.matches, 'match', 'matches')}",
            }
            for point in points
            if (shown := rated_at(points, point, bot)) is not None
        ]
        chart.add(plain(bot), line)
    return _drawn(
        chart,
        "progress",
        "Rating against matches played",
        f"The ratings of {many(len(bots), 'bot')} at {many(len(points), 'point')}; the table below "
        f"shows them.",
    )


def scale_of(points: Sequence[Point]) -> str:
    """Return what ratings over time are called: "Elo" where any is known on that scale."""
    return "Elo" if any(point.elo for point in points) else "Rating"


def rated_at(points: Sequence[Point], point: Point, bot: str) -> tuple[float, str] | None:
    """Return a bot's rating at one of some points, rounded, and as text with what it may be off by.

    On Elo's scale if any of the points has that; None where it is not known.
    """
    if scale_of(points) == "Elo":
        elo = point.elo.get(bot) if bot in point.ratings else None
        return None if elo is None else (round(elo.points, 1), elo_text(elo))
    rating = point.ratings.get(bot)
    if rating is None:
        return None
    return round(rating.mu, 2), f"{rating.mu:.2f} ± {2 * rating.error:.2f}"


def length_chart(bins: Sequence[tuple[int, int, int]]) -> str:
    """Return how many matches had so many decisions, by the bins of `binned`."""
    first, last = bins[0][0], bins[-1][1] + 1
    chart = pygal.Histogram(
        **_settings(280),
        x_title="Decisions in a match",
        y_title="Matches",
        x_labels=_ticks(first, last),
        y_labels=_ticks(0, max(count for _, _, count in bins)),
        show_x_guides=False,
    )
    bars = [
        {
            "value": (count, low, high + 1),
            "label": f"{_span(low, high)} decisions: {many(count, 'match', 'matches')}",
        }
        for low, high, count in bins
    ]
    chart.add("Matches", bars)
    return _drawn(
        chart,
        "lengths",
        "How long the matches were",
        f"From {first:,} to {last - 1:,} decisions; the table below has the numbers.",
    )


def binned(lengths: Mapping[int, int]) -> list[tuple[int, int, int]]:
    """Return first length, last length and matches of every bin, among lengths that are counted."""
    first, last = min(lengths), max(lengths)
    width = _round_up((last - first + 1) / _BINS)
    start = first // width * width
    bins = [[low, low + width - 1, 0] for low in range(start, last + 1, width)]
    for length, count in lengths.items():
        bins[(length - start) // width][2] += count
    return [(low, high, count) for low, high, count in bins]


def _span(low: int, high: int) -> str:
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def seat_chart(rows: Sequence[Row]) -> str:
    """Return what everybody scored in each seat, with two standard errors, in percent."""
    most = max(row["points"] + SURE * (row["error"] or 0.0) for row in rows)
    chart = pygal.Bar(
        **_settings(260, 140 + 90 * len(rows)),
        y_title="% of the points",
        show_x_guides=False,
        range=(0, min(100, 10 * math.ceil(100 * most / 10))),
    )
    chart.x_labels = [f"Seat {row['seat']}" for row in rows]
    bars = []
    for row in rows:
        percent = 100 * row["points"]
        reach = 100 * SURE * (row["error"] or 0.0)
        label = f"Seat {row['seat']}: {percent:.1f} % ± {reach:.1f}"
        interval = {"low": max(0.0, percent - reach), "high": min(100.0, percent + reach)}
        bars.append({"value": percent, "ci": interval, "label": label})
    chart.add("Everybody", bars)
    return _drawn(
        chart,
        "seats",
        "Points by seat",
        "What all bots together scored in each seat; the table below has the numbers.",
    )


def time_chart(rows: Sequence[Row]) -> str:
    """Return the CPU time of a decision by bot, in milliseconds, on a scale of powers of ten."""
    times = [1000 * row["cpu_per_decision"] for row in rows]
    low = math.floor(math.log10(min(times)))
    high = max(low + 1, math.ceil(math.log10(max(times))))
    chart = pygal.HorizontalLine(
        **_settings(90 + 22 * len(rows)),
        x_title="CPU ms for a decision",
        logarithmic=True,
        range=(10.0**low, 10.0**high),
        stroke=False,
        dots_size=5,
        show_x_guides=True,
        show_y_guides=True,
    )
    names = [plain(row["bot"]) for row in rows]
    chart.x_labels = [_cut(name) for name in names]
    chart.y_labels = [10.0**power for power in range(low, high + 1)]
    dots = [
        {"value": time, "label": f"{name}: {time:.3f} ms"}
        for name, time in zip(names, times, strict=True)
    ]
    chart.add("CPU ms", dots)
    return _drawn(
        chart,
        "times",
        "CPU time of a decision",
        "The mean by bot, on a scale of powers of ten; the table below has the numbers.",
        names,
    )


def timed(rows: Sequence[Row]) -> list[Row]:
    """Return the first rows whose bots have a time to draw."""
    return [row for row in rows if row["cpu_per_decision"]][:MOST_DOTS]


class Axis:
    """The common axis of the ratings in a table, 160 units long."""

    width = 160

    def __init__(self, rows: Sequence[Row]) -> None:
        ends = [end for row in rows for end in _reach(row)]
        self.low = min(ends, default=0.0)
        self.high = max(max(ends, default=1.0), self.low + 1)

    def at(self, rating: float) -> str:
        """Return where a rating lies."""
        inner = self.width - 8
        return f"{4 + inner * (rating - self.low) / (self.high - self.low):.1f}"

    def marks(self, row: Row) -> Iterator[tuple[str, str, str]]:
        """Yield where a row's rating lies between its ends, if it is known on this scale."""
        if reach := _reach(row):
            low, high = reach
            yield self.at(low), self.at((low + high) / 2), self.at(high)


def _reach(row: Row) -> tuple[()] | tuple[float, float]:
    """Return the ends of a row's rating, on Elo's scale if it has that; () if unknown."""
    middle, error = (row[key] for key in (ELO_KEYS if "elo" in row else ("rating", "error")))
    return () if middle is None else (middle - 2 * (error or 0), middle + 2 * (error or 0))


def _settings(height: int, width: int = _WIDTH) -> dict[str, Any]:
    style = pygal.style.Style(
        label_font_size=12, major_label_font_size=12, title_font_size=13, font_family="inherit"
    )
    return {
        "style": style,
        "css": (),
        "js": (),
        "show_legend": False,
        "width": width,
        "height": height,
        "margin": 8,
        "value_formatter": _number,
        "x_value_formatter": _number,
    }


def _number(value: float) -> str:
    return f"{value:,.6g}" if abs(value) < 1e6 else f"{value:,.0f}"


def _cut(name: str) -> str:
    return name if len(name) <= _NAME else f"{name[: _NAME - 1]}…"


def _ticks(first: int, last: int) -> list[int]:
    """Return some ten round numbers from the first to the last, which is more."""
    step = _round_up((last - first) / 10)
    return list(range(-(-first // step) * step, last + 1, step))


def _round_up(size: float) -> int:
    """Return the least of 1, 2, 5, 10, 20 and so on that is no less."""
    power = 1
    while True:
        for digit in (1, 2, 5):
            if digit * power >= size:
                return digit * power
        power *= 10


def _drawn(chart: Any, name: str, title: str, words: str, whole: Sequence[str] = ()) -> str:
    """Return a chart's SVG, of which nothing is kept but shapes and text.

    `whole` are the names at its upright axis, which is drawn first, before they were cut.
    """
    tree = chart.render_tree()
    box = tree.get("viewBox", "")
    root = Element(
        "svg",
        {
            "viewBox": box,
            "width": box.split()[2],
            "class": f"chart chart-{name}",
            "role": "img",
            "aria-labelledby": f"{name}-title {name}-words",
        },
    )
    SubElement(root, "title", {"id": f"{name}-title"}).text = title
    SubElement(root, "desc", {"id": f"{name}-words"}).text = words
    root.extend(_clean(tree))
    for label, uncut in zip(root.iter("text"), whole, strict=False):
        if label.text == _cut(uncut) != uncut:
            SubElement(label, "title").text = uncut
    return tostring(root, encoding="unicode")


def _clean(tree: Element) -> Iterator[Element]:
    for child in tree:
        classes = (child.get("class") or "").split()
        if child.tag not in _TAGS or _LEFT_OUT.intersection(classes):
            continue
        kept = Element(child.tag, {key: _short(child.get(key, "")) for key in _kept(child)})
        kept.text = child.text
        label = next((each.text for each in child if each.get("class") == "label"), None)
        if child.tag == "g" and label:
            SubElement(kept, "title").text = label
        kept.extend(_clean(child))
        if child.tag != "g" or len(kept):
            yield kept


def _kept(element: Element) -> list[str]:
    return sorted(key for key in element.keys() if key in _ATTRIBUTES)  # noqa: SIM118 - iterating gives its children


def _short(value: str) -> str:
    return _FRACTION.sub(lambda number: f"{float(number[0]):.1f}".removesuffix(".0"), value)

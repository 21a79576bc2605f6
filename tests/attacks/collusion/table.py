"""The table `channel × sandbox × user` of bits a second, in Markdown."""

from collections.abc import Iterator, Mapping, Sequence

from tests.attacks.collusion.channels import CHANNELS, MEETINGS
from tests.attacks.collusion.gaps import GAPS, TIMING
from tests.attacks.users import WITHOUT_MOUNTS

BEGIN = "<!-- The channels: written by `python -m tests.attacks.collusion --write`. -->"
END = "<!-- The end of the channels. -->"
COLUMNS = {
    ("none", "user"): "none",
    ("landlock", "user"): "ll user",
    ("landlock", "root"): "ll root",
    ("bwrap", "user"): "bw user",
    ("bwrap", "root"): "bw root",
    ("uid", "root"): "uid ns",
    ("uid", WITHOUT_MOUNTS): "uid chr",
}
"""A sandbox and a user, and how the table calls them."""
_OF_ONE = {("user",): ", as an ordinary user", (WITHOUT_MOUNTS,): ", after `chroot`"}
"""How a gap is said to be one of some users alone."""
NOTHING, NOT_RUN, FAILED = ".", "–", "?"
_NAME, _CELL = 26, 7

Column = tuple[str, str]
Marks = Mapping[tuple[str, str, Column], str]
"""What stands for a channel, a meeting and a column."""


def mark(outcome: Mapping[str, object]) -> str:
    """Return what stands for an outcome."""
    if "error" in outcome:
        return FAILED
    if "missing" in outcome:
        return NOT_RUN
    bits, most = float(str(outcome["bits"])), float(str(outcome["most"]))
    if bits:
        return _short(bits)
    return f"<{_short(most)}" if most >= 1 else NOTHING


def _short(bits: float) -> str:
    """Return a number with two digits that count."""
    if bits >= 10:
        scale = 10 ** (len(str(int(bits))) - 2)
        return f"{-(-int(bits) // scale) * scale:,}"
    return f"{bits:.1f}"


def table(columns: Sequence[Column], marks: Marks) -> str:
    """Return the rows of each meeting, what the signs mean, and the reason of every gap."""
    lines = [_row("channel", [COLUMNS[column] for column in columns])]
    lines.append(_row("-" * _NAME, ["-" * (_CELL - 1) + ":" for _ in columns]))
    for meeting, title in MEETINGS.items():
        lines.append(_row(f"**{title}**", [""] * len(columns)))
        for channel in CHANNELS:
            if meeting in channel.meetings:
                cells = [marks.get((channel.slug, meeting, column), NOT_RUN) for column in columns]
                lines.append(_row(channel.name, cells))
    return "\n".join([*lines, "", *_reasons()])


def _row(name: str, cells: Sequence[str]) -> str:
    return f"| {name:{_NAME}} | " + " | ".join(f"{cell:>{_CELL}}" for cell in cells) + " |"


def _reasons() -> Iterator[str]:
    """Yield why what is open is not closed."""
    names = {channel.slug: channel.name for channel in CHANNELS}
    for gap in GAPS:
        *others, last = gap.sandboxes
        where = f"{', '.join(others)} and {last}" if others else last
        where += _OF_ONE.get(gap.users, "")
        where += ", where /proc cannot be hidden" if gap.where_proc_is_seen else ""
        yield f"- *{names[gap.channel]}* ({where}; up to {gap.most:,} bits/s): {gap.reason}"
    timed = [f"*{channel.name}*" for channel in CHANNELS if channel.is_timing]
    yield f"- {', '.join(dict.fromkeys(timed))}: {TIMING}"

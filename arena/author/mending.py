"""What the author of a bot that is not fit is told in a line: what failed, and what to do."""

import re
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import PurePath

from arena.author.new import languages
from arena.author.verdict import BUILT, LEGAL, QUIET, READY, RUNS, TIMELY, Step
from arena.text import safe

_STDERR = "Standard error:"
"""The line of the evidence of a step below which a standard error stands, indented."""
_FRAME = re.compile(r'File "([^"\0]{1,300})", line ([0-9]{1,7})')
_ERROR = re.compile(r"[\w.]{0,80}(Error|Exception|Interrupt)\b")
_MODULE = re.compile(r"No module named '([\w.]{1,80})'")
_KINDS = re.compile(r"^match .{0,80}?: (?:late|illegal|malformed|flood|crash): (?:[\w ]{1,40}: )?")
_OURS = ("it ", "its ", "there ")
"""How sentences of ours begin."""
_NEAR = 0.82  # of 1: how alike names are of which one may be meant
_LONGEST = 300  # characters of what a bot said
_LOOP = "a bot ends with the loop of the kit, in Python kit.run(choose)"
_PRINTS = (
    "it prints what is no answer, and its standard output is for answers alone: take out print and "
    "input, or print to standard error, in Python print(..., file=sys.stderr)"
)
_NOTHING = "did its choice return nothing?"
_RETURNS = "its choice returns nothing: let every way through it end with return and a move"
_IDLE = " was idle"
_WAITS = (
    "it waits, and does not think: the kit alone reads lines and answers them, so take out what "
    "reads or sleeps, in Python input() and sleep()"
)
_TOLD = {
    LEGAL: ("it made a move that is not legal", "return one of the legal moves that are listed"),
    TIMELY: ("it answers too late", "let it think less, and look for a loop that never ends"),
    QUIET: (_PRINTS, ""),
    BUILT: ("it cannot be built", "mend that"),
}
"""What steps say that failed, and what to do."""


def to_mend(name: str, steps: Sequence[Step]) -> str:
    """Return in a sentence what is to be mended of a bot; nothing if no step failed."""
    failed = next((step for step in steps if step.state == "FAILED"), None)
    if failed is None:
        return ""
    detail = failed.detail.removeprefix(f"bot {name!r}: ")
    if failed.title == RUNS or failed.by_machine:
        return _sentence(detail)
    if failed.title not in _TOLD and (error := _error(failed.evidence)):
        return _sentence(error)
    if failed.title in (READY, TIMELY) and _IDLE in detail:
        return _sentence(_WAITS)
    if failed.title == READY:
        return _sentence(_unready(detail))
    what, remedy = _TOLD.get(failed.title, (f"the step failed that it {failed.title}", ""))
    if failed.title == QUIET and _NOTHING in detail:
        return _sentence(_RETURNS)
    why = _KINDS.sub("", detail).rstrip(".")
    if failed.title == BUILT and (printed := _printed(failed.evidence)) not in why:
        why = f"{why}; {printed}"
    return _sentence(": ".join(filter(None, [f"{what} ({_cut(why)})" if why else what, remedy])))


def _unready(detail: str) -> str:
    """Return what is wrong with a bot that did not say ready and left no error."""
    if "exited with code 0" in detail:
        return f"it ends before the first match: {_LOOP}"
    if "not JSON" in detail:
        _, _, said = detail.partition(" (it said ")
        return f"{_PRINTS} (it said {_cut(said.removesuffix(')'))})" if said else _PRINTS
    return f"{detail}: {_LOOP}"


def _error(evidence: Sequence[str]) -> str:
    """Return with which error a program ended, where, and what to do; nothing if it says none."""
    if _STDERR not in evidence:
        return ""
    lines = [line[2:] for line in evidence[evidence.index(_STDERR) :] if line.startswith("  ")]
    error = next((line for line in reversed(lines) if _ERROR.match(line)), "")
    if not error:
        return ""
    if found := _MODULE.search(error):
        return _without(found[1])
    kits = {language.kit for language in languages().values()}
    usual = {language.bot for language in languages().values()}
    frames = [_FRAME.search(line) for line in lines]
    at = [(PurePath(each[1]).name, each[2]) for each in frames if each]
    file, line = next((each for each in reversed(at) if each[0] not in kits), ("", ""))
    where = f" in line {line}{'' if file in usual else f' of {file}'}" if line else ""
    what = _sentence(f"it stops with an error{where}: {_cut(error)}")
    return f"{what} Run it at home, and mend that"


def _without(module: str) -> str:
    if module.lower() == "kit":
        return f"there is no module {module}: write import kit, in small letters"
    known = {"kit", *(name for name in sys.stdlib_module_names if name[0] != "_")}
    near = get_close_matches(module, sorted(known), 1, _NEAR)
    if near and module not in known:  # else it lacks on this machine
        return f"there is no module {module}: did you mean {near[0]}?"
    return (
        f"it needs {module}, which is neither Python's own nor one of its files: write it without, "
        f"or hand in a folder as `arena new --package {module}` makes it"
    )


def _printed(evidence: Sequence[str]) -> str:
    """Return the first line of what a build printed that speaks of an error, or its last one."""
    lines = [line.strip() for line in evidence[1:] if line.strip()]
    return next((line for line in lines if "error" in line.lower()), lines[-1] if lines else "")


def _cut(text: str) -> str:
    text = safe(text.strip())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _sentence(text: str) -> str:
    text = text.strip()
    first = text[:1].upper() if text.startswith(_OURS) else text[:1]  # and not that of a file
    return f"{first}{text[1:]}{'' if text.endswith(('.', '!', '?', '…')) else '.'}"

"""Fingerprints of programs, by which copies are found though they were changed; pure.

A program is first brought into a form in which names, numbers, texts, comments and spaces make no
difference: to rename is the cheapest disguise. Keywords and signs stay, so that the form is the
program's structure. Of all runs of `_RUN` tokens a few are chosen by winnowing (Schleimer,
Wilkerson and Aiken, 2003): of each `_WINDOW` runs that follow each other, the one of the least
hash. So whatever two programs have in common for `_RUN` + `_WINDOW` - 1 tokens gives both the same
fingerprint, wherever it stands, and all others are likely different.
"""

import re
from functools import cache
from itertools import islice
from pathlib import PurePosixPath
from zlib import crc32

_RUN = 16  # tokens that a fingerprint is of
_WINDOW = 9  # runs of which one is chosen at least

_LANGUAGES = {
    "python": ("#", ".py .pyw .pyi"),
    "script": ("#", ".sh .bash .rb .pl .pm .r .jl .tcl .awk .nim .ex .exs .cr"),
    "c": ("//", ".c .h .cc .cpp .cxx .hh .hpp .hxx"),
    "java": ("//", ".java .kt .kts .scala .groovy"),
    "javascript": ("//", ".js .mjs .cjs .ts .mts .jsx .tsx"),
    "rust": ("//", ".rs"),
    "go": ("//", ".go"),
    "other": ("//", ".cs .swift .d .zig .dart .php .pas .ml .mli .fs .v"),
    "dashes": ("--", ".hs .lua .adb .ads .sql .elm"),
    "lisp": (";", ".lisp .lsp .cl .scm .rkt .clj .el .asm .s"),
    "percent": ("%", ".erl .m .pro"),
}
"""How comments begin, and how the files of a language end; only within one are programs compared.

C and C++ are one, as are Java and its kin, and JavaScript and TypeScript: a program in one is
often one in the other.
"""
_OF_SUFFIX = {end: name for name, (_, ends) in _LANGUAGES.items() for end in ends.split()}

_KEYWORDS = re.findall(
    r"\w+",
    """
    and as assert async await begin bool break case catch char class const continue def default
    defer del do double elif else elsif end enum except export extends false finally float fn for
    foreach from fun func function global go goto if impl import in instanceof int interface is
    lambda let local long match mod mut namespace new nil none nonlocal not null of or package pass
    private protected pub public raise return select short static struct super switch then this
    throw trait true try type typedef union unless unsigned until use using val var void when where
    while with yield
    """,
)
"""The keywords of all languages together, but for those that are usual names in others."""
_NAME, _NUMBER, _TEXT, _OTHER = b'n0"?'
_CODES: dict[str, int] = {word: 128 + number for number, word in enumerate(_KEYWORDS)}
_LEFT_OUT = b"\0"

# Each part ends what it has begun at the end of the file at the latest, so that no text, however
# it was made, is looked through twice.
_BLOCK = r"/\*[\s\S]*?(?:\*/|\Z)"
_STRINGS = r""""(?:[^"\\\n]|\\[\s\S])*"?|'(?:[^'\\\n]|\\[\s\S])*'?"""
_TRIPLE = r"\"\"\"[\s\S]*?(?:\"\"\"|\Z)|'''[\s\S]*?(?:'''|\Z)"
_WORDS = r"[^\W\d]\w*|\d[\w.]*|[^\s\w]"


def language_of(path: str, start: str = "") -> str:
    """Return in which language a file is, by its ending or its first line; empty if in none."""
    if PurePosixPath(path).suffix or not start.startswith("#!"):
        return _OF_SUFFIX.get(PurePosixPath(path).suffix.lower(), "")
    return "python" if "python" in start.partition("\n")[0] else "script"


def form(text: str, language: str) -> bytes:
    """Return a program as all are alike that differ in names, numbers, texts and comments only.

    Each token is a byte.
    """
    codes = _Codes(_LANGUAGES[language][0])
    return bytes(map(codes.__getitem__, _tokens(language).findall(text))).translate(None, _LEFT_OUT)


def fingerprints(program: bytes, language: str) -> set[int]:
    """Return the fingerprints of a program's form: numbers of 32 bits."""
    start = crc32(language.encode())
    runs = range(len(program) - _RUN + 1)
    hashes = [crc32(program[at : at + _RUN], start) for at in runs]
    if len(hashes) <= _WINDOW:
        return {min(hashes)} if hashes else set()
    return set(map(min, *(islice(hashes, at, None) for at in range(_WINDOW))))


@cache
def _tokens(language: str) -> "re.Pattern[str]":
    """Return what finds the tokens of a language, comments among them."""
    sign = _LANGUAGES[language][0]
    parts = [rf"{re.escape(sign)}[^\n]*", _STRINGS, _WORDS]
    if sign == "//":
        parts = [_BLOCK, parts[0], r"`[^`]*`?", *parts[1:]]
    elif language == "python":
        parts.insert(1, _TRIPLE)
    return re.compile("|".join(parts))


class _Codes(dict[str, int]):
    """The byte of each token, found when it is first asked for."""

    def __init__(self, comment: str) -> None:
        super().__init__(_CODES)
        self._comment = comment

    def __missing__(self, token: str) -> int:
        self[token] = found = self._code(token)
        return found

    def _code(self, token: str) -> int:
        first = token[0]
        if token.startswith((self._comment, "/*")) and (len(token) > 1 or token == self._comment):
            return 0
        if first in "\"'`":
            return _TEXT
        if first.isdigit():
            return _NUMBER
        if first.isalpha() or first == "_":
            return _CODES.get(token.lower(), _NAME)
        return ord(first) if first.isascii() else _OTHER

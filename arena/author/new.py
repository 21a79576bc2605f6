"""New bots: a folder with a program that plays, in one of several languages, to be improved."""

import json
import shutil
import subprocess
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from string import Template
from typing import Any

import msgspec

from arena.author.starter import filled
from arena.environment.names import LOCK, REQUIREMENTS
from arena.folders import whole_or_nothing
from arena.league.bot import check_name
from arena.league.finding import BUNDLED, HUMAN, VENV, bots_for, bundled
from arena.play.building import usual_tools
from arena.text import quoted, toml
from protocol.errors import ArenaError
from referee.allowed import AllowedRequest, allowed_of
from referee.catalog.folder import ideas_of, rules_of
from referee.rules.game import Game
from referee.rules.options import suggestion
from referee.sandbox.kinds import search_path

TEMPLATES = BUNDLED / "templates"
"""A folder for each language, with its starter and its kit, and what all languages share."""

BRIDGE = BUNDLED / "bridges" / "uci.py"
"""The bot that passes on what a chess engine says."""
CHAT = BUNDLED / "bridges" / "chat.py"
"""The bot that asks a model."""
RULES, SCHEMA = "rules.md", "schema.json"
PAGES = "README.md", "AGENTS.md"
"""What a new bot has to read: for its author, and for a program that writes it."""
_ENDPOINT = "/chat/completions"
_SHOWN = "/usr"  # which every sandbox shows to bots
_PATIENCE = 10.0  # seconds in which an engine says that it speaks UCI

_PACKAGES = (
    f"| `{REQUIREMENTS}` | the packages that it needs. Before all else, and after each change: "
    f"`arena env build --fetch .`, which fetches them and writes their exact versions into "
    f"`{LOCK}`. Keep that, and hand it in, as a file of the bot. |\n"
)
"""A line of the table of files of a bot with packages."""
_MODULES = Path("python", "modules.toml")
_IMPORT = "import kit\n"
_MAIN = '\nif __name__ == "__main__":\n'
"""Two lines of the starter in Python: what is added stands below each."""
_OTHERS = "# import here what you need of that, by the name that its documentation says.\n"
_EXAMPLE = "A worked example, in Python, is `arena bots {game} --show sensible`.\n\n"

_ALSO = {"js": "javascript", "node": "javascript", "c++": "cpp", "py": "python"}
_ALSO |= {"rs": "rust", "golang": "go", "sh": "shell", "bash": "shell"}


class Language(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One language's table of `languages.toml`, where each key is explained."""

    title: str
    bot: str
    kit: str
    command: list[str]
    needs: list[str]
    build: list[str] | None = None
    files: list[str] | None = None

    @property
    def lacking(self) -> list[str]:
        """Which of the programs that build or run it a sandbox does not show."""
        seen = ":".join([*(f"{tool}/bin" for tool in usual_tools()), search_path(None)])
        return [program for program in self.needs if shutil.which(program, path=seen) is None]


@cache
def languages() -> dict[str, Language]:
    """Return the languages there are, by name."""
    text = (TEMPLATES / "languages.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), dict[str, Language])


def language_name(word: str) -> str:
    """Return what we call the language that a word means, known or not."""
    return _ALSO.get(word.lower(), word.lower())


def find_language(word: str) -> tuple[str, Language]:
    """Return a language's name and what is known of it; raise ArenaError if there is none."""
    known, name = languages(), language_name(word)
    if name not in known:
        raise ArenaError(f"there is no language {word!r}. {suggestion(word, known)}")
    return name, known[name]


def write_bot(
    folder: Path,
    language: str,
    game: type[Game],
    word: str | None = None,
    packages: Sequence[str] = (),
) -> list[str]:
    """Write a new bot into `folder`, which is made; return the names of its files.

    `word` means the game in that folder, if it is not the game's name. With `packages`, the bot is
    one in Python, and has them in an environment.

    Raises ArenaError if there is anything in the folder, for a name that no bot may have or that
    means another, and where a game cannot be begun.
    """
    contents, executable = bot_files(folder.resolve().name, language, game, word, packages)
    _check_new(folder)
    return write_files(folder, contents, executable)


def bot_files(
    name: str,
    language: str,
    game: type[Game],
    word: str | None = None,
    packages: Sequence[str] = (),
) -> tuple[dict[str, bytes], str]:
    """Return the files of a new bot of a name, and which of them is to be executable, if any.

    Raises ArenaError as `write_bot` does, but for what is in a folder.
    """
    check_name(name)
    _check_free(name, game.name)
    kind, source = languages()[language], TEMPLATES / language
    executable = kind.bot if kind.command[0] == f"./{kind.bot}" else ""
    copies = [kind.kit, "Makefile"] if kind.build else [kind.kit]
    words = _words(name, kind, game, word or game.name, _PACKAGES * bool(packages))
    contents = {
        kind.bot: filled((source / kind.bot).read_text(encoding="utf-8"), game).encode(),
        **{file: (source / file).read_bytes() for file in copies},
        "bot.toml": bot_file(kind).encode(),
        **{page: _filled_page(page, words).encode() for page in PAGES},
    }
    if packages:
        contents[REQUIREMENTS] = _requirements(packages).encode()
        contents["bot.toml"] += f"python = {toml(VENV)}\n".encode()
        program = contents[kind.bot].decode()
        contents[kind.bot] = _importing(program, packages, TEMPLATES / _MODULES).encode()
    return contents, executable


def write_bridge(folder: Path, engine: Path, words: Sequence[str]) -> list[str]:
    """Write a bot into `folder` that lets an engine play, which speaks UCI; return its files.

    `engine` is its program and `words` follow it; those that are files are copied, unless every
    sandbox shows them. Raises ArenaError for one that does not speak UCI, and as `write_bot` does.
    """
    check_name(folder.resolve().name)
    files = {word: path for word in words if (path := Path(word).resolve()).is_file()}
    _check_speaks(engine, [str(files.get(word, word)) for word in words])
    kit = TEMPLATES / "python" / "kit.py"
    contents = {BRIDGE.name: BRIDGE.read_bytes(), kit.name: kit.read_bytes(), "bot.toml": b""}

    def shown(path: Path) -> str:
        """Return where a bot finds a file, which is copied if that is in its folder."""
        if path.is_relative_to(_SHOWN):
            return str(path)
        name = f"engine-{path.name}" if path.name in contents else path.name
        contents[name] = path.read_bytes()
        return name

    start = shown(engine)
    executable = start if start in contents else ""
    words = [shown(files[word]) if word in files else word for word in words]
    entry = toml(["{python}", BRIDGE.name, f"./{start}" if executable else start, *words])
    contents["bot.toml"] = f'command = {entry}\nneeds = {{ sandbox = "bwrap" }}\n'.encode()
    _check_new(folder)
    return write_files(folder, contents, executable)


def _check_speaks(engine: Path, words: Sequence[str]) -> None:
    """Raise ArenaError unless an engine says that it speaks UCI."""
    try:
        done = subprocess.run(
            [engine, *words],
            input=b"uci\nquit\n",
            capture_output=True,
            timeout=_PATIENCE,
            check=False,
            cwd=engine.parent,
        )
        said, how = done.stdout + done.stderr, f"ended with {done.returncode}"
    except subprocess.TimeoutExpired as error:
        said, how = error.stdout or b"", f"did not end in {_PATIENCE:g} s"
    except OSError as error:
        raise ArenaError(f"{engine} cannot be run: {error.strerror}.") from None
    lines = said.replace(b"\0", b"").decode(errors="replace").split("\n")
    if not any(line.lower().split()[:1] == ["uciok"] for line in lines):
        first = next((f", and said {each[:80]!r}" for each in map(str.strip, lines) if each), "")
        raise ArenaError(
            f"{engine} does not speak UCI: told 'uci', it {how}{first}, without 'uciok'. Name the "
            f"program of an engine, with its arguments in the same text."
        )


def write_files(folder: Path, contents: Mapping[str, bytes], executable: str = "") -> list[str]:
    """Write files into a folder, which is made; return their names.

    `executable` is the one that is made so, if any. Leaves nothing if that fails: ArenaError.
    """
    with whole_or_nothing([folder / target for target in contents], folder):
        for target, content in contents.items():
            (folder / target).write_bytes(content)
        if executable:
            (folder / executable).chmod(0o755)
    return list(contents)


def _check_free(name: str, game: str) -> None:
    """Raise ArenaError for a name that means another bot on the command line."""
    if name == HUMAN:
        raise ArenaError(f"{name!r} means a person who plays; choose another name for the folder.")
    if name.removeprefix(f"{game}_") in bundled(game):
        raise ArenaError(f"{name!r} is a bundled bot of {game}; give yours another name.")


def _check_new(folder: Path) -> None:
    """Raise ArenaError if there is anything in the folder of a new bot, or it can be none."""
    try:
        first = next(folder.iterdir(), None)
    except FileNotFoundError:
        return
    except OSError as error:
        raise ArenaError(f"{folder} cannot be a bot's folder: {error.strerror}.") from None
    if first is not None:
        raise ArenaError(f"{folder} is not empty (it holds {first.name}); name a new folder.")


def bot_file(kind: Language) -> str:
    """Return the text of the `bot.toml` of a bot in a language."""
    entries: dict[str, Any] = {"command": kind.command}
    if kind.build is not None:
        entries["build"] = kind.build
    if kind.files is not None:
        entries["files"] = kind.files
    return "".join(f"{key} = {toml(value)}\n" for key, value in entries.items())


def _filled_page(page: str, words: Mapping[str, str]) -> str:
    return Template((TEMPLATES / page).read_text(encoding="utf-8")).substitute(words)


def _words(name: str, kind: Language, game: type[Game], word: str, packages: str) -> dict[str, str]:
    """Return what stands for each word of the pages of a new bot."""
    others = game.seat_counts[0] - 1
    makefile = "| `Makefile` | builds it: the arena does, in a sandbox |\n" if kind.build else ""
    return {
        "name": name,
        "name_in_toml": toml(name),
        "folder_in_toml": toml(f"../{name}"),
        "language": kind.title,
        "called": game.name,
        "game": quoted(word),
        "title": game.title,
        "bot": kind.bot,
        "kit": kind.kit,
        "more": makefile + packages,
        "ideas": "".join(f"- {idea}\n" for idea in _ideas(game)),
        "example": _EXAMPLE.format(game=quoted(word)) if "sensible" in bots_for(game) else "",
        "table": " ".join([".", *["random"] * others]),
        "person": " ".join(["human", ".", *["random"] * (others - 1)]),
        "field": " ".join([".", *bots_for(game)]),
    }


def _ideas(game: type[Game]) -> list[str]:
    """Return sentences on what to try in a game, with what they need of view and options."""
    ideas = ideas_of(game)
    if ideas is None:
        return ["Nobody has written down ideas for this game yet."]
    found = [f"{idea.text} ({', '.join(f'`{field}`' for field in idea.fields)})" for idea in ideas]
    return found or ["There is nothing to decide in this game: it is all luck."]


def _requirements(packages: Sequence[str]) -> str:
    """Return the file that names packages; raise ArenaError for what is no package's name."""
    from arena.environment.requirements import plain  # here, as few bots need it

    for each in packages:
        try:
            plain(each)
        except ValueError as error:
            raise ArenaError(f"--package {each!r} {error}") from None
    return "".join(f"{each}\n" for each in packages)


def _importing(program: str, packages: Sequence[str], known: Path) -> str:
    """Return the starter in Python with packages imported, and their versions printed.

    `known` is the file with the names that packages are imported by. One that is not in it is left
    to the author, in a comment.
    """
    from arena.environment.requirements import name_of, plain  # here, as few bots need it

    modules = tomllib.loads(known.read_text(encoding="utf-8"))
    names = dict.fromkeys(name_of(plain(each)) for each in packages)
    found = [modules[name] for name in names if name in modules]
    unknown = [name for name in names if name not in modules]
    imports = "".join(f"import {module}\n" for module in sorted(found))
    if unknown:
        imports += f"\n# {REQUIREMENTS} names {', '.join(unknown)} too:\n{_OTHERS}"
    printed = "".join(f'    print("{each}", {each}.__version__)\n' for each in found)
    assert program.count(_IMPORT) == program.count(_MAIN) == 1
    return program.replace(_IMPORT, _IMPORT + imports).replace(_MAIN, _MAIN + printed)


def write_chat(
    folder: Path, game: type[Game], url: str, model: str
) -> tuple[list[str], AllowedRequest]:
    """Write a bot into `folder`, which is made, that asks a model for its moves.

    `url` is what its provider's documentation calls the base: `https://api.example.org/v1`.
    Returns the names of the bot's files, and the request that its league must allow.

    Raises ArenaError as `write_bot` does, and for an address that no door leads to.
    """
    name = folder.resolve().name
    check_name(name)
    _check_free(name, game.name)
    url = url.removesuffix("/").removesuffix(_ENDPOINT)
    request = _request_of(url)
    command = ["{python}", CHAT.name, "--url", url, "--model", model, "--schema", SCHEMA]
    kit = TEMPLATES / "python" / "kit.py"
    contents = {
        CHAT.name: CHAT.read_bytes(),
        kit.name: kit.read_bytes(),
        SCHEMA: json.dumps(moves_schema(game), indent=2).encode(),
    }
    try:
        contents[RULES] = rules_of(game).encode()
    except ArenaError:  # it has none: then the model must know the game by its name
        pass
    else:
        command += ["--rules", RULES]
    contents["bot.toml"] = (
        f"command = {toml(command)}\nneeds = {{ door = {toml([str(request)])} }}\n"
    ).encode()
    _check_new(folder)
    return write_files(folder, contents), request


def moves_schema(game: type[Game]) -> dict[str, Any]:
    """Return the JSON Schema of a game's moves: one `$defs` entry for each decision."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Moves of {game.name}, by decision",
        "$defs": game.schemas(),
    }


def _request_of(url: str) -> AllowedRequest:
    """Return the request that asks a model there, as `[door]` of a league allows it."""
    try:
        return allowed_of(f"POST {url}{_ENDPOINT}")
    except ValueError as error:
        raise ArenaError(
            f"--chat {url!r} is no address: write it like https://api.example.org/v1 ({error})."
        ) from None

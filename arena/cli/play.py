"""The command for a single match: play."""

import datetime
import platform
import secrets
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

import click
import msgspec

from arena.archive.saved import MATCH, SavedMatch, Target, distinct, seated
from arena.archive.show import folded, result
from arena.cli import completion, main
from arena.cli.feed import show_wire
from arena.cli.human import HumanSeat
from arena.cli.options import (
    Seconds,
    grouped,
    limit_option,
    limits_in,
    opening_options,
    opening_words,
    options_option,
    sandbox_option,
    sandbox_uid_option,
    trust_option,
)
from arena.cli.plain import made_of_plain
from arena.cli.progress import StatusLine
from arena.cli.running import built
from arena.cli.saying import say, screen_width, tell_unmet, warn_unprotected
from arena.cli.stepping import Telling
from arena.cli.way import Way
from arena.league.bot import Bot
from arena.league.finding import HUMAN, find_bot
from arena.league.games import find_game, outdated
from arena.league.hints import advice
from arena.league.openings import opening_terms
from arena.league.seed import deal_behind
from arena.play.sandbox import check_bot
from arena.streams import finished_anyway
from arena.text import quoted, safe, safe_lines
from protocol.errors import ArenaError, RunError
from referee.catalog.finding import Source
from referee.catalog.folder import bots_of
from referee.catalog.loading import GAME_ERRORS, told
from referee.limits import Limits
from referee.match.match import Due, Match, bot_seeds, starts
from referee.match.opening import DRAWS, Opening, begun, check_terms, in_words, opening_of
from referee.match.seat import ProcessSeat, Seat, play_match
from referee.program.file import Confinement
from referee.rules.game import Game, Options
from referee.rules.options import check_seats, new_game, read_options
from referee.sandbox import Launcher, prove
from referee.turn.answer import BotError
from referee.turn.bot_process import BotProcess
from referee.turn.starting import end_processes, start_bot

if TYPE_CHECKING:
    from arena.cli.at_page import PlayPage

_LONGEST_PAUSE = 3600  # seconds
_EXCERPT = 20  # lines at each end of a standard error
_FRAMES = 4  # of the stack, the last ones, where a game has failed


class _Party(NamedTuple):
    """Who plays: by seat the bots and their processes, None for a person, and their sandbox."""

    bots: list[Bot | None]
    names: list[str]
    processes: list[BotProcess | None]
    sandbox: str

    @property
    def running(self) -> list[BotProcess]:
        """The processes that there are."""
        return [process for process in self.processes if process]


def _seed(word: str | None) -> str:
    seed = word or secrets.token_hex(8)
    if not seed.isprintable():
        raise ArenaError(f"a seed must be printable text, not {seed!r}.")
    return seed


def _target(save: str | None, force: bool) -> Target | None:
    if save is None:
        if force:
            raise ArenaError("--force is for --save: nothing else is written.")
        return None
    target = Target(Path(save), force)
    target.check()
    return target


@main.command()
@click.argument("game", shell_complete=completion.games)
@click.argument("bots", nargs=-1, required=True, metavar="BOT...", shell_complete=completion.bots)
@click.option(
    "--seed",
    help="Seed of the deal.  [default: a new one, shown]",
    callback=lambda _context, _param, word: _seed(word),
)
@options_option
@limit_option()
@opening_options
@sandbox_option
@sandbox_uid_option
@click.option("--step", is_flag=True, help="Draw the table and wait for Enter at each decision.")
@click.option(
    "--pause",
    type=Seconds(0, _LONGEST_PAUSE),
    metavar="SECONDS",
    help="Like --step, but wait this long instead of for Enter.",
)
@click.option("--view", type=int, metavar="SEAT", help="Draw the tables as this seat sees them.")
@click.option("--browser", is_flag=True, help="Play on a page in the browser, as `human`.")
@click.option("--no-open", is_flag=True, help="Print the address of that page, and open nothing.")
@click.option("--log", is_flag=True, help="Print only the messages: seat, → sent or ← received.")
@click.option("--quiet", is_flag=True, help="Print only the result.")
@click.option("--save", metavar="FILE", help="Keep the match in a file, for `arena show`.")
@click.option("--force", is_flag=True, help="Let --save overwrite FILE if it exists.")
@trust_option
@grouped(limits=limits_in, opening=opening_words, way=Way, target=_target)
def play(
    game: str,
    bots: tuple[str, ...],
    seed: str,
    options: dict[str, Any],
    limits: Limits,
    opening: dict[str, Any],
    sandbox_uid: int | None,
    way: Way,
    target: Target | None,
) -> None:
    """Play one match and draw it; the bots sit in the order given, `human` is you.

    With --view, only the moves of that seat are shown; faults of the others are shown after the
    end. While the match waits, the bots are frozen and no clock runs. With --log, all but
    the messages goes to standard error. The messages show all that each bot knows, so do not read
    them if you play.

    \b
    arena play guerra sensible random
    arena play khan human sensible sensible
    arena play khan human sensible --browser
    arena play cold_war ./my_bot sensible random random --seed 7 --step
    arena play guerra ./my_bot sensible --pause 0.5 --view 0
    arena play guerra ./my_bot sensible --save match.json && arena show match.json
    arena play guerra ./my_bot sensible --log | grep '^0 '
    """
    kind, source = find_game(game, confinement=Confinement(limits.sandbox, sandbox_uid))
    if note := outdated(kind):
        say(note)
    check_seats(kind, len(bots))
    chosen = read_options(kind, options, len(bots))
    _refuse_door(limits)
    way.check(bots)
    made = made_of_plain(bots)
    found = [_bot(made.get(word, word), kind, sandbox_uid) for word in bots]
    names = distinct([bot.name if bot else HUMAN for bot in found])
    behind = deal_behind(kind.name, seed)
    with _explained(source):
        begins = _opening(kind, len(bots), chosen, behind, opening) if opening else None
        match = begun(kind, len(bots), chosen, behind, begins)
    saving = finished_anyway() if target else nullcontext()  # whoever has read enough gets it
    with saving, _explained(source), way.page(match, names) as page:
        with ExitStack() as stack:
            party = _started(stack, found, names, limits, sandbox_uid)  # or it is refused
            click.echo(f"{kind.name}, seed {safe(seed)}: {', '.join(names)}", err=way.log)
            if begins is not None and not way.quiet and HUMAN not in bots and way.view is None:
                dealt = new_game(kind, len(bots), chosen, behind)
                click.echo(_opening_text(dealt, begins, names), err=way.log)
            telling = way.telling(names, party.processes)
            if page:
                telling = page.telling(telling)
            saved = _play(match, begins, source, party, limits, telling, log=way.log, page=page)
        try:
            _tell_end(match, saved, telling.kept, way)
        finally:  # Ctrl-C too
            if target is not None:
                target.write(saved)
                shown = quoted(target.path)
                say(f"{target.path} is written: arena show {shown}")
        if page:
            page.stay(saved)


def _refuse_door(limits: Limits) -> None:
    """Raise ArenaError for bots with a door in a match of no league: nobody would answer them."""
    if limits.door:
        raise ArenaError(
            "a bot asks through its door in `arena check`, and in leagues that have a [door]: "
            "leave --limit door out."
        )


def _bot(word: str, kind: type[Game], sandbox_uid: int | None) -> Bot | None:
    """Return the bot of a word as it is run; None for a person."""
    if word == HUMAN:
        return None
    return built(find_bot(word, kind.name, brought=bots_of(kind)), sandbox_uid)


def _opening(
    kind: type[Game], seats: int, options: Options, seed: str, asked: Mapping[str, Any]
) -> Opening:
    """Return the opening that a seed draws, or takes from a book."""
    terms = opening_terms(asked, Path())
    check_terms(kind, seats, options, terms)
    found = opening_of(kind, seats, options, terms, key=seed, number=0, seed=seed)
    if not found.is_open:
        say(f"No opening of {DRAWS} that were drawn was open; the first one is played.")
    return found.opening


def _opening_text(dealt: Game, opening: Opening, names: Sequence[str]) -> str:
    """Return the opening of a match that was just dealt, in words."""
    moves = [f"[{names[seat]}] {words}" for seat, words in in_words(dealt, opening)]
    said = ", ".join([opening.position] * bool(opening.position) + moves)
    return "\n".join(folded(f"Opening, before the first decision: {said}", "", screen_width()))


@contextmanager
def _explained(source: Source) -> Iterator[None]:
    """Raise RunError with the lines of a game that is not bundled, if its code fails."""
    try:
        yield
    except (ArenaError, OSError):
        raise
    except GAME_ERRORS as error:
        if source.kind == "bundled":
            raise
        lines = traceback.format_tb(error.__traceback__)
        own = "".join(lines[-_FRAMES:]).rstrip()
        raise RunError(f"the game {source.word!r} has failed: {told(error)}\n{own}") from error


def _started(
    stack: ExitStack,
    bots: list[Bot | None],
    names: list[str],
    limits: Limits,
    sandbox_uid: int | None,
) -> _Party:
    """Start the bots; `stack` ends them."""
    if not any(bots):
        return _Party(bots, names, [None] * len(bots), "none")
    warn_unprotected(limits.sandbox)
    tell_unmet(filter(None, bots), limits)
    launcher = stack.enter_context(Launcher(limits.sandbox, uid=sandbox_uid))
    for bot in bots:
        if bot:
            check_bot(launcher, bot, limits)
    prove(launcher, limits)
    processes: list[BotProcess | None] = []
    running: list[BotProcess] = []
    with StatusLine() as line:
        for bot, name in zip(bots, names, strict=True):
            if bot is None:
                processes.append(None)
                continue
            try:
                line.show(f"waiting for {name}, {limits.startup_cap:g} s at the most")
                process = start_bot(launcher, bot.program, limits, bot.name, running)
            except BotError as error:
                hint = advice(bot, error.stderr, limits)
                said = f" It wrote:\n{_excerpt(error.stderr)}" if error.stderr else ""
                raise ArenaError(f"bot {name!r}: {safe(str(error) + '.' + hint)}{said}") from None
            processes.append(process)
            running.append(process)
    return _Party(bots, names, processes, launcher.sandbox.name)


def _play(
    game: Game,
    opening: Opening | None,
    source: Source,
    party: _Party,
    limits: Limits,
    telling: Telling,
    *,
    log: bool,
    page: "PlayPage | None",
) -> SavedMatch:
    """Play the match; return all that can be kept of it."""
    seeds = bot_seeds(game)
    seats = _seats(game, party, seeds, log=log, page=page)
    began = monotonic()

    def tell(due: Due) -> None:
        if party.processes[due.seat] is not None:
            telling.before(game)

    match = Match(game, limits.faults_allowed, opening, telling)
    played = play_match(match, seats, starts(game, MATCH, limits.time_control, seeds), tell)
    seconds = monotonic() - began - telling.pauses.seconds
    end_processes(party.running)
    return SavedMatch(
        seats=seated(party.bots, seeds),
        limits=limits.of_matches,
        replay=played.replay,
        evidence=telling.pauses.taken_from(played.evidence),
        seconds=round(seconds, 6),
        played_at=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        machine=platform.node(),
        sandbox=party.sandbox,
        source=msgspec.UNSET if source.kind == "bundled" else source,
    )


def _seats(
    game: Game, party: _Party, seeds: Sequence[int], *, log: bool, page: "PlayPage | None"
) -> list[Seat]:
    seats: list[Seat] = []
    for number, (bot, process) in enumerate(zip(party.bots, party.processes, strict=True)):
        name, seed = party.names[number], seeds[number]
        if bot is not None and process is not None:
            if log:
                show_wire(process, number, bot.name)
            seats.append(ProcessSeat(process))
        elif page is not None:
            seats.append(page.seat(seed, party.running))
        else:
            seats.append(HumanSeat(game, number, name, seed, party.running))
    return seats


def _tell_end(game: Game, saved: SavedMatch, kept: Sequence[str], way: Way) -> None:
    for line in kept:
        click.echo(line)
    if not way.quiet and not way.log:
        click.echo(f"\n{safe_lines(game.text(way.view))}\n")
    for line in result(saved.opened(), screen_width()):
        click.echo(line, err=way.log)
    for name, text in zip(saved.names, saved.evidence.stderr, strict=True):
        if text:
            click.echo(f"Standard error of {name}:\n{_excerpt(text)}", err=True)


def _excerpt(stderr: str) -> str:
    """Return the first and the last lines of a standard error, which may be 64 KB long."""
    lines = stderr.splitlines()
    if len(lines) > 2 * _EXCERPT:
        left_out = f"… {len(lines) - 2 * _EXCERPT} more lines, which --save keeps"
        lines = [*lines[:_EXCERPT], left_out, *lines[-_EXCERPT:]]
    return safe_lines("\n".join(lines), "  ")

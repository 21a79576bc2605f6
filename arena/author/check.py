"""Whether a bot is fit to play a game, in steps that each pass or fail, with what shows it."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from arena.author.checked_bot import CheckedBot
from arena.author.doors import door_of
from arena.author.trial import Setting
from arena.author.verdict import (
    BUILT,
    RUNS,
    STEPS,
    Step,
    built_step,
    unbuilt_step,
)
from arena.league.bot import Bot
from arena.play.building import Builder, building
from protocol.errors import ArenaError, Refusal
from referee.sandbox import Launcher, SandboxError


def check(bot: Bot, setting: Setting, tell: Callable[[str], None]) -> Iterator[Step]:
    """Yield the steps as they are done; some are left out after a failure, or if time is up.

    It has what it was granted. `tell` is called with its progress. Raises SandboxError if the
    sandbox does not hold here.
    """
    titles = list(STEPS)
    setting = setting._replace(limits=bot.grant.of(setting.limits))
    found: Bot | None = bot
    if bot.is_to_be_made:
        step, found = _built(bot, setting, tell)
        yield step
    if found is not None:
        with (
            Launcher(setting.limits.sandbox, uid=setting.sandbox_uid) as launcher,
            door_of(setting.limits, setting.door, found, setting.folder) as door,
        ):
            checked = CheckedBot(launcher, found, setting, tell, door, is_built=bool(bot.build))
            for step in checked.steps():
                titles.remove(step.title)
                yield step
                if step.state == "FAILED":
                    break
    yield from map(Step, titles)


def unready(error: ArenaError) -> Iterator[Step]:
    """Yield the steps of a bot that is there, but cannot be run for this mistake in it."""
    yield Step(RUNS, "FAILED", str(error))
    yield from map(Step, STEPS[1:])


def _built(bot: Bot, setting: Setting, tell: Callable[[str], None]) -> tuple[Step, Bot | None]:
    """Build a bot; return the step of it, and the bot as it is run if it could be built.

    All that the build printed is shown if it failed, as only its author can mend it.
    """
    tell(building(bot, setting.build))
    with Builder(setting.build, setting.sandbox_uid, setting.environments).open() as builder:
        try:
            built = builder.built(bot)
        except Refusal as error:
            step = unbuilt_step(error)
            printed = ["The build printed:", *(f"  {line}" for line in error.said)]
            silent = ["The build printed nothing."] if bot.build else []
            shown = printed if error.said else silent
            detail = f"{step.detail} {error.remedy}".strip()
            return replace(step, detail=detail, evidence=shown), None
        except SandboxError as error:
            return Step(BUILT, "FAILED", str(error), by_machine=True), None
        return built_step(built, builder.where), built.bot

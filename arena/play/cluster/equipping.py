"""Environments of bots on a Dask worker: made of wheels that were sent, once for each machine.

What was sent is no more trusted than what a bot brings along at home: the same hashes are compared,
and it is unpacked in the same sandbox. Nothing is fetched.
"""

import os
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from arena.environment.names import LOCK, WHEELS
from arena.league.bot import Bot
from arena.play.building import Builder
from arena.play.cluster.arrivals import Arrivals
from arena.play.cluster.bundle import Manifest, Packages
from arena.play.messages import Setup
from protocol.errors import ArenaError, RunError
from referee.sandbox import room_for
from referee.sandbox.kept import alone, kept_folder, make_open

_WHEEL = re.compile(r"\w[\w.+!-]*\.whl", re.ASCII)


class Equipper:
    """Makes environments for the bots of a run; `base` is a folder of ours for a while."""

    def __init__(self, builder: Builder, arrivals: Arrivals, base: Path) -> None:
        self._builder = builder
        self._arrivals = arrivals
        self._base = base

    def lacking(self, manifests: Sequence[Manifest]) -> list[str]:
        """Return the versions of the bots whose environments are not here.

        What keeps one from being made is said when it is to be.
        """
        found = []
        for manifest in manifests:
            if manifest.packages is not None:
                try:
                    with self._locked(manifest.packages) as folder:
                        is_here = self._builder.environments.has(folder)
                except ArenaError:
                    is_here = True
                if not is_here:
                    found.append(manifest.version)
        return found

    def equipped(self, bot: Bot, packages: Packages | None) -> Bot:
        """Return a bot with its environment, made if need be; one without packages as it is.

        Raises ArenaError if it cannot be made here.
        """
        if packages is None:
            return bot
        from arena.environment.kept import environments_folder  # here, as few bots need it

        place = environments_folder()
        with room_for("environments cannot be kept in", str(place), "XDG_CACHE_HOME"):
            make_open(place, kept_folder().parent)
        with self._locked(packages) as folder, alone(place):
            if not self._builder.environments.has(folder):
                self._lay_out(packages, folder / WHEELS)
                self._builder.environments.check_wheels(folder / WHEELS)
            made = self._builder.environments.made(folder)
        self._arrivals.forget([wheel.content for wheel in packages.wheels])
        return replace(bot, environment=str(made.folder))

    @contextmanager
    def _locked(self, packages: Packages) -> Iterator[Path]:
        """Make a folder with a lock, as a bot has it, for a while."""
        with ExitStack() as undo:
            with self._room():
                name = undo.enter_context(TemporaryDirectory(prefix="packages-", dir=self._base))
                Path(name, LOCK).write_bytes(packages.lock)
            yield Path(name)

    def _room(self) -> AbstractContextManager[None]:
        return room_for("the wheels of bots cannot be copied to", str(self._base))

    def _lay_out(self, packages: Packages, folder: Path) -> None:
        """Put the wheels that have arrived into a new folder, by their names."""
        with self._room():
            folder.mkdir()
        for wheel in packages.wheels:
            name = os.fsdecode(wheel.path)
            came = self._arrivals.path(wheel.content)
            if not _WHEEL.fullmatch(name):
                raise RunError(f"{name!r} was sent as a wheel, and is not called as one.")
            if not came.is_file():
                raise RunError(f"the wheel {name} has not arrived.")
            with self._room():
                shutil.copyfile(came, folder / name)


@contextmanager
def equipping(setup: Setup, arrivals: Arrivals, base: Path) -> Iterator[Equipper]:
    """Return a context in which environments can be made for a run."""
    settings = msgspec.structs.replace(setup.environments, fetch=False)
    with Builder(setup.build, setup.sandbox_uid, settings).open() as builder:
        yield Equipper(builder, arrivals, base)

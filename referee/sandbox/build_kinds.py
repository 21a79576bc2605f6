"""The kinds of sandbox around a build: what the fork server is asked to put around a command."""

import os
import resource
import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from referee.limits import Limits, WorkLimits
from referee.sandbox import landlock, seccomp
from referee.sandbox.area import MOMENT, Area
from referee.sandbox.bwrap import SHARED_MEMORY, BwrapSandbox, isolated
from referee.sandbox.enclosure import BwrapGate, Enclosure, in_base64, loaded
from referee.sandbox.errors import SandboxError
from referee.sandbox.kinds import SandboxKind, bounds, search_path
from referee.sandbox.program import barrier

OPEN_FILES = 512
"""How many files each process of a build may have open."""
CORES = 4
"""How many cores a build may use at most: with more, compilers start more threads."""
OVERSHOOT_MB = 1
"""By how much one file may be larger than all may be together, so that it is seen that it is."""


class BuildSandbox(SandboxKind, ABC):
    """One kind of sandbox for builds; `tools` are folders of compilers outside of /usr."""

    def __init__(self, tools: Sequence[str]) -> None:
        for tool in tools:
            if not os.path.isabs(tool) or not os.path.isdir(f"{tool}/bin"):
                raise SandboxError(
                    f"{tool!r} of `tools` is no folder with a folder `bin` of programs in it. Name "
                    f"one, as an absolute path."
                )
        self._tools = [os.path.realpath(tool) for tool in tools]

    def check_tools(self, uid: int | None) -> None:
        """Raise SandboxError for a folder of tools that a build's user cannot enter."""
        for tool in self._tools if uid is not None else ():
            if part := barrier(f"{tool}/bin", uid or 0):
                raise SandboxError(
                    f"{tool} of `tools` cannot be entered by uid {uid} (stopped at {part}). Move "
                    f"it, or open that folder."
                )

    def path(self, uid: int | None) -> str:
        """Return where the programs of a build are looked up, its tools first."""
        return ":".join([*(f"{tool}/bin" for tool in self._tools), search_path(uid)])

    @abstractmethod
    def begin(
        self, words: Sequence[str], area: Area, limits: WorkLimits, uid: int | None
    ) -> Enclosure:
        """Return what is put around `words`, which `uid` runs."""


class LandlockBuild(BuildSandbox):
    """Landlock, a filter that asks the fork server, and limits."""

    def __init__(self, tools: Sequence[str] = ()) -> None:
        super().__init__(tools)
        seccomp.this_architecture()
        self._abi = landlock.abi()
        self.name = f"landlock (ABI {self._abi})"
        if not os.path.exists(f"/proc/self/task/{threading.get_native_id()}/children"):
            raise SandboxError(
                "this kernel does not show the children of a process (CONFIG_PROC_CHILDREN), which "
                "are to be counted."
            )

    def begin(
        self, words: Sequence[str], area: Area, limits: WorkLimits, uid: int | None
    ) -> Enclosure:
        """Ask for the rules, the filter and the limits."""
        filter_ = seccomp.of_builds(landlock_abi=self._abi, own_user=bool(uid))
        rules = landlock.building(self._abi, self._tools, area.folders)
        asked = _asked(words, area, limits, uid, self.path(uid))
        asked["threads"] = limits.processes
        asked["landlock"] = rules
        asked["seccomp"] = loaded(filter_, then=seccomp.without_passing())
        return asked


class BwrapBuild(BuildSandbox):
    """Namespaces of its own for every build."""

    maps_users = True

    def __init__(self, tools: Sequence[str] = ()) -> None:
        super().__init__(tools)
        bots = BwrapSandbox()
        self.name = bots.name
        self._bwrap = bots.program
        self._filter = in_base64(seccomp.of_builds(landlock_abi=None).code)

    def begin(
        self, words: Sequence[str], area: Area, limits: WorkLimits, uid: int | None
    ) -> Enclosure:
        """Ask for bwrap to be run around the command."""
        asked = _asked(words, area, limits, uid, self.path(uid))
        shown = [word for tool in self._tools for word in ("--ro-bind", tool, tool)]
        shown += [word for folder in area.folders for word in ("--bind", folder, folder)]
        shown += ["--symlink", area.temporary, SHARED_MEMORY]
        tasks = (resource.RLIMIT_NPROC, limits.processes)
        asked["argv"] = isolated(self._bwrap, uid, shown, asked["env"], area.work, words)
        asked["env"] = {"PATH": self.path(uid)}
        asked["bwrap"] = BwrapGate(
            filter=self._filter, limits=[tasks] if uid is None else [], port=None
        )
        return asked


def _asked(
    words: Sequence[str], area: Area, limits: WorkLimits, uid: int | None, path: str
) -> Enclosure:
    """Return what both kinds ask for."""
    each = Limits(
        memory_mb=limits.memory_mb,
        open_files=OPEN_FILES,
        scratch_mb=limits.disk_mb + OVERSHOOT_MB,
    )
    return Enclosure(
        argv=words,
        env=environment(path, area),
        cwd=area.work,
        limits=[*bounds(each), *([(resource.RLIMIT_NPROC, limits.processes)] if uid else [])],
        cores=sorted(os.sched_getaffinity(0))[-CORES:],
        area=area.folder,
        uid=uid,
    )


def environment(path: str, area: Area) -> Mapping[str, str]:
    """Return the whole environment of a build: built, not inherited, the same everywhere."""
    return {
        "PATH": path,
        "HOME": area.home,
        "TMPDIR": area.temporary,
        "USER": "build",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "TERM": "dumb",
        "NO_COLOR": "1",
        "SOURCE_DATE_EPOCH": str(MOMENT),
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUNBUFFERED": "1",
        "CARGO_HOME": f"{area.home}/cargo",
        "CARGO_NET_OFFLINE": "true",
        "CARGO_TERM_COLOR": "never",
        "GOCACHE": f"{area.home}/go-build",
        "GOPATH": f"{area.home}/go",
        "GOPROXY": "off",
        "GOSUMDB": "off",
        "GOTOOLCHAIN": "local",
        "GOTELEMETRY": "off",
        "NPM_CONFIG_OFFLINE": "true",
        "NPM_CONFIG_UPDATE_NOTIFIER": "false",
        "PIP_NO_INDEX": "1",
    }

"""Debian's packages of any architecture: downloaded by apt and unpacked, and never installed.

apt has settings, lists and a cache of its own in a folder, so that it needs no rights and the
machine's own packages stay as they are.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

RELEASE = "bookworm"
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
MIRROR = "http://deb.debian.org/debian"
_CHOSEN = re.compile(r"^Inst (\S+) \((\S+) .*\[(\w+)\]\)", re.MULTILINE)

_SETTINGS = """\
APT::Architecture "{architecture}";
APT::Architectures {{ "{architecture}"; }};
APT::Install-Recommends "false";
APT::Sandbox::User "";
APT::Update::Error-Mode "any";
Acquire::Languages "none";
Acquire::Retries "3";
Dir::Cache "{folder}/cache";
Dir::Etc::Parts "{folder}/none";
Dir::Etc::Preferences "{folder}/none";
Dir::Etc::PreferencesParts "{folder}/none";
Dir::Etc::SourceList "{folder}/sources.list";
Dir::Etc::SourceParts "{folder}/none";
Dir::State "{folder}/state";
Dir::State::status "{folder}/status";
"""


class UnavailableError(Exception):
    """What the network or this machine does not have, in a line."""


def tool(name: str, what: str) -> str:
    """Return the path of a program; raise UnavailableError if it is not here."""
    if found := shutil.which(name):
        return found
    raise UnavailableError(f"{name} is not installed here, {what}")


def run(words: list[str], why: str, **how: object) -> str:
    """Return what a program prints; raise UnavailableError with its last words if it fails."""
    done = subprocess.run(words, capture_output=True, text=True, **how)  # type: ignore[call-overload]
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if line.startswith(("E:", "ERROR"))]
        last = " ".join(said or done.stderr.splitlines()[-1:] or ["it said nothing"])
        raise UnavailableError(f"{why}: {last}")
    return str(done.stdout)


class Debian:
    """The packages of one architecture; `folder` keeps what was downloaded."""

    def __init__(self, folder: Path, architecture: str) -> None:
        self._architecture = architecture
        self._folder = folder
        self._apt = tool("apt-get", "which downloads Debian's packages")
        tool("dpkg-deb", "which unpacks Debian's packages")
        if not Path(KEYRING).is_file():
            raise UnavailableError(f"{KEYRING} is missing: install debian-archive-keyring")
        for each in ("none", "state/lists/partial", "cache/archives/partial"):
            (folder / each).mkdir(parents=True, exist_ok=True)
        (folder / "status").touch()
        settings = _SETTINGS.format(architecture=architecture, folder=folder)
        (folder / "apt.conf").write_text(settings)
        source = f"deb [signed-by={KEYRING}] {MIRROR} {RELEASE} main\n"
        (folder / "sources.list").write_text(source)

    def _run_apt(self, why: str, *words: str) -> str:
        environment = {**os.environ, "APT_CONFIG": str(self._folder / "apt.conf"), "LC_ALL": "C"}
        return run([self._apt, "-q", *words], why, env=environment)

    def unpacked(self, packages: list[str], name: str) -> Path:
        """Return a folder with packages and all that they depend on, unpacked.

        Raises UnavailableError if one cannot be had.
        """
        where = f"Debian {RELEASE} for {self._architecture}"
        self._run_apt(f"the list of {where} cannot be had from {MIRROR}", "update")
        why = f"{where} lacks a package of {' '.join(packages)}"
        chosen = _CHOSEN.findall(self._run_apt(why, "install", "-s", *packages))
        files = sorted(f"{p}_{v.replace(':', '%3a')}_{a}.deb" for p, v, a in chosen)
        why = f"packages of {where} cannot be downloaded"
        self._run_apt(why, "install", "--yes", "--download-only", *packages)
        root, stamp = self._folder / name, self._folder / f"{name}.unpacked"
        wanted = "\n".join(files)
        if stamp.exists() and stamp.read_text() == wanted:
            return root
        stamp.unlink(missing_ok=True)
        shutil.rmtree(root, ignore_errors=True)
        root.mkdir()
        for file in files:
            path = self._folder / "cache/archives" / file
            run(["dpkg-deb", "-x", str(path), str(root)], f"{file} cannot be unpacked")
        stamp.write_text(wanted)
        return root

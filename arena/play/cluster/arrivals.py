"""Files that arrive on a Dask worker in pieces, until bots and environments are made of them."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path

from arena.play.cluster.sending import Lacking, Piece
from referee.sandbox import room_for
from referee.sandbox.big_files import is_big, kept_files, room_for_files
from referee.sandbox.by_hash import Content, FilesByHash
from referee.sandbox.kept import forget_old


class Arrivals:
    """Big files are kept for all bots and runs of this machine, others in a folder of ours.

    Nothing is taken for a file but what has its hash: what else was sent is forgotten.
    """

    def __init__(self, folder: Path) -> None:
        """Take in files; the folder is made if need be."""
        folder.mkdir(mode=0o700, exist_ok=True)
        self._folder = folder
        self._own = FilesByHash(str(folder), lasts=False)

    def _files(self, content: Content) -> FilesByHash:
        return kept_files() if is_big(content) else self._own

    def path(self, content: Content) -> Path:
        """Return where a file is, if it has arrived."""
        return Path(self._files(content).path(content))

    def lacking(self, contents: Sequence[Content]) -> list[Lacking]:
        """Return which of some files have not arrived, each once.

        Raises MachineError if there is no place for them.
        """
        found = {}
        for number, content in enumerate(contents):
            files = self._files(content)
            if content not in found and not files.has(content):
                found[content] = Lacking(number, files.begun(content))
        if any(is_big(content) for content in found):
            with room_for_files():
                forget_old(Path(kept_files().folder))
        return [*found.values()]

    def add(self, pieces: Sequence[Piece]) -> bool:
        """Take pieces of files; return False if one is no part of what it is said to be of.

        Raises MachineError if they cannot be written.
        """
        for piece in pieces:
            with self._room(piece.content):
                if not self._files(piece.content).add(piece.content, piece.offset, piece.data):
                    return False
        return True

    def _room(self, content: Content) -> AbstractContextManager[None]:
        if is_big(content):
            return room_for_files()
        return room_for("the bots' files cannot be copied to", str(self._folder.parent))

    def forget(self, contents: Sequence[Content]) -> None:
        """Remove the files that are not shared: what was to be made of them is made."""
        for content in contents:
            if not is_big(content):
                with suppress(OSError):  # it goes with all the rest, at the latest
                    self.path(content).unlink()

"""Files are opened beneath a folder, whatever else on the machine is renamed meanwhile."""

import os
import threading
from pathlib import Path

import pytest

from referee.sandbox.sources import open_beneath


@pytest.mark.slow
def test_a_link_that_leads_up_is_opened_while_others_rename(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    (tmp_path / "a" / "x").write_text("x")
    (tmp_path / "b" / "y").symlink_to("../a/x")
    is_over = threading.Event()

    def rename() -> None:
        here, there = tmp_path / "here", tmp_path / "there"
        here.mkdir()
        while not is_over.is_set():
            here.rename(there)
            there.rename(here)

    renaming = threading.Thread(target=rename)
    renaming.start()
    folder = os.open(tmp_path, os.O_PATH)
    try:
        for _ in range(20_000):
            os.close(open_beneath(folder, "b/y"))
    finally:
        is_over.set()
        os.close(folder)
        renaming.join()

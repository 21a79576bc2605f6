"""Builds the pages of the documentation as a site with search: `python -m tests.docs.site FOLDER`.

Sphinx makes it of the same Markdown, and stops at a link or an anchor that leads nowhere. The site
needs no network: its search, fonts and pictures are its own, and it can be opened from a disk.
Raises SystemExit with Sphinx's warnings if there are any.
"""

import argparse
import itertools
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.docs.pages import PAGES, ROOT, prose

CONF = """\
from pathlib import Path

project = "Bot Arena"
html_title = "Bot Arena"
copyright = ""
root_doc = "README"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
myst_heading_anchors = 6
myst_links_external_new_tab = False
html_theme = "furo"
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_show_sphinx = False
html_search_scorer = str(Path(__file__).with_name("scorer.js"))
highlight_language = "none"
suppress_warnings = ["misc.highlighting_failure", "myst.header"]
"""
"""How Sphinx builds it: blocks are shown as they are written, those of mermaid too."""
SCORER = """\
var Scorer = {
  objNameMatch: 11, objPartialMatch: 6, objPrio: {0: 15, 1: 5, 2: -5}, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
  score: ([page, , section, , score]) =>
    score + (section ? 10 : 0) - (/^docs\\/(?!dev\\/)/.test(page) ? 0 : 10),
};
"""
"""How hits are ordered: sections that are called so come first, then the pages for users."""
START = """\
<!doctype html>
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url=README.html">
<title>Bot Arena</title>
<a href="README.html">Bot Arena</a>
"""
"""The page with which a server begins."""
_READERS = re.compile(r"^\| ([A-Z][a-z ]+) \| (\[.*) \|$", re.MULTILINE)


def contents(readme: str) -> str:
    """Return the pages as the README orders them by their readers, as MyST's hidden contents."""
    trees = {
        reader: re.findall(r"\]\(([^)#]+\.md)\)", links)
        for reader, links in _READERS.findall(readme)
    }
    listed = {"README.md", *itertools.chain(*trees.values())}
    trees["Rules"] = [page for page in PAGES if page not in listed]
    return "\n".join(
        f"```{{toctree}}\n:hidden:\n:caption: {caption}\n\n" + "\n".join(pages) + "\n```\n"
        for caption, pages in trees.items()
    )


def lay_out(folder: Path) -> None:
    """Copy the pages into a folder, and the files that they link."""
    for page in PAGES:
        text = (ROOT / page).read_text(encoding="utf-8")
        for link in re.findall(r"\]\(([^)\s#]+)", prose(text)):
            file = ((ROOT / page).parent / link).resolve()
            if "://" not in link and file.is_file() and file.suffix != ".md":
                target = folder / file.relative_to(ROOT)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, target)
        (folder / page).parent.mkdir(parents=True, exist_ok=True)
        more = f"\n{contents(text)}" if page == "README.md" else ""
        (folder / page).write_text(text + more, encoding="utf-8")
    (folder / "conf.py").write_text(CONF)
    (folder / "scorer.js").write_text(SCORER)


def build(folder: Path) -> None:
    """Build the site; raise SystemExit with what Sphinx warns of."""
    with tempfile.TemporaryDirectory() as spare:
        source = Path(spare) / "source"
        source.mkdir()
        lay_out(source)
        words = ["-m", "sphinx", "-q", "-W", "--keep-going", "--no-color"]
        words += ["-b", "html", "-d", f"{spare}/cache"]
        done = subprocess.run(
            [sys.executable, *words, source, folder], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise SystemExit(done.stderr.replace(f"{source}/", "").strip())
    (folder / "index.html").write_text(START)


def main() -> None:
    """Build the site in the folder that is named."""
    parser = argparse.ArgumentParser(prog="python -m tests.docs.site", description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    build(folder)
    print(f"The pages are built: open {folder / 'index.html'} in a browser.")


if __name__ == "__main__":
    main()

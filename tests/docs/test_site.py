"""The site of the documentation: whole, searchable without a network, and without dead links."""

import re
import shutil
import subprocess
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.docs import site
from tests.docs.pages import PAGES

pytestmark = pytest.mark.slow
LOADED = re.compile(r'<(?:script|img|iframe)[^>]* src="([^"]+)"|<link [^>]*href="([^"]+)"')


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    site.build(folder)
    return folder


def test_every_page_is_there_and_listed_beside_the_first(built: Path) -> None:
    first = (built / "README.html").read_text()
    for page in PAGES:
        name = page.replace(".md", ".html")
        assert (built / name).is_file(), page
        assert page == "README.md" or f'href="{name}"' in first, page
    assert "graph TD" in (built / "docs" / "dev" / "architecture.html").read_text()


def test_nothing_is_loaded_from_elsewhere(built: Path) -> None:
    for page in built.rglob("*.html"):
        for found in LOADED.findall(page.read_text()):
            assert "//" not in "".join(found), page


@pytest.mark.parametrize(
    ("asked", "page"),
    [
        ("print", "docs/write-a-bot.html#to-print"),
        ("submit", "docs/serve.html"),
        ("my bot does not start", "docs/languages.html#my-bot-does-not-start"),
    ],
)
def test_what_users_ask_for_is_found_without_a_server(built: Path, asked: str, page: str) -> None:
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("THE SEARCH OF THE SITE IS NOT TESTED HERE: chromium is not installed")
    words = ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=20000"]
    address = f"{(built / 'search.html').as_uri()}?q={quote(asked)}"
    done = subprocess.run(
        [chromium, *words, "--dump-dom", address], capture_output=True, text=True, timeout=120
    )
    hits = re.findall(r'<li[^>]*>\s*<a href="([^"]+)"', done.stdout.partition("search-results")[2])
    assert page in hits[:3]


def test_a_link_that_leads_nowhere_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    links = "[a](other.md#nowhere) [b](gone.md) [c](other.md#here)"
    pages = {"README.md": f"# First\n\n{links}\n", "other.md": "# Other\n\n## Here\n"}
    for name, text in pages.items():
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(site, "ROOT", tmp_path)
    monkeypatch.setattr(site, "PAGES", list(pages))
    with pytest.raises(SystemExit) as refused:
        site.build(tmp_path / "built")
    lines = str(refused.value).splitlines()
    assert all(line.startswith("README.md:3: ") for line in lines)
    assert [re.findall(r"'([^']*)'", line)[-1] for line in lines] == ["nowhere", "gone.md"]

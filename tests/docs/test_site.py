"""The site of the documentation: whole, searchable without a network, and without dead links."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.docs import site
from tests.docs.pages import PAGES

LOADED = re.compile(r'<(?:script|img|iframe)[^>]* src="([^"]+)"|<link [^>]*href="([^"]+)"')


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    site.build(folder)
    return folder


@pytest.mark.slow
def test_every_page_is_there_and_listed_beside_the_first(built: Path) -> None:
    first = (built / "README.html").read_text()
    for page in PAGES:
        name = page.replace(".md", ".html")
        assert (built / name).is_file(), page
        assert page == "README.md" or f'href="{name}"' in first, page
    assert "graph TD" in (built / "docs" / "architecture.html").read_text()


@pytest.mark.slow
def test_nothing_is_loaded_from_elsewhere(built: Path) -> None:
    for page in built.rglob("*.html"):
        for found in LOADED.findall(page.read_text()):
            assert "//" not in "".join(found), page


@pytest.mark.slow
def test_a_word_is_found_without_a_server(built: Path) -> None:
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("THE SEARCH OF THE SITE IS NOT TESTED HERE: chromium is not installed")
    words = ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=20000"]
    page = f"{(built / 'search.html').as_uri()}?q=landlock"
    done = subprocess.run(
        [chromium, *words, "--dump-dom", page], capture_output=True, text=True, timeout=120
    )
    assert 'href="docs/sandbox.html' in done.stdout.partition("search-results")[2]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("link", "said"),
    [("other.md#nowhere", "'nowhere'"), ("gone.md", "'gone.md'"), ("other.md#here", "")],
)
def test_a_link_that_leads_nowhere_is_named(
    link: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = {"README.md": f"# First\n\nSee [it]({link}).\n", "other.md": "# Other\n\n## Here\n"}
    for name, text in pages.items():
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(site, "ROOT", tmp_path)
    monkeypatch.setattr(site, "PAGES", list(pages))
    if said:
        with pytest.raises(SystemExit, match=rf"^README\.md:3: .*{said}"):
            site.build(tmp_path / "built")
    else:
        site.build(tmp_path / "built")

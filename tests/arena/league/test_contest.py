"""What `[hand_in]` may say: dates in an order that makes sense, and hooks that can be told."""

from pathlib import Path

from arena.league.file import read_asked
from tests.arena.league.conftest import refused

LEAGUE = 'game = "guerra"\nseed = 1\n\n[hand_in]\n'
EARLY, LATE = "2027-01-31T18:00:00+01:00", "2027-02-01T18:00:00+01:00"


def test_mistakes_are_named_and_dates_may_come_in_any_other_order(tmp_path: Path) -> None:
    file = tmp_path / "league.toml"
    for lines, says in (
        (f"opens = {LATE}\ncloses = {EARLY}", "6: closes must be later than opens."),
        (f"freezes = {LATE}\nrelease = {EARLY}", "6: release must be later than freezes."),
        (f"opens = {LATE}\ncloses = {LATE}", "6: closes must be later than opens."),
        ("closes = 2027-01-31T18:00:00", "it takes a date and time with a time zone, such as"),
        ("final_deals = 3", "say when that is, with closes."),
        ('hook = ["ftp://example.org"]', "begins with https:// or http://"),
        ("open = 1", "there is no key 'open' of hand_in. Did you mean 'opens'?"),
    ):
        file.write_text(f"{LEAGUE}{lines}\n")
        assert says in refused(lambda: read_asked(tmp_path))
    dates = f"opens = {EARLY}\nfreezes = {EARLY}\ncloses = {LATE}\nrelease = {LATE}\n"
    file.write_text(LEAGUE + dates)
    assert read_asked(tmp_path).hand_in.release is not None

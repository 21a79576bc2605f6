"""The file of messages holds what tests say, and nothing else."""

from pathlib import Path

from tests.golden import FILE, Golden, entries, written

ROOT = Path(__file__).parents[1]


def test_every_message_is_of_a_test_that_is_there() -> None:
    text = FILE.read_text()
    assert text == written(entries(text))  # sorted, each once
    for key in entries(text):
        file, _, test = key.partition("::")
        function = test.split(" ")[0].partition("[")[0]
        assert f"def {function}(" in (ROOT / file).read_text(), f"no test has the message {key}"


def test_messages_are_compared_line_by_line(golden: Golden, tmp_path: Path) -> None:
    golden(f"No league in {tmp_path}: make one.\nIt takes a second.  \n")

"""The command `references`: merged files, suspects, verdicts of two reviewers, corrected files."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from misword.cli.main import main

Write = Callable[[str, str | bytes], Path]
LINES = [
    "u1 the meeting begins at ten in the large room",
    "u2 we will talk about the budget of the next year",
    "u3 the results of the second quarter were better",
]
WRONG = [LINES[0].replace("ten", "two"), LINES[1].replace("budget", "gadget"), LINES[2]]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("ref").write_text("\n".join(WRONG) + "\n")
    for name in ("s1", "s2", "s3"):
        Path(name).write_text("\n".join(LINES) + "\n")
    return tmp_path


def run(words: str) -> int:
    return main(["references", *words.split(), "--bootstrap", "0"])


def rows(path: str) -> list[dict[str, str]]:
    with Path(path).open(newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def judge(path: str, verdicts: dict[str, str], reviewer: str) -> None:
    """Fill in a file of suspects, as a person does."""
    listed = rows(path)
    with Path(path).open("w", newline="") as file:
        writer = csv.DictWriter(file, listed[0], delimiter="\t", lineterminator="\n")
        writer.writeheader()
        for row in listed:
            if row["reference"] in verdicts:
                row |= {"verdict": verdicts[row["reference"]], "reviewer": reviewer}
            writer.writerow(row)


@pytest.mark.usefixtures("desk")
def test_merged_references(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("ref s1 -o merged.txt") == 0
    assert Path("merged.txt").read_text().startswith("the meeting begins at { two / ten } in")
    assert run("ref s1 -o merged.tsv --merge whole") == 0
    assert run("ref s1 -o votes.tsv") == 0
    assert [row["votes"] for row in rows("votes.tsv")] == ["1/1", "1/1", ""]
    assert "2 references, with" in capsys.readouterr().out


@pytest.mark.usefixtures("desk")
def test_verdicts_correct_the_reference(capsys: pytest.CaptureFixture[str]) -> None:
    systems = "ref --systems s1 s2 s3"
    assert run(f"{systems} -o suspects.tsv --report page.html --format json") == 0
    found = json.loads(capsys.readouterr().out)
    assert {row["reference"] for row in found["suspects"]} == {"two", "gadget"}
    assert [row["raw"] for row in found["rates"]] == pytest.approx([2 / 27] * 3)
    judge("suspects.tsv", {"two": "consensus", "gadget": "both"}, "anna")
    assert run(f"{systems} --judged suspects.tsv --corrected fixed --format json") == 0
    assert Path("fixed").read_text().splitlines() == [
        LINES[0], LINES[1].replace("budget", "{ gadget / budget }"), LINES[2],
    ]  # fmt: skip
    changes = rows("fixed.changes.tsv")
    assert [(one["before"], one["after"], one["reviewers"]) for one in changes] == [
        ("two", "ten", "anna"), ("gadget", "{ gadget / budget }", "anna"),
    ]  # fmt: skip
    rates = json.loads(capsys.readouterr().out)["rates"]
    assert [row["corrected"] for row in rates] == [0, 0, 0]
    assert [row["left_out"] for row in rates] == [0, 0, 0]
    # Without systems, the same verdicts give the same file.
    assert run("ref --judged suspects.tsv --corrected again") == 0
    assert Path("again").read_bytes() == Path("fixed").read_bytes()


@pytest.mark.usefixtures("desk")
def test_two_reviewers_who_disagree(capsys: pytest.CaptureFixture[str]) -> None:
    systems = "ref --systems s1 s2 s3"
    for name, word in (("anna", "consensus"), ("ben", "reference")):
        assert run(f"{systems} -o {name}.tsv") == 0
        judge(f"{name}.tsv", {"two": word, "gadget": "consensus"}, name)
    capsys.readouterr()
    assert run(f"{systems} --judged anna.tsv ben.tsv --corrected fixed -o both.json") == 0
    printed = capsys.readouterr()
    assert "1 suspect with verdicts that contradict each other" in printed.err
    assert "1 conflict between reviewers" in printed.out
    assert Path("fixed").read_text().splitlines() == [WRONG[0], LINES[1], LINES[2]]
    listed = json.loads(Path("both.json").read_text())["verdicts"]
    assert len([row for row in listed if row["reference"] == "two"]) == 2


@pytest.mark.usefixtures("desk")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("ref", "nothing to compare it with"),
        ("ref --systems s1", "one system, s1, cannot contradict"),
        ("ref --systems s1 s2 -o x.txt", "suspects are written to tables"),
        ("ref --systems s1 s2 --corrected x", "--corrected without verdicts"),
        ("ref --systems s1 s2 --corrected x --judged v.json --join recording", "beside --join"),
        ("ref --systems s1 none", "none"),
        ("ref s1 --merge most", "most"),
        ("ref --judged v.json --corrected ref", "this is an input"),
        ("ref --judged old.json --corrected x", "another version of this file"),
    ],
)
def test_what_is_refused(words: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    row = {"id": "a", "utterance": "u1", "start": 0, "end": 1, "reference": "a", "consensus": "b",
           "verdict": "consensus"}  # fmt: skip
    Path("v.json").write_text(json.dumps({"verdicts": [{**row, "reference": "the"}]}))
    Path("old.json").write_text(json.dumps({"verdicts": [row]}))
    before = sorted(Path().iterdir())
    with suppress(SystemExit):  # of the parser of the command line
        assert run(words) == 2
    assert message in capsys.readouterr().err
    assert sorted(Path().iterdir()) == before


@pytest.mark.usefixtures("desk")
def test_verdicts_are_not_overwritten(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("ref --systems s1 s2 -o suspects.tsv") == 0
    judge("suspects.tsv", {"two": "consensus"}, "anna")
    assert run("ref --systems s1 s2 -o suspects.tsv") == 2
    assert "1 verdict, which would be lost" in capsys.readouterr().err
    assert run("ref --systems s1 s2 -o suspects.tsv --judged suspects.tsv") == 0
    assert [row["reviewer"] for row in rows("suspects.tsv") if row["verdict"]] == ["anna"]

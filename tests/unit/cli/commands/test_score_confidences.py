"""`score --confidences`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from misword.cli.main import main

CTM = "call A 0.0 0.5 the 0.9\ncall A 0.5 0.5 cat 0.8\ncall A 1.0 0.5 sad 0.3\n"


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    texts = {"ref.csv": "utt,text\ncall-A,the cat sat\n", "hyp.ctm": CTM}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, "utf-8")
    return [str(tmp_path / name) for name in texts]


def test_the_table_is_printed(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", *files, "--confidences", "--format", "md"]) == 0
    assert "| hyp | 3 | 0 | 66.67 | 66.67 |" in capsys.readouterr().out


def test_json_has_the_measures(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", *files, "--confidences", "--format", "json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["confidences"]
    assert (row["words"], row["auc"]) == (3, 1.0)


def test_texts_without_confidences_are_refused(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["score", files[0], files[0], "--confidences"]) != 0
    assert "no word has a confidence" in capsys.readouterr().err

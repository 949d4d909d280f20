"""Files of candidates: their order, and what is refused."""

from __future__ import annotations

from math import isnan
from pathlib import Path

import pytest

from misword.bli.inputs import CandidateFile
from misword.core.errors import InputError


def read(folder: Path, text: str, name: str = "lists.tsv") -> dict[str, list[str]]:
    """The candidates of each word, in order."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    file = CandidateFile.read(path)
    return {word: [one for one, _ in several] for word, several in file.candidates.items()}


@pytest.mark.parametrize(
    "text",
    [
        "word\tcandidate\trank\ndog\tchat\t2\ncat\tchat\t1\ndog\tchien\t1\n",
        "word\tcandidate\tscore\ndog\tchat\t-0.5\ncat\tchat\t0.1\ndog\tchien\t7\n",
        "dog\tchat\t2\ncat\tchat\t1\ndog\tchien\t1\n",
        "dog\tchat\t0.2\ncat\tchat\t0.1\ndog\tchien\t0.9\n",
        "dog\tchien\ndog\tchat\ncat\tchat\n",
        "source\ttarget\trank\tscore\ndog\tchat\t2\t0.9\ncat\tchat\t1\t0.9\ndog\tchien\t1\t0.1\n",
    ],
)
def test_order_of_rows(tmp_path: Path, text: str) -> None:
    """By rank, else by score, else as in the file."""
    assert read(tmp_path, text) == {"dog": ["chien", "chat"], "cat": ["chat"]}


def test_json_lines(tmp_path: Path) -> None:
    """A row for each candidate, or a list for each word; a word without candidates is left out."""
    rows = '{"word": "dog", "candidate": "chat", "score": 0.1}\n'
    rows += '{"word": "dog", "candidate": "chien", "score": 0.2}\n'
    assert read(tmp_path, rows, "a.jsonl") == {"dog": ["chien", "chat"]}
    lists = '{"word": "dog", "candidates": ["chien", "chat", "chien"]}\n'
    lists += '{"word": "cat", "candidates": []}\n'
    assert read(tmp_path, lists, "b.jsonl") == {"dog": ["chien", "chat"]}


def test_what_translate_writes_can_be_read(tmp_path: Path) -> None:
    """A word without a vector has a row without a candidate, rank and score."""
    text = "source\ttarget\trank\tscore\ndog\tchien\t1\t0.97\nunicorn\t\t\t\n"
    assert read(tmp_path, text) == {"dog": ["chien"]}


def test_scores_and_names_are_kept(tmp_path: Path) -> None:
    """Without a column of scores, they are nan; the name is that of the file."""
    path = tmp_path / "other tool.tsv"
    path.write_text("dog\tchien\t0.5\ndog\tchat\t0.75\n", encoding="utf-8")
    file = CandidateFile.read(path)
    assert file.name == "other tool"
    assert file.candidates["dog"] == (("chat", 0.75), ("chien", 0.5))
    path.write_text("dog\tchien\n", encoding="utf-8")
    assert isnan(CandidateFile.read(path).candidates["dog"][0][1])
    assert CandidateFile.read(path).digest != file.digest


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        ("word\tcandidate\trank\ndog\tchien\tfirst\n", "a.tsv", "no number in rank: 'first'"),
        ("word\tcandidate\tscore\ndog\tchien\t\n", "a.tsv", "no number in score: ''"),
        ("word\tcandidate\tscore\ndog\tchien\tnan\n", "a.tsv", "no number in score: 'nan'"),
        ("dog\tchien\tnoun\n", "a.tsv", "no number in column 3: 'noun'"),
        ("word\tcandidate\ndog\t\n", "a.tsv", "no candidates in it"),
        ('{"word": "dog", "candidates": "chien"}\n', "a.jsonl", "not a list of words"),
        ('{"word": "dog", "candidates": [1]}\n', "a.jsonl", "not a list of words"),
        ("dog\n", "a.tsv", "one word, not two"),
    ],
)
def test_refused(tmp_path: Path, text: str, name: str, message: str) -> None:
    """The error has the line and says what to do."""
    with pytest.raises(InputError, match=message) as caught:
        read(tmp_path, text, name)
    assert caught.value.fix
    assert name in (caught.value.where or "")

"""Confidences of words: measures worked by hand, the files they are read from, and bad ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from math import log2
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import misword
from misword.core.errors import InputError
from misword.report.article import Article
from misword.report.sections.confidences import CONFIDENCES
from misword.stat.calibration import area_under_curve, normalised_cross_entropy

Write = Callable[[str, str | bytes], Path]
CTM = "call A 0.0 0.5 the 0.9\ncall A 0.5 0.5 cat 0.8\ncall A 1.0 0.5 sad 0.3\ncall A 1.5 0.5 x\n"
judged = st.lists(st.tuples(st.sampled_from([0.0, 0.2, 0.5, 0.9, 1.0]), st.booleans()), min_size=2)


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(name: str, text: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return written


def scored(reference: Path, hypothesis: Path, **options: Any) -> misword.Scores:
    corpus, _ = misword.read_corpus(reference, hypothesis)
    return misword.score(corpus, metrics="wer", **options)


def row(scores: misword.Scores) -> dict[str, float]:
    return scores.records["confidences"].to_dicts()[0]


def test_nce_by_hand() -> None:
    confidences, right = np.array([0.9, 0.8, 0.3]), np.array([True, True, False])
    entropy = -(2 / 3 * log2(2 / 3) + 1 / 3 * log2(1 / 3))
    said = (log2(0.9) + log2(0.8) + log2(0.7)) / 3
    expected = pytest.approx((entropy + said) / entropy)
    assert normalised_cross_entropy(confidences, right) == expected
    assert normalised_cross_entropy(confidences, np.ones(3, bool)) is None
    assert np.isfinite(normalised_cross_entropy(np.array([1.0, 0.0]), np.array([False, True])) or 0)


@given(judged)
def test_auc_is_the_share_of_pairs_in_order(words: list[tuple[float, bool]]) -> None:
    right = [value for value, is_right in words if is_right]
    wrong = [value for value, is_right in words if not is_right]
    values, flags = (np.array(column) for column in zip(*words, strict=True))
    found = area_under_curve(values, flags)
    if not right or not wrong:
        assert found is None
        return
    wins = sum((a > b) + (a == b) / 2 for a in right for b in wrong)
    assert found == pytest.approx(wins / len(right) / len(wrong))


def test_ctm(write: Write) -> None:
    found = row(scored(write("ref.csv", "utt,text\ncall-A,the cat sat\n"), write("hyp.ctm", CTM)))
    assert (found["words"], found["without"], found["right"]) == (3, 1, 2 / 3)
    assert found["confidence"] == pytest.approx(2 / 3)
    assert found["auc"] == 1.0
    assert found["ece"] == pytest.approx((0.1 + 0.2 + 0.3) / 3)


def test_ctm_in_the_segments_of_stm(write: Write) -> None:
    stm = "call A anna 0.0 1.0 the cat\ncall A anna 1.0 2.0 sat\n"
    scores = scored(write("ref.stm", stm), write("hyp.ctm", CTM))
    assert (row(scores)["words"], row(scores)["without"]) == (3, 1)


@pytest.mark.parametrize(
    "fields",
    [
        {"confidences": [0.9, 0.8, 0.3]},
        {"word_confidence": [0.9, 0.8, 0.3]},
        {"words": [{"word": "a", "conf": c} for c in (0.9, 0.8, 0.3)]},
        {"words": [{"word": "a", "probability": c} for c in (0.9, 0.8, 0.3)]},
    ],
)
def test_json_lines(write: Write, fields: dict[str, object]) -> None:
    hypothesis = json.dumps({"id": "1", "text": "the cat sad", **fields})
    reference = json.dumps({"id": "1", "text": "the cat sat"})
    found = row(scored(write("ref.jsonl", reference), write("hyp.jsonl", hypothesis)))
    assert (found["words"], found["without"], found["auc"]) == (3, 0, 1.0)


def test_a_word_that_is_divided_gives_its_confidence_to_both_parts(write: Write) -> None:
    hypothesis = json.dumps({"id": "1", "text": "3.5 , x", "confidences": [0.9, 0.5, 0.1]})
    reference = json.dumps({"id": "1", "text": "3 5 y"})
    scores = scored(
        write("ref.jsonl", reference), write("hyp.jsonl", hypothesis), normalize="nopunct"
    )
    found = row(scores)
    assert (found["words"], found["right"]) == (3, 2 / 3)
    assert found["confidence"] == pytest.approx((0.9 + 0.9 + 0.1) / 3)


def test_forgiven_words_are_right(write: Write) -> None:
    hypothesis = json.dumps({"id": "1", "text": "we're here", "confidences": [0.9, 0.8]})
    reference = json.dumps({"id": "1", "text": "we are here"})
    scores = scored(
        write("ref.jsonl", reference), write("hyp.jsonl", hypothesis), forgive="writing", lang="en"
    )
    assert (row(scores)["words"], row(scores)["right"]) == (2, 1.0)


def test_lists_of_another_length_have_no_confidences(write: Write) -> None:
    lines = [
        json.dumps({"id": "1", "text": "a b", "confidences": [0.5]}),
        json.dumps({"id": "2", "text": "c", "confidences": [0.5]}),
    ]
    reference = write("ref.csv", "utt,text\n1,a b\n2,c\n")
    found = row(scored(reference, write("hyp.jsonl", "\n".join(lines))))
    assert (found["words"], found["without"]) == (1, 2)


def test_a_confidence_outside_the_range_is_refused(write: Write) -> None:
    hypothesis = json.dumps({"id": "1", "text": "a", "confidences": [-2.5]})
    scores = scored(write("ref.csv", "utt,text\n1,a\n"), write("hyp.jsonl", hypothesis))
    with pytest.raises(InputError, match=r"a confidence is -2\.5"):
        row(scores)


def test_the_section_of_the_report(write: Write) -> None:
    scores = scored(write("ref.csv", "utt,text\ncall-A,the cat sat\n"), write("hyp.ctm", CTM))
    article = Article.of("r0", scores.result(bootstrap=0))
    shown = CONFIDENCES.make(article)
    assert "Confidences and shares of right words" in shown
    plain = misword.score(["a"], ["a"], "wer").result(bootstrap=0)
    assert CONFIDENCES.make(Article.of("r0", plain)) == ""

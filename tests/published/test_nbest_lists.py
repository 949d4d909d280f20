"""Rates of the first hypotheses of published N-best lists, read from their files."""

from __future__ import annotations

from pathlib import Path

import pytest

import misword

DEMO = Path(misword.__file__).parent / "demo" / "en"


@pytest.mark.parametrize(("name", "percent"), [("clean", 1.794), ("other", 3.668)])
def test_hyporadise(name: str, percent: float, shared: Path) -> None:
    corpus, _ = misword.read_corpus(shared / "nbest" / f"librispeech-{name}.json", nbest=True)
    assert corpus.hypotheses["rank"].value_counts()["count"].n_unique() == 1
    scores = misword.score(
        lambda: misword.read_corpus(shared / "nbest" / f"librispeech-{name}.json")[0]
    )
    assert round(100 * scores["wer"], 3) == percent


@pytest.mark.parametrize(("name", "percent"), [("pocketsphinx", 34.72), ("whisper-tiny", 9.28)])
def test_lists_of_the_demo(name: str, percent: float) -> None:
    paths = DEMO / "ref.csv", DEMO / f"{name}.nbest.jsonl"
    corpus, _ = misword.read_corpus(*paths, nbest=True)
    assert corpus.features == ["score"]
    assert round(100 * misword.score(corpus)["wer"], 2) == percent


def test_features_of_the_french_lists(shared: Path) -> None:
    folder = shared / "wce-whisper"
    corpus, notes = misword.read_corpus(folder / "ref.jsonl", folder / "nbest.jsonl", nbest=True)
    assert corpus.features == ["score", "lm", "lm_tokens"]
    assert "translation" in corpus.hypotheses.columns
    assert notes == ()

"""Tuning on real lists: Le 2016, Table 10; LibriSpeech, where nothing is to be gained."""

from __future__ import annotations

from pathlib import Path

import pytest

import misword


def test_le_table_10(shared: Path) -> None:
    """WER chooses the language model scale 10, WER-E the scale 11; both choices are uncertain."""
    folder = shared / "wce-dev"
    files = [folder / "hyp" / f"scale_{scale:02}.fr" for scale in range(1, 21)]
    corpus, _ = misword.read_corpus(folder / "ref.fr", files)
    vectors = shared / "vectors" / "fr.vec.gz"
    found = misword.tune_systems(corpus, metrics="wer,wer-e", vectors=vectors)
    assert found.choices["system"].to_list() == ["scale_10.fr", "scale_11.fr"]
    assert found.choices["rate"][0] == pytest.approx(0.2192, abs=5e-5)
    assert (found.choices["others"] > 0.3).all()
    assert (found.choices["next_p"] > 0.5).all()


@pytest.mark.parametrize("part", ["clean", "other"])
def test_librispeech_has_nothing_to_gain(shared: Path, part: str) -> None:
    corpus, _ = misword.read_corpus(shared / "nbest" / f"librispeech-{part}.json", nbest=True)
    found = misword.tune(corpus, resamples=0)
    assert found.verdict.endswith("keep rank 1")


def test_french_lists_with_a_language_model(shared: Path) -> None:
    """The held-out gain over utterances is not there for new speakers."""
    folder = shared / "wce-whisper"
    corpus, _ = misword.read_corpus(folder / "ref.jsonl", folder / "nbest.jsonl", nbest=True)
    features = "score,lm,words"
    found = misword.tune(corpus, features=features, resamples=0)
    rates = dict(found.rates.select("choice", "rate").iter_rows())
    assert rates["rank 1"] == pytest.approx(0.2702, abs=5e-5)
    assert rates["oracle"] == pytest.approx(0.2250, abs=5e-5)
    assert rates["tuned"] == pytest.approx(0.2558, abs=5e-4)
    assert rates["tuned"] < rates["held out"] < rates["rank 1"]
    assert "keep rank 1" not in found.verdict
    speakers = misword.tune(corpus, features=features, block="speaker", resamples=0)
    assert "keep rank 1" in speakers.verdict

"""Votes equal those of NIST's rover, word for word, on random texts and on real transcripts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from misword.asr.combine import METHODS, Vote, elected_texts
from misword.text.texts import Texts
from rover import need_rover, rover

Utterances = Sequence[Sequence[Sequence[str]]]


@pytest.fixture(autouse=True)
def _installed() -> None:
    need_rover()


def elected(
    utterances: Utterances, vote: Vote, confidences: list[float] | None = None
) -> list[list[str]]:
    texts = Texts.of([" ".join(words) for transcripts in utterances for words in transcripts])
    at = np.cumsum([0, *map(len, utterances)])
    return [text.split() for text in elected_texts(texts, at, vote, confidences)]


def random_utterances(rng: np.random.Generator, systems: int, count: int) -> Utterances:
    letters = list("abcde")[: int(rng.integers(2, 6))]
    return [
        [rng.choice(letters, rng.integers(1, 14)).tolist() for _ in range(systems)]
        for _ in range(count)
    ]


@pytest.mark.parametrize("seed", range(4))
def test_frequencies(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    utterances = random_utterances(rng, int(rng.integers(2, 9)), 50)
    assert elected(utterances, Vote()) == rover(utterances, tmp_path, "-m", "meth1")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("alpha", "null_confidence"), [(0.5, 0.7), (0.2, 0.0), (0.0, 0.3)])
def test_confidences(method: str, alpha: float, null_confidence: float, tmp_path: Path) -> None:
    rng = np.random.default_rng(9)
    utterances = random_utterances(rng, 4, 50)
    # Some confidences equal that of no word. None is 0: rover stops where all confidences are.
    confidences = [
        [(rng.integers(1, 11, len(words)) / 10).tolist() for words in transcripts]
        for transcripts in utterances
    ]
    flat = [value for rows in confidences for row in rows for value in row]
    options = ("-m", method, "-a", str(alpha), "-c", str(null_confidence))
    expected = rover(utterances, tmp_path, *options, confidences=confidences)
    assert elected(utterances, Vote(method, alpha, null_confidence), flat) == expected


@pytest.mark.parametrize(("systems", "count"), [(4, 400), (20, 50)])
def test_real_transcripts(systems: int, count: int, shared: Path, tmp_path: Path) -> None:
    """Outputs of one recogniser at 20 weights of the language model (Le 2016).

    Of 20 transcripts only the first utterances are compared: for some later ones, rover allocates
    more than 20 GB.
    """
    files = [shared / "wce-dev" / "hyp" / f"scale_{number:02}.fr" for number in range(1, 21)]
    lines = [path.read_text("utf-8").splitlines() for path in files[:: 20 // systems][:systems]]
    rows = [[line.split() for line in row] for row in zip(*lines, strict=True)]
    whole = [row for row in rows if all(row)][:count]
    assert elected(whole, Vote()) == rover(whole, tmp_path, "-m", "meth1")


def test_vendors(shared: Path, tmp_path: Path) -> None:
    """Four commercial recognisers of an earnings call, in pieces of 40 words each."""
    from misword.io.transcripts.read import read_transcript

    vendors = ("amazon", "google", "microsoft", "speechmatics")
    texts = [
        read_transcript(shared / "earnings21" / vendor / "4341191.nlp", role="hypothesis")
        for vendor in vendors
    ]
    words = [" ".join(text.frame["text"]).split() for text in texts]
    pieces = [[w[start : start + 40] for w in words] for start in range(0, 4000, 40)]
    whole = [row for row in pieces if all(row)]
    assert elected(whole, Vote()) == rover(whole, tmp_path, "-m", "meth1")

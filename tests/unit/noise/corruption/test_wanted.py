"""Noisy texts of which a wanted number has a property."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import misword
from misword.core.errors import OptionError
from misword.noise.arrays import Flags
from misword.noise.corrupt import corrupt_file
from misword.noise.corruption.wanted import WantedRows

TEXTS = [f"one two three w{n % 7} four five" for n in range(60)]


def first_word_wrong(clean: Sequence[str], noisy: Sequence[str]) -> Flags:
    pairs = zip(clean, noisy, strict=True)
    return np.array([one.split()[:1] != other.split()[:1] for one, other in pairs], bool)


@settings(max_examples=15, deadline=None)
@given(
    st.integers(0, 60),
    st.integers(0, 5),
    st.sampled_from([0.2, 0.3]),
    st.sampled_from(["s=1", "s=0.6,d=0.2,i=0.2"]),
)
def test_the_number_and_the_word_error_rate_are_exact(
    number: int, seed: int, wer: float, mix: str
) -> None:
    wanted = WantedRows(float(number), first_word_wrong)
    noisy = misword.corrupt(TEXTS, wer, wanted=wanted, channel="uniform", seed=seed, mix=mix)
    (level,) = noisy.levels.values()
    assert first_word_wrong(TEXTS, level.texts).sum() == number
    rate = misword.score(TEXTS, level.texts, "wer").summary(bootstrap=0)["rate"][0]
    assert rate == level.realised.wer == round(wer * 6 * 60) / (6 * 60)
    assert f"wanted:{number}" in str(noisy.signature)


def test_the_table_of_errors_is_that_of_the_exchanged_texts() -> None:
    wanted = WantedRows(0.5, first_word_wrong)
    noisy = misword.corrupt(TEXTS, 0.2, wanted=wanted, channel="uniform")
    (level,) = noisy.levels.values()
    words = [text.split() for text in TEXTS]
    for row in level.truth.iter_rows(named=True):
        assert words[row["utt"] - 1][row["position"] - 1] == row["old"]
        words[row["utt"] - 1][row["position"] - 1] = row["new"]
    assert [" ".join(row) for row in words] == level.texts


def test_other_rows_stay_as_they_were_drawn() -> None:
    """If the first draw has as many as wanted, nothing is exchanged."""
    alone = misword.corrupt(TEXTS, 0.2, channel="uniform").levels["wer-0.20"].texts
    number = float(first_word_wrong(TEXTS, alone).sum())
    wanted = WantedRows(number, first_word_wrong)
    same = misword.corrupt(TEXTS, 0.2, channel="uniform", wanted=wanted).levels["wer-0.20"].texts
    assert same == alone


def test_ids_of_a_file_are_not_part_of_the_texts(tmp_path: Path) -> None:
    clean, noisy = tmp_path / "text", tmp_path / "noisy"
    clean.write_text("".join(f"utt{n:02} {text}\n" for n, text in enumerate(TEXTS)), "utf-8")
    wanted = WantedRows(11.0, first_word_wrong)
    corrupt_file(clean, 0.2, noisy, wanted=wanted, channel="uniform")
    rows = [line.split(" ", 1) for line in noisy.read_text("utf-8").splitlines()]
    assert [row[0] for row in rows] == [f"utt{n:02}" for n in range(60)]
    assert first_word_wrong(TEXTS, [row[1] for row in rows]).sum() == 11


def test_too_many_are_refused() -> None:
    def never(clean: Sequence[str], noisy: Sequence[str]) -> Flags:
        return np.zeros(len(clean), bool)

    for number, message in ((61.0, "61 wanted texts of 60"), (2.0, "0 wanted texts instead of 2")):
        with pytest.raises(OptionError, match=message):
            misword.corrupt(TEXTS, 0.2, channel="uniform", wanted=WantedRows(number, never))
    with pytest.raises(OptionError, match="a whole number"):
        WantedRows(2.5, never)

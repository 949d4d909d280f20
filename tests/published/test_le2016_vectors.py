"""Le et al. 2016 with vectors: the running example as a user sees it, and their dev set."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import misword
from studies.le2016.running_example import HYP, REF, printed_vectors


def test_tables_1_to_3_by_the_metrics() -> None:
    scores = misword.score([REF], [HYP], "wer,wer-e,wer-s", vectors=printed_vectors())
    rates = {label: round(100 * scores[label]) for label in scores.labels}
    assert rates == {"wer": 78, "wer-e": 54, "wer-s": 53}
    costs = scores.table.select("wer-e.cost", "wer-s.cost").row(0)
    assert costs == pytest.approx((4.85, 4.76), abs=0.021)


@pytest.mark.parametrize(
    ("metric", "kinds", "costs"),
    [
        # The paper has the insertion first, as WER-E below, aligned in the same way. `align`
        # shows the alignment with the same counts that pairs westphalien and westphalie.
        ("wer", "A S S I A S A S S S", [0, 1, 1, 1, 0, 1, 0, 1, 1, 1]),
        ("wer-e", "A I S S A S A S S S", [0, 1, 1.07, 0.75, 0, 0.47, 0, 0.35, 0.78, 0.43]),
        ("wer-s", "A S S I A S A S S S", [0, 1.01, 0.73, 1, 0, 0.47, 0, 0.35, 0.78, 0.43]),
    ],
)
def test_alignments_show_the_costs(metric: str, kinds: str, costs: list[float]) -> None:
    steps = misword.align([REF], [HYP], metric, vectors=printed_vectors()).steps(0)
    letters = {"hit": "A", "substitution": "S", "insertion": "I", "deletion": "D"}
    assert " ".join(letters[step.kind] for step in steps) == kinds
    # The printed tables round, and differ among themselves by 0.01 (.72 and .73, .34 and .35).
    assert [step.cost for step in steps] == pytest.approx(costs, abs=0.021)


def test_words_of_the_running_example() -> None:
    scores = misword.score([REF], [HYP], "wer,wer-e,wer-s", vectors=printed_vectors())
    assert scores.words()["wer-e.cost"].sum() == scores.table["wer-e.cost"][0]
    anew = scores.words("wer-s")
    assert anew["wer-s.cost"].sum() == scores.table["wer-s.cost"][0]
    swapped = anew.filter(kind="substitution")
    np.testing.assert_allclose(1 - swapped["cosine"], swapped["wer-s.cost"], atol=1e-12)


def test_dev_set_with_smaller_vectors(shared: Path) -> None:
    """Le has 21.92, 18.10 and 17.41 with vectors of their own; ours are smaller and another's."""
    corpus, _ = misword.read_corpus(
        shared / "wce-dev/ref.fr", [shared / "wce-dev/hyp/scale_10.fr"], input_format="lines"
    )
    scores = misword.score(
        corpus,
        metrics="wer,wer-e,wer-s,ember",
        normalize="none",
        vectors=shared / "vectors/fr.vec.gz",
    )
    rates = {label: round(100 * scores[label], 2) for label in scores.labels}
    assert rates == {"wer": 21.92, "wer-e": 16.44, "wer-s": 16.0, "ember": 15.37}
    by_unit, by_cost = (scores.table[f"{label}.cost"] for label in ("wer-e", "wer-s"))
    assert (by_cost <= by_unit).all()
    assert scores.table["wer-e.oov"].sum() == 6984
    assert scores.table["wer-e.unpriced"].sum() == 4206

"""Published comparisons of systems: Roux et al. 2022, Table 2; Le et al. 2016, Table 9."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import misword
from misword.stat.paired import paired

# Table 2: base, rescoring, reduction in percent as printed.
TABLE_2 = {
    "WER": (15.45, 13.24, -14.3),
    "CER": (8.57, 7.70, -10.2),
    "dPOSER": (14.59, 12.51, -14.3),
    "uPOSER": (12.22, 10.79, -11.7),
    "LER": (14.35, 12.08, -15.8),
    "LCER": (8.78, 8.00, -8.9),  # printed -8.8
    "SemDist": (7.89, 7.18, -9.0),
    "BERTScore": (9.12, 8.38, -8.1),
    "EmbER": (12.33, 10.79, -12.5),
}


def relative(base: float, rescored: float) -> float:
    """The relative change of two rates, in percent."""
    terms = [np.array([[100 * rate, 10_000]]) for rate in (base, rescored)]
    return 100 * paired(terms[0], terms[1], lambda sums: sums[..., 0] / sums[..., 1]).relative


@pytest.mark.parametrize("metric", TABLE_2)
def test_roux_table_2(metric: str) -> None:
    base, rescored, printed = TABLE_2[metric]
    assert round(relative(base, rescored), 1) == printed


def test_roux_table_2_has_a_misprint() -> None:
    """The text says that WER gains most. So it does if LER fell to 12.81, not 12.08."""
    changes = {name: relative(*rates[:2]) for name, rates in TABLE_2.items()}
    assert min(changes, key=changes.__getitem__) == "LER"
    changes["LER"] = relative(14.35, 12.81)
    assert round(changes["LER"], 1) == -10.7
    assert min(changes, key=changes.__getitem__) == "WER"


def test_le_table_9_adds_up() -> None:
    """Better, worse and ties of TER, BLEU and METEOR are all 2,643 (dev) and 4,050 (test)."""
    dev = [(255, 190, 2198), (310, 271, 2062), (321, 315, 2007)]
    test = [(341, 264, 3445), (451, 381, 3218), (510, 399, 3141)]
    assert {sum(column) for column in dev} == {2643}
    assert {sum(column) for column in test} == {4050}


def test_le_oracles_side_by_side(shared: Path) -> None:
    """The translations of the two oracles, word by word: most are ties, WER-E's wins more."""
    files = ("post-edition.en", "slt/oracle_WER.en", "slt/oracle_WER-E.en")
    said, wer, wer_e = (
        (shared / "wce-dev" / name).read_text("utf-8").splitlines() for name in files
    )
    row = misword.compare(said, {"wer": wer, "wer-e": wer_e}, "wer", bootstrap=100).differences.row(
        0, named=True
    )
    assert row["better"] + row["worse"] + row["same"] + row["undefined"] == 2643
    assert row["same"] > row["better"] > row["worse"]

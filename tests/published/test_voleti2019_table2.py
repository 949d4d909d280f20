"""Voleti et al. 2019, Table 2, and the order of their findings on the corpora at hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from misword.noise.robust import robust
from misword.stat.trials import Mean

# Pearson x 100 at 0, 10 and 30 % WER, and PCC30 / PCC0 in percent, as printed.
TABLE = [
    ("AVG-W2V", "SICK", 72.84, 64.44, 49.18, 67.52),
    ("AVG-W2V", "STS-benchmark", 67.40, 59.23, 45.64, 67.72),
    ("AVG-W2V-STOP", "SICK", 71.30, 62.67, 49.09, 68.85),
    ("AVG-W2V-STOP", "STS-benchmark", 68.61, 62.15, 49.99, 72.85),
    ("SIF-W2V", "SICK", 73.44, 65.93, 52.60, 71.63),
    ("SIF-W2V", "STS-benchmark", 70.39, 63.51, 52.06, 73.96),
    ("USIF-W2V", "SICK", 73.70, 66.06, 52.71, 71.51),
    ("USIF-W2V", "STS-benchmark", 69.95, 62.85, 51.11, 73.07),
    ("SUBS-W2V-STOP", "SICK", 66.10, 59.28, 46.94, 71.02),
    ("SUBS-W2V-STOP", "STS-benchmark", 71.58, 65.36, 53.05, 74.10),
    ("INF-FT", "SICK", 75.94, 68.95, 56.56, 74.48),
    ("INF-FT", "STS-benchmark", 74.77, 67.88, 55.60, 74.36),
]


@pytest.mark.parametrize(("encoder", "corpus", "clean", "ten", "thirty", "ratio"), TABLE)
def test_printed_ratios_follow_from_the_columns(
    encoder: str, corpus: str, clean: float, ten: float, thirty: float, ratio: float
) -> None:
    """Each column is rounded to 0.005: the ratio may be off by as much as that allows."""
    slack = 0.005 + ratio * (0.005 / clean + 0.005 / thirty)
    found = Mean(thirty, ten, ten).divided_by(clean)
    assert 100 * found.value == pytest.approx(ratio, abs=slack)


def test_findings_on_the_benchmark_at_hand(shared: Path) -> None:
    """Similarity falls in a line, for the mean least, for SIF most; SIF and uSIF beat the mean."""
    found = robust(
        shared / "sts/stsb-en-dev.csv",
        "mean,sif,usif",
        (0.1, 0.3, 0.5),
        trials=2,
        vectors=shared / "vectors/en.vec.gz",
        lang="en",
        bootstrap=0,
    )
    lines = dict(found.lines.select("encoder", "slope").iter_rows())
    assert (found.lines["r2"] > 0.98).all()
    assert lines["sif"] < lines["usif"] < lines["mean"] < 0
    noisy = dict(found.levels.filter(wer=0.3).select("encoder", "pearson").iter_rows())
    assert min(noisy["sif"], noisy["usif"]) > noisy["mean"] + 0.05
    assert found.levels.filter(wer=0.0)["similarity"].to_list() == [1.0] * 3

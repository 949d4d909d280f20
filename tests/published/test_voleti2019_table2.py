"""Voleti et al. 2019, Table 2, and the order of their findings on the corpora at hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from misword.noise.robust import robust
from misword.stat.student_t import MeanInterval
from studies.voleti2019.published import TABLE_2, ratio_follows


@pytest.mark.parametrize("key", TABLE_2, ids=" ".join)
def test_printed_ratios_follow_from_the_columns(key: tuple[str, str]) -> None:
    """Each column is rounded to 0.005: the ratio may be off by as much as that allows."""
    cells = TABLE_2[key]
    assert ratio_follows(cells)
    assert not ratio_follows(cells._replace(ratio=cells.ratio + 0.1))
    found = MeanInterval(cells.thirty, cells.ten, cells.ten).divided_by(cells.clean)
    assert 100 * found.value == pytest.approx(cells.ratio, abs=0.02)


def test_table_2_is_whole() -> None:
    assert len(TABLE_2) == 12
    assert all(cells.clean > cells.ten > cells.thirty for cells in TABLE_2.values())


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

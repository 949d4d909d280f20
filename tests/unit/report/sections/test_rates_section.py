"""The table and the chart of rates by group."""

from __future__ import annotations

import misword
from misword.report.kinds import headline
from misword.report.sections.rates import rate_figure, rate_table


def test_all_groups_together_have_a_row() -> None:
    refs, hyps = ["a b", "c d", "e f"], ["a b", "c x", "x x"]
    scores = misword.score(refs, hyps, "wer", metadata={"noise": ["no", "no", "yes"]})
    result = scores.result(by="noise", bootstrap=0)
    assert headline(result) == "WER from 25.0 % (noise no) to 100.0 % (noise yes) in 2 groups."
    assert ">all<" in rate_table(result)
    figure = rate_figure(result)
    assert figure is not None
    assert [(cells[0].shown, cells[2].shown) for cells in figure.rows] == [
        ("WER · noise no", "25.00"), ("WER · noise yes", "100.00"), ("WER · all", "50.00"),
    ]  # fmt: skip

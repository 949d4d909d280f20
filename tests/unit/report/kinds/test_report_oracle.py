"""The page of the best hypotheses of N-best lists."""

from __future__ import annotations

import misword
from misword.report import render
from misword.report.kinds import headline
from results_made import HOSTILE, oracle


def test_headline() -> None:
    lists = [["the cat", "the cat sat"], ["on a mat"]]
    found = misword.oracle(["the cat sat", "on the mat"], {"asr": lists}, "wer", bootstrap=0)
    assert headline(found.result()) == (
        "The best of 2 hypotheses of asr have WER 16.67 %; its first ones have 33.33 %."
    )


def test_undefined_rates_have_no_headline() -> None:
    found = misword.oracle(["", ""], [["", "a"], [""]], "wer", bootstrap=0)
    assert "without a headline" in headline(found.result())
    render([found.result()])


def test_sections_and_hostile_names() -> None:
    page = render([oracle(system=HOSTILE[0]), oracle(("mine:x=1", "wil"))])
    assert "What the choice among equally good hypotheses can change" in page
    assert "What the choice does to the translations" in page
    assert HOSTILE[0] not in page


def test_results_without_texts() -> None:
    found = misword.oracle(["a b"], [["a", "a b"]], "wer", bootstrap=0)
    assert "a b" in render([found.result()])
    again = misword.oracle(found.scores, bootstrap=0)
    assert again.chosen["text"].null_count() == 1
    render([again.result()])

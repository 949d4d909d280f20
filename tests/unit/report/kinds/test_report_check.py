"""The page of the findings of checks."""

from __future__ import annotations

import misword
from misword.report import render
from misword.report.kinds import headline
from planted import demo, removed
from results_made import HOSTILE


def test_headline_names_the_first_finding() -> None:
    result = misword.check(*removed(40)(demo("en"))).result()
    assert headline(result).startswith("1 error. hypothesis: 17")
    assert headline(result).endswith(" lines are 1 line early beside reference.")


def test_headline_of_sound_data() -> None:
    assert headline(misword.check(*demo("en")).result()) == "The checks found nothing."


def test_the_page_has_examples_and_checks() -> None:
    page = render([misword.check(*removed(40)(demo("en"))).result()])
    for text in (
        "The findings one by one",
        "slipped lines",
        "The checks that were made",
        "mojibake",
    ):
        assert text in page


def test_text_stays_text() -> None:
    refs, hyps = demo("en")
    names = {HOSTILE[0]: [*hyps[:40], *(text + "\ufffd" for text in HOSTILE), *hyps[44:]]}
    page = render([misword.check(refs[: len(names[HOSTILE[0]])], names).result()])
    for text in HOSTILE:
        if "<" in text:
            assert text not in page

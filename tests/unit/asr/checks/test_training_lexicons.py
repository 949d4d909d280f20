"""Words of a test set that are in a lexicon a system was trained on."""

from __future__ import annotations

from pathlib import Path

import pytest

import misword

WORDS = ["torpedo", "heron", "wharf", "ledger", "quarry", "mantle", "sparrow"]


@pytest.mark.parametrize("between", ["\t", " "])
def test_words_of_a_lexicon_are_found_in_both_languages(between: str, tmp_path: Path) -> None:
    lexicon = tmp_path / "train.txt"
    lexicon.write_text("".join(f"{word}{between}{word[::-1]}\n" for word in WORDS), "utf-8")
    for test in (WORDS, [word[::-1] for word in WORDS]):
        (finding,) = misword.check(test, test, training=lexicon, checks="training").findings
        assert (finding.check, finding.count) == ("training", len(WORDS))


def test_a_table_of_texts_is_no_lexicon(tmp_path: Path) -> None:
    table = tmp_path / "train.csv"
    table.write_text("id,text\nu1,hello there my friend\nu2,good bye to all of you\n", "utf-8")
    test = ["hello there my friend", "a sentence that is new"]
    (finding,) = misword.check(test, test, training=table, checks="training").findings
    assert finding.count == 1

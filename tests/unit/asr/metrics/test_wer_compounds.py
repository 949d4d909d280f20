"""WER where compounds may be written apart, by hand and against plain dynamic programming."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import misword
from compound_oracle import merged_errors

METRIC = "wer:compounds=merge"


def counts(reference: str, hypothesis: str) -> list[int]:
    """Hits, substitutions, insertions and deletions."""
    scores = misword.score([reference], [hypothesis], METRIC)
    found: list[int] = scores.statistics(METRIC)[0].tolist()
    return found


@pytest.mark.parametrize(
    ("reference", "hypothesis", "expected"),
    [
        ("white paper", "whitepaper", [2, 0, 0, 0]),  # both reference words are hits
        ("whitepaper", "white paper", [1, 0, 0, 0]),
        ("a white paper is here", "a whitepaper was here", [4, 1, 0, 0]),
        ("n a s a", "nasa", [4, 0, 0, 0]),
        ("supercalifragilistic", "super cali fragi listic", [1, 0, 0, 0]),
        ("ab ab", "a b a b", [2, 0, 0, 0]),  # merges follow each other
        ("ab c d", "a b cd", [3, 0, 0, 0]),  # in both directions
        ("ab c", "a bc", [0, 2, 0, 0]),  # two words never match two words
        ("ab c abc", "a bc abc", [1, 2, 0, 0]),  # not even if their letters are a word elsewhere
        ("E-mail", "e mail", [0, 1, 1, 0]),  # letters as they are: case and hyphens count
        ("e-mail", "e mail", [0, 1, 1, 0]),
        ("may be", "maybe", [2, 0, 0, 0]),  # no list of exceptions
        ("10 15", "1015", [2, 0, 0, 0]),
        ("white, paper", "white,paper", [2, 0, 0, 0]),
        ("\u00e9 t\u00e9", "e\u0301t\u00e9", [2, 0, 0, 0]),  # after nfc
        ("", "a b", [0, 0, 2, 0]),
        ("a b", "", [0, 0, 0, 2]),
    ],
)
def test_by_hand(reference: str, hypothesis: str, expected: list[int]) -> None:
    assert counts(reference, hypothesis) == expected


word = st.text("ab", min_size=1, max_size=4)
sentence = st.lists(word, max_size=7)


@given(st.lists(st.tuples(sentence, sentence), min_size=1, max_size=5))
def test_errors_are_the_fewest(pairs: list[tuple[list[str], list[str]]]) -> None:
    """Of each pair alone, whatever words the other pairs have."""
    references, hypotheses = ([" ".join(pair[side]) for pair in pairs] for side in (0, 1))
    found = misword.score(references, hypotheses, METRIC).statistics(METRIC)
    for (reference, hypothesis), row in zip(pairs, found, strict=True):
        assert row[1:].sum() == merged_errors(reference, hypothesis)
        assert row[0] + row[1] + row[3] == len(reference)


def test_never_more_errors_than_apart() -> None:
    scores = misword.score(["a b c", "ab"], ["ab c d", "a b"], f"wer,{METRIC}")
    apart, merged = (scores.statistics(label)[:, 1:].sum(axis=1) for label in ("wer", METRIC))
    assert apart.tolist() == [3, 2]
    assert merged.tolist() == [1, 0]


def test_signature() -> None:
    scores = misword.score(["a"], ["a"], f"wer,{METRIC}")
    plain, merged = (str(column.signature) for column in scores.columns)
    assert "compounds:merge" in merged
    assert "compounds" not in plain
    assert plain.replace("wer|ties:misword", "") == merged.replace(
        "wer|ties:misword|compounds:merge", ""
    )


def test_align_shows_the_joined_words() -> None:
    aligned = misword.align(["a white paper"], ["a whitepaper"], METRIC)
    assert {step.kind for step in aligned.steps(0)} == {"hit"}


def test_a_long_word_of_many_parts() -> None:
    parts = ["x"] * 200
    assert counts(" ".join(parts), "".join(parts)) == [200, 0, 0, 0]

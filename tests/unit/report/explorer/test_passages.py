"""The worst passages of long texts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import misword
from misword.core.types import Result
from misword.report.article import Article
from misword.report.explorer import passages
from misword.report.explorer.alignments import SystemWords
from misword.report.explorer.passages import PASSAGES_SECTION, WINDOW, ErrorCounts, passages_data

TEXT = " ".join(f"w{k}" for k in range(100))


def counts_of(references: list[str], hypotheses: dict[str, list[str]]) -> ErrorCounts | None:
    result = misword.score(references, hypotheses, "wer", forgive="writing").result()
    words, ids = result.tables["words"], result.tables["utterances"]["utt"].unique().sort()
    systems = [SystemWords.of(words, name, ids.to_list()) for name in hypotheses]
    return ErrorCounts.of(systems, len(references))


def test_errors_are_counted_at_the_words_where_they_are() -> None:
    """Insertions count at the next word, and at the end of an utterance at the last word."""
    counts = counts_of(["a b c", "", "d e"], {"s": ["a x y c z", "q", "e"]})
    assert counts is not None
    assert counts.lengths.tolist() == [3, 0, 2]
    # Substitution of b and an insertion beside it, in either order; z at c; deletion of d.
    assert counts.errors.sum() == 4
    assert counts.errors[0, :3].sum() == 3
    assert counts.errors[0, 3:].tolist() == [1, 0]


def test_forgiven_blocks_are_no_errors_and_have_all_their_words() -> None:
    counts = counts_of(["we are here uh now"], {"s": ["we're hear now"]})
    assert counts is not None
    assert counts.lengths.tolist() == [5]
    assert counts.errors.tolist() == [[0, 0, 1, 0, 0]]


def window_errors(lengths: list[int], errors: list[int]) -> list[tuple[int, int, int]]:
    counts = np.array(lengths, np.int64), np.array([errors], np.int64)
    return ErrorCounts(*counts).worst(np.array([1]))


@given(st.lists(st.integers(0, 3 * WINDOW), max_size=4), st.randoms(use_true_random=False))
def test_the_first_passage_has_the_most_errors(lengths: list[int], random: object) -> None:
    """No window of one utterance has more, and passages do not overlap."""
    rng = np.random.default_rng(random.randrange(1 << 30))  # type: ignore[attr-defined]
    errors = (rng.random(sum(lengths)) < 0.2).astype(int).tolist()
    found = window_errors(lengths, errors)
    starts = np.cumsum([0, *lengths])
    of = [sum(errors[starts[u] + first : starts[u] + end]) for u, first, end in found]
    assert of == sorted(of, reverse=True)
    best = max(
        (sum(errors[starts[u] + i : starts[u] + min(i + WINDOW, n)])
         for u, n in enumerate(lengths) for i in range(n)),
        default=0,
    )  # fmt: skip
    assert (of[0] if of else 0) == best
    places = [(u, word) for u, first, end in found for word in range(first, end)]
    assert len(places) == len(set(places))
    assert all(end <= lengths[u] for u, _, end in found)


def test_orders_compare_systems_on_the_same_words() -> None:
    words = TEXT.split()
    one = " ".join("x" if 10 <= k < 20 else word for k, word in enumerate(words))
    two = " ".join("x" if 60 <= k < 64 else word for k, word in enumerate(words))
    counts = counts_of([TEXT], {"one": [one], "two": [two]})
    assert counts is not None
    orders = {
        order["name"]: order["windows"] for order in passages_data(counts, ["one", "two"])["orders"]
    }
    assert list(orders) == [
        "errors of all systems", "errors of one", "errors of two", "two worse than one",
    ]  # fmt: skip
    assert [window["errors"] for window in orders["errors of all systems"]] == [[10, 0], [0, 4]]
    (only,) = orders["two worse than one"]
    assert only["errors"] == [0, 4]
    assert only["from"] <= 60 < 64 <= only["to"] == only["from"] + WINDOW
    assert only["of"] == 100


def section_of(result: Result) -> str:
    return PASSAGES_SECTION.make(Article.of("r0", result))


def test_short_utterances_have_no_passages(monkeypatch: pytest.MonkeyPatch) -> None:
    result = misword.score([TEXT], ["w1"], "wer").result()
    assert "data-passages" in section_of(result)
    monkeypatch.setattr(passages, "LONG", 101)
    assert section_of(result) == ""
    assert section_of(misword.score([TEXT], ["w1"], "wer").result(words=False)) == ""

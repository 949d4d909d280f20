"""Words that a system has newly wrong or right, beside a count in plain Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
import pytest

import misword
from misword.asr.comparison.word_kinds import Numbering

WORDS = np.array(["we're", "here", "now", "a", "b"])
Changes = dict[tuple[str, str], Counter[str]]


def corpus(seed: int) -> tuple[list[str], dict[str, list[str]]]:
    """Return references and two systems, of which the second one often has `now` wrong."""
    rng = np.random.default_rng(seed)
    references = WORDS[rng.integers(0, len(WORDS), (120, 6))]
    systems = {}
    for name, share in (("base", 0.1), ("new", 0.6)):
        wrong = rng.random(references.shape) < np.where(references == "now", share, 0.1)
        heard = np.where(wrong, "x", references)
        if name == "new":
            heard = np.where(heard == "we're", "we are", heard)
        more = rng.random(len(heard)) < share / 3
        systems[name] = [
            " ".join([*row, "um"] if add else row)
            for row, add in zip(heard.tolist(), more.tolist(), strict=True)
        ]
    return [" ".join(row) for row in references.tolist()], systems


def changes_of_references(words: pl.DataFrame) -> Iterator[tuple[str, str, str, int]]:
    """Yield kind, text, utterance and change (1: newly wrong) of each word and phrase."""
    said = words.filter((pl.col("kind") != "insertion") & pl.col("reference").is_not_null())
    for (utt,), rows in said.group_by("utt"):
        sides = [
            rows.filter(system=system).sort("place").select("reference", "kind").rows()
            for system in ("base", "new")
        ]
        assert [text for text, _ in sides[0]] == [text for text, _ in sides[1]]
        for size in (1, 2, 3):
            for at in range(len(sides[0]) - size + 1):
                wrong = [any(kind != "hit" for _, kind in side[at : at + size]) for side in sides]
                if wrong[0] != wrong[1]:
                    text = " ".join(word for word, _ in sides[0][at : at + size])
                    yield "word" if size == 1 else "phrase", text, utt, 1 if wrong[1] else -1


def changes_of_insertions(words: pl.DataFrame) -> Iterator[tuple[str, str, str, int]]:
    """Yield kind, text, utterance and change of each added word."""
    added = words.filter(kind="insertion").group_by("utt", "hypothesis")
    for (utt, text), rows in added:
        counts = Counter(rows["system"].to_list())
        for _ in range(abs(counts["new"] - counts["base"])):
            yield "inserted", text, utt, 1 if counts["new"] > counts["base"] else -1


@pytest.mark.parametrize("options", [{}, {"forgive": "writing"}], ids=["plain", "forgiving"])
def test_changes_are_those_counted_one_by_one(options: dict[str, Any]) -> None:
    references, systems = corpus(0)
    found = misword.compare(references, systems, "wer", bootstrap=0, **options)
    words = misword.score(references, systems, metrics="wer", **options).words()
    counts: dict[tuple[str, str], list[int]] = {}
    utts: dict[tuple[str, str], Counter[str]] = {}
    for kind, text, utt, change in (*changes_of_references(words), *changes_of_insertions(words)):
        counts.setdefault((kind, text), [0, 0])[change < 0] += 1
        utts.setdefault((kind, text), Counter())[utt] += change
    assert found.details is not None
    table = found.details.words
    assert {"now"} | ({"um"} if not options else set()) <= set(table["text"])
    for row in table.iter_rows(named=True):
        key = row["kind"], row["text"]
        assert [row["newly_wrong"], row["newly_right"]] == counts[key]
        assert row["utterances"] == sum(1 for change in utts[key].values() if change)
        assert {utts[key][utt] != 0 for utt in row["utts"][: row["utterances"]]} == {True}


def test_numbers_of_words() -> None:
    known = Numbering()
    assert known.numbers(pl.Series(["b", "a", None, "b"])).to_list() == [0, 1, None, 0]
    assert known.numbers(pl.Series(["c", "a"])).to_list() == [2, 1]
    assert known.numbers(pl.Series([], dtype=pl.String)).to_list() == []
    assert known.values == ["b", "a", "c"]

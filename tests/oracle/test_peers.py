"""jiwer, kaldialign and RapidFuzz give the same numbers and the same alignments."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import misword
from misword.alignment import align
from misword.core.types import Tokens

sentence = st.lists(st.sampled_from("abcde"), max_size=14).map(" ".join)
corpora = st.lists(st.tuples(sentence.filter(bool), sentence), min_size=1, max_size=6)


@given(corpora)
def test_jiwer(pairs: list[tuple[str, str]]) -> None:
    import jiwer

    refs, hyps = map(list, zip(*pairs, strict=True))
    theirs = jiwer.process_words(refs, hyps)
    ours = misword.score(refs, hyps, "wer:ties=jiwer,mer:ties=jiwer,wil:ties=jiwer,wer")
    hits, substitutions, insertions, deletions = ours.statistics("wer:ties=jiwer").sum(axis=0)
    assert (hits, substitutions) == (theirs.hits, theirs.substitutions)
    assert (insertions, deletions) == (theirs.insertions, theirs.deletions)
    assert ours["wer"] == pytest.approx(theirs.wer, abs=1e-12)
    assert ours["mer:ties=jiwer"] == pytest.approx(theirs.mer, abs=1e-12)
    assert ours["wil:ties=jiwer"] == pytest.approx(theirs.wil, abs=1e-12)


@given(corpora)
def test_jiwer_characters(pairs: list[tuple[str, str]]) -> None:
    import jiwer

    refs, hyps = map(list, zip(*pairs, strict=True))
    theirs = jiwer.process_characters(refs, hyps)
    ours = misword.score(refs, hyps, "cer:ties=jiwer").statistics("cer:ties=jiwer").sum(axis=0)
    assert ours.tolist() == [theirs.hits, theirs.substitutions, theirs.insertions, theirs.deletions]


@given(corpora)
def test_kaldialign(pairs: list[tuple[str, str]]) -> None:
    import kaldialign

    refs, hyps = map(list, zip(*pairs, strict=True))
    label = "wer:ties=kaldialign"
    ours = misword.score(refs, hyps, label).statistics(label)
    aligned = misword.align(refs, hyps, "wer:ties=kaldialign")
    for p, (ref, hyp) in enumerate(pairs):
        theirs = kaldialign.edit_distance(ref.split(), hyp.split())
        assert ours[p, 1:].tolist() == [theirs["sub"], theirs["ins"], theirs["del"]]
        steps = [(step.reference or "*", step.hypothesis or "*") for step in aligned.steps(p)]
        assert steps == kaldialign.align(ref.split(), hyp.split(), "*")


@given(st.lists(st.integers(0, 3), max_size=200), st.lists(st.integers(0, 3), max_size=200))
def test_rapidfuzz_opcodes(ref: list[int], hyp: list[int]) -> None:
    assert ops_of(ref, hyp) == rapidfuzz_ops(ref, hyp)


@pytest.mark.parametrize("size", [1900, 2100, 5000])
def test_rapidfuzz_where_it_divides_the_pair(size: int) -> None:
    rng = np.random.default_rng(size)
    ref, hyp = rng.integers(0, 3, size).tolist(), rng.integers(0, 3, size + 50).tolist()
    assert ops_of(ref, hyp) == rapidfuzz_ops(ref, hyp)


def ops_of(ref: list[int], hyp: list[int]) -> list[int]:
    sides = [
        Tokens(np.array(side, np.int32), np.array([0, len(side)]), list("abcd"))
        for side in (ref, hyp)
    ]
    ops: list[int] = align(*sides, ties="jiwer").operations(0).tolist()
    return ops


def rapidfuzz_ops(ref: list[int], hyp: list[int]) -> list[int]:
    from rapidfuzz.distance import Levenshtein

    kinds = {"equal": 0, "replace": 1, "insert": 2, "delete": 3}
    ops: list[int] = []
    for code in Levenshtein.opcodes(ref, hyp):
        length = max(code.src_end - code.src_start, code.dest_end - code.dest_start)
        ops += [kinds[code.tag]] * length
    return ops

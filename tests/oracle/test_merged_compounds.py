"""`wer:compounds=merge` has the errors of kaldialign's `merge_compounds=True`."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import misword
from compound_oracle import kaldialign_counts, merged_errors
from misword.io.transcripts.read import read_corpus

METRIC = "wer:compounds=merge"
# Words of two letters that concatenate to each other in many ways, also across several words.
word = st.text("ab", min_size=1, max_size=4)
sentence = st.lists(word, max_size=7)
pairs = st.lists(st.tuples(sentence, sentence), min_size=1, max_size=5)


def kaldialign_errors(reference: list[str], hypothesis: list[str]) -> dict[str, int]:
    from kaldialign import edit_distance

    counts: dict[str, int] = edit_distance(reference, hypothesis, merge_compounds=True)
    return counts


@given(sentence, sentence)
@example(["a", "ab"], ["aa", "b"])  # several words never match several words
@example(["a", "b"], ["ab"])
@example(["ab"], ["a", "b"])
@example(["a", "b", "a", "b"], ["ab", "ab"])  # merges follow each other
@example(["ab", "a", "b"], ["a", "b", "ab"])  # in both directions
@example([], ["a", "b"])
def test_the_reference_implementation_is_kaldialign(
    reference: list[str], hypothesis: list[str]
) -> None:
    theirs = kaldialign_errors(reference, hypothesis)
    assert merged_errors(reference, hypothesis) == theirs["total"]
    counts = kaldialign_counts(reference, hypothesis)
    assert counts[1:] == (theirs["sub"], theirs["ins"], theirs["del"])
    assert counts[0] == theirs["ref_len"] - theirs["sub"] - theirs["del"]


@given(pairs)
def test_merged_errors(pairs: list[tuple[list[str], list[str]]]) -> None:
    references, hypotheses = ([" ".join(pair[side]) for pair in pairs] for side in (0, 1))
    scores = misword.score(references, hypotheses, METRIC)
    for (reference, hypothesis), counts in zip(pairs, scores.statistics(METRIC), strict=True):
        hits, substitutions, insertions, deletions = counts.tolist()
        theirs = kaldialign_errors(reference, hypothesis)
        assert substitutions + insertions + deletions == theirs["total"]
        assert hits + substitutions + deletions == theirs["ref_len"]


@pytest.mark.parametrize("system", ["whisper-tiny.en", "wav2vec2-base-960h"])
def test_transcripts_as_written(shared: Path, system: str) -> None:
    from kaldialign import batch_error_rate

    corpus, _ = read_corpus(shared / "leaderboard" / f"voxpopuli-{system}.jsonl")
    frames = corpus.references, corpus.hypotheses
    sides = [[text.split() for text in frame["text"]] for frame in frames]
    theirs = batch_error_rate(*sides, merge_compounds=True)
    scores = misword.score(corpus, metrics=METRIC, normalize="none", alternatives=False)
    errors = scores.statistics(METRIC)[:, 1:].sum()
    assert errors == theirs["total"]
    assert scores[METRIC] == pytest.approx(theirs["err_rate"])

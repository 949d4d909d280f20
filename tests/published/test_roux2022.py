"""Roux et al.: Qualitative evaluation of language model rescoring in ASR, Interspeech 2022."""

from __future__ import annotations

import misword


def test_empty_references_count_in_the_corpus_only() -> None:
    """Roux's set has nine of them: 15.45 % with, 15.43 % without."""
    refs, hyps = ["a b c d", ""], ["a b c x", "euh oui"]
    with_them = misword.score(refs, hyps, "wer")
    assert with_them["wer"] == 3 / 4
    assert with_them.utterances()["wer.rate"].to_list() == [0.25, None]
    assert misword.score(refs[:1], hyps[:1], "wer")["wer"] == 1 / 4


def test_cer_keeps_empty_hypotheses() -> None:
    """8.71 % with them; the published 8.57 % leaves them out."""
    assert misword.score(["abc", "de"], ["abc", ""], "cer")["cer"] == 2 / 5

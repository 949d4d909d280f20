"""The Open ASR Leaderboard's counts come back from its manifests."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import misword
from extras import needs
from misword.io.transcripts.read import read_corpus

pytestmark = needs("whisper_normalizer")
MERGED = "wer:compounds=merge"
PRESET = "open-asr-leaderboard"


@pytest.mark.parametrize("system", ["whisper-tiny.en", "wav2vec2-base-960h"])
def test_manifests(shared: Path, system: str) -> None:
    folder = shared / "leaderboard"
    expected = json.loads((folder / "voxpopuli-expected.json").read_text("utf-8"))[system]
    corpus, _ = read_corpus(folder / f"voxpopuli-{system}.jsonl")
    scores = misword.score(corpus, metrics="wer", preset=PRESET)
    merged, apart = (scores.statistics(label).sum(axis=0) for label in (MERGED, "wer"))
    assert merged[1:].sum() == expected["merged"]
    assert apart[1:].sum() == expected["unmerged"]
    assert merged[0] + merged[1] + merged[3] == expected["words"]
    assert round(100 * scores[MERGED], 2) == expected["wer"]


def test_rows_and_signature() -> None:
    refs = ["Um.", "white paper", "IGNORE_TIME_SEGMENT_IN_SCORING", "a b"]
    hyps = ["hello", "whitepaper", "noise", "a"]
    scores = misword.score(refs, hyps, preset=PRESET)
    assert scores.statistics(MERGED).sum(axis=0).tolist() == [3, 0, 1, 1]
    assert "1 of 4 utterances are left out, as by Open ASR Leaderboard" in scores.notes
    assert "preset:open-asr-leaderboard[empty=count]" in str(scores.columns[0].signature)
    scores = misword.score(refs, hyps, preset=f"{PRESET}:empty=leave-out")
    assert scores.statistics(MERGED).sum(axis=0).tolist() == [3, 0, 0, 1]


def test_chunks_of_a_session() -> None:
    metadata = {"parent_id": ["s", "s"], "chunk_index": [1, 0]}
    scores = misword.score(
        ["Hello, there!"] * 2, ["there.", "hello"], preset=PRESET, metadata=metadata
    )
    assert len(scores) == 1
    assert scores.statistics(MERGED).tolist() == [[2, 0, 0, 0]]


@needs("num2words")
def test_other_languages() -> None:
    """Regions that differ only in blanks are joined first, which changes the number of words."""
    texts = ["Die Welt weite Reise, 21 Tage."], ["die weltweite Reise einundzwanzig tage"]
    scores = misword.score(*texts, preset=PRESET, lang="de")
    assert scores.statistics(MERGED).tolist() == [[5, 0, 0, 0]]
    two = misword.score(["a b"], {"x": ["ab"], "y": ["a b"]}, preset=PRESET, lang="fr")
    assert two.statistics(MERGED).tolist() == [[1, 0, 0, 0], [2, 0, 0, 0]]

"""Whose errors: those of the recogniser, and those of the diariser, by recording and by speaker.

Words are compared as they are after normalisation; nothing is forgiven. The errors of the
recogniser are those of ORC WER, where a wrong speaker is no error. What cpWER counts beyond them is
due to wrong speakers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from misword.alignment.speaker_streams import assign
from misword.asr.metrics.speakers import (
    NOBODY,
    OrcWER,
    match_speakers,
    speakers_of_aligned_words,
    stream_distances,
)
from misword.asr.pairs import Pairs
from misword.asr.speakers import Speakers, Stretch
from misword.core.formatting import percent
from misword.core.lazy import pl
from misword.core.types import OF_REFERENCES, Corpus
from misword.stat.score_tables import SPEAKER_TABLES

RECORDINGS, SPEAKERS = SPEAKER_TABLES
# Speakers are at chance if this share of the errors that one speaker for all words would have.
CHANCE = 0.9


def speaker_tables(pairs: Pairs) -> dict[str, pl.DataFrame]:
    """Return both tables; none for references with alternatives."""
    if len(pairs.reader.texts.signs):
        return {}
    recordings: list[dict[str, Any]] = []
    speakers: list[dict[str, Any]] = []
    keys = pairs.keys.select("system", "utt", "rank").rows(named=True)
    for key, sides in zip(keys, Speakers.of(pairs).sides, strict=True):
        rows = _speaker_rows(*sides)
        speakers += [key | row for row in rows]
        recordings.append(key | _recording_row(*sides, rows))
    return {RECORDINGS: pl.DataFrame(recordings), SPEAKERS: pl.DataFrame(speakers)}


def _speaker_rows(reference: Stretch, hypothesis: Stretch) -> list[dict[str, Any]]:
    """Return a row for each speaker, with the speaker of the other side who is the same."""
    distances = stream_distances(reference.streams, hypothesis.streams)
    together = speakers_of_aligned_words(reference, hypothesis)
    sizes = reference.streams.lengths
    rows = []
    matching = match_speakers(distances)
    for said, heard in zip(matching.reference.tolist(), matching.hypothesis.tolist(), strict=True):
        aligned = int(together[said].sum()) if said != NOBODY else 0
        right = int(together[said, heard]) if NOBODY not in (said, heard) else 0
        rows.append(
            {
                "speaker": reference.names[said] if said != NOBODY else None,
                "hypothesis_speaker": hypothesis.names[heard] if heard != NOBODY else None,
                "words": int(sizes[said]) if said != NOBODY else 0,
                "errors": int(distances[said, heard]),
                "aligned": aligned,
                "wrong": aligned - right,
            }
        )
    return rows


def _recording_row(
    reference: Stretch, hypothesis: Stretch, speakers: list[dict[str, Any]]
) -> dict[str, Any]:
    """Return the errors of the recogniser and of the diariser, and words with a wrong speaker."""
    together = speakers_of_aligned_words(reference, hypothesis)
    size = max(together.shape)
    padded = np.zeros((size, size))
    padded[: together.shape[0], : together.shape[1]] = together
    aligned = int(together.sum())
    right = int(padded[np.arange(size), assign(-padded)].sum())
    most = int(together.sum(axis=1).max(initial=0))
    errors = sum(row["errors"] for row in speakers)
    recogniser = OrcWER().errors(reference, hypothesis)
    return {
        "words": len(reference.tokens.ids),
        "speakers": len(reference.names),
        "hypothesis_speakers": len(hypothesis.names),
        "errors": errors,
        "recogniser": recogniser,
        "diariser": errors - recogniser,
        "aligned": aligned,
        "wrong": aligned - right,
        "one_speaker": aligned - most,
    }


def notes_on_speakers(tables: dict[str, pl.DataFrame]) -> list[str]:
    """Return a note on each system whose speakers are at chance."""
    if RECORDINGS not in tables:
        return []
    sums = (
        tables[RECORDINGS]
        .group_by("system", maintain_order=True)
        .agg(pl.col("wrong", "aligned", "one_speaker").sum(), pl.col("hypothesis_speakers").max())
    )
    notes = []
    for row in sums.filter(pl.col("one_speaker") > 0).iter_rows(named=True):
        wrong, one = (row[name] / row["aligned"] for name in ("wrong", "one_speaker"))
        if wrong >= CHANCE * one:
            shown = f"{percent(wrong, 1)} % of the aligned words have a wrong speaker"
            notes.append(
                f"{row['system']}: the speakers are at chance: {shown}, and {percent(one, 1)} % "
                "would have one if all were said by one speaker"
            )
    return notes


def note_on_ignored_speakers(corpus: Corpus) -> list[str]:
    """Return the note that both sides name several speakers, whom no metric compares."""
    words = corpus.words
    if words is None:
        return []
    is_reference = pl.col("system") == OF_REFERENCES
    sides = (words.filter(side)["speaker"].drop_nulls() for side in (is_reference, ~is_reference))
    said, heard = (side.n_unique() for side in sides)
    if min(said, heard) < 2:
        return []
    return ["both sides name speakers, and no metric compares them: --metrics cpwer,orcwer,wder"]

"""Whose errors: those of the recogniser, and those of the diariser, by recording and by speaker.

Words are compared as they are after normalisation; nothing is forgiven. The errors of the
recogniser are those of ORC WER, where a wrong speaker is no error. What cpWER counts beyond them is
due to wrong speakers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.alignment.speaker_streams import assign
from misword.asr.metrics.speakers import (
    NOBODY,
    OrcWER,
    aligned_places,
    aligned_speakers,
    match_speakers,
    stream_distances,
)
from misword.asr.pairs import Pairs
from misword.asr.speakers import Speakers, Stretch
from misword.core.formatting import percent
from misword.core.lazy import pl
from misword.core.types import OF_REFERENCES, Corpus, Tokens
from misword.stat.score_tables import (
    RIGHT_WORD,
    SPEAKER_TABLES,
    SPEAKER_WORDS,
    WRONG_SPEAKER,
    WRONG_WORD,
)

RECORDINGS, SPEAKERS = SPEAKER_TABLES
# Speakers are at chance if this share of the errors that one speaker for all words would have.
CHANCE = 0.9


# Words are aligned to decide it if equal runs of words leave speakers this near to chance.
DOUBT = 0.5
RUN = 3  # words


def speaker_tables(pairs: Pairs) -> dict[str, Callable[[], pl.DataFrame]]:
    """Return functions that make both tables; none for references with alternatives or no words."""
    if len(pairs.reader.texts.signs) or not _have_words(pairs):
        return {}

    def table(name: str) -> pl.DataFrame:
        return pairs.once("tables of speakers", lambda: _speaker_tables(pairs))[name]

    makers: dict[str, Callable[[], pl.DataFrame]]
    makers = {name: partial(table, name) for name in SPEAKER_TABLES}
    return {**makers, SPEAKER_WORDS: lambda: speaker_words(pairs)}


def _have_words(pairs: Pairs) -> bool:
    sides = Speakers.of(pairs).sides
    return any(len(side.tokens.ids) for pair in sides for side in pair)


def _speaker_tables(pairs: Pairs) -> dict[str, pl.DataFrame]:
    recordings: list[dict[str, Any]] = []
    speakers: list[dict[str, Any]] = []
    keys = pairs.keys.select("system", "utt", "rank").rows(named=True)
    parts = zip(keys, Speakers.of(pairs).sides, aligned_speakers(pairs), strict=True)
    for key, sides, together in parts:
        rows = _speaker_rows(*sides, together)
        speakers += [key | row for row in rows]
        recordings.append(key | _recording_row(*sides, together, rows))
    return {RECORDINGS: pl.DataFrame(recordings), SPEAKERS: pl.DataFrame(speakers)}


def _speaker_rows(
    reference: Stretch, hypothesis: Stretch, together: NDArray[np.int64]
) -> list[dict[str, Any]]:
    """Return a row for each speaker, with the speaker of the other side who is the same."""
    distances = stream_distances(reference.streams, hypothesis.streams)
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
    reference: Stretch,
    hypothesis: Stretch,
    together: NDArray[np.int64],
    speakers: list[dict[str, Any]],
) -> dict[str, Any]:
    """Return the errors of the recogniser and of the diariser, and words with a wrong speaker."""
    errors = sum(row["errors"] for row in speakers)
    recogniser = OrcWER().errors(reference, hypothesis)
    wrong, one_speaker = _wrong_words(together)
    return {
        "words": len(reference.tokens.ids),
        "speakers": len(reference.names),
        "hypothesis_speakers": len(hypothesis.names),
        "errors": errors,
        "recogniser": recogniser,
        "diariser": errors - recogniser,
        "aligned": int(together.sum()),
        "wrong": wrong,
        "one_speaker": one_speaker,
    }


def speaker_words(pairs: Pairs) -> pl.DataFrame:
    """Return the words of both sides of recordings whose words have times, for the timeline.

    `lane` is that of a speaker of the reference and the one of the hypothesis who is the same, or
    of a speaker who is nobody on the other side. `turn` numbers the segments of a side. `kind` says
    whether a word is right, wrong (also missing or added), or right with the wrong speaker.
    """
    tables = []
    keys = pairs.keys.select("system", "utt", "rank").rows(named=True)
    for key, sides in zip(keys, Speakers.of(pairs).sides, strict=True):
        if any(np.isnan(side.begin).any() or np.isnan(side.end).any() for side in sides):
            continue
        lanes, kinds = _lanes(*sides), _kinds(*sides)
        for side, name, lane, kind in zip(sides, SIDES, lanes, kinds, strict=True):
            tables.append(_words_of_side(side, name, lane, kind, key))
    return pl.concat(tables) if tables else pl.DataFrame()


SIDES = ("reference", "hypothesis")


def _words_of_side(
    side: Stretch,
    name: str,
    lane: NDArray[np.int64],
    kind: NDArray[np.int64],
    key: dict[str, Any],
) -> pl.DataFrame:
    lengths = side.tokens.lengths
    speaker = np.repeat(side.speaker, lengths)
    begin, end = side.times_in(np.arange(len(lengths)))
    vocabulary = side.tokens.vocabulary[:]
    columns = {
        "lane": lane[speaker] if len(lane) else lane,
        "speaker": pl.Series([side.names[number] for number in speaker.tolist()], dtype=pl.String),
        "turn": np.repeat(side.segment, lengths),
        "begin": begin,
        "end": end,
        "word": pl.Series([vocabulary[id_] for id_ in side.tokens.ids.tolist()], dtype=pl.String),
        "kind": kind,
    }
    own = [pl.lit(value).alias(column) for column, value in key.items()]
    return pl.DataFrame(columns).select(*own, pl.lit(name).alias("side"), pl.all())


def _lanes(reference: Stretch, hypothesis: Stretch) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the lane of each speaker of both sides."""
    matching = match_speakers(stream_distances(reference.streams, hypothesis.streams))
    lanes = tuple(np.zeros(len(side.names), np.int64) for side in (reference, hypothesis))
    for of_speaker, speakers in zip(lanes, matching, strict=True):
        known = speakers != NOBODY
        of_speaker[speakers[known]] = np.flatnonzero(known)
    return lanes[0], lanes[1]


def _kinds(reference: Stretch, hypothesis: Stretch) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the kind of each word of both sides."""
    places, hits = aligned_places(reference, hypothesis)
    sides = (reference, hypothesis)
    kinds = tuple(np.full(len(side.tokens.ids), WRONG_WORD, np.int64) for side in sides)
    said, heard = (
        lane[np.repeat(side.speaker, side.tokens.lengths)[place]] if len(lane) else place
        for side, lane, place in zip(sides, _lanes(*sides), places, strict=True)
    )
    of_hits = np.where(said == heard, RIGHT_WORD, WRONG_SPEAKER)
    for kind, place in zip(kinds, places, strict=True):
        kind[place[hits]] = of_hits[hits]
    return kinds[0], kinds[1]


def _wrong_words(together: NDArray[np.int64]) -> tuple[int, int]:
    """Return the words with a wrong speaker, and those if one speaker had said all words.

    `together` says how many words of each speaker (row) belong to words of each (column).

    >>> _wrong_words(np.array([[8, 1], [2, 4]]))
    (3, 6)
    """
    size = max(together.shape)
    padded = np.zeros((size, size))
    padded[: together.shape[0], : together.shape[1]] = together
    total = int(together.sum())
    right = int(padded[np.arange(size), assign(-padded)].sum())
    return total - right, total - int(together.sum(axis=1).max(initial=0))


def notes_on_speakers(pairs: Pairs) -> list[str]:
    """Return a note on each system whose speakers are at chance."""
    if len(pairs.reader.texts.signs) or not _have_words(pairs):
        return []
    sides, systems = Speakers.of(pairs).sides, pairs.keys["system"].to_list()
    of_system: dict[str, list[int]] = {}
    for place, (_, hypothesis) in enumerate(sides):
        of_system.setdefault(systems[place], [])
        if len(hypothesis.names):
            of_system[systems[place]].append(place)
    doubted = [
        name for name, rows in of_system.items() if rows and _in_doubt([sides[r] for r in rows])
    ]
    notes = []
    for name in doubted:
        found = [aligned_speakers(pairs)[row] for row in of_system[name]]
        aligned = sum(int(together.sum()) for together in found)
        wrong, one = (sum(kind) for kind in zip(*map(_wrong_words, found), strict=True))
        if one and wrong >= CHANCE * one:
            shown = f"{percent(wrong / aligned, 1)} % of the aligned words have a wrong speaker"
            notes.append(
                f"{name}: the speakers are at chance: {shown}, and {percent(one / aligned, 1)} % "
                "would have one if all were said by one speaker"
            )
    return notes


def _in_doubt(sides: list[tuple[Stretch, Stretch]]) -> bool:
    """Return whether runs of words that both sides have do not show that speakers are right.

    This is much faster than an alignment, which then decides.
    """
    wrong = one = 0
    for reference, hypothesis in sides:
        said, heard = (list(_runs(side.streams)) for side in (reference, hypothesis))
        common = np.array([[_common(a, b) for b in heard] for a in said], np.int64)
        found = _wrong_words(common.reshape(len(said), len(heard)))
        wrong, one = wrong + found[0], one + found[1]
    return not one or wrong >= DOUBT * one


def _runs(streams: Tokens) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield the distinct runs of words of each stream, as numbers, and how often each occurs."""
    size = len(streams.vocabulary)
    for low, high in zip(streams.offsets[:-1], streams.offsets[1:], strict=True):
        ids = streams.ids[low:high].astype(np.int64)
        numbers = ids[: max(len(ids) - RUN + 1, 0)]
        for step in range(1, RUN):
            numbers = numbers * size + ids[step : step + len(numbers)]
        yield np.unique(numbers, return_counts=True)


def _common(
    said: tuple[NDArray[np.int64], NDArray[np.int64]],
    heard: tuple[NDArray[np.int64], NDArray[np.int64]],
) -> int:
    """Return how many runs two streams have in common."""
    _, ours, theirs = np.intersect1d(said[0], heard[0], assume_unique=True, return_indices=True)
    return int(np.minimum(said[1][ours], heard[1][theirs]).sum())


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

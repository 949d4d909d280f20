"""Who speaks when: seconds of missed, false and confused speech.

Reference: J. Fiscus et al., The Rich Transcription 2006 Spring Meeting Recognition Evaluation,
2006.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.alignment.speaker_streams import assign

Numbers = NDArray[np.float64]


class SpeechTimes(NamedTuple):
    """Seconds: speech that is missed, false, of the wrong speaker, and all speech of references."""

    missed: float
    false_alarm: float
    confused: float
    speech: float


def speech_times(
    said: Numbers, heard: Numbers, collar: float = 0.0, *, overlap: bool = True
) -> SpeechTimes:
    """Compare two sides: rows of the number of a speaker, the begin and the end of a stretch.

    Speakers are matched so that their common time is longest. Half of `collar` before and after
    each boundary of the reference is not scored; without `overlap`, neither is time in which the
    reference has several stretches.

    >>> said = np.array([[0, 0.0, 4.0], [1, 4.0, 6.0]])
    >>> heard = np.array([[0, 0.0, 5.0]])
    >>> speech_times(said, heard)
    SpeechTimes(missed=1.0, false_alarm=0.0, confused=1.0, speech=6.0)
    """
    said, heard = (side[side[:, 2] > side[:, 1]] for side in (said, heard))
    edges = said[:, 1:].ravel()
    left_out = np.column_stack([np.zeros(len(edges)), edges - collar / 2, edges + collar / 2])
    sides = (said, heard, *([left_out] if collar else []))
    times = np.unique(np.concatenate([side[:, 1:].ravel() for side in sides]))
    if len(times) < 2:
        return SpeechTimes(0.0, 0.0, 0.0, 0.0)
    active = [_active(side, times) for side in sides]
    scored = np.ones(len(times) - 1, np.bool_)
    if collar:
        scored &= active[2].sum(axis=1) == 0
    if not overlap:
        scored &= active[0].sum(axis=1) < 2
    lengths = np.diff(times)[scored]
    ours, theirs = (side[scored] for side in active[:2])
    size = max(ours.shape[1], theirs.shape[1])
    common = np.zeros((size, size))
    common[: ours.shape[1], : theirs.shape[1]] = (ours * lengths[:, None]).T @ theirs
    matched = assign(-common)
    right = np.zeros(len(lengths))
    for speaker in range(ours.shape[1]):
        if matched[speaker] < theirs.shape[1]:
            right += np.minimum(ours[:, speaker], theirs[:, matched[speaker]])
    in_reference, in_hypothesis = ours.sum(axis=1), theirs.sum(axis=1)
    both = np.minimum(in_reference, in_hypothesis)
    return SpeechTimes(
        float(lengths @ (in_reference - both)),
        float(lengths @ (in_hypothesis - both)),
        float(lengths @ (both - right)),
        float(lengths @ in_reference),
    )


def _active(side: Numbers, times: Numbers) -> Numbers:
    """Return how many stretches of each speaker (column) there are between each two times (row)."""
    speakers = int(side[:, 0].max()) + 1 if len(side) else 0
    changes = np.zeros((len(times), speakers))
    numbers = side[:, 0].astype(np.int64)
    np.add.at(changes, (np.searchsorted(times, side[:, 1]), numbers), 1)
    np.add.at(changes, (np.searchsorted(times, side[:, 2]), numbers), -1)
    return np.asarray(np.cumsum(changes, axis=0)[:-1])

"""Preset of Kaldi's compute-wer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from misword.asr.presets import Preset


@dataclass(frozen=True, slots=True)
class Kaldi(Preset):
    """Kaldi's `compute-wer --text`: words as they are written, and Kaldi's choice of alignment.

    Nothing is normalised, braces are plain text. Among alignments with equally few errors Kaldi
    takes, from the end backwards, an insertion if optimal, else a deletion, else a hit or a
    substitution; kaldialign has the same rule.

    Known problems: Kaldi separates words at ASCII white space only, misword also at a no-break
    space. A missing hypothesis is an error, as in Kaldi's `--mode=strict`; there is no `--mode=all`
    (fill it in as an empty line) and no `--mode=present`.

    Example: `misword score ref.txt hyp.txt --preset kaldi`

    Reference: D. Povey et al., The Kaldi Speech Recognition Toolkit, ASRU 2011.
    """

    name: ClassVar[str] = "kaldi"
    title: ClassVar[str] = "Kaldi compute-wer"
    normalize: ClassVar[str] = "none"
    metrics: ClassVar[str] = "wer:ties=kaldialign"
    alternatives: ClassVar[bool] = False

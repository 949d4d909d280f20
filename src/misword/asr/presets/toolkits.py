"""Presets of Kaldi's compute-wer and NIST sclite."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from misword.alignment.engine import Ties
from misword.asr.presets import Preset
from misword.text.normalizers import Step
from misword.text.normalizers.sclite import Glm


@dataclass(frozen=True, slots=True)
class KaldiPreset(Preset):
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


@dataclass(frozen=True, slots=True)
class Sclite(Preset):
    """NIST sclite with the options `-F -D`, as in NIST's evaluations, after csrfilt with `glm`.

    Words are compared without regard to case. A substitution costs 4, an insertion or a deletion 3
    (`ties=sclite`), also where readings are chosen. Words in parentheses may be left out, and
    fragments (`fi-`) are equal to words that they begin or end. `{ a / b / @ }` are alternatives,
    on both sides. `glm` is a file of rules that are applied first (`misword parts normalizers`).

    Known problems: leaving out an optional word is free here and costs 2 in sclite, so that
    substitutions and insertions around it may be divided differently. sclite counts an optional
    word that only the hypothesis has as a correct word of the reference; here it counts as none.
    Characters (`-c`), times (`-T`) and word weights (`-w`) are not scored.

    Example: `misword score ref.stm hyp.ctm --preset sclite --glm en.glm`

    Reference: https://github.com/usnistgov/SCTK (doc/sclite.htm)
    """

    name: ClassVar[str] = "sclite"
    title: ClassVar[str] = "NIST sclite"
    metrics: ClassVar[str] = "wer:ties=sclite"
    alternatives: ClassVar[bool] = True
    forgive: ClassVar[str] = "deletable,fragments"
    ties: ClassVar[Ties] = "sclite"

    glm: str = ""

    @property
    def normalize(self) -> tuple[Step, ...]:
        """The normalizers: the rules, then words without tags in lower case."""
        return *([Glm(self.glm)] if self.glm else ()), "nfc", "sclite-tags", "lower"

"""Preset of Whisper's evaluation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from misword.asr.presets import Preset
from misword.core.parts.contract import Requirement
from misword.text.normalizers.whisper import Whisper


@dataclass(frozen=True, slots=True)
class WhisperPreset(Preset):
    """Whisper's evaluation: word error rate after Whisper's normalizer.

    `--lang` selects the basic normalizer for other languages than English.

    Known problems: those of the normalizer (`misword parts normalizers`); an utterance whose
    reference is empty after normalisation is kept, its hypothesis words count as insertions.

    Example: `misword score ref.txt hyp.txt --preset whisper`

    Reference: A. Radford et al., Robust Speech Recognition via Large-Scale Weak Supervision, 2022,
    appendix C.
    """

    name: ClassVar[str] = "whisper"
    title: ClassVar[str] = "Whisper"
    uses: ClassVar[tuple[str, ...]] = ("lang",)
    normalize: ClassVar[str] = "whisper"
    metrics: ClassVar[str] = "wer"
    alternatives: ClassVar[bool] = False

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """The packages of the normalizer."""
        return Whisper.requirement(lang)

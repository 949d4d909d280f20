"""Preset of NIST sclite."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from misword.asr.presets import Preset


@dataclass(frozen=True, slots=True)
class Sclite(Preset):
    """NIST sclite with the options `-F -D`, as in NIST's evaluations, after csrfilt with `glm`.

    Words are compared without regard to case. A substitution costs 4, an insertion or a deletion 3
    (`ties=sclite`); words in parentheses may be left out, and fragments (`fi-`) are equal to words
    that they begin or end. `{ a / b / @ }` are alternatives, on both sides. `glm` is a file of
    rules that are applied first (`misword parts normalizers`).

    Known problems: among readings with alternatives the one with the fewest errors is taken, where
    sclite takes the cheapest by its costs. Characters (`-c`), times (`-T`) and word weights (`-w`)
    are not scored.

    Example: `misword score ref.stm hyp.ctm --preset sclite --glm en.glm`

    Reference: https://github.com/usnistgov/SCTK (doc/sclite.htm)
    """

    name: ClassVar[str] = "sclite"
    title: ClassVar[str] = "NIST sclite"
    metrics: ClassVar[str] = "wer:ties=sclite"
    alternatives: ClassVar[bool] = True
    forgive: ClassVar[str] = "deletable,fragments"

    glm: str = ""

    @property
    def normalize(self) -> str:
        """Specs of the normalizers: the rules, then lower case."""
        rules = f"glm:file={self.glm}," if self.glm else ""
        return f"{rules}nfc,lower"

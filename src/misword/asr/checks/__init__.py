"""Checks of data: each looks for one kind of mistake in references, hypotheses or translations.

A check yields findings, each with its place, its evidence and, where there is one, the command that
mends it. It must be silent on sound data: a difference that recognisers or translators can make by
themselves is not a finding.
"""

from __future__ import annotations

from collections.abc import Iterator

from misword.asr.checking.findings import Finding
from misword.asr.checking.texts import CheckedTexts
from misword.core.parts.contract import Part
from misword.core.parts.registry import Entry, Registry

HERE = "misword.asr.checks"


class Check(Part):
    """A check of data. `family` is what it is about: `order`, `content`, `language` or `writing`.

    Example: `misword check ref.txt hyp.txt --checks shifts,lengths`
    """

    __slots__ = ()

    def look(self, texts: CheckedTexts) -> Iterator[Finding]:
        """Yield what is wrong with the texts."""
        raise NotImplementedError


# In the order in which they are made and listed.
CHECKS: Registry[Check] = Registry(
    "checks",
    {
        "shifts": Entry(f"{HERE}.shifts:Shifts"),
        "pairing": Entry(f"{HERE}.pairing:Pairing"),
        "lengths": Entry(f"{HERE}.lengths:Lengths"),
        "empty": Entry(f"{HERE}.empty:Empty"),
        "doubled": Entry(f"{HERE}.doubled:Doubled"),
        "repeated": Entry(f"{HERE}.repeated:Repeated"),
        "copied": Entry(f"{HERE}.copied:Copied"),
        "memorised": Entry(f"{HERE}.memorised:Memorised"),
        "training": Entry(f"{HERE}.training:Training"),
        "untranslated": Entry(f"{HERE}.untranslated:Untranslated"),
        "language": Entry(f"{HERE}.language:Language"),
        "script": Entry(f"{HERE}.script:Script"),
        "case": Entry(f"{HERE}.case:Case"),
        "punctuation": Entry(f"{HERE}.punctuation:Punctuation"),
        "tokenisation": Entry(f"{HERE}.tokenisation:Tokenisation"),
        "numbers": Entry(f"{HERE}.numbers:Numbers"),
        "mojibake": Entry(f"{HERE}.mojibake:Mojibake"),
        "characters": Entry(f"{HERE}.characters:Characters"),
    },
)

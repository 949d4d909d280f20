"""Checks of data: each looks for one kind of mistake in references, hypotheses or translations.

A check yields findings, each with its place, its evidence and, where there is one, the command that
mends it. It must report nothing on correct data: the usual errors of recognisers and translators
are not findings.
"""

from __future__ import annotations

from collections.abc import Iterator

from misword.asr.checking.findings import Finding
from misword.asr.checking.texts import CheckedTexts
from misword.core.parts import Part
from misword.core.parts.registry import Entry, Registry

HERE = "misword.asr.checks"


class Check(Part):
    """A check of data. `family` is its subject: `order`, `content`, `language` or `writing`.

    Example: `misword check ref.txt hyp.txt --checks shifts,lengths`
    """

    __slots__ = ()

    def look(self, texts: CheckedTexts) -> Iterator[Finding]:
        """Yield the problems of the texts."""
        raise NotImplementedError


# In the order in which they are made and listed.
CHECKS: Registry[Check] = Registry(
    "checks",
    {
        "shifts": Entry(f"{HERE}.order:ShiftsCheck"),
        "pairing": Entry(f"{HERE}.order:PairingCheck"),
        "lengths": Entry(f"{HERE}.content:LengthsCheck"),
        "empty": Entry(f"{HERE}.content:EmptyCheck"),
        "duplicate": Entry(f"{HERE}.content:DuplicateCheck"),
        "repeated": Entry(f"{HERE}.content:RepeatedCheck"),
        "copied": Entry(f"{HERE}.copies:CopiedCheck"),
        "memorised": Entry(f"{HERE}.copies:MemorisedCheck"),
        "training": Entry(f"{HERE}.copies:TrainingCheck"),
        "untranslated": Entry(f"{HERE}.copies:UntranslatedCheck"),
        "language": Entry(f"{HERE}.language:LanguageCheck"),
        "script": Entry(f"{HERE}.language:ScriptCheck"),
        "case": Entry(f"{HERE}.writing:CaseCheck"),
        "punctuation": Entry(f"{HERE}.writing:PunctuationCheck"),
        "tokenisation": Entry(f"{HERE}.writing:TokenisationCheck"),
        "numbers": Entry(f"{HERE}.writing:NumbersCheck"),
        "mojibake": Entry(f"{HERE}.characters:MojibakeCheck"),
        "characters": Entry(f"{HERE}.characters:CharactersCheck"),
    },
)

"""Forms of a translation that the lexicon does not list."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from misword.bli.auditing.gaps import missing_forms
from misword.bli.auditing.lexicon import AuditedLexicon, Resource
from misword.bli.flags import Flag, Flagged

SHOWN = 5  # forms that the evidence names


@dataclass(frozen=True, slots=True)
class MissingForm(Flag):
    """Translations whose paradigm has forms that are no translations in the lexicon.

    A system that answers with such a form is counted as wrong. Paradigms are files of UniMorph in
    the target language; with target vectors, only forms that have a vector count.

    Known problems: not every form of a translation translates the form of the headword.

    Example: `misword audit en-bg.txt --source-lang en --target-lang bg --paradigms bul.tsv --flags
    missing-form`
    Reference: Y. Kementchedjhieva et al., Lost in evaluation, EMNLP 2019; C. Kirov et al.,
    UniMorph 2.0, LREC 2018
    """

    name: ClassVar[str] = "missing-form"
    title: ClassVar[str] = "missing form"
    family: ClassVar[str] = "evaluation"
    cites: ClassVar[tuple[str, ...]] = ("kementchedjhieva2019",)
    reads: ClassVar[tuple[Resource, ...]] = ("paradigms",)

    def look(self, lexicon: AuditedLexicon) -> Iterator[Flagged]:
        """Compare the paradigm of each translation with the translations of the headword."""
        for number, forms in missing_forms(lexicon).items():
            more = f" and {len(forms) - SHOWN} more" if len(forms) > SHOWN else ""
            yield Flagged(number, 1.0, f"missing: {', '.join(forms[:SHOWN])}{more}")

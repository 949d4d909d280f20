"""The arguments on translations that several functions have."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from misword.asr.scoring_arguments import ScoringArguments
from misword.asr.translating.program import Translator


class ListArguments(ScoringArguments, total=False):
    """How texts are compared, see `misword.score`, and where their translations come from.

    `translations` is the name of a column of the lists, or has the form of the hypotheses: a list
    of translations for each list. Or `translate` makes them: a program that reads a text on each
    line and writes its translation on a line, or a function of a list of texts. The program may
    take `translate_timeout` seconds. `translation_references` is a column of texts, one for each
    reference, or the name of a metadata column. `downstream` are the scores of the translations,
    such as `bleu,chrf,ter,meteor`.
    """

    translations: Any
    translation_references: Any
    translate: str | Sequence[str] | Translator | None
    translate_timeout: float | None
    downstream: str | Iterable[str]

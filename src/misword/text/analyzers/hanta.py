"""Lemmas and tags of German, English and Dutch from the Hanover Tagger."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from misword.core.context import Context
from misword.core.part import Settings
from misword.core.progress import progress
from misword.core.requirements import Requirement, version_of
from misword.text.analysis import Analysis, Token, gather, words
from misword.text.language_part import LanguagePart
from misword.text.tagsets import of_hanta

MODELS = {"de": "morphmodel_ger.pgz", "en": "morphmodel_en.pgz", "nl": "morphmodel_dutch.pgz"}


@dataclass(frozen=True, slots=True)
class Hanta(LanguagePart):
    """Lemmas and tags in context from a hidden Markov model over morphemes; German, English, Dutch.

    It guesses unknown words from their parts, German compounds above all, and does not mind nouns
    in lower case. German nouns come back with their capital, so `menschen` and `Menschen` have one
    lemma. The detailed tag is the model's own (STTS, C5, CGN).

    Known problems: a white-space word is one token, with its punctuation, so clean the text first;
    Dutch and English tag sets are the corpora's, German has no number or case. The model is a
    Python pickle inside the package: as trustworthy as the package.

    Example: `misword score ref.txt hyp.txt --metrics ler,uposer --lang de`
    Reference: Wartena 2019, A probabilistic morphology model for German lemmatization, KONVENS
    """

    name: ClassVar[str] = "hanta"
    gives: ClassVar[frozenset[str]] = frozenset({"lemma", "tag", "detail"})
    LANGUAGES: ClassVar[tuple[str, ...]] = tuple(MODELS)

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """The package has all three models."""
        return Requirement(("HanTa",), "pip install 'misword[hanta]'", "LGPL-3.0+")

    def settings(self, context: Context) -> Settings:
        """Package, version and language."""
        return (("analyzer", f"hanta-{version_of('HanTa')}/{self.lang}"),)

    def analyse(self, utterances: Sequence[str]) -> Analysis:
        """Tag each utterance as one sentence."""
        rows = []
        with progress("tagging", len(utterances)) as step:
            for utterance in utterances:
                rows.append(self._tokens(utterance))
                step(1)
        return gather(rows, self.gives)

    def _tokens(self, utterance: str) -> list[Token]:
        found = words(utterance)
        if not found:
            return []
        tagged = load(self.lang).tag_sent([word for _, word in found], casesensitive=False)
        return [
            Token(start, lemma or word, of_hanta(tag, self.lang), tag)
            for (start, word), (_, lemma, tag) in zip(found, tagged, strict=True)
        ]


@cache
def load(lang: str) -> Any:
    """Load a model once."""
    from HanTa.HanoverTagger import HanoverTagger

    return HanoverTagger(MODELS[lang])

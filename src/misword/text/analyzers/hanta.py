"""Lemmas and tags of German, English and Dutch from the Hanover Tagger."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from misword.core.context import Context
from misword.core.parts.contract import Requirement, Settings
from misword.core.parts.installed import version_of
from misword.text.analysis import Analysis, Token, analyse_by_utterance, words
from misword.text.analyzers import Analyzer
from misword.text.tagsets import of_hanta

MODELS = {"de": "morphmodel_ger.pgz", "en": "morphmodel_en.pgz", "nl": "morphmodel_dutch.pgz"}


@dataclass(frozen=True, slots=True)
class Hanta(Analyzer):
    """Lemmas and tags in context from a hidden Markov model over morphemes; German, English, Dutch.

    It analyses unknown words by their morphemes, which helps with German compounds, and recognises
    German nouns in lower case. The lemma of a German noun has a capital, so `menschen` and
    `Menschen` have the same lemma. The detailed tag is the model's own tag (STTS for German, C5 for
    English, CGN for Dutch).

    Known problems: a white-space word is one token including its punctuation, so remove punctuation
    first (`--normalize nopunct`); German detailed tags have no number or case. The model is a
    Python pickle inside the package, so loading it means trusting the package.

    Example: `misword score ref.txt hyp.txt --metrics ler,uposer --lang de`
    Reference: Wartena 2019, A probabilistic morphology model for German lemmatization, KONVENS
    """

    name: ClassVar[str] = "hanta"
    title: ClassVar[str] = "HanTa"
    gives: ClassVar[frozenset[str]] = frozenset({"lemma", "tag", "detail"})
    LANGUAGES: ClassVar[tuple[str, ...]] = tuple(MODELS)

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """HanTa, which contains all three models."""
        return Requirement(("HanTa",), "pip install 'misword[hanta]'", "LGPL-3.0+")

    def settings(self, context: Context) -> Settings:
        """Version of HanTa, and the language."""
        return (("analyzer", f"hanta-{version_of('HanTa')}/{self.lang}"),)

    def analyse(self, utterances: Sequence[str]) -> Analysis:
        """Tag each utterance as one sentence."""
        return analyse_by_utterance(utterances, self._tokens, self.gives)

    def _tokens(self, utterance: str) -> list[Token]:
        located = words(utterance)
        if not located:
            return []
        tagged = load(self.lang).tag_sent([word for _, word in located], casesensitive=False)
        return [
            Token(start, lemma or word, of_hanta(tag, self.lang), tag)
            for (start, word), (_, lemma, tag) in zip(located, tagged, strict=True)
        ]


@cache
def load(lang: str) -> Any:
    """Return the tagger of a language, loaded once per process."""
    from HanTa.HanoverTagger import HanoverTagger

    return HanoverTagger(MODELS[lang])

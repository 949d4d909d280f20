"""Lemmas."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from misword.asr.views import Annotation, Utterances
from misword.asr.views.language_view import LanguageView
from misword.core.types import Tokens
from misword.text.analyzers import Analyzer, analyzer_for
from misword.text.texts import Texts
from misword.text.tokens import encode_characters, encode_flat


@dataclass(frozen=True, slots=True)
class Lemma(LanguageView):
    """Dictionary forms of the words, found in the context of the whole utterance.

    With `characters=true` the characters of the lemmas, with one space between lemmas.

    Known problems: the tokens are the analyzer's (French "l'homme" may be two), and its mistakes
    are counted as the recogniser's; a word-level lemmatizer such as simplemma sees no context.
    """

    name: ClassVar[str] = "lemma"
    annotation: ClassVar[str] = "lemma"

    lemmatizer: str = "auto"
    characters: bool = False

    @property
    def part(self) -> Analyzer:
        """The analyzer that finds lemmas."""
        spec = "" if self.lemmatizer == "auto" else self.lemmatizer
        return analyzer_for(self.lang, "lemma", spec)

    def tokens(self, utterances: Utterances) -> tuple[Tokens, Tokens]:
        """Return the lemmas of both sides, or their characters."""
        analysis, values = self.annotate(utterances)
        lemmas = encode_flat(values, analysis.offsets)
        if not self.characters:
            return utterances.spread(lemmas)
        joined = Texts.of([" ".join(lemmas[row]) for row in range(len(lemmas))])
        return utterances.spread(*encode_characters([joined]))

    def annotate(self, utterances: Utterances) -> Annotation:
        """Return the lemma of each token."""
        analysis = utterances.analysis(self.part)
        return Annotation(analysis, analysis.lemmas or [])

"""Lemmas."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from misword.asr.views.spoken import Spoken
from misword.core.types import Tokens
from misword.text.analyzers import Analyzer, analyzer_for
from misword.text.texts import Texts
from misword.text.tokens import encode_characters, encode_flat

if TYPE_CHECKING:
    from misword.asr.pairs import Pairs


@dataclass(frozen=True, slots=True)
class Lemma(Spoken):
    """Dictionary forms of the words, found in the context of the whole utterance.

    With `characters=true` the characters of the lemmas, with one space between lemmas.

    Known problems: the tokens are the analyzer's (French "l'homme" may be two), and its mistakes
    are counted as the recogniser's; a word-level lemmatizer such as simplemma sees no context.
    """

    lemmatizer: str = "auto"
    characters: bool = False

    @property
    def part(self) -> Analyzer:
        """The part that finds lemmas."""
        spec = "" if self.lemmatizer == "auto" else self.lemmatizer
        return analyzer_for(self.lang, "lemma", spec)

    def tokens(self, pairs: Pairs) -> tuple[Tokens, Tokens]:
        """The lemmas of both sides, or their characters."""
        analysis = pairs.analysis(self.part)
        lemmas = encode_flat(analysis.lemmas or (), analysis.offsets)
        if not self.characters:
            return pairs.spread(lemmas)
        spelled = Texts.of([" ".join(lemmas[row]) for row in range(len(lemmas))])
        return pairs.spread(*encode_characters([spelled]))

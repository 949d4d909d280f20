"""Views that need an analyzer or a phonemizer: lemmas, parts of speech, phonemes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from misword.asr.views import Annotation, Utterances, View
from misword.core.context import Context
from misword.core.parts import Settings
from misword.core.types import Tokens
from misword.text.analyzers import Analyzer, analyzer_for
from misword.text.features import Alphabet
from misword.text.phonemizers import Phonemizer, phonemizer_for
from misword.text.texts import Texts
from misword.text.tokens import encode_characters, encode_flat, encode_lists


@dataclass(frozen=True, slots=True)
class LanguageView(View):
    """A view whose tokens an analyzer or a phonemizer of the language finds."""

    lang: str = ""

    @property
    def part(self) -> Analyzer | Phonemizer:
        """The part that finds the tokens; raises if it does not cover the language."""
        raise NotImplementedError

    def settings(self, context: Context) -> Settings:
        """The language, and the part with its version."""
        return ("lang", self.lang), *self.part.settings(context)

    def check(self, context: Context) -> None:
        """Raise unless the part is installed and covers the language."""
        self.part.check(context)


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


@dataclass(frozen=True, slots=True)
class Tag(LanguageView):
    """The part of speech of each token, found in the context of the whole utterance.

    Universal tags, or with `detailed=true` the tagger's full tag and features.

    Known problems: the tokens are the tagger's, and its mistakes are counted as the recogniser's.
    """

    name: ClassVar[str] = "tag"
    annotation: ClassVar[str] = "tag"

    tagger: str = "auto"
    detailed: bool = False

    @property
    def part(self) -> Analyzer:
        """The analyzer that finds the tags."""
        gives = "detail" if self.detailed else "tag"
        return analyzer_for(self.lang, gives, "" if self.tagger == "auto" else self.tagger)

    def tokens(self, utterances: Utterances) -> tuple[Tokens, Tokens]:
        """Return the tags of both sides."""
        analysis = utterances.analysis(self.part)
        tags = analysis.details if self.detailed else analysis.tags
        return utterances.spread(encode_flat(tags or (), analysis.offsets))

    def annotate(self, utterances: Utterances) -> Annotation:
        """Return the universal tag of each token, also where the view has detailed tags."""
        analysis = utterances.analysis(self.part)
        return Annotation(analysis, analysis.tags or [])


@dataclass(frozen=True, slots=True)
class Phoneme(LanguageView):
    """The phonemes of the utterance, without stress and without word boundaries.

    Known problems: the phonemizer gives one pronunciation per text; the pronunciation of the
    speaker is not known.
    """

    name: ClassVar[str] = "phoneme"

    phonemizer: str = "auto"

    @property
    def part(self) -> Phonemizer:
        """The phonemizer."""
        return phonemizer_for(self.lang, "" if self.phonemizer == "auto" else self.phonemizer)

    @property
    def alphabet(self) -> Alphabet:
        """The alphabet of the phonemizer."""
        return self.part.alphabet

    def tokens(self, utterances: Utterances) -> tuple[Tokens, Tokens]:
        """Return the phonemes of both sides; each distinct text is phonemized once."""
        return utterances.spread(encode_lists(self.part.phonemes(utterances.distinct.texts)))

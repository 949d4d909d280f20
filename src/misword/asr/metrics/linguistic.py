"""Error rates of lemmas, parts of speech and phonemes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from misword.asr.costs import COSTS, Cost
from misword.asr.metrics.edit_rate import EditRate, PricedRate
from misword.asr.views import View
from misword.asr.views.linguistic import Lemma, Phoneme, Tag
from misword.core.context import Context


@dataclass(frozen=True, slots=True)
class LER(EditRate):
    """Lemma errors per reference lemma: a wrong inflection of the right word is not an error.

    Both sides are lemmatised as whole utterances, and the lemmas are aligned. `lang` is by default
    the language of the command; `lemmatizer` is by default that of the language
    (`misword parts analyzers`).

    Known problems: a lemmatizer makes mistakes, and more of them on a hypothesis with errors than
    on a reference.

    Example: `misword score ref.txt hyp.txt --lang fr --metrics ler:lemmatizer=simplemma`

    Reference: T. Bañeras-Roux et al., Qualitative evaluation of language model rescoring in
    automatic speech recognition, Interspeech 2022.
    """

    name: ClassVar[str] = "ler"
    title: ClassVar[str] = "LER"
    family: ClassVar[str] = "lemmas"
    cites: ClassVar[tuple[str, ...]] = ("roux2022",)
    needs: ClassVar[tuple[str, ...]] = ("lang",)

    lang: str = ""
    lemmatizer: str = "auto"

    def view(self, context: Context) -> View:
        """Return the lemmas."""
        return Lemma(context.language(self.lang), self.lemmatizer)


@dataclass(frozen=True, slots=True)
class LCER(LER):
    """Character errors per character of the lemmas, with one space between lemmas.

    Why: it lies between LER and CER: a lemma that is nearly right costs little.

    Known problems: those of LER; characters are code points.

    Example: `misword score ref.txt hyp.txt --lang fr --metrics lcer`

    Reference: T. Bañeras-Roux et al., Qualitative evaluation of language model rescoring in
    automatic speech recognition, Interspeech 2022.
    """

    name: ClassVar[str] = "lcer"
    title: ClassVar[str] = "LCER"
    family: ClassVar[str] = "lemmas"
    cites: ClassVar[tuple[str, ...]] = ("roux2022",)

    def view(self, context: Context) -> View:
        """Return the characters of the lemmas."""
        return Lemma(context.language(self.lang), self.lemmatizer, characters=True)


@dataclass(frozen=True, slots=True)
class UPOSER(EditRate):
    """Errors in universal part-of-speech tags per tag of the reference.

    Why: it measures whether the hypothesis has the grammar of the reference, whatever its words.

    Both sides are tagged as whole utterances, and the tags are aligned. The tokens are those of the
    tagger.

    Known problems: a noun in place of another noun is not an error; a tagger makes mistakes, above
    all on text with errors.

    Example: `misword score ref.txt hyp.txt --lang fr --metrics uposer:tagger=spacy`

    Reference: T. Bañeras-Roux et al., Qualitative evaluation of language model rescoring in
    automatic speech recognition, Interspeech 2022.
    """

    name: ClassVar[str] = "uposer"
    title: ClassVar[str] = "uPOSER"
    family: ClassVar[str] = "grammar"
    cites: ClassVar[tuple[str, ...]] = ("roux2022",)
    needs: ClassVar[tuple[str, ...]] = ("lang",)

    lang: str = ""
    tagger: str = "auto"

    def view(self, context: Context) -> View:
        """Return the universal tags."""
        return Tag(context.language(self.lang), self.tagger)


@dataclass(frozen=True, slots=True)
class DPOSER(UPOSER):
    """Errors in detailed tags (the tagger's full tag and features) per tag of the reference.

    Why: it also counts wrong gender, number, tense and person.

    Known problems: those of uPOSER; tag sets differ; compare only results of the same tagger.

    Example: `misword score ref.txt hyp.txt --lang fr --metrics dposer`

    Reference: T. Bañeras-Roux et al., Qualitative evaluation of language model rescoring in
    automatic speech recognition, Interspeech 2022.
    """

    name: ClassVar[str] = "dposer"
    title: ClassVar[str] = "dPOSER"
    family: ClassVar[str] = "grammar"
    cites: ClassVar[tuple[str, ...]] = ("roux2022",)

    def view(self, context: Context) -> View:
        """Return the detailed tags."""
        return Tag(context.language(self.lang), self.tagger, detailed=True)


@dataclass(frozen=True, slots=True)
class PER(PricedRate):
    """Phoneme errors per reference phoneme: homophones are not errors.

    Why: it separates words that were misheard from words that were misspelt, and people agree with
    it more than with WER. With `cost=features` a substitution costs the phonemes' distance over
    articulatory features, at most 1, and these costs also decide the alignment.

    Known problems: the phonemes of both texts come from rules or a dictionary; the pronunciation
    of the speaker is not known.

    Example: `misword score ref.txt hyp.txt --lang fr --metrics per,per:cost=features`

    Reference: T. Bañeras-Roux et al., HATS: an open data set integrating human perception applied
    to the evaluation of automatic speech recognition metrics, TSD 2023.
    """

    name: ClassVar[str] = "per"
    title: ClassVar[str] = "PER"
    family: ClassVar[str] = "sounds"
    cites: ClassVar[tuple[str, ...]] = ("hats2023",)
    aligns: ClassVar[bool] = True

    lang: str = ""
    phonemizer: str = "auto"
    cost: str = "unit"

    @property
    def needs(self) -> tuple[str, ...]:
        """The language, and what the cost needs."""
        return ("lang",) if self.cost == "unit" else ("lang", *COSTS.create(self.cost).needs)

    def view(self, context: Context) -> View:
        """Return the phonemes."""
        return Phoneme(context.language(self.lang), self.phonemizer)

    def substitution_cost(self, context: Context) -> Cost | None:
        """Return the cost that is named, such as `features`; None for unit costs."""
        return None if self.cost == "unit" else COSTS.create(self.cost).for_view(self.view(context))

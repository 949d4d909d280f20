"""Lemma error rates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from misword.asr.metrics.edit_rate import EditRate
from misword.asr.views import View
from misword.asr.views.lemma import Lemma
from misword.core.context import Context


@dataclass(frozen=True, slots=True)
class LER(EditRate):
    """Lemma errors per reference lemma: a wrong ending is no error, a wrong word is.

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

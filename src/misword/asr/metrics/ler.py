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

    Both sides are lemmatised as whole utterances and aligned anew over the lemmas. `lang` is that
    of the command if not given; `lemmatizer` is the language's default (`misword parts analyzers`).

    Known problems: a lemmatizer errs, and more on a garbled hypothesis than on a reference.

    Example: `misword score ref.txt hyp.txt --lang fr --metrics ler:lemmatizer=simplemma`

    Reference: T. Bañeras-Roux et al., Qualitative evaluation of language model rescoring in
    automatic speech recognition, Interspeech 2022.
    """

    lang: str = ""
    lemmatizer: str = "auto"
    wants: ClassVar[str] = "lang"

    def view(self, context: Context) -> View:
        """Lemmas."""
        return Lemma(context.language(self.lang), self.lemmatizer)


@dataclass(frozen=True, slots=True)
class LCER(LER):
    """Character errors per character of the lemmas, with one space between lemmas.

    Why: between LER and CER: a lemma that is nearly right costs little.

    Known problems: those of LER; characters are code points.

    Example: `misword score ref.txt hyp.txt --lang fr --metrics lcer`

    Reference: T. Bañeras-Roux et al., Qualitative evaluation of language model rescoring in
    automatic speech recognition, Interspeech 2022.
    """

    def view(self, context: Context) -> View:
        """Characters of lemmas."""
        return Lemma(context.language(self.lang), self.lemmatizer, characters=True)

"""Part-of-speech error rates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from misword.asr.metrics.edit_rate import EditRate
from misword.asr.views import View
from misword.asr.views.tag import Tag
from misword.core.context import Context


@dataclass(frozen=True, slots=True)
class UPOSER(EditRate):
    """Errors in universal part-of-speech tags per tag of the reference.

    Why: it measures whether the hypothesis has the grammar of the reference, whatever its words.

    Both sides are tagged as whole utterances, and the tags are aligned. The tokens are those of the
    tagger.

    Known problems: a noun in place of another noun is no error; a tagger makes mistakes, above all
    on text with errors.

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

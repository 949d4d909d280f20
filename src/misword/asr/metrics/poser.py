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

    Why: it asks whether the hypothesis keeps the grammar of the reference, whatever its words.

    Both sides are tagged as whole utterances and aligned anew over the tags; the tagger's own
    tokens are counted.

    Known problems: a noun for another noun is no error; a tagger errs, above all on garbled text.

    Example: `misword score ref.txt hyp.txt --lang fr --metrics uposer:tagger=spacy`

    Reference: T. Bañeras-Roux et al., Qualitative evaluation of language model rescoring in
    automatic speech recognition, Interspeech 2022.
    """

    lang: str = ""
    tagger: str = "auto"
    wants: ClassVar[str] = "lang"

    def view(self, context: Context) -> View:
        """Universal tags."""
        return Tag(context.language(self.lang), self.tagger)


@dataclass(frozen=True, slots=True)
class DPOSER(UPOSER):
    """Errors in detailed tags (the tagger's full tag and features) per tag of the reference.

    Why: it also sees wrong gender, number, tense and person.

    Known problems: those of uPOSER; tag sets differ, so compare only what one tagger tagged.

    Example: `misword score ref.txt hyp.txt --lang fr --metrics dposer`

    Reference: T. Bañeras-Roux et al., Qualitative evaluation of language model rescoring in
    automatic speech recognition, Interspeech 2022.
    """

    def view(self, context: Context) -> View:
        """Detailed tags."""
        return Tag(context.language(self.lang), self.tagger, detailed=True)

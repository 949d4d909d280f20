"""Phonemes from gruut's lexicons, with a learnt model for other words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from misword.core.context import Context
from misword.core.parts import Requirement, Settings, version_of
from misword.core.progress import progress
from misword.text.phonemizers import Phonemizer

# gruut's name of each language. French is excluded: gruut's liaison changes the lexicon in memory,
# so that after `les enfants` it pronounces `les chats` with a z.
VOICES = {
    "cs": "cs-cz",
    "de": "de-de",
    "en": "en-us",
    "es": "es-es",
    "it": "it-it",
    "lb": "lb",
    "nl": "nl",
    "pt": "pt",
    "ru": "ru-ru",
    "sv": "sv-se",
    "sw": "sw",
}
STRESS = re.compile("[ˈˌ'²]")  # also the Swedish word accent
BREAK = re.compile(r"^[|‖#\s]*$")  # pauses and word ends


@dataclass(frozen=True, slots=True)
class Gruut(Phonemizer):
    """IPA from lexicons and a learnt model, under a permissive licence; eleven languages.

    Unlike `espeak` its licence is MIT, and unlike `cmudict` it chooses between homographs by part
    of speech if its lexicon has them. Each lexicon decides what one phoneme is: English affricates
    are one phoneme with a tie bar, German affricates are two.

    Known problems: words are pronounced one by one; it is slower than the other phonemizers;
    numbers are converted to words first. Each language needs its own package. French is not
    offered, because its pronunciation of a word depends on the texts before.

    Example: `misword score ref.txt hyp.txt --metrics per:phonemizer=gruut --lang de`
    Reference: https://github.com/rhasspy/gruut
    """

    name: ClassVar[str] = "gruut"
    title: ClassVar[str] = "gruut"
    LANGUAGES: ClassVar[tuple[str, ...]] = tuple(VOICES)

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """gruut and the package of the language; gruut installs that of English itself."""
        modules = ("gruut", f"gruut_lang_{lang or 'en'}")
        return Requirement(modules, f"pip install gruut gruut-lang-{lang or 'en'}", "MIT")

    def settings(self, context: Context) -> Settings:
        """Versions of gruut and of the package of the language."""
        data = f"gruut-lang-{self.lang}-{version_of(f'gruut_lang_{self.lang}')}"
        return (("phonemizer", f"gruut-{version_of('gruut')}/{data}"),)

    def phonemes(self, utterances: Sequence[str]) -> list[list[str]]:
        """Pronounce each utterance."""
        rows = []
        with progress("pronouncing", len(utterances)) as step:
            for utterance in utterances:
                rows.append(list(self._pronounce(" ".join(utterance.split()))))
                step(1)
        return rows

    def _pronounce(self, text: str) -> Iterator[str]:
        from gruut import sentences

        if not text:
            return
        for sentence in sentences(text, lang=VOICES[self.lang]):
            for word in sentence:
                for stressed in word.phonemes or ():
                    phoneme = STRESS.sub("", stressed)
                    if not BREAK.match(phoneme):
                        yield phoneme

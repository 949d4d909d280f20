"""Phonemes from gruut's lexicons, with a learnt model for other words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from misword.core.context import Context
from misword.core.part import Settings
from misword.core.progress import progress
from misword.core.requirements import Requirement, version_of
from misword.text.language_part import LanguagePart

# The voice of each language, as gruut names it. French is not among them: gruut's liaison changes
# the lexicon in memory, so that after `les enfants` it says `les chats` with a z.
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
BREAK = re.compile(r"^[|‖#\s]*$")  # pauses and word ends are no phonemes


@dataclass(frozen=True, slots=True)
class Gruut(LanguagePart):
    """IPA from lexicons and a learnt model, under a permissive licence; eleven languages.

    Unlike `espeak` it is MIT, and unlike `cmudict` it chooses between homographs by part of speech
    where its lexicon has them. What is one phoneme is for each lexicon to say: English affricates
    are one, with a tie bar, German ones two.

    Known problems: word by word; slow beside the others; numbers are written out first. Each
    language is a package of its own. French is left out, since what it says there depends on what
    it said before.

    Example: `misword score ref.txt hyp.txt --metrics per:phonemizer=gruut --lang de`
    Reference: https://github.com/rhasspy/gruut
    """

    name: ClassVar[str] = "gruut"
    LANGUAGES: ClassVar[tuple[str, ...]] = tuple(VOICES)
    alphabet: ClassVar[Literal["arpabet", "ipa"]] = "ipa"

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """gruut and the language's package; English comes with it."""
        modules = ("gruut", f"gruut_lang_{lang or 'en'}")
        return Requirement(modules, f"pip install gruut gruut-lang-{lang or 'en'}", "MIT")

    def settings(self, context: Context) -> Settings:
        """Versions of gruut and of the language's package."""
        data = f"gruut-lang-{self.lang}-{version_of(f'gruut_lang_{self.lang}')}"
        return (("phonemizer", f"gruut-{version_of('gruut')}/{data}"),)

    def phonemes(self, utterances: Sequence[str]) -> list[list[str]]:
        """Pronounce each utterance."""
        rows = []
        with progress("pronouncing", len(utterances)) as step:
            for utterance in utterances:
                rows.append(list(self._speak(" ".join(utterance.split()))))
                step(1)
        return rows

    def _speak(self, text: str) -> Iterator[str]:
        from gruut import sentences

        if not text:
            return
        for sentence in sentences(text, lang=VOICES[self.lang]):
            for word in sentence:
                for phoneme in word.phonemes or ():
                    sound = STRESS.sub("", phoneme)
                    if not BREAK.match(sound):
                        yield sound

"""The family `fillers`: filled pauses, and tags of sounds that are no speech."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from misword.text.disfluencies import filler_patterns
from misword.text.writing import Family
from misword.text.writing.base_forms import base_forms
from misword.text.writing.phrases import word_set

# Fillers that are not counted as disfluencies, because they can also express agreement or surprise.
FURTHER = {"en": ("a+h+", "e+h+", "hu+h+", "u+h+-?hu+h+")}
FURTHER_OF_ALL = ("m{2,}", "m+-?h+m+")
# In capital letters these are not fillers: ER (emergency room), MM (millions, messieurs).
NOT_IN_CAPITALS = frozenset({"em", "er", "mm"})
# What transcribers write in brackets for a sound or a passage that has no words.
TAGS = word_set("""
    applaudissements applause background background_noise background_speech beep breath
    breathing brth bruit clear-throat click clicks cough coughing coughs cross_talk crosstalk
    distortion geräusch hes hesitation inaudible indiscernible lachen laugh laughing laughs
    laughter lipsmack mouth_noise mumble music musik musique noise overlap pause rire rires
    risas ruido sigh sighs sil silence sneeze sniff static throat_clearing unintelligible
    vocalized-noise vocalized_noise
""")
BRACKETED = re.compile(r"[\[<({]+/?(.*?)/?[\])>}]+[.,?!]?|%(\w+)")
BRACKETS = frozenset("[<({%")


@dataclass(frozen=True, slots=True)
class Fillers(Family):
    """Filled pauses, which may be left out: `uh`, `um`, `hmm`; and tags such as `[laughter]`.

    The lists follow the guidelines for transcribers of LDC. Sounds of agreement (`uh-huh`, `mhm`),
    which many transcribers leave out, are added to them. Words with another meaning are not fillers
    (`like`, `you know`, `so`, `well`, `oh`), nor is `uh-uh`, which means no.

    A token in brackets is left out only if it names a sound or a passage without words
    (`[noise]`, `<laugh>`, `(applause)`, `<inaudible>`); `<unk>` is a word that was not known.

    In a language without a list, only fillers that are a word in no language are left out.

    Known problems: `huh?` as a question, and `mhm` as an answer, may be left out as well.

    Example: `misword score ref.txt hyp.txt --lang en --forgive fillers`
    """

    name: ClassVar[str] = "fillers"

    def optional(self, words: Sequence[str], lang: str) -> Sequence[bool]:
        """Return whether each word is a filler or a tag.

        >>> Fillers().optional(["Um,", "ER", "er", "[laughter]", "like", "(or)"], "en")
        [True, False, True, True, False, False]
        """
        is_filler = _pattern(lang).fullmatch
        return [
            bool(is_filler(form) and not (form in NOT_IN_CAPITALS and word.isupper()))
            or (word[:1] in BRACKETS and _is_tag(word))
            for word, form in zip(words, base_forms(words), strict=True)
        ]


@cache
def _pattern(lang: str) -> re.Pattern[str]:
    """Return the pattern of the fillers of a language."""
    return re.compile("|".join([*filler_patterns(lang), *FURTHER.get(lang, ()), *FURTHER_OF_ALL]))


def _is_tag(word: str) -> bool:
    """Return whether a token in brackets names a sound."""
    match = BRACKETED.fullmatch(word.lower())
    return match is not None and (match[1] or match[2]) in TAGS

"""The families `fillers`, `deletable` and `fragments`: optional words, and parts of words."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from misword.text.disfluencies import filler_patterns
from misword.text.writing import Family, Phrase
from misword.text.writing.words import base_forms, word_set

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
LONGEST_TAG = 64  # letters; the pattern takes long for a word of thousands of brackets
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
    match = BRACKETED.fullmatch(word.lower()) if len(word) <= LONGEST_TAG else None
    return match is not None and (match[1] or match[2]) in TAGS


def without_parentheses(word: str) -> str:
    """Return a word without the parentheses around it.

    >>> without_parentheses("(it)"), without_parentheses("f(x)"), without_parentheses("()")
    ('it', 'f(x)', '()')
    """
    return word[1:-1] if is_deletable(word) else word


def is_deletable(word: str) -> bool:
    """Return whether a word is in parentheses."""
    return len(word) > 2 and word[0] == "(" and word[-1] == ")"


@dataclass(frozen=True, slots=True)
class Deletable(Family):
    """Words in parentheses, `(it)`, which may be left out, as in NIST sclite with `-D`.

    A word in parentheses is equal to the same word without them. On either side it may be left out;
    left out of the reference's words it still counts as a word of the reference.

    Known problems: in a text with ordinary parentheses, single words in them may be left out too.
    sclite prefers a match to leaving the word out at a small cost; here both are free, so that
    substitutions and insertions around such a word may be divided differently.

    Example: `misword score ref.trn hyp.trn --forgive deletable`

    Reference: https://github.com/usnistgov/SCTK (doc/options.htm)
    """

    name: ClassVar[str] = "deletable"
    title: ClassVar[str] = "optional words"

    def same_words(self, words: Sequence[str], lang: str) -> Sequence[str]:
        """Return each word without parentheses around it."""
        return [without_parentheses(word) for word in words]

    def optional(self, words: Sequence[str], lang: str) -> Sequence[bool]:
        """Return whether each word is in parentheses.

        >>> Deletable().optional(["(it)", "it", "(it"], "en")
        [True, False, False]
        """
        return [is_deletable(word) for word in words]


HYPHEN = "-"
LAST = "\U0010ffff"  # is sorted after every other character


@dataclass(frozen=True, slots=True)
class Fragments(Family):
    """Fragments of words, `fi-` and `-lk`, equal to words that begin or end so: `find`, `milk`.

    A word with a hyphen at its end is the begin of a word, one with a hyphen at its start the end,
    as in NIST sclite with `-F`. A fragment on either side is equal to a word of the other side.

    Known problems: a fragment of one letter fits many words. sclite compares a fragment of the
    hypothesis with a longer fragment of the reference as different; here they are equal.

    Example: `misword score ref.trn hyp.trn --forgive fragments`

    Reference: https://github.com/usnistgov/SCTK (doc/options.htm)
    """

    name: ClassVar[str] = "fragments"
    title: ClassVar[str] = "fragments of words"

    def word_classes(self, words: Sequence[str], lang: str) -> Iterable[Iterable[Phrase]]:
        """Yield each fragment with each word that it can be a part of.

        >>> list(Fragments().word_classes(["fi-", "find", "fig", "-ig", "a"], "en"))
        [[('fi-',), ('fig',)], [('fi-',), ('find',)], [('-ig',), ('fig',)]]
        """
        plain = {word: without_parentheses(word).lower() for word in words}
        by_begin = sorted((form, word) for word, form in plain.items())
        by_end = sorted((form[::-1], word) for word, form in plain.items())
        for fragment, form in plain.items():
            if len(form) < 2:
                continue
            if form[0] == HYPHEN:
                matches = _beginning_with(by_end, form[:0:-1])
            elif form[-1] == HYPHEN:
                matches = _beginning_with(by_begin, form[:-1])
            else:
                continue
            yield from ([(fragment,), (word,)] for word in matches if word != fragment)


def _beginning_with(listed: list[tuple[str, str]], begin: str) -> list[str]:
    """Return the words whose form, in a sorted list of forms and words, has a given begin."""
    lo = bisect_left(listed, (begin, ""))
    hi = bisect_left(listed, (begin + LAST, ""))
    return [word for _, word in listed[lo:hi]]

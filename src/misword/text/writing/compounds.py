"""The family `compounds`: `e-mail` and `email`, `health care` and `healthcare`.

Lists of words by language decide which successive words may be written as one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Never

from misword.core.errors import OptionError
from misword.text.writing import Family, Phrase
from misword.text.writing.words import (
    SHORT_WORDS,
    base_forms,
    joined_initialism,
    phrase_set,
    word_set,
)

# Words that often stand before or after another word by chance. German and Dutch have none here,
# because they often write them in both ways: `zu Hause` and `zuhause`, `te veel` and `teveel`.
FUNCTION_WORDS = {
    "en": word_set("""
        a all am an and any are as at be but can could did do does each every for from had has
        have he her him his how i if in is it its may me might my no nor not o of or our shall
        she should so some than that the their them then there these they this those to us was
        we were what when where who why will with would you your
    """),
    "es": word_set("""
        a al con de del el en es esta la las le les lo los me mi mis muy ni no nos o para por
        que se si sin su sus sí te tu tus un una y ya yo
    """),
    "fr": word_set("""
        a au aux avec ce ces cet cette chez d de des du elle elles en est et il ils je l la le
        les leur lui là ma mais me mes mon n ne ni non nous on ou où par pas plus pour qu que
        quel quelle qui s sa sans se ses si son sous sur ta te tes ton tout très tu un une vers
        vos votre vous y à
    """),
    "it": word_set("""
        a ai al alla alle allo che ci con da dai dal dalla de dei del della delle di e ed gli ho
        i il in io la le lo ma mi ne nei nel nella non o per quel se si su sul sì te ti tra tu
        un una uno vi è
    """),
    "pt": word_set("""
        a ao aos as com da das de do dos e ela ele em eu há já lhe lá mas me na nas no nos não o
        os ou para pela pelo por que se sem seu sua só te tem um uma à às é
    """),
}
# Words that are joined although one of their parts is a function word.
JOINED = {
    "en": word_set("""
        allin allstar alltime alot alright another anybody anymore anyplace anything anytime
        anywhere awhile buyin callin cannot checkin dialin drivein everybody everyday everyplace
        everything everytime everywhere forever goodwill hereby herself himself icloud imac
        imessage inbound inbox incountry indepth indoor indoors infield inflow inflows inhouse
        inland inline innetwork inpatient inpatients inperson inprogress input inputs inregion
        inroads inservice inshore inside insitu instead instock instore intake invitro invivo
        inward inwards ipad ipads iphone iphones ipod itself itunes knowhow login myself nobody
        noone noshow nothing nowhere optin ourself ourselves overall plugin signin somebody
        someday somehow someone someplace something somewhat somewhere themself themselves
        thereafter thereby therefore therein thereof today todo tomorrow tonight whatever
        whatsoever whenever whereas whereby wherein whereupon wherever whoever withhold within
        without withstand yourself yourselves
    """),
    "fr": word_set("davantage pourcent pourcents"),
}
# Successive words that are not the word with the same letters.
DIFFERENT_JOINED = {
    "de": phrase_set("""
        da mit / in dem / nach dem / seit dem / so bald / so fern / so lange / so weit / zu recht
    """),
    "en": phrase_set("""
        break fast / car go / its elf / leg end / less on / man age / now here / off ice / over
        come / over time / per son / plan et / rest art / sea son / to get her / under go /
        under stand / under standing / up on / up set
    """),
    "fr": phrase_set("bien tôt / quels que / quelles que / quoi que"),
    "nl": phrase_set("te rug / ten slotte / voor al / waar om"),
}
# Words with a hyphen that are not the word without it.
DIFFERENT_HYPHENATED = {
    "en": word_set("""
        re-collect re-cover re-covered re-covering re-form re-formed re-forming re-lay re-lease
        re-mark re-press re-sent re-serve re-sign re-signed re-signing re-signs re-sort re-treat
        un-ionized
    """),
}


REMOVED = str.maketrans("", "", "-/")
DIVIDED = re.compile("[-/]")
# A part that is no word of its own: 're, l'.
CLITIC = re.compile("^'|'$")
# A part that is read letter by letter: a single letter, or letters without a vowel (`i frs`).
SPELT = re.compile("[a-z]|[b-df-hj-np-tv-xz]+")
NONE: frozenset[Never] = frozenset()


@dataclass(frozen=True, slots=True)
class Compounds(Family):
    """Words written apart, with a hyphen, or as one: `e-mail`, `e mail` and `email`.

    Up to `most` successive words are the same as one word if their letters are the same. Hyphens,
    slashes, and full stops between single letters (`C.E.O.`) do not count; apostrophes do.

    In en, es, fr, it and pt, two words of which one is a function word (*a*, *to*, *in*, *be*) are
    joined only if the result is known to be written in both ways (`today`, `input`), or is written
    with a hyphen in one of the texts (`at risk` and `at-risk`); so `a part` and `apart`, `may be`
    and `maybe`, `in to` and `into` stay different. Single letters are not joined to a frequent
    word: `u s` and `us`.

    Known problems: two words whose letters happen to be those of another word (`sea son`) count as
    the same, except in the list of such pairs.

    Example: `misword score ref.txt hyp.txt --lang en --forgive compounds`
    """

    most: int = 4

    name: ClassVar[str] = "compounds"

    def __post_init__(self) -> None:
        if self.most < 2:
            raise OptionError(f"compounds:most={self.most}", fix="give at least 2 words")

    def letters(self, words: Sequence[str], lang: str) -> list[str]:
        """Return the letters of each word; words with the same letters are the same.

        A word with empty letters takes no part.

        >>> Compounds().letters(["E-mail,", "C.E.O.", "U.S.", "re-sign", "10-15", "--"], "en")
        ['email', 'ceo', 'u.s', 're-sign', '10-15', '']
        """
        kept = DIFFERENT_HYPHENATED.get(lang, NONE)
        return [
            form if form.isalpha() or form in kept else _letters(form, lang)
            for form in base_forms(words)
        ]

    def allowed(self, parts: Phrase, lang: str, wholes: Sequence[str] = ()) -> bool:
        """Return whether successive words may be the same as a word with the same letters.

        `parts` and `wholes` are base forms; `wholes` are the ways in which the one word is written
        in the texts.

        >>> compounds = Compounds()
        >>> compounds.allowed(("health", "care"), "en"), compounds.allowed(("may", "be"), "en")
        (True, False)
        >>> compounds.allowed(("at", "risk"), "en", ["at-risk"])
        True
        """
        if len(parts) < 2:
            return True
        if any(first[-1].isdigit() and second[0].isdigit() for first, second in pairwise(parts)):
            return False  # 20 25 is not 2025
        if any(map(DIVIDED.search, wholes)) or any(map(CLITIC.search, parts)):
            return True
        joined = "".join(parts)
        functions = FUNCTION_WORDS.get(lang, NONE)
        if all(map(SPELT.fullmatch, parts)):
            return joined not in functions and not (lang == "en" and joined in SHORT_WORDS)
        return parts not in DIFFERENT_JOINED.get(lang, NONE) and (
            len(parts) > 2 or joined in JOINED.get(lang, NONE) or functions.isdisjoint(parts)
        )


def _letters(form: str, lang: str) -> str:
    """Return the letters of a base form that is not made of letters only."""
    if not any(map(str.isalpha, form)):
        return form  # 10-15 is not 1015
    if initialism := joined_initialism(form):
        return form if lang == "en" and initialism in SHORT_WORDS else initialism
    return form.translate(REMOVED)


@dataclass(frozen=True, slots=True)
class JoinedWords(Compounds):
    """Successive words, of any number, that are joined to exactly the word on the other side.

    No rule of language decides; kaldialign joins words in this way.

    >>> JoinedWords().allowed(("a", "part"), "en")
    True
    """

    name: ClassVar[str] = "joined words"
    reads_normal_words: ClassVar[bool] = True

    most: int = 1 << 30

    def letters(self, words: Sequence[str], lang: str) -> list[str]:
        """Return the words themselves."""
        return list(words)

    def allowed(self, parts: Phrase, lang: str, wholes: Sequence[str] = ()) -> bool:
        """Return that all words may be joined."""
        return True

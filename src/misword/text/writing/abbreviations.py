"""The family `abbreviations`: `Mr.` and `mister`, `R&D` and `R and D`, `US` and `U.S.`.

The lists have base forms. An abbreviation with several readings is left out if one of them is
another frequent word in the same place: *co* (company, Colorado), *no* (number: the family
`numbers` reads it before a digit).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from typing import ClassVar

from misword.text.writing import MAKES_RUN, WITHIN_RUN, Family, Phrase, Reading
from misword.text.writing.words import (
    READ_AS_LETTERS,
    PhraseClass,
    joined_initialism,
    known_classes,
    parse_classes,
    plural_initialism,
    without_outer_signs,
)

ENGLISH = """
mr / mister
mrs / missus / missis
messrs / messieurs
dr / doctor
drs / doctors
prof / professor
st / saint
gov / governor
lt / lieutenant
sgt / sergeant
capt / captain
cpl / corporal
cmdr / commander
supt / superintendent
hon / honorable / honourable
jr / junior
sr / senior
esq / esquire
vs / versus
etc / et cetera / etcetera
e.g / eg / for example
i.e / ie / that is
approx / approximately
dept / department
depts / departments
govt / government
gov't / government
mgmt / management
mgr / manager
assn / association
assoc / associates
assoc / association
asst / assistant
bros / brothers
inc / incorporated
corp / corporation
ltd / limited
intl / international
int'l / international
natl / national
nat'l / national
univ / university
avg / average
qty / quantity
acct / account
ave / avenue
blvd / boulevard
hwy / highway
pkwy / parkway
rte / route
mt / mount
mts / mountains
jan / january
feb / february
apr / april
aug / august
sept / sep / september
oct / october
nov / november
dec / december
a.m / am / a m
p.m / pm / p m
o.k / ok / okay / o k
ph.d / phd / p h d / ph d
& / and
@ / at
+ / plus
"""

FRENCH = """
m / monsieur
mm / messieurs
mr / monsieur
mme / madame
mmes / mesdames
mlle / mademoiselle
mlles / mesdemoiselles
dr / docteur
pr / professeur
st / saint
ste / sainte
etc / et cetera / et caetera
c-à-d / c.-à-d / càd / c'est-à-dire / c'est à dire
svp / s'il vous plaît / s'il vous plait
bd / boulevard
av / avenue
env / environ
apr / après
janv / janvier
févr / février
sept / septembre
oct / octobre
nov / novembre
déc / décembre
& / et
"""

GERMAN = """
z.b / zb / z b / zum beispiel
d.h / dh / d h / das heißt / das heisst
u.a / u a / unter anderem
u.a / u a / und andere
usw / u.s.w / und so weiter
bzw / beziehungsweise
bspw / beispielsweise
vgl / vergleiche
ca / circa / zirka
evtl / eventuell
ggf / gegebenenfalls
inkl / inklusive
exkl / exklusive
z.t / z t / zum teil
i.d.r / i d r / in der regel
o.ä / o ä / oder ähnliches
v.a / v a / vor allem
u.u / u u / unter umständen
sog / sogenannte
sog / sogenannten
dr / doktor
prof / professor
hr / herr
hrn / herrn
fr / frau
st / sankt
str / straße / strasse
nr / nummer
mio / million / millionen
mrd / milliarde / milliarden
tel / telefon
jan / januar
feb / februar
aug / august
sept / september
okt / oktober
nov / november
dez / dezember
& / und
"""

SPANISH = """
sr / señor
sra / señora
srta / señorita
sres / señores
dr / doctor
dra / doctora
prof / profesor
ud / vd / usted
uds / vds / ustedes
d / don
dña / doña
etc / etcétera
p.ej / por ejemplo
p ej / por ejemplo
ee.uu / eeuu / ee uu / estados unidos
sta / santa
sto / santo
av / avda / avenida
aprox / aproximadamente
& / y
"""

ITALIAN = """
sig / signor / signore
sig.ra / signora
sig.na / signorina
sigg / signori
dott / dr / dottor / dottore
dott.ssa / dottoressa
prof / professor / professore
prof.ssa / professoressa
avv / avvocato
ing / ingegner / ingegnere
ecc / eccetera
es / esempio
ca / circa
& / e
"""

PORTUGUESE = """
sr / senhor
sra / senhora
srs / senhores
dr / doutor
dra / doutora
prof / professor
profa / prof.ª / professora
etc / et cetera / etcétera
p.ex / por exemplo
p ex / por exemplo
vc / você
av / avenida
aprox / aproximadamente
& / e
"""

DUTCH = """
dhr / de heer
mevr / mw / mevrouw
dr / doctor
prof / professor
bijv / bv / bijvoorbeeld
d.w.z / dwz / dat wil zeggen
m.a.w / maw / met andere woorden
o.a / oa / onder andere / onder anderen
t.o.v / tov / ten opzichte van
i.p.v / ipv / in plaats van
enz / enzovoort / enzovoorts
etc / et cetera / etcetera
a.u.b / aub / alstublieft
ca / circa
nr / nummer
st / sint
& / en
"""

ABBREVIATIONS = {
    "de": GERMAN,
    "en": ENGLISH,
    "es": SPANISH,
    "fr": FRENCH,
    "it": ITALIAN,
    "nl": DUTCH,
    "pt": PORTUGUESE,
}
# How `&` is read between letters: R&D.
AND = {"de": "und", "en": "and", "es": "y", "fr": "et", "it": "e", "nl": "en", "pt": "e"}


NO_RUN = 0
MOST_LETTERS = max(map(len, READ_AS_LETTERS))


@dataclass(frozen=True, slots=True)
class Abbreviations(Family):
    """Abbreviations and the words that they are read as: `Mr.` and `mister`, `R&D` and `R and D`.

    `US`, `U.S.` and `u s` are the same; `us` in small letters is another word. `CEOs` and `CEO's`
    are the same. The letters of other initialisms (`c e o`, `C.E.O.`) are joined by `compounds`.

    Never the same: `Dr.` and *drive*, `St.` and *street*, *company* and *co*, *number* and *no*.

    Known problems: in a text in small letters only, *us* is never the country.

    Example: `misword score ref.txt hyp.txt --lang en --forgive abbreviations`
    """

    name: ClassVar[str] = "abbreviations"

    @classmethod
    def languages(cls) -> tuple[str, ...]:
        """Languages with a list of abbreviations."""
        return tuple(sorted(ABBREVIATIONS))

    def classes(self, words: Sequence[str], lang: str) -> Iterable[Iterable[Phrase]]:
        """Yield the classes whose words occur in the texts.

        >>> list(Abbreviations().classes(["mr", "mister", "dr", "drive"], "en"))
        [(('mr',), ('mister',))]
        """
        known = frozenset(words)
        yield from known_classes(_listed(lang), known)
        yield from known_classes(_with_and(known, AND.get(lang, "&")), known)

    def run_words(self, words: Sequence[str], lang: str) -> Sequence[int] | None:
        """Find single letters, dotted letters, and words in capitals that are another word."""
        return [_run_word(word) for word in words] if lang == "en" else None

    def readings(self, run: Phrase, lang: str) -> Iterable[Reading]:
        """Yield the initialisms of a run that are a word of another meaning in small letters.

        >>> list(Abbreviations().readings(("U.S.", "a", "IT"), "en"))
        [Reading(start=0, end=1, key='us'), Reading(start=2, end=3, key='it')]
        """
        words = [without_outer_signs(word) for word in run]
        for start, word in enumerate(words):
            if len(word) > 1:
                plural = plural_initialism(word)
                key = plural or joined_initialism(word) or word
                yield Reading(start, start + 1, key.lower())
            joined = accumulate(words[start : start + MOST_LETTERS])
            for end, letters in enumerate(joined, start + 1):
                if len(letters) != end - start:  # not single letters only
                    break
                if len(letters) > 1 and letters.lower() in READ_AS_LETTERS:
                    yield Reading(start, end, letters.lower())


def _run_word(word: str) -> int:
    """Return the value of `run_words` for a word as it is written."""
    if word.islower() and len(word) > 1 and "." not in word:  # by far the most words
        return NO_RUN
    word = without_outer_signs(word)
    if len(word) == 1:
        return (WITHIN_RUN if word in "aAiI" else MAKES_RUN) if word.isalpha() else NO_RUN
    letters = joined_initialism(word) or (word.lower() if word.isupper() else "")
    return MAKES_RUN if letters in READ_AS_LETTERS or plural_initialism(word) else NO_RUN


@cache
def _listed(lang: str) -> list[PhraseClass]:
    return parse_classes(ABBREVIATIONS.get(lang, ""))


def _with_and(words: Iterable[str], conjunction: str) -> Iterator[PhraseClass]:
    """Yield the classes of the words with `&`: r&d, r and d; at&t, at and t, a t and t."""
    for word in sorted(word for word in words if "&" in word[1:-1]):
        first, _, second = word.partition("&")
        for sign in ("&", conjunction):
            yield ((word,), (first, sign, second), (*first, sign, *second))

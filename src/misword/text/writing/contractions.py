"""The family `contractions`: `we're` and `we are`, `don't` and `do not`, `gonna` and `going to`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from misword.text.writing import Family, Phrase
from misword.text.writing.words import PhraseClass, known_classes, parse_classes, word_set

# What an ending stands for. `'s` and `'d` are read in several ways, each of which is a class.
ENDINGS = {
    "n't": ("not",),
    "'ll": ("will",),
    "'re": ("are",),
    "'ve": ("have",),
    "'m": ("am",),
    "'d": ("would", "had"),
    "'s": ("is",),
}
# After these words, 's is `is` or `has`.
BEFORE_IS = word_set("""
    he she it that this what who where when how why there here one nobody nothing someone
    something somebody everyone everything everybody anyone anything anybody
""")
# After a noun, 's is mostly a possessive; before these words it is `is`.
AFTER_IS = ("a", "an", "the", "not", "going", "gonna", "getting", "trying", "looking", "coming")
# After these words, 'd is also `did`: where'd he go.
BEFORE_DID = word_set("how what when where who why")
# Contractions whose words change, reduced forms, and endings that are a token of their own.
IRREGULAR = parse_classes("""
won't / will not / wo n't
can't / can not / cannot / ca n't
shan't / shall not / sha n't
let's / let us / let 's
'll / will
're / are
've / have
'm / am
n't / not
's / is
'd / would
'd / had
i'ma / i'm going to / i am going to
y'all / you all / ya'll / yall / y' all
ma'am / maam
o'clock / o clock / o' clock
d'you / do you / d' you
'tis / it is / tis
'twas / it was / twas
'em / them
'til / til / till
'til / until
til / until
'cause / because / cuz / 'cuz / 'cos / coz / 'coz
'bout / about
'round / around
'n / 'n' / an' / and
c'mon / come on / cmon
s'pose / suppose
ol' / old
o' / of
ya / you
gonna / going to / goin' to / gon na / gunna
wanna / want to / wan na
gotta / got to / got ta
gotta / have got to
hafta / have to
oughta / ought to
tryna / trying to / tryin' to
gimme / give me / gim me
lemme / let me / lem me
kinda / kind of
sorta / sort of
outta / out of
lotta / lot of
lotsa / lots of
dunno / don't know / do not know / do n't know
dunno / i don't know / i do not know
innit / isn't it
whatcha / what are you
gotcha / got you
betcha / bet you
shoulda / should have / should've
woulda / would have / would've
coulda / could have / could've
musta / must have / must've
mighta / might have / might've
""")
# Words with such an ending that `IRREGULAR` has, or that stand for no other phrase (ain't).
NOT_REGULAR = word_set("ain't can't let's shan't won't")


@dataclass(frozen=True, slots=True)
class Contractions(Family):
    """English contractions and what they stand for: `we're` and `we are`, `gonna` and `going to`.

    Every word with an ending such as `'re` or `n't` is a contraction, so that also `customers'll`
    is known. Tokens that a recogniser separates (`we 're`, `do n't`) are the same, too.

    Never the same: words that differ in the apostrophe only (`we'll` and `well`, `he'll` and
    `hell`, `won't` and `wont`), and words with and without *not*.

    Behind a noun, `'s` is mostly a possessive: it is the same as *is* only before words such as
    *a*, *not* and *going*.

    Known problems: `the company's growing` and `the company is growing` are different; `'d` is read
    as *would* and as *had*.

    Example: `misword score ref.txt hyp.txt --lang en --forgive contractions`
    """

    name: ClassVar[str] = "contractions"
    revision: ClassVar[int] = 2

    @classmethod
    def languages(cls) -> tuple[str, ...]:
        """English; elided words of other languages (`l' homme`) belong to `compounds`."""
        return ("en",)

    def classes(self, words: Sequence[str], lang: str) -> Iterable[Iterable[Phrase]]:
        """Yield the classes whose words occur in the texts.

        >>> list(Contractions().classes(["we're", "we", "are", "were"], "en"))
        [(("we're",), ('we', 'are'))]
        """
        if lang != "en":
            return
        known = frozenset(words)
        yield from known_classes(IRREGULAR, known)
        yield from known_classes(_regular(known), known)


def _regular(vocabulary: Iterable[str]) -> Iterator[PhraseClass]:
    """Yield the classes of all words with a regular ending, in alphabetical order."""
    for word in sorted(word for word in vocabulary if "'" in word and word not in NOT_REGULAR):
        if word.endswith("in'"):
            yield ((word,), (f"{word[:-1]}g",))
        for ending in ENDINGS:
            stem = word.removesuffix(ending)
            if stem != word and stem[-1:].isalpha():
                if ending == "'s" and stem not in BEFORE_IS:
                    yield ((word,), (stem, ending))
                    yield from (((word, after), (stem, "is", after)) for after in AFTER_IS)
                    continue
                for expansion in _expansions(stem, ending):
                    expanded = ((*words, expansion) for words in _stems(stem))
                    yield ((word,), *expanded, (stem, ending))


def _expansions(stem: str, ending: str) -> tuple[str, ...]:
    """Return the words that an ending can stand for after a stem."""
    if ending == "'s":
        return ("is", "has")
    if ending == "'d" and stem in BEFORE_DID:
        return ("would", "had", "did")
    return ENDINGS[ending]


def _stems(stem: str) -> tuple[Phrase, ...]:
    """Return a stem, and its words if it is itself contracted: wouldn't in wouldn't've."""
    inner = stem.removesuffix("n't")
    return ((stem,),) if inner == stem else ((stem,), (inner, "not"))

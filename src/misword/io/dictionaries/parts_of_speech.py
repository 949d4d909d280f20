"""Names of parts of speech in dictionaries, as universal tags.

Reference: https://universaldependencies.org/u/pos; https://wiki.apertium.org/wiki/List_of_symbols
"""

from __future__ import annotations

import re
from functools import lru_cache

UNIVERSAL = (
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN",
    "PUNCT", "SCONJ", "SYM", "VERB", "X",
)  # fmt: skip
# Abbreviations and words that TEI dictionaries, apertium, Wiktextract and tables use, without full
# stops. A universal tag stands for itself.
TABLE = """
ADJ a adj adjective adjektiv adjectif adj_noun
ADP adp prep preposition post postp postposition pr
ADV adv adverb adverbe preadv
AUX aux auxiliary vaux vbmod vbhaver vbser
CCONJ conj conjunction cconj cnjcoo cnjadv
DET art article det determiner
INTJ int intj interj interjection ij
NOUN n noun s sb sbst subst substantive substantif nm nf nn nmf
NUM num numeral number card cardinal
PART part particle ptcl
PRON pron pronoun prn
PROPN name pn prop propn np proper_noun properNoun proper-noun
SCONJ sconj cnjsub subjunction
SYM sym symbol
VERB v vb verb verbe vblex vi vt vti vr vtr vitr
X abbr abbrev abbreviation acr acronym phrase idiom proverb prefix suffix affix o nw unknown
"""
BY_NAME = {
    name.lower(): tag for tag, *names in map(str.split, TABLE.split("\n")[1:-1]) for name in names
} | {tag.lower(): tag for tag in UNIVERSAL}
# Labels of gender, number and use that say nothing about the part of speech.
GENDERS = ("m", "f", "mf", "masc", "fem", "neut", "neutr")
NUMBERS = ("pl", "plur", "sg", "sing", "only")
OTHER_LABELS = frozenset((*GENDERS, *NUMBERS, "trans", "intr", "refl", "pers", "rel"))
SEPARATOR = re.compile(r"[\s,;/|&]+")


@lru_cache(maxsize=4096)
def universal_tag(text: str) -> str:
    """Return the universal tag of a part of speech; empty for none, `X` for one that is not known.

    Of several words the first known one counts; gender and number are not parts of speech.

    >>> universal_tag("fem, n, sg"), universal_tag("v.t."), universal_tag(""), universal_tag("zz")
    ('NOUN', 'VERB', '', 'X')
    """
    plain = text.strip().lower().replace(".", "")
    if plain in BY_NAME:
        return BY_NAME[plain]
    words = [word for word in SEPARATOR.split(plain) if word]
    known = next((BY_NAME[word] for word in words if word in BY_NAME), "")
    return known or ("X" if words and not OTHER_LABELS.issuperset(words) else "")

"""The two languages of a lexicon, checked against ISO 639."""

from __future__ import annotations

from misword.core.errors import OptionError
from misword.core.languages import CODES, code
from misword.core.suggestions import did_you_mean

# ISO 639-1, beside the codes that misword knows in any case.
ISO_639_1 = """\
aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da
de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz
ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln
lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi
pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti
tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
"""
TWO_LETTERS = frozenset(ISO_639_1.split())


def language_codes(source: str, target: str) -> tuple[str, str]:
    """Return the codes of two different languages.

    >>> language_codes("en-GB", "deu")
    ('en', 'de')
    """
    first, second = language_code(source, "source"), language_code(target, "target")
    if first == second:
        raise OptionError(f"both languages are {first!r}", fix="name those of the two columns")
    return first, second


def language_code(language: str, which: str) -> str:
    """Return the code of a language, or raise if there is no such language."""
    found = code(language)
    if found not in CODES and len(found) == 2 and found not in TWO_LETTERS:
        near = did_you_mean(found, sorted(TWO_LETTERS))
        raise OptionError(
            f"the {which} language {language!r} is no code of ISO 639",
            fix=f"{near}use a code such as en, de, bg, ces",
        )
    return found

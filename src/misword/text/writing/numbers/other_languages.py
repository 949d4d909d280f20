"""Numbers of languages other than English: digits are spelt out by the package num2words.

These languages have no grammar here. A key consists of words: words stand for themselves, and
digits for each way in which num2words, with the variants of these tables, says them: `21` and
`einundzwanzig` share a key.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import lru_cache
from itertools import product

from misword.text.writing import MAKES_RUN, WITHIN_RUN, Phrase, Reading
from misword.text.writing.numbers.atoms import PUNCTUATION, strip

_SAME_CODE = """
am ar az be bn ca ce cs cy da de eo es fa fi fr he hu id is it ja kn ko lt lv nl pl pt ro ru sk sl
sr sv te tg th tr uk vi
"""
# The languages of num2words, by misword's code, with the code of num2words.
CODES = {**{code: code for code in _SAME_CODE.split()}, "kk": "kz", "nb": "no"}
# Languages with a decimal point and a thousands comma; all others have it the other way round.
DECIMAL_POINT = frozenset({"am", "bn", "fa", "he", "ja", "kn", "ko", "te", "th"})
# Languages that write an ordinal with a full stop: 3. = dritte.
_FULL_STOP = "cs da de fi hu is lv nb pl sk sl sr tr"
ORDINAL_POINT = frozenset(_FULL_STOP.split())
ORDINAL_SUFFIXES = {
    "ca": ("r", "n", "t", "è", "a"),
    "es": ("º", "ª", "°", "o", "a", "er"),
    "fr": ("er", "re", "e", "ème", "eme", "nd", "nde"),
    "it": ("º", "ª", "°", "o", "a"),
    "nl": ("e", "de", "ste"),
    "pt": ("º", "ª", "°", "o", "a"),
    "sv": ("e", "a"),
}
# Words and other signs for the signs of units.
SIGNS: dict[str, dict[str, tuple[str, ...]]] = {
    "%": {
        "ca": ("per cent",),
        "cs": ("procent", "procenta", "procento"),
        "da": ("procent",),
        "de": ("prozent",),
        "es": ("por ciento",),
        "fi": ("prosenttia", "prosentti"),
        "fr": ("pour cent", "pourcent"),
        "it": ("per cento", "percento"),
        "nb": ("prosent",),
        "nl": ("procent",),
        "pl": ("procent", "procenta", "procentów"),
        "pt": ("por cento",),
        "sv": ("procent",),
    },
    "€": {
        "de": ("euro",),
        "es": ("euros", "euro"),
        "fr": ("euros", "euro"),
        "it": ("euro",),
        "nl": ("euro",),
        "pt": ("euros", "euro"),
    },
    "$": {
        "de": ("dollar",),
        "es": ("dólares", "dólar"),
        "fr": ("dollars", "dollar"),
        "it": ("dollari", "dollaro"),
        "nl": ("dollar",),
        "pt": ("dólares", "dólar"),
    },
    "£": {
        "de": ("pfund",),
        "es": ("libras", "libra"),
        "fr": ("livres", "livre"),
        "it": ("sterline", "sterlina"),
        "nl": ("pond",),
        "pt": ("libras", "libra"),
    },
}
UNIT_WORDS = {
    lang: frozenset(
        " ".join(name for sign in SIGNS.values() for name in sign.get(lang, ())).split()
    )
    for lang in CODES
}
_JOINING = """
et e y und en og och ja i a de con por pour per komma virgule virgola vírgula coma punto pilkku
przecinek celá celých
"""
# Words within numbers that are frequent outside of them; they do not make a run.
JOINING = frozenset(_JOINING.split())
DECIMAL_WORDS = {
    "de": ("komma",),
    "es": ("coma", "punto", "con"),
    "fr": ("virgule",),
    "it": ("virgola",),
    "nl": ("komma",),
    "pt": ("vírgula",),
}
# Other ways to say a form of num2words: at its start, at its end, or within it.
VARIANTS = {
    "de": (
        ("einhundert", "hundert"),
        ("eintausend", "tausend"),
        ("eins", "ein"),
        ("eins", "eine"),
    ),
    "es": (("uno", "un"), ("uno", "una"), (" punto ", " coma "), (" punto ", " con ")),
    "fr": (("un", "une"),),
    "it": (("uno", "un"), ("uno", "una"), ("milioni e ", "milioni ")),
    "nl": (("één", "een"), ("één", "eén")),
    "pt": (
        ("um", "uma"),
        ("dois", "duas"),
        ("dezasseis", "dezesseis"),
        ("dezassete", "dezessete"),
        ("dezanove", "dezenove"),
    ),
    "sv": (("ett", "en"), ("etthundra", "hundra"), ("etttusen", "tusen")),
}
ORDINAL_ENDINGS = {
    "de": (("e", "en"), ("e", "er"), ("e", "es"), ("e", "em")),
    "es": (("o", "a"), ("ero", "er")),
    "fr": (("premier", "première"), ("deuxième", "second"), ("deuxième", "seconde")),
    "it": (("o", "a"),),
    "pt": (("o", "a"),),
}


# A reading has at most this many words, and a word with digits at most this many forms in a span.
MOST_WORDS = 10
MOST_FORMS = 12
# Larger numbers are not spelt out.
LARGEST = 10**15
# From these numbers on, num2words does not return for a language.
LARGEST_OF_LANGUAGE = {"am": 10**6}
# Their words stand behind digits: 2 millions.
MAGNITUDES = ("1000", "2000", "1000000", "2000000", "1000000000", "2000000000")

_HAS_DIGIT = re.compile(r"[0-9]")
_JOINTS = re.compile(r"[\s\-]+")
_GROUP = re.compile(r"[0-9]{3}")
_NUMBER = re.compile(
    r"""(?P<sign>-)?(?P<before>[$€£])?
        (?P<whole>[0-9]{1,3}(?:[.,'][0-9]{3})+|[0-9]+)(?:[.,](?P<part>[0-9]+))?
        (?P<after>[%$€£])?(?P<suffix>[^\W\d_]{1,3}|[ºª°])?""",
    re.VERBOSE,
)


def run_words(words: Sequence[str], lang: str) -> list[int]:
    """Return for each word whether it can be part of a run, as `Family.run_words` says.

    Words with digits make a run, and words that occur in the spoken form of one of them.
    """
    said = set(UNIT_WORDS.get(lang, ()))
    for word in (*filter(_HAS_DIGIT.search, words), *MAGNITUDES):
        for form in spoken_forms(word, lang):
            parts = _JOINTS.split(form)
            # Where one writer leaves a blank, another does not: `negentien honderd`.
            said.update("".join(parts[i:j]) for i in range(len(parts)) for j in (i + 1, i + 2))
            said.add("".join(parts))
    return [_kind(word, said) for word in words]


def _kind(word: str, said: set[str]) -> int:
    """Return the kind of a word; `said` are words of the spoken forms."""
    # Most words are letters with punctuation at their ends; `strip` would take longer.
    text = word.strip(PUNCTUATION).lower()
    if not text.isalpha():
        if _HAS_DIGIT.search(text):
            return MAKES_RUN
        text = strip(word)
    if text in SIGNS or text in JOINING:
        return WITHIN_RUN
    known = text in said or ("-" in text and all(part in said for part in _JOINTS.split(text)))
    return MAKES_RUN if known else 0


def read(run: Phrase, lang: str) -> Iterator[Reading]:
    """Yield the readings of a run of words.

    >>> [reading.key for reading in read(("1.000",), "xx")]
    ['n:1000', 'w:1.000']
    """
    tokens = [_forms_in_span(word, lang) for word in run]
    for start in range(len(run)):
        digits, end = _grouped_digits(run, start)
        value = _value(digits, lang)
        if value is not None:
            yield Reading(start, end, f"n:{value}")
            if end > start + 1:
                for form in _forms_in_span(digits, lang):
                    yield Reading(start, end, f"w:{form}")
        for stop in range(start + 1, min(start + MOST_WORDS, len(run)) + 1):
            span = tokens[start:stop]
            if not _is_number(run[start], run[stop - 1]) or sum(len(form) > 1 for form in span) > 2:
                continue
            for forms in product(*span):
                yield Reading(start, stop, f"w:{''.join(forms)}")


def _is_number(first: str, last: str) -> bool:
    """Whether a span begins and ends with a word of a number, not with `and`."""
    joining = JOINING
    return strip(first) not in SIGNS.keys() | joining and strip(last) not in joining


def _grouped_digits(run: Phrase, start: int) -> tuple[str, int]:
    """Return digits with blanks between thousands as one text, and the word behind them."""
    text, end = strip(run[start]), start + 1
    if 0 < len(text) <= 3 and text.isdecimal():
        while end < len(run) and _GROUP.fullmatch(strip(run[end])):
            text += strip(run[end])
            end += 1
    return text, end


def _value(text: str, lang: str) -> str | None:
    """Return the value of digits without sign and unit; None if the word has something else."""
    match = _NUMBER.fullmatch(text)
    if match is None or match["before"] or match["after"] or match["suffix"]:
        return None
    number = _decimal(match, lang)
    return f"{number.normalize():f}" if number is not None else None


def _decimal(match: re.Match[str], lang: str) -> Decimal | None:
    """Return the value of a number; the language decides what a point and a comma are."""
    whole, part = match["whole"], match["part"] or ""
    text = match[0]
    point = "." if lang in DECIMAL_POINT else ","
    if part and len(part) == 3 and point not in text:
        whole, part = whole + part, ""
    elif not part and point in whole:
        whole, _, part = whole.partition(point)
    digits = re.sub(r"[^0-9]", "", whole)
    if not digits or len(digits) > 18:
        return None
    return Decimal(f"{match['sign'] or ''}{digits}.{part or '0'}")


def _forms_in_span(word: str, lang: str) -> tuple[str, ...]:
    """Return the forms of a word without blanks and hyphens; a word without digits has one."""
    text = strip(word)
    if _HAS_DIGIT.search(text):
        forms = spoken_forms(word, lang)[:MOST_FORMS]
        return tuple(_JOINTS.sub("", form) for form in forms) or (text,)
    if text in SIGNS:
        return SIGNS[text].get(lang, (text,))
    return (_JOINTS.sub("", text),)


@lru_cache(maxsize=1 << 16)
def spoken_forms(word: str, lang: str) -> tuple[str, ...]:
    """Return what a word with digits is in speech, as num2words and the variants say it.

    >>> spoken_forms("3%", "xx")
    ()
    """
    match = _NUMBER.fullmatch(strip(word))
    if match is None or lang not in CODES:
        return ()
    value = _decimal(match, lang)
    if value is None or abs(value) >= LARGEST_OF_LANGUAGE.get(lang, LARGEST):
        return ()
    if match["suffix"] and match["suffix"] not in ORDINAL_SUFFIXES.get(lang, ()):
        return ()
    forms: list[str] = []
    if not match["suffix"]:
        forms += _cardinal_forms(value, match["part"] or "", lang)
    ordinal = match["suffix"] or (lang in ORDINAL_POINT and word.rstrip(",;:").endswith("."))
    if ordinal and value == int(value):
        forms += _inflected(_say(int(value), lang, "ordinal"), lang)
    if unit := match["after"] or match["before"]:
        names = SIGNS[unit].get(lang, ())
        forms = [f"{form} {name}" for form in forms for name in names]
    return tuple(dict.fromkeys(forms))


def _cardinal_forms(value: Decimal, part: str, lang: str) -> list[str]:
    """Return the forms of a cardinal or a decimal number, also as a year."""
    if value != int(value):
        forms = _say(float(value), lang, "cardinal")
        if len(part) == 2 and part[0] != "0":
            whole, digits = (_say(int(number), lang, "cardinal") for number in (value, part))
            forms += [
                f"{left} {word} {right}"
                for word in DECIMAL_WORDS.get(lang, ())
                for left, right in zip(whole, digits, strict=False)
            ]
    else:
        forms = _say(int(value), lang, "cardinal")
        if 1100 <= value < 2100:
            forms = [*forms, *_say(int(value), lang, "year")]
    return [variant for form in forms for variant in _variants(form, lang)]


def _say(value: int | float, lang: str, to: str) -> list[str]:
    """Return what num2words says, or nothing if the language lacks this kind of number."""
    from num2words import num2words

    try:
        return [str(num2words(value, lang=CODES[lang], to=to)).lower()]
    except Exception:  # what it raises for a kind of number that a language lacks differs
        return []


def _variants(form: str, lang: str) -> Iterator[str]:
    """Yield a form and its variants: `eins`, `ein`, `eine`."""
    yield form
    for old, new in VARIANTS.get(lang, ()):
        if form.startswith(old):
            yield new + form[len(old) :]
        if form.endswith(old):
            yield form[: -len(old)] + new
        elif old in form:
            yield form.replace(old, new)


def _inflected(forms: list[str], lang: str) -> Iterator[str]:
    """Yield an ordinal in its inflected forms: `dritte`, `dritten`."""
    for form in forms:
        yield form
        for old, new in ORDINAL_ENDINGS.get(lang, ()):
            if form.endswith(old):
                yield form[: len(form) - len(old)] + new

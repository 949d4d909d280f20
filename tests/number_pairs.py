"""Pairs of texts with numbers of which it is known whether they mean the same.

`different` yields pairs with numbers of another value, unit or kind: a scorer must count an error.
`equal` yields one number in two usual writings: a scorer that forgives differences of writing
should count none. Whether two texts mean the same follows from the numbers that they were made
from (`number_words.Number`), not from reading the texts.

Pairs that a careful reader would accept as the same words written otherwise are not among the
different ones:

- `twenty ten` and `2010`, `20 10`; `one twenty three` and `123`; `eight two four nine` and `8249`;
  `forty forty four` and `4044`: digits may be read out one by one and in groups. So words that were
  said in groups are not paired with the same sequence of digits.
- `8 249` and 8249: a blank may separate thousands, in all languages.
- `8000 and 249` and 8249, `5 million 200,000` and 5,200,000: the writer wrote down one number in
  parts, and a reader reads it as one. Nothing joins the parts of `8000 249`: it is different.
- `ottomila duecento` and `ottomiladuecento`: a blank within the words changes no value.
- 3.10 and 3.1 where it is a quantity. Behind `version` they are different.
- `$10 mm` and ten million, `5m` and five million: letters for magnitudes in finance. `10 mm`
  without a currency is a length, and `5M` is not five meters.
- `21.` and `einundzwanzig`: the full stop may end the sentence.
- Values with three decimals: 1.234 may be a thousand in another country.
- `555 1234` and `5551234`: a telephone number has no fixed groups.
- `19-46` and `1946`, both in digits: a hyphen may join the parts of a code.
- `forty forty four billion` and `4044 billion`: the words may be digits in groups. `40 44 billion`
  is different from it.
- `résumé` and `resume`, `pâté` and `pate`: both are usual in English. `rosé` and `rose` are not.
- `May` and `may` as the first word of a sentence, and texts without capital letters, whose case
  carries no meaning.

These are not among the equal ones, although the value is the same, because the words differ:
`a hundred` and `one hundred`, `fifteen hundred` and `one thousand five hundred`, `mil milhões` and
`um bilhão`, `tausend` and `eintausend`. Digits are equal to each of them. Two numbers without a
word between them are equal only where their words cannot be read as one number: `quatre`, `vingt`
is 80. `diez y siete` is 17 or 10:07: in es and it, minutes have two digits.
"""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from functools import cache
from typing import NamedTuple

from number_words import (
    CURRENCIES,
    LANGUAGES,
    MONTHS,
    PARTS,
    POINT,
    TO,
    UNITS,
    Number,
    cardinal,
    figures,
    pairs_of_digits,
    plain,
    read_out,
    regional,
    said,
    without_accents,
    written,
)

__all__ = ["LANGUAGES", "Pair", "different", "equal"]


class Pair(NamedTuple):
    """Two texts in one language; `kind` says how the second one was made."""

    lang: str
    kind: str
    left: str
    right: str


Made = tuple[str, str]
Maker = Callable[[str, random.Random], "Made | None"]

# What stands before and behind a number. No word of them can be part of a number.
FRAMES = {
    "en": ("{}", "they wrote {}", "{} again", "we said {} there", "she found {} yesterday"),
    "fr": ("{}", "elle disait {}", "{} encore", "nous voyons {} ici", "ils trouvent {} là"),
    "es": ("{}", "ellos dicen {}", "{} otra vez", "vemos {} aquí", "ella tiene {} hoy"),
    "pt": ("{}", "eles dizem {}", "{} outra vez", "vemos {} aqui", "ela tem {} hoje"),
    "it": ("{}", "loro dicono {}", "{} ancora", "vediamo {} qui", "lei trova {} oggi"),
    "de": ("{}", "sie sagen {}", "{} noch einmal", "wir sehen {} hier", "sie fand {} gestern"),
    "nl": ("{}", "zij zeggen {}", "{} nog steeds", "wij zien {} hier", "zij vond {} gisteren"),
}
# A kind has no more pairs if this many drawings give nothing new.
TRIALS = 200
# A word between two numbers.
THEN = {"en": "then", "fr": "puis", "es": "luego", "pt": "depois"} | {
    "it": "poi",
    "de": "dann",
    "nl": "dan",
}


# -- numbers -----------------------------------------------------------------------------------


def whole(rng: random.Random, least: int = 0) -> int:
    """Return a whole number of any size; small ones are frequent."""
    while True:
        size = rng.choice([100, 100, 1000, 10**4, 10**4, 10**6, 10**9])
        value = rng.randrange(size)
        if size >= 10**6 and rng.random() < 0.7:  # people say round numbers when they are large
            step = size // 10 ** rng.randrange(2, 5)
            value -= value % step
        if value >= least:
            return value


def some_number(kind: str, lang: str, rng: random.Random) -> Number:
    """Return a number of a kind."""
    if kind == "cardinal":
        return Number(kind, Decimal(whole(rng)))
    if kind == "negative":
        return Number(kind, Decimal(-rng.randrange(1, 300)))
    if kind == "decimal":
        return Number(kind, some_decimal(rng))
    if kind == "ordinal":
        return Number(kind, Decimal(rng.randrange(1, largest_ordinal(lang, rng))))
    if kind == "year":
        return Number(kind, Decimal(rng.randrange(1101, 2100)))
    if kind == "money":
        return Number(kind, Decimal(whole(rng, 2)), some_currency(lang, rng))
    if kind == "cents":
        value = Decimal(rng.randrange(2, 100)) + Decimal(rng.randrange(10, 100)) / 100
        return Number(kind, value.quantize(Decimal("0.01")), some_currency(lang, rng))
    if kind == "percent":
        large = Decimal(rng.randrange(1, 100))
        return Number(kind, large if rng.random() < 0.6 else some_decimal(rng))
    if kind == "measure":
        value = Decimal(rng.randrange(1, 1000)) if rng.random() < 0.8 else some_decimal(rng)
        return Number(kind, value, rng.choice(list(UNITS)))
    if kind == "magnitude":
        amount = Decimal(rng.randrange(2, 1000)) if rng.random() < 0.5 else some_decimal(rng)
        return Number(kind, amount, str(rng.choice([10**6, 10**9])))
    if kind == "time":
        least = 10 if lang in ("es", "it") else 1
        hours = range(1, 13) if lang == "en" else range(1, 24)
        return Number(kind, f"{rng.choice(hours)}:{rng.randrange(least, 60):02d}")
    if kind == "date":
        tail = f"-{rng.randrange(1950, 2030)}" if rng.random() < 0.4 else ""
        return Number(kind, f"{rng.randrange(1, 13):02d}-{rng.randrange(1, 29):02d}{tail}")
    if kind == "phone":
        return Number(kind, "".join(rng.choice("0123456789") for _ in range(7)))
    if kind == "fraction":
        below = rng.choice(list(PARTS[lang]))
        return Number(
            kind, f"{rng.choice([n for n in range(1, below) if coprime(n, below)])}/{below}"
        )
    low = rng.randrange(2, 60)
    return Number("range", f"{low}-{low + rng.randrange(1, 40)}")


def largest_ordinal(lang: str, rng: random.Random) -> int:
    """Return a bound of ordinals; those above 100 are rare, and few can say them in es, pt, it."""
    return 100 if lang in ("es", "pt", "it") or rng.random() < 0.8 else 1000


def coprime(above: int, below: int) -> bool:
    """Whether a fraction of small numbers is in lowest terms."""
    return all(above % n or below % n for n in range(2, below + 1))


def some_decimal(rng: random.Random) -> Decimal:
    """Return a number with one or two decimals of which the last is not zero."""
    places = rng.choice([1, 1, 2])
    part = rng.randrange(1, 10**places)
    while part % 10 == 0:
        part = rng.randrange(1, 10**places)
    return Decimal(f"{rng.choice([0, rng.randrange(20), rng.randrange(1000)])}.{part:0{places}d}")


def some_currency(lang: str, rng: random.Random) -> str:
    """Return the sign of a currency."""
    return rng.choice([sign for sign, words in CURRENCIES.items() if lang in words])


def changed(number: Number, rng: random.Random) -> Number | None:
    """Return a number of the same kind with a digit dropped, changed or swapped."""
    text = str(number.value)
    places = [place for place, char in enumerate(text) if char.isdecimal()]
    place = rng.choice(places)
    action = rng.choice(["change", "change", "drop", "swap", "add"])
    if action == "change":
        text = text[:place] + rng.choice("0123456789") + text[place + 1 :]
    elif action == "drop":
        text = text[:place] + text[place + 1 :]
    elif action == "add":
        text = text[:place] + rng.choice("0123456789") + text[place:]
    elif place + 1 in places:
        text = text[:place] + text[place + 1] + text[place] + text[place + 2 :]
    return number._replace(value=text) if text != str(number.value) else None


def valid(number: Number | None, lang: str) -> Number | None:
    """Return a changed number with an exact value, or None if nobody would say it."""
    if number is None:
        return None
    kind, text = number.kind, str(number.value)
    shapes = {
        "time": r"(1?[1-9]|10):[0-5][1-9]" if lang == "en" else r"(1?[1-9]|10|2[0-3]):[0-5][1-9]",
        "date": r"(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])(-(19[5-9]|20[0-2])[0-9])?",
        "phone": r"[0-9]+",
        "range": r"[2-9]-[1-9][0-9]?|[1-9][0-9]-[1-9][0-9]",
        "year": r"1[1-9][0-9][1-9]|20[0-9][0-9]",
        "decimal": r"(0|[1-9][0-9]*)\.[0-9]?[1-9]",
        "cents": r"[1-9][0-9]*\.[1-9][0-9]",
        "negative": r"-[1-9][0-9]*",
        "fraction": r"[1-9]/[2-58]",
    }
    if not re.fullmatch(shapes.get(kind, r"(0|[1-9][0-9]*)(\.[0-9]?[1-9])?"), text):
        return None
    if kind == "fraction":
        above, below = map(int, text.split("/"))
        return number if above < below and coprime(above, below) and below in PARTS[lang] else None
    if kind == "range":
        low, high = map(int, text.split("-"))
        return number if low < high else None
    if kind in ("time", "date", "phone"):
        return number
    value = Decimal(text)
    whole_only = kind in ("ordinal", "cardinal", "money", "year", "negative")
    if whole_only and value != int(value):
        return None
    if value >= 10**12 or (kind == "ordinal" and not 1 <= value < 1000):
        return None
    return number._replace(value=value)


def meaning(numbers: Sequence[Number]) -> list[tuple[str, object, str]]:
    """Return what numbers mean; years, magnitudes and decimals are quantities."""
    found: list[tuple[str, object, str]] = []
    for kind, value, unit in numbers:
        if kind in ("cardinal", "negative", "decimal", "year"):
            found.append(("quantity", value, ""))
        elif kind == "magnitude":
            assert isinstance(value, Decimal)
            found.append(("quantity", value * int(unit), ""))
        elif kind in ("money", "cents"):
            found.append(("money", value, unit))
        else:
            found.append((kind, value, unit))
    return found


def same_digits(left: str, right: str) -> bool:
    """Whether two texts have the same sequence of digits."""
    return re.sub(r"\D", "", left) == re.sub(r"\D", "", right)


def groups_of_thousands(parts: Sequence[int]) -> bool:
    """Whether digits with blanks between them look like one number: 8 249."""
    return parts[0] < 1000 and all(100 <= part < 1000 for part in parts[1:])


# -- pairs of different value ------------------------------------------------------------------


def texts_of(
    left: Sequence[Number], right: Sequence[Number], lang: str, rng: random.Random, joint: str = " "
) -> Made:
    """Return two texts: words and digits, more rarely words twice or digits twice."""
    pick = rng.random()
    first = joint.join(said(number, lang, rng) for number in left)
    second = joint.join(written(number, lang, rng, first) for number in right)
    if pick < 0.15:
        second = joint.join(said(number, lang, rng) for number in right)
    elif pick < 0.3:
        first = joint.join(written(number, lang, rng) for number in left)
    return first, second


def change_of(*kinds: str) -> Maker:
    """Return a maker of pairs in which a digit of a number is dropped, changed or swapped."""

    def make(lang: str, rng: random.Random) -> Made | None:
        number = some_number(rng.choice(kinds), lang, rng)
        other = valid(changed(number, rng), lang)
        if other is None or meaning([number]) == meaning([other]):
            return None
        return texts_of([number], [other], lang, rng)

    return make


def neighbours(lang: str, rng: random.Random) -> Made | None:
    """Two or three numbers of which one is changed, or two change places."""
    kinds = ("cardinal", "cardinal", "percent", "money", "measure", "decimal", "year")
    numbers = [some_number(rng.choice(kinds), lang, rng) for _ in range(rng.choice([2, 2, 3]))]
    others = list(numbers)
    place = rng.randrange(len(numbers))
    if rng.random() < 0.3:
        others[place - 1], others[place] = others[place], others[place - 1]
    else:
        other = valid(changed(numbers[place], rng), lang)
        if other is None:
            return None
        others[place] = other
    if meaning(numbers) == meaning(others):
        return None
    digits = ["".join(str(number.value) for number in side) for side in (numbers, others)]
    if same_digits(*digits):  # five, fifty-five and fifty-five, five may be read out in groups
        return None
    joint = rng.choice([" ", " ", f" {THEN[lang]} "])
    return texts_of(numbers, others, lang, rng, joint)


@cache
def values_of_words(lang: str) -> dict[str, int]:
    """Return the value of each number below 10,000 by its letters."""
    return {letters(plain(value, lang)): value for value in range(10_000)}


JOINTS = {"en": "and", "fr": "et", "es": "y", "pt": "e", "it": "e", "de": "und", "nl": "en"}


def letters(text: str) -> str:
    """Return the letters of a text without blanks, hyphens and accents."""
    folded = unicodedata.normalize("NFD", without_accents(text).lower())
    return "".join(char for char in folded if char.isalpha())


def cut_words(lang: str, rng: random.Random) -> Made | None:
    """The words of a number, cut where both parts are numbers: eight thousand two, 149."""
    value = rng.randrange(21, 10_000) if rng.random() < 0.8 else rng.randrange(21, 100)
    words = letters(plain(value, lang))
    if lang == "en" and rng.random() < 0.5:
        words = letters(plain(value, lang).replace(" and ", " "))
    known = values_of_words(lang)
    cuts: list[list[int]] = []
    for place in range(2, len(words) - 1):
        left, right = words[:place], words[place:]
        for first in {left, left.removesuffix(JOINTS[lang])}:
            for second in {right, right.removeprefix(JOINTS[lang])}:
                cuts += [[known[first], known[second]]] if {first, second} <= known.keys() else []
    return cut_into(value, rng.choice(cuts), lang, rng) if cuts else None


def cut_into(value: int, parts: Sequence[int], lang: str, rng: random.Random) -> Made | None:
    """Return a number in words and its parts in digits."""
    text = " ".join(str(part) for part in parts)
    if groups_of_thousands(parts) and int(text.replace(" ", "")) == value:
        return None
    return unit_behind(cardinal(value, lang, rng), text, lang, rng)


def unit_behind(left: str, right: str, lang: str, rng: random.Random) -> Made:
    """Add the same unit to both texts, or none."""
    if rng.random() < 0.7:
        return left, right
    word = rng.choice(["km", "kg", "€", "$"])
    table = UNITS.get(word) or CURRENCIES[word]
    return f"{left} {table[lang][-1]}", f"{right} {table[lang][-1]}"


def cut_places(lang: str, rng: random.Random) -> Made | None:
    """A number as the sum of its places in digits: 8200 49, 8000 200 49."""
    value = whole(rng, 21)
    parts, rest = [], value
    for place in sorted(rng.sample(range(1, len(str(value))), min(len(str(value)) - 1, 2)))[::-1]:
        part = rest - rest % 10**place
        if part and rest % 10**place:
            parts.append(part)
            rest -= part
    parts.append(rest)
    return cut_into(value, parts, lang, rng) if len(parts) > 1 else None


def cut_digits(lang: str, rng: random.Random) -> Made | None:
    """The digits of a number cut in two: 82 49."""
    digits = str(whole(rng, 21))
    place = rng.randrange(1, len(digits))
    left, right = digits[:place], digits[place:]
    if right.startswith("0") or (len(right) == 3 and len(left) <= 3):
        return None
    return cardinal(int(digits), lang, rng), f"{left} {right}"


def merged(lang: str, rng: random.Random) -> Made | None:
    """Two numbers in digits become one: 40 44 billion, 4044 billion."""
    first, second = rng.randrange(1, 100), rng.randrange(1, 100)
    ends = [("", ""), ("%", "%"), (" %", "%")]
    ends += [(f" {table[lang][-1]}",) * 2 for table in (UNITS["km"], CURRENCIES["$"])]
    if lang == "en":
        ends += [(" billion", " billion"), (" million", " million")]
    behind, other_end = rng.choice(ends)
    left, right = f"{first} {second}{behind}", f"{first}{second}{other_end}"
    if rng.random() < 0.3:
        left, right = f"{left} 20%", f"{right} 20%"
    return (left, right) if rng.random() < 0.5 else (right, left)


def added(lang: str, rng: random.Random) -> Made | None:
    """Two numbers in words become their sum in digits: five hundred six hundred, 1100."""
    size = rng.choice([10, 100, 1000])
    first, second = (size * rng.randrange(2, 10) for _ in range(2))
    if size == 10 and lang in ("de", "nl", "fr"):  # quarante vingt, soixante quatre-vingts
        return None
    return f"{cardinal(first, lang, rng)} {cardinal(second, lang, rng)}", str(first + second)


def scale(lang: str, rng: random.Random) -> Made | None:
    """A million and a billion, a thousand and a million, or no such word."""
    number = some_number("magnitude", lang, rng)
    assert isinstance(number.value, Decimal)
    if number.value == int(number.value) and rng.random() < 0.3:
        sign = some_currency(lang, rng)
        powers = rng.sample([10**3, 10**6, 10**9], 2)
        left, right = (Number("money", number.value * power, sign) for power in powers)
        return texts_of([left], [right], lang, rng)
    thousands = number.value * 1000
    others = [
        number._replace(unit={"1000000": "1000000000", "1000000000": "1000000"}[number.unit]),
        Number("cardinal", Decimal(int(thousands))),
        Number("cardinal" if number.value == int(number.value) else "decimal", number.value),
    ]
    sides = ([number], [rng.choice(others)])
    return texts_of(*(sides if rng.random() < 0.5 else sides[::-1]), lang, rng)


def unit(lang: str, rng: random.Random) -> Made | None:
    """Another unit, another currency, or none."""
    kind = rng.choice(["measure", "money", "percent"])
    number = some_number(kind, lang, rng)
    assert isinstance(number.value, Decimal)
    table = {"measure": UNITS, "money": CURRENCIES}.get(kind, {})
    units = [name for name, words in table.items() if lang in words and name != number.unit]
    others = [Number(kind, number.value, name) for name in units]
    bare = Number("cardinal" if number.value == int(number.value) else "decimal", number.value)
    others += [bare] * (1 + len(units) // 2)
    if kind != "percent":
        others.append(Number("percent", number.value))
    other = rng.choice(others)
    sides = ([number], [other])
    return texts_of(*(sides if rng.random() < 0.5 else sides[::-1]), lang, rng)


def point(lang: str, rng: random.Random) -> Made | None:
    """The decimal point is moved or lost: 3.5, 35."""
    value = some_decimal(rng)
    shifted = value.scaleb(rng.choice([1, 2, -1])).normalize()
    text = f"{shifted:f}"
    if not re.fullmatch(r"[0-9]+(\.[0-9]{1,2})?", text):
        return None
    other = Number("decimal" if "." in text else "cardinal", Decimal(text))
    sides = ([Number("decimal", value)], [other])
    return texts_of(*(sides if rng.random() < 0.5 else sides[::-1]), lang, rng)


def point_word(lang: str, rng: random.Random) -> Made | None:
    """The word for the decimal point, but no point: three point one four, 3 14."""
    number = Number("decimal", some_decimal(rng))
    digits = str(number.value)
    if digits.startswith("0"):
        return None
    return said(number, lang, rng), digits.replace(".", rng.choice([" ", ""]))


def rank(lang: str, rng: random.Random) -> Made | None:
    """An ordinal and a cardinal: third, 3; 3rd, three."""
    number = some_number("ordinal", lang, rng)
    assert isinstance(number.value, Decimal)
    value = int(number.value)
    if rng.random() < 0.5 or lang == "de":
        return said(number, lang, rng), str(value)
    return cardinal(value, lang, rng), written(number, lang, rng)


def sign(lang: str, rng: random.Random) -> Made | None:
    """A negative number and its opposite."""
    number = some_number("negative", lang, rng)
    assert isinstance(number.value, Decimal)
    other = Number("cardinal", -number.value)
    degrees = {"en": "degrees", "fr": "degrés", "es": "grados", "pt": "graus"} | {
        "it": "gradi",
        "de": "Grad",
        "nl": "graden",
    }
    left, right = texts_of([number], [other], lang, rng)
    if left.startswith("-") and rng.random() < 0.5:  # behind a word, not the sign of a list
        left, right = f"{THEN[lang]} - {left[1:]}", f"{THEN[lang]} {right}"
    return f"{left} {degrees[lang]}", f"{right} {degrees[lang]}"


def parts(lang: str, rng: random.Random) -> Made | None:
    """A fraction and two numbers: one two, 1/2; one half, 1 2."""
    number = some_number("fraction", lang, rng)
    above, below = str(number.value).split("/")
    apart = f"{plain(int(above), lang)} {plain(int(below), lang)}"
    return rng.choice(
        [
            (apart, str(number.value)),
            (said(number, lang, rng), f"{above} {below}"),
            (said(number, lang, rng), f"{above}{below}"),
            (said(number, lang, rng), f"{below}/{above}"),
        ]
    )


def span(lang: str, rng: random.Random) -> Made | None:
    """A range and its ends without what joins them."""
    number = some_number("range", lang, rng)
    low, high = str(number.value).split("-")
    return rng.choice(
        [
            (said(number, lang, rng), f"{low} {high}"),
            (said(number, lang, rng), f"{low}{high}"),
            (said(number, lang, rng), f"{high}-{low}"),
        ]
    )


def clock_and_number(lang: str, rng: random.Random) -> Made | None:
    """A time of the day and a number, both in digits: 10:30, 1030."""
    number = some_number("time", lang, rng)
    digits = str(number.value).replace(":", "")
    left = written(number, lang, rng).removesuffix(" Uhr").removesuffix(" uur")
    if "." in left or " " in left:
        left = str(number.value)
    return (left, digits) if rng.random() < 0.5 else (digits, left)


def listed(lang: str, rng: random.Random) -> Made | None:
    """Pairs of English that are told apart by a letter, a case or a neighbour."""
    if lang != "en":
        return None
    n = rng.choice([5, 10, 20, 25, 40, 50, 100, rng.randrange(2, 200)])
    words = plain(n, "en").replace(" and ", " ").replace("-", " ")
    minor = rng.randrange(1, 10)
    major = rng.randrange(1, 15)
    kinds = [
        ("{n} mm", "{words} million"),
        ("{n}mm", "{words} million"),
        ("{n}M", "{words} meters"),
        ("{n}MW", "{n}mW"),
        ("{n} MW", "{words} milliwatts"),
        ("{n} mW", "{words} megawatts"),
        ("{n}mg", "{words} grams"),
        ("version {major}.{minor}0", "version {major}.{minor}"),
        ("Python {major}.{minor}0", "Python {major}.{minor}"),
        ("version {spoken} point {tens}", "version {major}.{minor}"),
        ("a {rank} point", "1/{part} point"),
        ("the first three quarters of {year}", "the first 3/4 of {year}"),
        ("No. {one}", "no {word}"),
        ("the {ten}-K filing", "the {ten},000 filing"),
        ("the {ten}-K filing", "the {tenwords} thousand filing"),
        ("a {ten}-Q filing", "a {ten} filing"),
        ("a 401k plan", "a 401,000 plan"),
        ("a 401(k) plan", "a 401,000 plan"),
        ("a 401k plan", "a four hundred one thousand plan"),
        ("a 403b plan", "a 403 billion plan"),
        ("{g}G networks", "{gwords} grams networks"),
        ("{g}G coverage", "{gwords} gram coverage"),
    ]
    left, right = rng.choice(kinds)
    part = rng.choice([3, 4, 5, 8])
    one = rng.choice([1, 1, 2, 5])
    ten = rng.choice([10, 10, 8, 20])
    g = rng.choice([3, 4, 5])
    values = {
        "n": n,
        "words": words,
        "minor": minor,
        "major": major,
        "spoken": plain(major, "en"),
        "tens": plain(minor * 10, "en"),
        "rank": plain(part, "en", "ordinal"),
        "part": part,
        "year": rng.randrange(1990, 2030),
        "one": one,
        "word": plain(one, "en"),
        "ten": ten,
        "tenwords": plain(ten, "en"),
        "g": g,
        "gwords": plain(g, "en"),
    }
    if "meters" in right and n == 1:
        return None
    return left.format(**values), right.format(**values)


# Words that are another word in small letters. Both texts have names, so that their case carries
# meaning, and both words make a sentence, so that the neighbours do not decide which one is meant.
CASES = (
    ("{name} sent {} dollars from {place}", "US us"),
    ("{name} sold {} shares in {place}", "US us"),
    ("{name} brought {} wine to {place}", "US us"),
    ("{name} says {} works in {place}", "IT it"),
    ("{name} runs {} in {place}", "IT it"),
    ("When {} fails {name} goes to {place}", "IT it"),
    ("People like {name} {} travel to {place}", "May may"),
    ("Friends of {name} {} be in {place}", "May may"),
    ("{name} liked the {} in {place}", "March march"),
    ("After a long {} in {place} came {name}", "March march"),
    ("{name} wants {} glass from {place}", "Polish polish"),
    ("{name} bought {} in {place}", "Polish polish"),
    ("{name} loves {} more than {place}", "Turkey turkey"),
    ("{name} knows {} works in {place}", "WHO who"),
)
ACCENTS = {
    "en": "rosé rose, lamé lame, maté mate",
    "es": "año ano, papá papa, inglés ingles, público publicó, sábana sabana",
    "fr": "pêche pèche, côté cote, tâche tache, jeûne jeune, pécheur pêcheur",
    "pt": "avó avô, coco cocô, pais país, sábia sabia, bebe bebê",
    "it": "però pero, papà papa, metà meta, età eta, casinò casino",
    "de": "schön schon, drücken drucken, fördern fordern, zählen zahlen",
}


def case(lang: str, rng: random.Random) -> Made | None:
    """A name and a word of its own in small letters: US, us."""
    if lang != "en":
        return None
    frame, words = rng.choice(CASES)
    name = rng.choice(["Anna", "Peter", "Maria", "John"])
    values = {"name": name, "place": rng.choice(["Paris", "Rome", "Oslo"])}
    left, right = rng.sample(words.split(), 2)
    return frame.format(left, **values), frame.format(right, **values)


def possessive(lang: str, rng: random.Random) -> Made | None:
    """The possessive before a noun and `is`: the company's revenue, the company is revenue."""
    if lang != "en":
        return None
    owner = rng.choice(["company", "market", "team", "bank", "customer"])
    noun = rng.choice(["revenue", "margin", "plan", "strategy", "name"])
    return f"the {owner}'s {noun} grew", f"the {owner} is {noun} grew"


def accent(lang: str, rng: random.Random) -> Made | None:
    """Two words that only an accent tells apart: rosé, rose."""
    if lang not in ACCENTS:  # in Dutch, an accent is a stress: één, een
        return None
    left, right = rng.choice(ACCENTS[lang].split(", ")).split()
    return (left, right) if rng.random() < 0.5 else (right, left)


DIFFERENT: dict[str, Maker] = {
    "cut, words": cut_words,
    "cut, places": cut_places,
    "cut, digits": cut_digits,
    "merged": merged,
    "added": added,
    "digit": change_of("cardinal", "cardinal", "cardinal", "decimal", "negative"),
    "digit, year": change_of("year"),
    "digit, ordinal": change_of("ordinal"),
    "digit, amount": change_of("money", "cents", "percent", "measure", "magnitude"),
    "digit, time or date": change_of("time", "date"),
    "digit, phone": change_of("phone"),
    "digit, fraction or range": change_of("fraction", "range"),
    "neighbours": neighbours,
    "scale": scale,
    "unit": unit,
    "point": point,
    "point word": point_word,
    "ordinal": rank,
    "sign": sign,
    "fraction": parts,
    "range": span,
    "time, number": clock_and_number,
    "listed": listed,
    "case": case,
    "accent": accent,
    "possessive": possessive,
}


# -- pairs of equal value ----------------------------------------------------------------------


def same_number(*kinds: str) -> Maker:
    """Return a maker of one number in words and in digits, or in digits in two ways."""

    def make(lang: str, rng: random.Random) -> Made | None:
        number = some_number(rng.choice(kinds), lang, rng)
        left = said(number, lang, rng)
        right = written(number, lang, rng, left)
        if rng.random() < 0.1:
            left = written(number, lang, rng, left)
        return left, right

    return make


def below_hundred(lang: str, rng: random.Random) -> Made | None:
    """A number below 100."""
    value = rng.randrange(100)
    return cardinal(value, lang, rng), str(value)


def same_words(lang: str, rng: random.Random) -> Made | None:
    """A number in words with and without hyphens, blanks, accents and `and`."""
    value = whole(rng)
    left, right = cardinal(value, lang, rng), cardinal(value, lang, rng)
    folded = []
    for text in (left, right):
        text = f" {text} ".replace("dezass", "dezess").replace("dezan", "dezen")
        text = text.replace("quatorze", "catorze")
        if lang in ("en", "it"):
            text = text.replace(f" {JOINTS[lang]} ", " ")
        folded.append(re.sub(r"(cent|vingt)s", r"\1", letters(text.replace("ß", "ss"))))
    return (left, right) if folded[0] == folded[1] else None


def same_neighbours(lang: str, rng: random.Random) -> Made | None:
    """Two or three numbers one after the other."""
    if rng.random() < 0.5:
        first, second = (rng.randrange(2, 10) * 10 + rng.randrange(1, 10) for _ in range(2))
        if lang == "fr" and (first % 10 == 4 or first // 10 in (2, 6)):
            return None  # vingt, quatre-vingt-un and vingt-quatre, vingt et un have the same words
        numbers = [Number("cardinal", Decimal(value)) for value in (first, second)]
        joint = " "
    else:
        kinds = ("cardinal", "percent", "money", "measure", "decimal")
        numbers = [some_number(rng.choice(kinds), lang, rng) for _ in range(rng.choice([2, 3]))]
        joint = f" {THEN[lang]} "
    left = joint.join(said(number, lang, rng) for number in numbers)
    return left, joint.join(written(number, lang, rng) for number in numbers)


HALVES = {
    "en": ("one and a half million", "{n} and a half million"),
    "fr": ("un million et demi", "{n} millions et demi"),
    "es": ("un millón y medio", "{n} millones y medio"),
    "pt": ("um milhão e meio", "{n} milhões e meio"),
    "it": ("un milione e mezzo", "{n} milioni e mezzo"),
    "de": ("eineinhalb Millionen", "{n}einhalb Millionen"),
    "nl": ("anderhalf miljoen", "{n}eneenhalf miljoen"),
}


def half_million(lang: str, rng: random.Random) -> Made | None:
    """One and a half million, 1.5 million, 1,500,000."""
    value = rng.randrange(1, 10)
    if lang == "nl" and value in (2, 3):  # tweeënhalf, drieënhalf
        words = f"{plain(value, lang)}ënhalf miljoen"
    elif lang == "nl" and value > 1:
        words = f"{plain(value, lang)}enhalf miljoen"
    else:
        words = HALVES[lang][0 if value == 1 else 1].format(n=plain(value, lang))
    number = Number("magnitude", Decimal(f"{value}.5"), "1000000")
    return words, written(number, lang, rng)


def mixed(lang: str, rng: random.Random) -> Made | None:
    """Digits with words of magnitude, and all in words: 8 thousand 249."""
    thousand = {"en": "thousand", "fr": "mille", "es": "mil", "pt": "mil", "nl": "duizend"}
    if lang not in thousand:
        return None
    high, low = rng.randrange(2, 400), rng.choice([0, rng.randrange(1, 1000)])
    value = high * 1000 + low
    left = cardinal(value, lang, rng)
    joint = " e " if " mil e " in left else " "
    return left, f"{high} {thousand[lang]}" + (f"{joint}{low}" if low else "")


def half_of_day(lang: str, rng: random.Random) -> Made | None:
    """Ten thirty am, 10:30 a.m.; five p.m., 5 pm."""
    if lang != "en":
        return None
    hour, minute = rng.randrange(1, 13), rng.choice([0, 30, 15, rng.randrange(1, 60)])
    half = rng.choice("ap")
    forms = [f"{half}m", f"{half}.m.", f"{half}m"]
    low = f" oh {plain(minute, lang)}" if minute < 10 else f" {plain(minute, lang)}"
    words = plain(hour, lang) + (low.replace("-", " ") if minute else "")
    digits = f"{hour}:{minute:02d}" if minute or rng.random() < 0.3 else str(hour)
    return f"{words} {rng.choice(forms)}", f"{digits}{rng.choice([' ', ''])}{rng.choice(forms)}"


def date_order(lang: str, rng: random.Random) -> Made | None:
    """May fifth, 5 May."""
    if lang != "en":
        return None
    day, month = rng.randrange(1, 29), rng.choice(MONTHS["en"])
    word = plain(day, lang, "ordinal").replace("-", " ")
    left = rng.choice([f"{month} {word}", f"the {word} of {month}", f"{month} {day}"])
    return left, rng.choice([f"{day} {month}", f"{day} {month}", f"{written_rank(day)} of {month}"])


def written_rank(value: int) -> str:
    """Return an English ordinal in digits."""
    return written(Number("ordinal", Decimal(value)), "en", random.Random(0))


def price(lang: str, rng: random.Random) -> Made | None:
    """Five fifty, $5.50."""
    if lang != "en":
        return None
    whole_part, part = rng.randrange(2, 100), rng.randrange(10, 100)
    words = f"{plain(whole_part, lang)} {plain(part, lang)}".replace("-", " ")
    return words, f"{rng.choice('$£')}{whole_part}.{part}"


def decade(lang: str, rng: random.Random) -> Made | None:
    """Nineteen nineties, 1990s; nineties, 90s."""
    if lang != "en":
        return None
    ten = rng.choice([2, 3, 4, 5, 6, 7, 8, 9]) * 10
    word = plain(ten, lang)[:-1] + "ies"
    if rng.random() < 0.5:
        return f"the {word}", f"the {ten}s"
    century = rng.choice([18, 19])
    return f"the {plain(century, lang)} {word}", f"the {century}{ten}s"


def version(lang: str, rng: random.Random) -> Made | None:
    """Version three point ten, version 3.10."""
    major, minor = rng.randrange(1, 20), rng.randrange(0, 30)
    words = f"{plain(major, lang)} {POINT[lang][-1]} {plain(minor, lang)}"
    if lang != "en":
        return None
    if rng.random() < 0.3 and minor > 9:
        digits = " ".join(plain(int(digit), lang) for digit in str(minor))
        words = f"{plain(major, lang)} point {digits}"
    return f"version {words.replace('-', ' ')}", f"version {major}.{minor}"


def in_groups(lang: str, rng: random.Random) -> Made | None:
    """Digits read out in groups and one by one: one twenty three, eight two four nine."""
    if lang != "en":
        return None
    pick = rng.random()
    if pick < 0.3:
        value = rng.randrange(111, 1000)
        if value % 100 < 10:
            return None
        words = f"{plain(value // 100, lang)} {plain(value % 100, lang)}"
        return words.replace("-", " "), str(value)
    value = rng.randrange(1111, 10_000)
    if value // 100 % 10 == 0 or value % 100 == 0:
        return None
    if pick < 0.6:
        return read_out(str(value), lang, rng), str(value)
    words = pairs_of_digits(value, lang).replace("-", " ")
    high, low = divmod(value, 100)
    if low >= 10 and high % 10:
        return words, rng.choice([str(value), f"{high} {low}"])
    return words, str(value)


def phone_in_pairs(lang: str, rng: random.Random) -> Made | None:
    """Zéro six douze trente-quatre, 06 12 34."""
    if lang not in ("fr", "es"):
        return None
    groups = [rng.randrange(10, 100) for _ in range(4)]
    if lang == "fr" and any(a % 20 in (0, 4) or a == 60 for a in groups):
        return None  # soixante, quinze is 75, and vingt-quatre, vingt has the words of 20, 80
    if lang == "es" and any(a % 10 == 0 for a in groups):
        return None
    if lang == "fr":
        words = [plain(0, lang) + " six", *(plain(group, lang) for group in groups)]
        shown = ["06", *map(str, groups)]
    else:
        first = rng.choice([6, 9]) * 100 + rng.randrange(11, 100)
        words = [plain(group, lang) for group in (first, *groups[:3])]
        shown = [str(first), *map(str, groups[:3])]
    return " ".join(words), rng.choice(["", " "]).join(shown)


def region(lang: str, rng: random.Random) -> Made | None:
    """Septante-deux, 72."""
    if lang != "fr":
        return None
    value = rng.choice([7, 9]) * 10 + rng.randrange(10)
    return regional(value, rng), str(value)


def range_of_percent(lang: str, rng: random.Random) -> Made | None:
    """A range with a unit: ten to fifteen percent, 10-15%."""
    low = rng.randrange(2, 50)
    high = low + rng.randrange(1, 40)
    number = Number("percent", Decimal(high))
    left = f"{cardinal(low, lang, rng)} {TO[lang]} {said(number, lang, rng)}"
    joint = rng.choice(["-", "–", f" {TO[lang]} "])
    return left, f"{figures(Decimal(low), lang, rng)}{joint}{written(number, lang, rng)}"


EQUAL: dict[str, Maker] = {
    "cardinal": same_number("cardinal"),
    "cardinal, small": below_hundred,
    "words": same_words,
    "neighbours": same_neighbours,
    "negative": same_number("negative"),
    "decimal": same_number("decimal"),
    "ordinal": same_number("ordinal"),
    "year": same_number("year"),
    "percent": same_number("percent"),
    "money": same_number("money"),
    "cents": same_number("cents"),
    "measure": same_number("measure"),
    "magnitude": same_number("magnitude"),
    "time": same_number("time"),
    "date": same_number("date"),
    "phone": same_number("phone"),
    "phone, pairs": phone_in_pairs,
    "fraction": same_number("fraction"),
    "range": same_number("range"),
    "range, percent": range_of_percent,
    "half": half_million,
    "mixed": mixed,
    "half of day": half_of_day,
    "date order": date_order,
    "price": price,
    "decade": decade,
    "version": version,
    "groups": in_groups,
    "region": region,
}


# -- streams -----------------------------------------------------------------------------------


def pairs_of(makers: dict[str, Maker], lang: str, seed: int) -> Iterator[Pair]:
    """Yield pairs of each kind in turn, none twice, until no kind has a new one.

    Kinds that a language lacks are left out.
    """
    rng = random.Random(f"{lang} {seed}")
    seen: set[Pair] = set()
    kinds = list(makers)
    while kinds:
        for kind in tuple(kinds):
            new = (_framed(kind, makers[kind](lang, rng), lang, rng) for _ in range(TRIALS))
            pair = next((pair for pair in new if pair and pair not in seen), None)
            if pair is None:
                kinds.remove(kind)
            else:
                seen.add(pair)
                yield pair


def _framed(kind: str, made: Made | None, lang: str, rng: random.Random) -> Pair | None:
    """Put two different texts into the same sentence."""
    if made is None or made[0] == made[1]:
        return None
    frame = "{}" if kind in ("case", "possessive") else rng.choice(FRAMES[lang])
    return Pair(lang, kind, frame.format(made[0]), frame.format(made[1]))


def different(lang: str, seed: int = 0) -> Iterator[Pair]:
    """Yield pairs of texts that mean something else."""
    return pairs_of(DIFFERENT, lang, seed)


def equal(lang: str, seed: int = 0) -> Iterator[Pair]:
    """Yield pairs of texts with the same number in two writings."""
    return pairs_of(EQUAL, lang, seed)

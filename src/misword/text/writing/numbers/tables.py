"""Words and signs of English numbers."""

from __future__ import annotations

_UNITS = "one two three four five six seven eight nine"
_TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
UNITS = {word: value for value, word in enumerate(_UNITS.split(), 1)}
TEENS = {word: value for value, word in enumerate(_TEENS.split(), 10)}
TENS = {word: 10 * value for value, word in enumerate(_TENS.split(), 2)} | {"fourty": 40}
# `oh` and `o` are zeros within digit strings only.
ZEROS = {"zero": 0, "oh": 0, "o": 0, "nought": 0, "naught": 0}
MAGNITUDES = {
    "thousand": 10**3,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
    "quadrillion": 10**15,
}
# Letters that stand for a magnitude behind digits: $5m, 10k.
MAGNITUDE_LETTERS = {
    "k": 10**3,
    "m": 10**6,
    "mm": 10**6,
    "mn": 10**6,
    "mln": 10**6,
    "mil": 10**6,
    "b": 10**9,
    "bn": 10**9,
    "bln": 10**9,
    "t": 10**12,
    "tn": 10**12,
    "trn": 10**12,
}
# Names of pension plans, which are no magnitudes: 401(k), 403(b).
PLANS = frozenset({"401k", "403b"})
_IRREGULAR_ORDINALS = {
    "first": 1,
    "second": 2,
    "third": 3,
    "fifth": 5,
    "eighth": 8,
    "ninth": 9,
    "twelfth": 12,
}
# Ordinals that end a number: third, twentieth, hundredth.
UNIT_ORDINALS = {
    **{word: value for word, value in _IRREGULAR_ORDINALS.items() if value < 10},
    **{f"{word}th": UNITS[word] for word in ("four", "six", "seven")},
}
TEEN_ORDINALS = {
    "twelfth": 12,
    **{f"{word}th": value for word, value in TEENS.items() if value != 12},
}
TENS_ORDINALS = {f"{word[:-1]}ieth": value for word, value in TENS.items() if word != "fourty"}
LARGE_ORDINALS = {"hundredth": 100} | {f"{word}th": value for word, value in MAGNITUDES.items()}
# Plural numbers: the nineties, hundreds of.
PLURALS = {
    **{f"{word[:-1]}ies": value for word, value in TENS.items() if word != "fourty"},
    "tens": 10,
    "hundreds": 100,
    "thousands": 1000,
    "ones": 1,
    "twos": 2,
    "threes": 3,
    "fours": 4,
    "fives": 5,
    "sixes": 6,
    "sevens": 7,
    "eights": 8,
    "nines": 9,
    **{f"{word}s": value for word, value in TEENS.items() if value > 10},
}
REPEATS = {"double": 2, "triple": 3}
# The denominators of fractions in words: two thirds, three quarters, one half.
DENOMINATORS = {
    "half": 2,
    "halves": 2,
    "quarter": 4,
    "quarters": 4,
    **{
        word + plural: value
        for word, value in (UNIT_ORDINALS | TEEN_ORDINALS | TENS_ORDINALS).items()
        if value > 2
        for plural in ("", "s")
    },
    "hundredth": 100,
    "hundredths": 100,
    "thousandth": 1000,
    "thousandths": 1000,
}
# The denominators that `a` makes a fraction with.
PARTS_WITH_A = frozenset({"half", "third", "quarter"})
# Words before periods that are counted: the last three quarters.
BEFORE_PERIODS = frozenset({"last", "next", "past", "previous", "prior", "final"})
# Two numbers with a slash that are said one after the other, although they could be a fraction.
SLASHED_PAIRS = frozenset({"9/11"})
VULGAR_FRACTIONS = {
    "½": "1/2",
    "⅓": "1/3",
    "⅔": "2/3",
    "¼": "1/4",
    "¾": "3/4",
    "⅕": "1/5",
    "⅖": "2/5",
    "⅗": "3/5",
    "⅘": "4/5",
    "⅙": "1/6",
    "⅚": "5/6",
    "⅛": "1/8",
    "⅜": "3/8",
    "⅝": "5/8",
    "⅞": "7/8",
}
# Roman numerals in capitals; I, V, X and the like are letters more often than numbers.
ROMAN_NUMERALS = {
    "II": "2",
    "III": "3",
    "IV": "4",
    "VI": "6",
    "VII": "7",
    "VIII": "8",
    "IX": "9",
    "XI": "11",
    "XII": "12",
}
# Roman numerals with a letter, in lower case: Phase IIa.
PHASES = frozenset({"iia", "iib", "iiia", "iiib", "iva", "ivb"})
_MONTHS = """
january february march april may june july august september october november december
jan feb mar apr may jun jul aug sep oct nov dec
"""
# The number of each month.
MONTHS = {word: place % 12 + 1 for place, word in enumerate(_MONTHS.split())} | {"sept": 9}
# The unit of a currency and its hundredth, by the word that names it.
CURRENCIES = {
    "dollar": "$",
    "dollars": "$",
    "usd": "us$",
    "euro": "€",
    "euros": "€",
    "eur": "€",
    "pound": "£",
    "pounds": "£",
    "gbp": "£",
    "yen": "¥",
}
CENTS = {"cent": "$", "cents": "$", "pence": "£", "penny": "£", "p": "£"}
# Words before `dollars` that make another currency of it: us dollars = us$.
DOLLARS = {"us": "us$", "canadian": "c$", "australian": "a$"}
CURRENCY_SIGNS = {
    "$": "$",
    "us$": "us$",
    "c$": "c$",
    "ca$": "c$",
    "a$": "a$",
    "au$": "a$",
    "€": "€",
    "£": "£",
    "¥": "¥",
}
# What an abbreviation behind digits is in speech, without blanks: 20mm, 50 bps, 2x.
_MEASURES = {
    "mm": "millimeter millimeters millimetre millimetres",
    "cm": "centimeter centimeters centimetre centimetres",
    "m": "meter meters metre metres",
    "km": "kilometer kilometers kilometre kilometres",
    "mg": "milligram milligrams",
    "g": "gram grams",
    "kg": "kilogram kilograms kilo kilos",
    "lb": "pound pounds",
    "lbs": "pounds",
    "oz": "ounce ounces",
    "ft": "foot feet",
    "ml": "milliliter milliliters millilitre millilitres",
    "l": "liter liters litre litres",
    "hz": "hertz",
    "khz": "kilohertz",
    "mhz": "megahertz",
    "ghz": "gigahertz",
    "kb": "kilobyte kilobytes",
    "mb": "megabyte megabytes",
    "gb": "gigabyte gigabytes gig gigs",
    "tb": "terabyte terabytes",
    "kw": "kilowatt kilowatts",
    "mw": "megawatt megawatts",
    "milliw": "milliwatt milliwatts",
    "milliwh": "milliwatthour milliwatthours",
    "gw": "gigawatt gigawatts",
    "kwh": "kilowatthour kilowatthours",
    "mwh": "megawatthour megawatthours",
    "ms": "millisecond milliseconds",
    "sec": "second seconds",
    "min": "minute minutes",
    "mins": "minutes",
    "hr": "hour hours",
    "hrs": "hours",
    "x": "times",
    "bps": "basispoint basispoints bips",
    "mph": "milesperhour mileperhour",
    "kph": "kilometersperhour kilometresperhour",
    "degrees": "degree",
}
# Units that a capital letter makes another unit of.
CASED_UNITS = {"mW": "milliw", "mWh": "milliwh"}
# Units in small letters that are something else with a capital letter: 5M, 5G, 5L.
SMALL_UNITS = frozenset({"m", "mm", "g", "l"})
MEASURES = {sign: tuple(words.split()) for sign, words in _MEASURES.items()}
MEASURE_WORDS = frozenset(
    {word for sign, words in MEASURES.items() for word in (sign, *words)}
    | {"basis", "point", "points", "miles", "mile", "per", "kilowatt", "megawatt"}
)
HALVES_OF_DAY = {"am": "am", "pm": "pm"}
CONNECTORS = frozenset({"to", "and", "or", "through"})
MINUS = frozenset({"minus", "negative"})

"""Ways to say and to write a number in seven languages, for tests. Nothing of misword is used.

A `Number` is what is meant: a kind, an exact value and a unit. `said` returns the words of a
speaker and `written` what a recogniser with digits writes. Both draw one of the usual variants. The
package num2words says whole numbers; the tables and rules below add what it lacks.
"""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

LANGUAGES = ("en", "fr", "es", "pt", "it", "de", "nl")


class Number(NamedTuple):
    """What is meant by a number.

    `kind` is cardinal, negative, decimal, ordinal, year, money, cents (money with cents), percent,
    measure, magnitude (1.5 million), time, date, phone, fraction or range. `value` is exact; a text
    where a value is not a quantity: `10:30`, `05-21`, `3/4`, `5-10`, the digits of a telephone
    number. `unit` is a key of UNITS or CURRENCIES, or a power of ten for the kind `magnitude`.
    """

    kind: str
    value: Decimal | str
    unit: str = ""


def _by_language(text: str) -> dict[str, tuple[str, ...]]:
    """Return the words of each language: `en:meter/meters fr:mètre/mètres`; _ is a blank."""
    entries = (entry.split(":") for entry in text.split())
    return {lang: tuple(words.replace("_", " ").split("/")) for lang, words in entries}


POINT = _by_language("en:point fr:virgule es:coma/punto pt:vírgula it:virgola de:Komma nl:komma")
PERCENT = _by_language(
    "en:percent/per_cent fr:pour_cent es:por_ciento pt:por_cento it:per_cento/percento "
    "de:Prozent nl:procent"
)
MINUS = _by_language("en:minus/negative fr:moins es:menos pt:menos it:meno de:minus nl:min")
# The words of a currency for one and, if it is another one, for more.
CURRENCIES = {
    "$": _by_language(
        "en:dollar/dollars fr:dollar/dollars es:dólar/dólares pt:dólar/dólares "
        "it:dollaro/dollari de:Dollar nl:dollar"
    ),
    "€": _by_language(
        "en:euro/euros fr:euro/euros es:euro/euros pt:euro/euros it:euro de:Euro nl:euro"
    ),
    "£": _by_language("en:pound/pounds"),
}
# The words of a unit, likewise.
UNITS = {
    "m": _by_language(
        "en:meter/meters fr:mètre/mètres es:metro/metros pt:metro/metros it:metro/metri "
        "de:Meter nl:meter"
    ),
    "km": _by_language(
        "en:kilometer/kilometers fr:kilomètre/kilomètres es:kilómetro/kilómetros "
        "pt:quilômetro/quilômetros it:chilometro/chilometri de:Kilometer nl:kilometer"
    ),
    "mg": _by_language(
        "en:milligram/milligrams fr:milligramme/milligrammes es:miligramo/miligramos "
        "pt:miligrama/miligramas it:milligrammo/milligrammi de:Milligramm nl:milligram"
    ),
    "g": _by_language(
        "en:gram/grams fr:gramme/grammes es:gramo/gramos pt:grama/gramas it:grammo/grammi "
        "de:Gramm nl:gram"
    ),
    "kg": _by_language(
        "en:kilogram/kilograms fr:kilogramme/kilogrammes es:kilogramo/kilogramos "
        "pt:quilograma/quilogramas it:chilogrammo/chilogrammi de:Kilogramm nl:kilogram"
    ),
    "cm": _by_language(
        "en:centimeter/centimeters fr:centimètre/centimètres es:centímetro/centímetros "
        "pt:centímetro/centímetros it:centimetro/centimetri de:Zentimeter nl:centimeter"
    ),
    "MW": _by_language(
        "en:megawatt/megawatts fr:mégawatt/mégawatts es:megavatio/megavatios "
        "pt:megawatt/megawatts it:megawatt de:Megawatt nl:megawatt"
    ),
    "kW": _by_language(
        "en:kilowatt/kilowatts fr:kilowatt/kilowatts es:kilovatio/kilovatios "
        "pt:quilowatt/quilowatts it:chilowatt de:Kilowatt nl:kilowatt"
    ),
    "min": _by_language(
        "en:minute/minutes fr:minute/minutes es:minuto/minutos pt:minuto/minutos "
        "it:minuto/minuti de:Minute/Minuten nl:minuut/minuten"
    ),
    "h": _by_language(
        "en:hour/hours fr:heure/heures es:hora/horas pt:hora/horas it:ora/ore "
        "de:Stunde/Stunden nl:uur"
    ),
}
# Units that are feminine where a language has two genders: une minute, una hora.
FEMININE = {
    "fr": ("min", "h"),
    "es": ("h",),
    "pt": ("h",),
    "it": ("h",),
    "de": ("min", "h"),
    "nl": (),
}
# Units that are written in words beside digits, not as a sign: 5 minutes.
IN_WORDS = ("min", "h")
# The words of a power of ten, likewise.
MAGNITUDES = {
    10**6: _by_language(
        "en:million fr:million/millions es:millón/millones pt:milhão/milhões "
        "it:milione/milioni de:Million/Millionen nl:miljoen"
    ),
    10**9: _by_language(
        "en:billion fr:milliard/milliards es:mil_millones pt:bilhão/bilhões "
        "it:miliardo/miliardi de:Milliarde/Milliarden nl:miljard"
    ),
}
# The word between a magnitude and what it counts: cinq millions de dollars, d'euros.
OF = {"fr": "de ", "es": "de ", "pt": "de ", "it": "di "}
_MONTHS = {
    "en": "January February March April May June July August September October November December",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre "
    "diciembre",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro "
    "dezembro",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre "
    "dicembre",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
}
MONTHS = {lang: names.split() for lang, names in _MONTHS.items()}
TO = {"en": "to", "fr": "à", "es": "a", "pt": "a", "it": "a", "de": "bis", "nl": "tot"}
# Denominators in words, for one and for more; the numerator one is in ONE_PART.
PARTS = {
    "en": {2: "half halves", 3: "third thirds", 4: "quarter quarters", 5: "fifth fifths"},
    "fr": {2: "demi demis", 3: "tiers tiers", 4: "quart quarts", 5: "cinquième cinquièmes"},
    "es": {2: "medio medios", 3: "tercio tercios", 4: "cuarto cuartos", 5: "quinto quintos"},
    "pt": {2: "meio meios", 3: "terço terços", 4: "quarto quartos", 5: "quinto quintos"},
    "it": {2: "mezzo mezzi", 3: "terzo terzi", 4: "quarto quarti", 5: "quinto quinti"},
    "de": {2: "halb halbe", 3: "Drittel Drittel", 4: "Viertel Viertel", 5: "Fünftel Fünftel"},
    "nl": {2: "half halven", 3: "derde derde", 4: "kwart kwart", 5: "vijfde vijfde"},
}
PARTS["en"][8] = "eighth eighths"
ONE_PART = {"en": "one", "fr": "un", "es": "un", "pt": "um", "it": "un", "de": "ein", "nl": "een"}
SIGNS_OF_PARTS = {"1/2": "½", "1/4": "¼", "3/4": "¾", "1/3": "⅓", "2/3": "⅔"}


# -- words -------------------------------------------------------------------------------------


def num2words(value: int, lang: str, to: str) -> str:
    """Return what the package num2words says; it is an extra, imported when it is needed."""
    from num2words import num2words

    return str(num2words(value, lang=lang, to=to))


@lru_cache(maxsize=1 << 17)
def plain(value: int, lang: str, to: str = "cardinal") -> str:
    """Return what num2words says, without commas and with its faults mended."""
    text = num2words(value, lang, to).replace(",", "")
    if lang == "es":  # num2words says `veintiuno mil`, people `veintiún mil`
        text = text.replace("veintiuno m", "veintiún m").replace("uno m", "un m")
        text = text.replace("quadragésim", "cuadragésim")
        text = {"décimoprimero": "undécimo", "décimosegundo": "duodécimo"}.get(text, text)
    return text


def without_accents(text: str) -> str:
    """Return a text without accents; ñ, ç and ß stay."""
    return "".join(c if c in "ñçß" else unicodedata.normalize("NFD", c)[0] for c in text)


def cardinal(value: int, lang: str, rng: random.Random) -> str:
    """Return a whole number in words, in one of the usual spellings of the language."""
    text = plain(value, lang)
    pick = rng.random()
    if lang == "en":
        if pick < 0.5:
            text = text.replace(" and ", " ")
        if rng.random() < 0.6:
            text = text.replace("-", " ")
        if rng.random() < 0.15 and re.match(r"one (hundred|thousand|million|billion)\b", text):
            text = "a" + text[3:]
    elif lang == "fr":
        if pick < 0.3:
            text = text.replace("-", " ")
        elif pick < 0.5:  # the spelling of 1990 joins all words but the nouns million, milliard
            parts = re.split(r" (millions?|milliards?)(?: |$)", text)
            text = " ".join(
                part if part.startswith("mill") and part != "mille" and i % 2 else hyphens(part)
                for i, part in enumerate(parts)
                if part
            )
        if rng.random() < 0.15:
            text = re.sub(r"\b(cent|vingt)s\b", r"\1", text)
    elif lang == "es":
        if pick < 0.3:
            text = without_accents(text)
    elif lang == "pt":
        if pick < 0.5:
            text = plain(value, "pt_BR")
        if rng.random() < 0.2:
            text = text.replace("catorze", "quatorze")
        if rng.random() < 0.2:
            text = without_accents(text)
    elif lang == "it":
        if pick < 0.3:
            text = re.sub(r"mila(?=[a-z])", "mila ", text).replace(" tré", " tre")
        text = text.replace(" e ", " ") if rng.random() < 0.5 else text
        if rng.random() < 0.2:
            text = text.replace("tré", "tre")
    elif lang == "de":
        if pick < 0.3:
            text = re.sub(r"^ein(?=hundert|tausend)", "", text)
        elif pick < 0.5:
            text = re.sub(r"tausend(?=[a-zäöü])", "tausend ", text)
        if rng.random() < 0.1:
            text = text.replace("ß", "ss")
    elif lang == "nl":
        if pick < 0.4:  # the official spelling has a blank after duizend
            text = re.sub(r"duizend(?=[a-zé])", "duizend ", text)
        if rng.random() < 0.3:
            text = without_accents(text)
    return text


def hyphens(text: str) -> str:
    """Join the words of a text with hyphens."""
    return text.strip().replace(" ", "-")


def regional(value: int, rng: random.Random) -> str:
    """Return a number below 100 as it is said in Belgium and Switzerland: septante-deux."""
    tens, unit = divmod(value, 10)
    word = {7: "septante", 9: "nonante"}[tens]
    if unit == 0:
        return word
    joint = " et " if unit == 1 else rng.choice(["-", " "])
    return word + joint + plain(unit, "fr")


def ordinal(value: int, lang: str, rng: random.Random) -> str:
    """Return an ordinal in words."""
    text = plain(value, lang, "ordinal")
    if lang == "en":
        if rng.random() < 0.5:
            text = text.replace(" and ", " ")
        if rng.random() < 0.5:
            text = text.replace("-", " ")
    if lang == "fr" and rng.random() < 0.3:
        text = text.replace("-", " ")
    if lang in ("es", "it", "pt") and rng.random() < 0.3:  # feminine: vigésima primera
        text = re.sub(r"o\b", "a", text)
    if lang == "de" and rng.random() < 0.4:
        text += rng.choice("nrs")
    return text


def counted(value: int, lang: str, rng: random.Random, feminine: bool = False) -> str:
    """Return a whole number in words before a noun: un kilómetro, eine Minute."""
    text = cardinal(value, lang, rng)
    one = {"es": ("uno", "un", "una"), "it": ("uno", "un", "una"), "de": ("eins", "ein", "eine")}
    if lang == "it" and value != 1:
        return text
    if lang == "nl" and value == 1:
        return "een"
    if lang in one and text.endswith(one[lang][0]):
        text = text[: -len(one[lang][0])] + one[lang][1 + feminine]
        if lang == "es" and not feminine:
            text = text.replace("veintiun", "veintiún")
    if feminine and lang == "fr":
        text = re.sub(r"\bun$", "une", text)
    if feminine and lang == "pt":
        text = re.sub(r"\bum$", "uma", re.sub(r"\bdois$", "duas", text))
        text = re.sub(r"entos\b", "entas", text)
    if feminine and lang == "es":
        text = re.sub(r"ientos\b", "ientas", text).replace("quinientos", "quinientas")
    return text


def decimals(value: Decimal, lang: str, rng: random.Random) -> str:
    """Return a decimal number in words; the digits behind the point in one of two ways."""
    whole, part = str(value).split(".")
    left = "" if whole == "0" and lang == "en" and rng.random() < 0.1 else whole
    digit_by_digit = lang == "en" or part.startswith("0") or rng.random() < 0.3
    if digit_by_digit:
        zero = "oh" if lang == "en" and rng.random() < 0.2 and part != "0" else None
        right = " ".join(
            zero if digit == "0" and zero else plain(int(digit), lang) for digit in part
        )
    else:
        right = cardinal(int(part), lang, rng)
    words = [cardinal(int(left), lang, rng)] if left else []
    return " ".join([*words, rng.choice(POINT[lang]), right])


def pairs_of_digits(value: int, lang: str) -> str:
    """Return a number of four digits in two halves, as English and Dutch say years."""
    high, low = divmod(value, 100)
    if low == 0:
        joint = {"en": " hundred", "nl": "honderd"}[lang]
        return plain(high, lang) + joint
    if lang == "en" and low < 10:
        return f"{plain(high, lang)} oh {plain(low, lang)}"
    return f"{plain(high, lang)} {plain(low, lang)}"


def year(value: int, lang: str, rng: random.Random) -> str:
    """Return a year in words."""
    if lang == "en":
        in_halves = not 2000 <= value < 2010 and (value < 2000 or rng.random() < 0.5)
        text = pairs_of_digits(value, lang) if in_halves else cardinal(value, lang, rng)
        return text if rng.random() < 0.3 else text.replace("-", " ")
    if lang == "nl" and value % 100 and value % 1000 >= 100 and rng.random() < 0.3:
        return pairs_of_digits(value, lang)
    if lang in ("de", "nl") and value % 1000 >= 100:
        hundred = {"de": "hundert", "nl": "honderd"}[lang]
        low = plain(value % 100, lang) if value % 100 else ""
        return plain(value // 100, lang) + hundred + low
    if lang == "fr" and 1100 <= value < 2000 and value // 100 < 17 and rng.random() < 0.2:
        low = f" {plain(value % 100, lang)}" if value % 100 else "s"
        return f"{plain(value // 100, lang)} cent{low}"
    return cardinal(value, lang, rng)


def read_out(digits: str, lang: str, rng: random.Random) -> str:
    """Return digits one by one: double five, oh."""
    words, place = [], 0
    zero = rng.choice(["zero", "oh"]) if lang == "en" else plain(0, lang)
    while place < len(digits):
        digit = digits[place]
        word = zero if digit == "0" else plain(int(digit), lang)
        run = len(digits[place:]) - len(digits[place:].lstrip(digit))
        if lang == "en" and run in (2, 3) and rng.random() < 0.5:
            words.append(f"{'double' if run == 2 else 'triple'} {word}")
            place += run
        else:
            words.append(word)
            place += 1
    return " ".join(words)


def currency(number: Number, lang: str, of: bool = False) -> str:
    """Return the words of a currency: dollars; with `of`, de dollars, d'euros."""
    words = CURRENCIES[number.unit][lang]
    word = words[0] if number.value == 1 else words[-1]
    if not of:
        return word
    if lang == "fr" and word[0] == "e":
        return f"d'{word}"
    return OF.get(lang, "") + word


def clock(value: str, lang: str, rng: random.Random) -> str:
    """Return a time of the day in words."""
    hour, minute = (int(part) for part in value.split(":"))
    hours = counted(hour, lang, rng, feminine=lang in ("fr", "pt"))
    if lang in ("es", "it") and hour == 1:
        hours = "una"
    if lang == "de" and hour == 1:
        hours = "ein"
    minutes = plain(minute, lang).replace("-", " " if lang == "en" else "-")
    if lang == "en":
        if minute == 0:
            return f"{hours} o'clock"
        return f"{hours} oh {minutes}" if minute < 10 else f"{hours} {minutes}"
    hour_word = {"fr": "heure" if hour == 1 else "heures", "de": "Uhr", "nl": "uur"}.get(lang)
    if lang == "pt":
        hour_word = "hora" if hour == 1 else "horas"
    if hour_word:
        joint = " e " if lang == "pt" else " "
        return f"{hours} {hour_word}" + (f"{joint}{minutes}" if minute else "")
    joint = {"es": " y ", "it": " e "}[lang]
    return f"{hours}{joint}{minutes}" if minute else hours


def date(value: str, lang: str, rng: random.Random) -> str:
    """Return a day of a month in words; `value` is MM-DD or MM-DD-YYYY."""
    month, day, *rest = (int(part) for part in value.split("-"))
    name = MONTHS[lang][month - 1]
    tail = f" {year(rest[0], lang, rng)}" if rest else ""
    if lang == "en":
        word = ordinal(day, lang, rng)
        return f"{name} {word}{tail}"
    if lang == "de":
        return f"{plain(day, lang, 'ordinal')}{rng.choice(['r', 'n'])} {name}{tail}"
    first = day == 1 and lang in ("fr", "it", "pt")
    word = plain(1, lang, "ordinal") if first else plain(day, lang)
    if lang in ("es", "pt"):
        return f"{word} de {name}" + (f" de{tail}" if rest else "")
    return f"{word} {name}{tail}"


def fraction(value: str, lang: str, rng: random.Random) -> str:
    """Return a fraction in words."""
    above, below = (int(part) for part in value.split("/"))
    one, more = PARTS[lang][below].split()
    if above == 1:
        return f"{ONE_PART[lang]} {one}"
    joint = "-" if lang == "en" and rng.random() < 0.3 else " "
    return f"{plain(above, lang)}{joint}{more}"


def said(number: Number, lang: str, rng: random.Random) -> str:
    """Return a number as a speaker says it, in words."""
    kind, value, unit = number
    if kind == "time":
        return clock(str(value), lang, rng)
    if kind == "date":
        return date(str(value), lang, rng)
    if kind == "phone":
        return read_out(str(value), lang, rng)
    if kind == "fraction":
        return fraction(str(value), lang, rng)
    if kind == "range":
        left, right = str(value).split("-")
        words = [cardinal(int(end), lang, rng) for end in (left, right)]
        return f" {TO[lang]} ".join(words)
    assert isinstance(value, Decimal)
    whole = int(value)
    if kind == "ordinal":
        return ordinal(whole, lang, rng)
    if kind == "year":
        return year(whole, lang, rng)
    if kind == "cardinal":
        return cardinal(whole, lang, rng)
    if kind == "decimal":
        return decimals(value, lang, rng)
    if kind == "negative":
        return f"{rng.choice(MINUS[lang])} {cardinal(-whole, lang, rng)}"
    if kind == "cents":
        return _cents_said(number, lang, rng)
    amount = cardinal(whole, lang, rng) if value == whole else decimals(value, lang, rng)
    if kind == "percent":
        return f"{amount} {rng.choice(PERCENT[lang])}"
    if kind == "magnitude":
        return f"{_before_noun(value, lang, rng)} {_magnitude(number, lang)}"
    if kind == "money":
        of = value == whole and whole and whole % 10**6 == 0
        if value == whole:
            amount = counted(whole, lang, rng)
        return f"{amount} {currency(number, lang, bool(of))}"
    assert kind == "measure"
    if value == whole:
        amount = counted(whole, lang, rng, feminine=unit in FEMININE.get(lang, ()))
    return f"{amount} {_unit_words(number, lang)}"


def _before_noun(value: Decimal, lang: str, rng: random.Random) -> str:
    if value != int(value):
        return decimals(value, lang, rng)
    if value == 1:
        return {**ONE_PART, "de": "eine"}[lang]
    return counted(int(value), lang, rng)


def _magnitude(number: Number, lang: str) -> str:
    words = MAGNITUDES[int(number.unit)][lang]
    assert isinstance(number.value, Decimal)
    singular = number.value == 1 or (number.value < 2 and lang in ("fr", "pt"))
    return words[0] if singular else words[-1]


def _unit_words(number: Number, lang: str) -> str:
    words = UNITS[number.unit][lang]
    return words[0] if number.value == 1 else words[-1]


def _cents_said(number: Number, lang: str, rng: random.Random) -> str:
    whole, part = (int(text) for text in str(number.value).split("."))
    word = currency(number._replace(value=Decimal(whole)), lang)
    amount, rest = counted(whole, lang, rng), plain(part, lang)
    if lang == "en":
        ending = {"$": "cents", "€": "cents", "£": "pence"}[number.unit]
        rest = rest.replace("-", " ")
        return f"{amount} {word} {rng.choice(['and ', ''])}{rest} {ending}"
    joint = {"es": " con ", "pt": " e ", "it": " e "}.get(lang, " ")
    return f"{amount} {word}{joint}{rest}"


# -- digits ------------------------------------------------------------------------------------

# Separators of thousands. Languages that are not here have a point, a blank or none.
GROUPS = {"en": (",", ""), "de": (".", "", "'"), "fr": (" ", "", "\u202f", ".")}


def grouped(value: int, lang: str, rng: random.Random) -> str:
    """Return digits, with or without a separator of thousands."""
    separators: Sequence[str] = GROUPS.get(lang, (".", "", " "))
    separator = rng.choice(separators)
    return f"{value:,}".replace(",", separator)


def figures(value: Decimal, lang: str, rng: random.Random) -> str:
    """Return a value in digits with the decimal sign of the language."""
    if value == int(value):
        return grouped(int(value), lang, rng)
    whole, part = str(value).split(".")
    return f"{int(whole)}{'.' if lang == 'en' else ','}{part}"


def ordinal_sign(value: int, lang: str, rng: random.Random, words: str = "") -> str:
    """Return an ordinal in digits; `words` is what it stands for, where its ending matters."""
    if lang == "en":
        return num2words(value, "en", "ordinal_num")
    if lang == "de":
        return f"{value}."
    if lang == "nl":
        return f"{value}{rng.choice(['e', plain(value, lang, 'ordinal')[-2:]])}".replace(
            "te", "ste"
        )
    if lang == "fr":
        return f"{value}{'er' if value == 1 else rng.choice(['e', 'ème'])}"
    return f"{value}{'ª' if words.endswith('a') else rng.choice('º°')}"


def written(number: Number, lang: str, rng: random.Random, words: str = "") -> str:
    """Return a number as it is written with digits; `words` is the text it is compared with."""
    kind, value, unit = number
    if kind in ("time", "date", "phone", "fraction", "range"):
        return _written_text(kind, str(value), lang, rng)
    assert isinstance(value, Decimal)
    whole = int(value)
    if kind == "cardinal":
        return grouped(whole, lang, rng)
    if kind == "year":
        return str(whole)
    if kind == "ordinal":
        return ordinal_sign(whole, lang, rng, words)
    amount = figures(value, lang, rng)
    if kind == "decimal":
        return amount
    if kind == "negative":
        return f"-{grouped(-whole, lang, rng)}"
    if kind == "percent":
        return f"{amount}{rng.choice(['%', '%' if lang in ('en', 'it', 'nl') else ' %'])}"
    if kind == "magnitude":
        long = rng.random() < 0.4
        if long:
            return grouped(int(value * int(unit)), lang, rng)
        return f"{amount} {_magnitude(number, lang)}"
    if kind in ("money", "cents"):
        return _written_money(number, amount, lang, rng)
    if unit in IN_WORDS:
        return f"{amount} {_unit_words(number, lang)}"
    return f"{amount}{rng.choice([' ', ''])}{unit}"


def _written_money(number: Number, amount: str, lang: str, rng: random.Random) -> str:
    value, unit = number.value, number.unit
    assert isinstance(value, Decimal)
    if value and value % 10**6 == 0 and value < 10**9 and rng.random() < 0.7:
        counted_value = Number("magnitude", value / 10**6, str(10**6))
        short = f"{figures(value / 10**6, lang, rng)} {_magnitude(counted_value, lang)}"
        if lang == "en":
            letter = f"{unit}{figures(value / 10**6, lang, rng)}"
            return rng.choice(
                [f"{unit}{short}", f"{short} {currency(number, lang)}", f"{letter}m", f"{letter}M"]
            )
        return f"{short} {currency(number, lang, of=True)}"
    if lang == "en":
        in_words = number.kind == "money" and rng.random() < 0.3
        return f"{amount} {currency(number, lang)}" if in_words else f"{unit}{amount}"
    if number.kind == "money" and rng.random() < 0.4:
        of = bool(value) and value % 10**6 == 0
        return f"{amount} {currency(number, lang, of)}"
    return rng.choice([f"{amount} {unit}", f"{amount}{unit}"])


def _written_text(kind: str, value: str, lang: str, rng: random.Random) -> str:
    if kind == "phone":
        if len(value) == 7 and rng.random() < 0.7:
            return f"{value[:3]}{rng.choice('- ')}{value[3:]}"
        return value
    if kind == "fraction":
        return SIGNS_OF_PARTS[value] if value in SIGNS_OF_PARTS and rng.random() < 0.3 else value
    if kind == "range":
        return value.replace("-", rng.choice(["-", "–", f" {TO[lang]} "]))
    if kind == "time":
        hour, minute = value.split(":")
        if lang == "fr":
            return rng.choice([f"{hour}h{minute}", f"{hour} h {minute}"]).replace("00", "").strip()
        if lang == "pt":
            return f"{hour}h{minute}".replace("h00", "h")
        if lang in ("de", "nl"):
            sign = rng.choice(":.")
            ending = " Uhr" if lang == "de" else " uur"
            return (f"{hour}{sign}{minute}" if minute != "00" else hour) + ending
        return value
    month, day, *rest = value.split("-")
    name, number = MONTHS[lang][int(month) - 1], int(day)
    if lang == "en":
        tail = f" {rest[0]}" if rest else ""
        sign = num2words(number, "en", "ordinal_num")
        choices = [f"{name} {number}", f"{name} {sign}"]
        if rest:
            choices = [f"{choice},{tail}" for choice in choices]
            if number > 12:
                choices.append(f"{int(month)}/{number}/{rest[0]}")
        return rng.choice(choices)
    if lang == "de":
        return f"{number}. {name}" + (f" {rest[0]}" if rest else "")
    of = " de " if lang in ("es", "pt") else " "
    shown = {"fr": "1er", "it": "1º", "pt": "1º"}.get(lang, "1") if number == 1 else str(number)
    return f"{shown}{of}{name}" + (f"{of}{rest[0]}" if rest else "")

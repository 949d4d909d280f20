"""Words and signs of numbers in languages other than English."""

from __future__ import annotations

_SAME_CODE = """
am ar az be bn ca ce cs cy da de eo es fa fi fr he hu id is it ja kn ko lt lv nl pl pt ro ru sk sl
sr sv te tg th tr uk vi
"""
# The languages of num2words, by misword's code, with the code of num2words.
CODES = {**{code: code for code in _SAME_CODE.split()}, "kk": "kz", "nb": "no"}
# Languages whose large numbers are composed in the order of English: two, thousand, five, hundred.
COMPOSED = frozenset(
    ["ca", "de", "eo", "es", "fi", "fr", "id", "it", "kk", "lv", "nb", "nl", "pt", "sv"]
)
# Words of powers of ten that num2words does not say.
SCALE_WORDS = {"pt": {"bilhão": 10**9, "bilhões": 10**9, "trilhão": 10**12, "trilhões": 10**12}}
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
# What is said for the decimal comma.
DECIMAL_WORDS = {
    "de": ("komma",),
    "es": ("coma", "punto", "con"),
    "fr": ("virgule",),
    "it": ("virgola",),
    "nl": ("komma",),
    "pt": ("vírgula",),
}
# Other ways to say a form of num2words: `^` is its start and `$` its end.
ENDINGS = {
    "de": (
        ("^einhundert", "hundert"),
        ("eins$", "ein"),
        ("eins$", "eine"),
        ("eins$", "einen"),
        ("eins$", "einem"),
        ("eins$", "einer"),
    ),
    "es": (("uno$", "un"), ("uno$", "una"), ("ientos", "ientas")),
    "fr": (("un$", "une"), ("cents$", "cent"), ("vingts$", "vingt")),
    "it": (("uno$", "un"), ("uno$", "una")),
    "pt": (
        ("um$", "uma"),
        ("dois$", "duas"),
        ("entos", "entas"),
        ("dezasseis", "dezesseis"),
        ("dezassete", "dezessete"),
        ("dezanove", "dezenove"),
        ("catorze", "quatorze"),
    ),
    "sv": (("ett$", "en"), ("^etthundra", "hundra")),
}
ORDINAL_ENDINGS = {
    "de": (("e$", "en"), ("e$", "er"), ("e$", "es"), ("e$", "em")),
    "es": (("quadr", "cuadr"), ("ero$", "er"), ("o$", "a"), ("o ", "a ")),
    "fr": (("premier", "première"), ("deuxième", "second"), ("deuxième", "seconde")),
    "it": (("o$", "a"),),
    "pt": (("o$", "a"), ("o ", "a ")),
}
# Ordinal numbers that num2words says in another way.
ORDINAL_WORDS = {"es": {"undécimo": 11, "undécima": 11, "duodécimo": 12, "duodécima": 12}}
# Words of units that have a sign behind digits: 5 km, five kilometres.
_MEASURES = {
    "de": "km kilometer kilometern, m meter metern, cm zentimeter, mm millimeter, "
    "kg kilogramm kilo, g gramm, mg milligramm, l liter, kw kilowatt, mw megawatt, "
    "h stunde stunden, min minute minuten",
    "es": "km kilómetro kilómetros, m metro metros, cm centímetro centímetros, mm milímetro "
    "milímetros, kg kilogramo kilogramos kilo kilos, g gramo gramos, mg miligramo miligramos, "
    "l litro litros, kw kilovatio kilovatios, mw megavatio megavatios, h hora horas, "
    "min minuto minutos",
    "fr": "km kilomètre kilomètres, m mètre mètres, cm centimètre centimètres, mm millimètre "
    "millimètres, kg kilogramme kilogrammes kilo kilos, g gramme grammes, mg milligramme "
    "milligrammes, l litre litres, kw kilowatt kilowatts, mw mégawatt mégawatts, "
    "h heure heures, min minute minutes",
    "it": "km chilometro chilometri, m metro metri, cm centimetro centimetri, mm millimetro "
    "millimetri, kg chilogrammo chilogrammi chilo chili, g grammo grammi, mg milligrammo "
    "milligrammi, l litro litri, kw chilowatt, mw megawatt, h ora ore, min minuto minuti",
    "nl": "km kilometer, m meter, cm centimeter, mm millimeter, kg kilogram kilo, g gram, "
    "mg milligram, l liter, kw kilowatt, mw megawatt, h uur, min minuut minuten",
    "pt": "km quilômetro quilômetros quilómetro quilómetros, m metro metros, cm centímetro "
    "centímetros, mm milímetro milímetros, kg quilograma quilogramas quilo quilos, g grama "
    "gramas, mg miligrama miligramas, l litro litros, kw quilowatt quilowatts, mw megawatt "
    "megawatts, h hora horas, min minuto minutos",
}
# What stands between a power of ten and a currency: deux millions de dollars.
OF = {"es": "de", "fr": "de", "it": "di", "pt": "de"}
# The words of an hour before its minutes: dix heures trente.
HOURS = {
    "de": ("uhr",),
    "fr": ("heures", "heure", "h"),
    "nl": ("uur",),
    "pt": ("horas", "hora", "h"),
}
# The word before minutes, where there is one: diez y treinta.
BEFORE_MINUTES = {"es": "y", "it": "e", "pt": "e"}
# The word of a range: cinq à dix.
TO = {"de": "bis", "es": "a", "fr": "à", "it": "a", "nl": "tot", "pt": "a"}
_DENOMINATORS = {
    "de": "2 halb halbe, 3 drittel, 4 viertel, 5 fünftel, 6 sechstel, 8 achtel, 10 zehntel",
    "es": "2 medio medios, 3 tercio tercios, 4 cuarto cuartos, 5 quinto quintos, "
    "6 sexto sextos, 8 octavo octavos, 10 décimo décimos",
    "fr": "2 demi demis demie, 3 tiers, 4 quart quarts, 5 cinquième cinquièmes, "
    "6 sixième sixièmes, 8 huitième huitièmes, 10 dixième dixièmes",
    "it": "2 mezzo mezzi, 3 terzo terzi, 4 quarto quarti, 5 quinto quinti, 6 sesto sesti, "
    "8 ottavo ottavi, 10 decimo decimi",
    "nl": "2 half halven, 3 derde, 4 kwart, 5 vijfde, 6 zesde, 8 achtste, 10 tiende",
    "pt": "2 meio meios, 3 terço terços, 4 quarto quartos, 5 quinto quintos, 6 sexto sextos, "
    "8 oitavo oitavos, 10 décimo décimos",
}
# `and a half` behind a number.
AND_A_HALF = {
    "es": ("y medio", "y media"),
    "fr": ("et demi", "et demie"),
    "it": ("e mezzo", "e mezza"),
    "pt": ("e meio", "e meia"),
}
# A number and a half in one word.
HALVES = {"de": ("{}einhalb",), "nl": ("{}enhalf", "{}eneenhalf")}
ONE_AND_A_HALF = {"de": ("anderthalb", "eineinhalb"), "nl": ("anderhalf",)}
# Words within a number that some writers leave out.
JOINTS = {
    "da": ("og",),
    "de": ("und",),
    "es": ("y",),
    "fr": ("et", "de"),
    "it": ("e",),
    "nb": ("og",),
    "nl": ("en",),
    "pt": ("e",),
    "sv": ("och",),
}
# The word behind the first two digits of a year: treize cent, neunzehnhundert.
HUNDREDS = {"de": "hundert", "fr": "cent", "nl": "honderd"}
# Languages in which years are said in two halves: negentien drieënzestig.
YEARS_IN_HALVES = frozenset({"nl"})
# Tens of Belgium and Switzerland.
REGIONAL_TENS = {"fr": {70: "septante", 80: "huitante", 90: "nonante"}}


def _listed(text: str) -> dict[str, tuple[str, ...]]:
    """Return the words of each first word of a list: `km kilometer, m meter metern`."""
    rows = (row.split() for row in text.split(","))
    return {first: tuple(words) for first, *words in rows}


# The words of each sign of a unit, by language.
UNITS = {
    lang: {sign: names[lang] for sign, names in SIGNS.items() if lang in names}
    | _listed(_MEASURES.get(lang, "% %"))
    for lang in CODES
}
DENOMINATORS = {
    lang: {word: int(number) for number, words in _listed(text).items() for word in words}
    for lang, text in _DENOMINATORS.items()
}

"""What num2words does not say about the numbers of languages other than English."""

from __future__ import annotations

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

"""Normalizers of characters: case, Unicode forms, accents, apostrophes, punctuation, and so on."""

from __future__ import annotations

import re
import sys
import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import ClassVar, Literal

from misword.text.normalizers import Normalizer


@dataclass(frozen=True, slots=True)
class Lower(Normalizer):
    """Lower-cases as Unicode says, without regard to language.

    Known problems: the Turkish rules for dotted and dotless i are not applied.
    """

    name: ClassVar[str] = "lower"

    def apply(self, joined: str) -> str:
        """Lower-case all rows."""
        return joined.lower()


@dataclass(frozen=True, slots=True)
class Casefold(Normalizer):
    """Removes all distinctions of case, also where lower case keeps one: `ß` becomes `ss`."""

    name: ClassVar[str] = "casefold"

    def apply(self, joined: str) -> str:
        """Case-fold all rows."""
        return joined.casefold()


@dataclass(frozen=True, slots=True)
class Form(Normalizer):
    """Base class of the Unicode normalization forms.

    NUL composes with no character, so it can separate the rows.
    """

    form: ClassVar[Literal["NFC", "NFD", "NFKC"]]
    keeps_ascii: ClassVar[bool] = True

    def apply(self, joined: str) -> str:
        """Return all rows in the form; the same string if it has the form already."""
        if unicodedata.is_normalized(self.form, joined):
            return joined
        return unicodedata.normalize(self.form, joined)


@dataclass(frozen=True, slots=True)
class Nfc(Form):
    """Composes: `e` and a combining accent become `é`. The default."""

    name: ClassVar[str] = "nfc"
    title: ClassVar[str] = "NFC"
    form: ClassVar[Literal["NFC", "NFD", "NFKC"]] = "NFC"


@dataclass(frozen=True, slots=True)
class Nfd(Form):
    """Decomposes: `é` becomes `e` and a combining accent, two characters for CER."""

    name: ClassVar[str] = "nfd"
    title: ClassVar[str] = "NFD"
    form: ClassVar[Literal["NFC", "NFD", "NFKC"]] = "NFD"


@dataclass(frozen=True, slots=True)
class Nfkc(Form):
    """Composes, and replaces compatibility characters: `ﬁ` becomes `fi`, `１` becomes `1`.

    Known problems: it changes the meaning of some texts (`2⁵` becomes `25`).
    """

    name: ClassVar[str] = "nfkc"
    title: ClassVar[str] = "NFKC"
    form: ClassVar[Literal["NFC", "NFD", "NFKC"]] = "NFKC"


ACCENTS = re.compile("[\u0300-\u036f]+")


@dataclass(frozen=True, slots=True)
class NoAccent(Normalizer):
    """Drops Latin, Greek and Cyrillic accents: `où` counts as `ou`.

    Known problems: letters that Unicode does not decompose (ø, ł) are kept, and so are the vowel
    signs of other scripts.
    """

    name: ClassVar[str] = "noaccent"
    keeps_ascii: ClassVar[bool] = True

    def apply(self, joined: str) -> str:
        """Decompose, drop combining diacritical marks, compose again."""
        bare = ACCENTS.sub("", unicodedata.normalize("NFD", joined))
        return unicodedata.normalize("NFC", bare)


# Tanwin, short vowels, shadda and sukun; the superscript alef; signs of the Quran; tatweel.
HARAKAT = re.compile(
    "[\u064b-\u0652\u0670\u0610-\u061a\u06d6-\u06dc\u06df-\u06e4\u06e7-\u06ed\u0640]"
)


@dataclass(frozen=True, slots=True)
class NoHarakat(Normalizer):
    """Drops Arabic vowel signs and tatweel: `كَتَبَ` counts as `كتب`.

    Why: most Arabic text is written without these signs, and a recogniser may write some of them.
    Letters with hamza or madda (`أ`, `آ`) are kept: NFC composes them, and they are other letters.
    """

    name: ClassVar[str] = "noharakat"
    keeps_ascii: ClassVar[bool] = True

    def apply(self, joined: str) -> str:
        """Delete these signs."""
        return HARAKAT.sub("", joined)


TO_ASCII = str.maketrans(dict.fromkeys("\u2019\u02bc\u2018\uff07", "'"))


@dataclass(frozen=True, slots=True)
class Apostrophe(Normalizer):
    """Writes typographic apostrophes (’ ʼ ‘ ＇) as the ASCII one.

    Why: word processors write `l’homme` in references, recognisers write `l'homme`.
    """

    name: ClassVar[str] = "apostrophe"
    keeps_ascii: ClassVar[bool] = True

    def apply(self, joined: str) -> str:
        """Replace each typographic apostrophe by `'`."""
        return joined.translate(TO_ASCII)


@dataclass(frozen=True, slots=True)
class NoPunct(Normalizer):
    """Replaces punctuation by a space, except the `keep` characters inside a word.

    Why: most references have punctuation, many recognisers write none. `don't` and `twenty-one`
    stay one word; a dash between words is removed.

    Known problems: `3.5` becomes two words; in a spec, `keep` cannot contain a comma.
    """

    name: ClassVar[str] = "nopunct"
    keep: str = "'\u2019-"

    def apply(self, joined: str) -> str:
        """Replace each character of Unicode's punctuation classes."""
        return _pattern(self.keep).sub(" ", joined)


@cache
def _pattern(keep: str) -> re.Pattern[str]:
    points = [chr(i) for i in range(sys.maxunicode + 1) if unicodedata.category(chr(i))[0] == "P"]
    always = "".join(map(re.escape, sorted(set(points) - set(keep))))
    inside = "".join(map(re.escape, sorted(set(keep) & set(points))))
    edge = rf"|(?<!\w)[{inside}]|[{inside}](?!\w)" if inside else ""
    return re.compile(f"[{always}]{edge}")


INVISIBLE = str.maketrans(dict.fromkeys("\u200b\u2060\ufeff\u00ad"))


@dataclass(frozen=True, slots=True)
class NoZeroWidth(Normalizer):
    """Drops zero-width spaces, word joiners, byte-order marks and soft hyphens.

    Why: text that was copied from web pages contains them, and they make equal words differ. The
    joiners that some scripts need for spelling (U+200C, U+200D) are kept.
    """

    name: ClassVar[str] = "nozerowidth"
    keeps_ascii: ClassVar[bool] = True

    def apply(self, joined: str) -> str:
        """Delete these characters."""
        return joined.translate(INVISIBLE)

"""Normalizers to the Unicode normalization forms."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import ClassVar, Literal

from misword.text.normalizers import Normalizer


@dataclass(frozen=True, slots=True)
class Form(Normalizer):
    """Base class of the forms. NUL composes with no character, so it can separate the rows."""

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

"""Unicode normalization forms."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import ClassVar, Literal


@dataclass(frozen=True, slots=True)
class Form:
    """One of Unicode's forms. NUL never composes with anything, so rows may be joined by it."""

    form: ClassVar[Literal["NFC", "NFD", "NFKC"]]
    keeps_ascii: ClassVar[bool] = True

    def apply(self, joined: str) -> str:
        """Bring all rows into the form; text that has it already is only looked at."""
        if unicodedata.is_normalized(self.form, joined):
            return joined
        return unicodedata.normalize(self.form, joined)


@dataclass(frozen=True, slots=True)
class Nfc(Form):
    """Composes: `e` and a combining accent become `é`. The default."""

    form: ClassVar[Literal["NFC", "NFD", "NFKC"]] = "NFC"


@dataclass(frozen=True, slots=True)
class Nfd(Form):
    """Decomposes: `é` becomes `e` and a combining accent, two characters for CER."""

    form: ClassVar[Literal["NFC", "NFD", "NFKC"]] = "NFD"


@dataclass(frozen=True, slots=True)
class Nfkc(Form):
    """Composes and also unifies what only looks different: `ﬁ` is `fi`, `１` is `1`.

    Known problems: it loses meaning here and there (`2⁵` becomes `25`).
    """

    form: ClassVar[Literal["NFC", "NFD", "NFKC"]] = "NFKC"

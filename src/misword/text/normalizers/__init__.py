"""Normalizers: named changes to text before it is compared, in the order they are given.

The default is `nfc` alone, so that a letter with its accent counts the same however it is stored;
it touches nothing else. `none` switches even that off. Both sides always get the same treatment.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from misword.core.errors import OptionError
from misword.core.registry import Entry, Registry
from misword.text.texts import SEPARATOR, Texts

HERE = "misword.text.normalizers"


class Normalizer(Protocol):
    """A change of text, made on all rows at once.

    `apply` gets the rows joined by NUL characters. It must treat each row alone and give the same
    number of NULs back.
    """

    def apply(self, joined: str) -> str:
        """Change the text."""
        ...


NORMALIZERS: Registry[Normalizer] = Registry(
    "normalizers",
    {
        "apostrophe": Entry(f"{HERE}.apostrophe:Apostrophe"),
        "casefold": Entry(f"{HERE}.case:Casefold"),
        "lower": Entry(f"{HERE}.case:Lower"),
        "nfc": Entry(f"{HERE}.forms:Nfc"),
        "nfd": Entry(f"{HERE}.forms:Nfd"),
        "nfkc": Entry(f"{HERE}.forms:Nfkc"),
        "noaccent": Entry(f"{HERE}.noaccent:NoAccent"),
        "nopunct": Entry(f"{HERE}.nopunct:NoPunct"),
        "nozerowidth": Entry(f"{HERE}.nozerowidth:NoZeroWidth"),
    },
)


def normalizers(specs: str | Iterable[str]) -> dict[str, Normalizer]:
    """Build the named normalizers, in order; `none` alone means no change at all.

    >>> list(normalizers("nfc,lower"))
    ['nfc', 'lower']
    """
    listed = [specs] if isinstance(specs, str) else list(specs)
    return {} if listed in (["none"], []) else NORMALIZERS.create_all(listed)


def normalize(texts: Texts, chain: dict[str, Normalizer]) -> Texts:
    """Apply each normalizer in turn.

    >>> normalize(Texts.of(["Hé !", "Ça va ?"]), normalizers("lower,nopunct")).split()
    ['hé  ', 'ça va  ']
    """
    joined = texts.joined
    for name, part in chain.items():
        changed = part.apply(joined)
        if changed is not joined and changed.count(SEPARATOR) != joined.count(SEPARATOR):
            raise OptionError(f"normalizer {name!r} changed the number of rows: it must keep NULs")
        joined = changed
    return texts if joined is texts.joined else Texts(joined, texts.rows)

"""Normalizers: changes of both texts, in the order of their specs, before they are compared.

The default is `nfc` alone, so that an accented letter counts the same in either of its Unicode
encodings; nothing else is changed. `none` means no normalizer at all.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.parts.contract import Part
from misword.core.parts.registry import Entry, Registry, split_specs
from misword.text.texts import SEPARATOR, Texts

HERE = "misword.text.normalizers"


class Normalizer(Part):
    """A change of text, applied to all rows at once.

    `keeps_ascii` is True for a normalizer that never changes ASCII text; it is then not called for
    such text.
    """

    __slots__ = ()

    family: ClassVar[str] = "text"
    keeps_ascii: ClassVar[bool] = False

    def apply(self, joined: str) -> str:
        """Return the changed rows; `joined` has all rows, with a NUL character between two rows.

        Each row must be changed as if it were alone, and the number of NUL characters must stay.
        """
        raise NotImplementedError


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


Chain = tuple[tuple[str, Normalizer], ...]


def normalizers(specs: str | Iterable[str]) -> Chain:
    """Return the normalizers of the specs with their specs, in order; `none` gives no normalizer.

    >>> [spec for spec, _ in normalizers("nfc,lower")]
    ['nfc', 'lower']
    """
    listed = split_specs(specs)
    return () if listed == ["none"] else tuple((s, NORMALIZERS.create(s)) for s in listed)


def spell_chain(chain: Chain) -> str:
    """Return the normalizers with all their options as a signature prints them."""
    if not chain:
        return "none"
    steps = []
    for spec, part in chain:
        options = ",".join(f"{name}={value}" for name, value in part.settings(Context()))
        steps.append(spec.partition(":")[0] + (f"[{options}]" if options else ""))
    return "+".join(steps)


def normalize(texts: Texts, chain: Chain) -> Texts:
    """Return the texts after all normalizers of the chain, applied in order.

    >>> normalize(Texts.of(["Hé !", "Ça va ?"]), normalizers("lower,nopunct")).split()
    ['hé  ', 'ça va  ']
    """
    for name, part in chain:
        if part.keeps_ascii and texts.data.isascii():
            continue
        changed = part.apply(texts.joined)
        if changed is texts.joined:
            continue
        if changed.count(SEPARATOR) != max(texts.rows - 1, 0):
            raise OptionError(f"normalizer {name!r} changed the number of rows: it must keep NULs")
        texts = Texts.of_joined(changed, texts.rows)
    return texts

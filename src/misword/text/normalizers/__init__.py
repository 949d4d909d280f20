"""Normalizers: named changes to text before it is compared, in the order they are given.

The default is `nfc` alone, so that a letter with its accent counts the same however it is stored;
it touches nothing else. `none` switches even that off. Both sides always get the same treatment.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, Protocol

from misword.core.errors import OptionError
from misword.core.part import options_of
from misword.core.registry import Entry, Registry, split_specs
from misword.text.texts import SEPARATOR, Texts

HERE = "misword.text.normalizers"


class Normalizer(Protocol):
    """A change of text, made on all rows at once.

    `apply` gets the rows joined by NUL characters. It must treat each row alone and give the same
    number of NULs back. `keeps_ascii` says that it never changes plain ASCII text.
    """

    keeps_ascii: ClassVar[bool]

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


Chain = tuple[tuple[str, Normalizer], ...]


def normalizers(specs: str | Iterable[str]) -> Chain:
    """Build the named normalizers, in order; `none` alone means no change at all.

    >>> [spec for spec, _ in normalizers("nfc,lower")]
    ['nfc', 'lower']
    """
    listed = split_specs(specs)
    return () if listed == ["none"] else tuple((s, NORMALIZERS.create(s)) for s in listed)


def spell_chain(chain: Chain) -> str:
    """The normalizers with all their options, as a signature has them."""
    if not chain:
        return "none"
    steps = []
    for spec, part in chain:
        options = ",".join(f"{name}={value}" for name, value in options_of(part))
        steps.append(spec.partition(":")[0] + (f"[{options}]" if options else ""))
    return "+".join(steps)


def normalize(texts: Texts, chain: Chain) -> Texts:
    """Apply each normalizer in turn.

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

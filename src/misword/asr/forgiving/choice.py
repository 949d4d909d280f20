"""The families of writing differences that the user chose to forgive."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.parts import Settings
from misword.core.parts.registry import split_specs
from misword.text.writing import FAMILIES, WRITING, Family

GROUP = "writing"
ENGLISH = "en"
# Families whose `same_words` are applied one after the other, in this order.
WORD_BY_WORD = ("deletable", "punctuation", "case", "apostrophes", "spelling")


@dataclass(frozen=True, slots=True)
class ForgivenFamilies:
    """The chosen families in a fixed order, their specs, and the language of the texts.

    The position of a family in `families` is its number in blocks.
    """

    specs: tuple[str, ...] = ()
    families: tuple[Family, ...] = ()
    lang: str = ENGLISH

    @classmethod
    def of(cls, specs: str | Iterable[str], lang: str | None) -> ForgivenFamilies:
        """Create the families of specs; `writing` stands for its members.

        >>> ForgivenFamilies.of("numbers,case", None).names
        ('case', 'numbers')
        """
        listed = dict[str, str]()
        for spec in split_specs(specs):
            for one in WRITING if spec == GROUP else (spec,):
                name = one.partition(":")[0]
                if name not in FAMILIES.names():
                    known = f"{GROUP}, or some of: {', '.join(FAMILIES.names())}"
                    raise OptionError(
                        f"unknown family {name!r} of differences of writing", fix=known
                    )
                if one == name and name in listed:
                    continue  # `writing,compounds:most=3`: the spec with options is kept
                listed[name] = one
        order = [name for name in WORD_BY_WORD if name in listed]
        order += sorted(set(listed) - set(order))
        families = tuple(FAMILIES.create(listed[name]) for name in order)
        return cls(tuple(listed[name] for name in order), families, lang or ENGLISH)

    def __bool__(self) -> bool:
        return bool(self.families)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the families."""
        return tuple(family.name for family in self.families)

    @property
    def numbered(self) -> list[tuple[int, Family]]:
        """The families with their numbers."""
        return list(enumerate(self.families))

    @property
    def settings(self) -> Settings:
        """The entry for signatures: the families with their revisions, and the language."""
        if not self.families:
            return ()
        revisions = [f"{f.name}-{f.revision}{_options(f)}" for f in self.families]
        return (("forgive", f"{'+'.join(revisions)}[{self.lang}]"),)

    def check(self) -> None:
        """Raise if a family cannot be used for the language."""
        for family in self.families:
            family.check(Context(lang=self.lang))

    def with_family(self, family: Family) -> ForgivenFamilies:
        """Return the choice with one family more."""
        return ForgivenFamilies((*self.specs, family.name), (*self.families, family), self.lang)


def _options(family: Family) -> str:
    options = ",".join(f"{name}={value}" for name, value in family.settings(Context()))
    return f"({options})" if options else ""


def without_forgiving(settings: Settings) -> Settings:
    """Return the settings of a signature as if nothing were forgiven.

    >>> without_forgiving((("ties", "misword"), ("forgive", "case-1[en]"), ("v", "1")))
    (('ties', 'misword'), ('v', '1'))
    """
    return tuple(
        (name, "none" if name == "equivalents" else value)
        for name, value in settings
        if name != "forgive"
    )

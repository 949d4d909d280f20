"""Paradigms: all inflected forms of a word, in the format of UniMorph.

Each line has a lemma, a form of it and its morphological features, separated by tabs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from misword.core.errors import InputError
from misword.core.formatting import counted
from misword.io.files.sources import PathLike, open_source
from misword.io.transcripts.detection import refuse_binary

FIX = "a line has a lemma, a form and its features, separated by tabs, as in the files of UniMorph"


@dataclass(frozen=True, slots=True, repr=False)
class Paradigms:
    """The forms of lemmas, and the lemmas of forms.

    `forms` has for each lemma its forms, each with its features; `lemmas` has for each form its
    lemmas. Both also have the lemma itself.

    References: C. Kirov et al., UniMorph 2.0: Universal Morphology, LREC 2018.
    """

    forms: Mapping[str, Mapping[str, str]]
    lemmas: Mapping[str, tuple[str, ...]]
    name: str = "memory"

    @classmethod
    def of(cls, rows: list[tuple[str, str, str]], name: str = "memory") -> Paradigms:
        """Make paradigms of lemmas, forms and features.

        >>> Paradigms.of([("Haus", "Häuser", "N;NOM;PL")]).others("Haus")
        {'Häuser': 'N;NOM;PL'}
        """
        forms: dict[str, dict[str, str]] = {}
        lemmas: dict[str, dict[str, None]] = {}
        for lemma, form, features in rows:
            for word, described in ((lemma, ""), (form, features)):
                forms.setdefault(lemma, {}).setdefault(word, described)
                lemmas.setdefault(word, {})[lemma] = None
        return cls(forms, {word: tuple(found) for word, found in lemmas.items()}, name)

    def others(self, word: str) -> dict[str, str]:
        """Return the other forms of the lemmas of a word, with their features."""
        found: dict[str, str] = {}
        for lemma in self.lemmas.get(word, ()):
            found |= {form: about for form, about in self.forms[lemma].items() if form != word}
        return found

    def share_lemma(self, first: str, second: str) -> str:
        """Return a lemma that has both words among its forms; empty if there is none."""
        second_lemmas = self.lemmas.get(second, ())
        return next((one for one in self.lemmas.get(first, ()) if one in second_lemmas), "")


def read_paradigms(path: PathLike) -> Paradigms:
    """Read a file of UniMorph; blank lines and lines that begin with `#` are skipped."""
    source = open_source(path)
    refuse_binary(source)
    rows = []
    for number, line in enumerate(source.text.split("\n"), 1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = [field.strip() for field in line.rstrip("\r").split("\t")]
        if len(fields) < 3 or not all(fields[:2]):
            what = f"{counted(len(fields), 'field')}, not a lemma, a form and its features"
            raise InputError(what, where=source.at(number), fix=FIX)
        rows.append((fields[0], fields[1], fields[2]))
    if not rows:
        raise InputError("no forms in it", where=source.at(), fix=FIX)
    return Paradigms.of(rows, source.shown)

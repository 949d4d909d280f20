"""Families of differences of writing: what counts as the same although it is written differently.

`$1.3 billion` and `one point three billion dollars`, `we're` and `we are`, `e-mail` and `email` are
the same words in two ways of writing. With `--forgive`, the alignment may match a block of
reference words with a block of hypothesis words for free if a family reads both as the same. The
texts are not changed.

A family can say this in four ways, from the simplest to the most general: words that are the same
one by one (`same_words`), words that may be left out (`optional`), classes of phrases (`classes`),
and readings of runs of words (`run_words`, `readings`). All families read words without regard to
case and to punctuation at the ends of a word (`base`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar, NamedTuple

from misword.core.parts import Part
from misword.core.parts.registry import Entry, Registry

HERE = "misword.text.writing"

Phrase = tuple[str, ...]
# What a word can be in a run of words; 0: it is in no run.
MAKES_RUN, WITHIN_RUN, BETWEEN = 1, 2, 3


class Reading(NamedTuple):
    """The words `start` to `end - 1` of a run can be read as `key`."""

    start: int
    end: int
    key: str


class Family(Part):
    """A family of differences of writing.

    `revision` is raised when a rule of the family changes. `languages()` are the languages that the
    family has rules for; empty if its rules hold in every language.

    `lang` is a code such as `en`. Words are given as they are written, before normalisation, unless
    `reads_normal_words` is True.
    """

    __slots__ = ()

    family: ClassVar[str] = "writing"
    reads_normal_words: ClassVar[bool] = False

    def same_words(self, words: Sequence[str], lang: str) -> Sequence[str]:
        """Return a form of each word; words with equal forms are the same for this family."""
        return words

    def optional(self, words: Sequence[str], lang: str) -> Sequence[bool] | None:
        """Return whether each word may be left out; None if no word may."""
        return None

    def classes(self, words: Sequence[str], lang: str) -> Iterable[Iterable[Phrase]]:
        """Yield classes of phrases that are the same.

        Phrases consist of base forms (`base`). `words` are the distinct base forms of both texts;
        classes with other words do no harm, but cost time.
        """
        return ()

    def word_classes(self, words: Sequence[str], lang: str) -> Iterable[Iterable[Phrase]]:
        """Yield classes of phrases that are the same, of words as they are written."""
        return ()

    def run_words(self, words: Sequence[str], lang: str) -> Sequence[int] | None:
        """Return for each word whether it can be part of a run; None if there are no runs.

        The numbers are 0 (not part of a run), MAKES_RUN, WITHIN_RUN, and BETWEEN (within a run, but
        not at its ends). A run is a longest sequence of words that are not 0 and of which one makes
        a run, without the words at its ends that can only be between others.
        """
        return None

    def readings(self, run: Phrase, lang: str) -> Iterable[Reading]:
        """Yield what the spans of a run can be read as; each distinct run is read once."""
        return ()


# The families that `writing` stands for. `apostrophes` is left out, since it forgives its / it's;
# `deletable` and `fragments`, since they are conventions of transcribers.
WRITING = (
    "case",
    "punctuation",
    "spelling",
    "abbreviations",
    "contractions",
    "compounds",
    "numbers",
    "fillers",
)

FAMILIES: Registry[Family] = Registry(
    "families",
    {
        "abbreviations": Entry(f"{HERE}.abbreviations:Abbreviations"),
        "apostrophes": Entry(f"{HERE}.signs:Apostrophes"),
        "case": Entry(f"{HERE}.signs:Case"),
        "compounds": Entry(f"{HERE}.compounds:Compounds"),
        "contractions": Entry(f"{HERE}.contractions:Contractions"),
        "deletable": Entry(f"{HERE}.disfluent_words:Deletable"),
        "fillers": Entry(f"{HERE}.disfluent_words:Fillers"),
        "fragments": Entry(f"{HERE}.disfluent_words:Fragments"),
        "numbers": Entry(f"{HERE}.numbers.family:Numbers"),
        "punctuation": Entry(f"{HERE}.signs:Punctuation"),
        "spelling": Entry(f"{HERE}.spelling:Spelling"),
    },
)

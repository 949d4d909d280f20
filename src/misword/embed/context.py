"""What metrics may need beside the texts: the language they are in, and vectors of its words."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from misword.core.errors import InputError, OptionError
from misword.text.languages import code

if TYPE_CHECKING:
    from misword.embed.vectors.words import WordVectors


@dataclass(frozen=True, eq=False)
class Context:
    """The language (`fr`; empty if none was named) and the word vectors or their file.

    A file is opened when a metric first asks for it. `cache`: keep what models made of sentences on
    disk. `workers`: threads, one for each core if not given.
    """

    lang: str = ""
    source: str | os.PathLike[str] | WordVectors | None = None
    max_words: int | None = None
    format: str | None = None
    cache: bool = False
    workers: int | None = None

    @classmethod
    def of(
        cls,
        lang: str | None = None,
        vectors: str | os.PathLike[str] | WordVectors | None = None,
        max_words: int | None = None,
        format: str | None = None,
        *,
        cache: bool = False,
        workers: int | None = None,
    ) -> Context:
        """A context from a language's code in any spelling and vectors."""
        if not isinstance(lang, str | None):
            raise OptionError(f"lang is {lang!r}", fix="use a code such as 'fr'")
        if not (vectors is None or isinstance(vectors, str | os.PathLike | _vectors_type())):
            kind = type(vectors).__name__
            raise OptionError(f"vectors is a {kind}", fix="give a file's name or WordVectors")
        return cls(code(lang) if lang else "", vectors, max_words, format, cache, workers)

    def language(self, own: str) -> str:
        """The language that a part was given itself, or else this one."""
        if not (own or self.lang):
            raise OptionError(
                "the language is needed",
                fix="name it: --lang fr, or lang='fr' in Python",
            )
        return code(own) if own else self.lang

    def check_vectors(self) -> None:
        """There must be vectors, or at least a file."""
        if self.source is None:
            raise OptionError(
                "word vectors are needed",
                fix="name a file (word2vec, fastText, GloVe, ...): --vectors cc.fr.300.vec, "
                "or vectors='cc.fr.300.vec' in Python",
            )
        if isinstance(self.source, str | os.PathLike) and not os.path.exists(self.source):
            shown = os.fspath(self.source) or "--vectors ''"
            raise InputError("no such file", where=shown, fix="check the path")

    @cached_property
    def vectors(self) -> WordVectors:
        """The word vectors."""
        self.check_vectors()
        if isinstance(self.source, str | os.PathLike):
            return _vectors_type().open(self.source, max_words=self.max_words, format=self.format)
        assert self.source is not None
        return self.source

    @property
    def notes(self) -> tuple[str, ...]:
        """What was odd about the vectors' file, if it was opened."""
        opened: WordVectors | None = self.__dict__.get("vectors")
        return tuple(f"{opened.name}: {note}" for note in opened.notes) if opened else ()


def _vectors_type() -> type[WordVectors]:
    """Imported when needed: scoring without vectors must not wait for it."""
    from misword.embed.vectors.words import WordVectors

    return WordVectors

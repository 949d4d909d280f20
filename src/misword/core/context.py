"""The context of a run: the language of the texts, the word vectors, the cache, the threads."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from misword.core.errors import OptionError
from misword.core.languages import code


@dataclass(frozen=True, eq=False)
class Context:
    """What a part may read beside the texts.

    `lang` is a language code (`fr`), empty if the user named no language. `source` is the file of
    the word vectors, or the `WordVectors` themselves; `max_words` and `format` say how that file is
    read. `misword.embed.vectors.words.word_vectors` opens it when a part first needs it. With
    `cache`, the sentence vectors of models are stored on disk. `workers` is the number of threads;
    None means one for each core.
    """

    lang: str = ""
    source: Any = None
    max_words: int | None = None
    format: str | None = None
    cache: bool = False
    workers: int | None = None
    # Resources that were opened for parts, by name; each is opened once.
    opened: dict[str, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls,
        lang: str | None = None,
        vectors: Any = None,
        max_words: int | None = None,
        format: str | None = None,
        *,
        cache: bool = False,
        workers: int | None = None,
    ) -> Context:
        """Make a context from a language code in any spelling and from vectors.

        >>> Context.of("fr-FR").lang
        'fr'
        """
        if not isinstance(lang, str | None):
            raise OptionError(f"lang is {lang!r}", fix="use a code such as 'fr'")
        return cls(code(lang) if lang else "", vectors, max_words, format, cache, workers)

    def language(self, own: str) -> str:
        """Return the code of `own`, the language option of a part; of `lang` if `own` is empty."""
        if not (own or self.lang):
            raise OptionError(
                "the language is needed",
                fix="name it: --lang fr, or lang='fr' in Python",
            )
        return code(own) if own else self.lang

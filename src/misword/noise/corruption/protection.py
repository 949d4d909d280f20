"""Words that get no errors, or the only words that get any: `--keep` and `--only`.

A list has words or phrases, one on each line; they are compared by their cores (lower case, without
the punctuation around them). `entities` stands for the names that a spaCy pipeline recognises.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from misword.core.context import Context
from misword.core.errors import InputError, OptionError
from misword.core.parts import Settings
from misword.noise.arrays import Flags
from misword.noise.corruption.text_block import TextBlock, word_shape
from misword.text.texts import SEPARATOR

ENTITIES = "entities"
Phrase = tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class WordList:
    """Words and phrases, by their cores, or the entities of a language."""

    phrases: frozenset[Phrase] = frozenset()
    lang: str = ""  # of the pipeline; empty: the phrases
    name: str = ""

    @classmethod
    def read(cls, source: str | os.PathLike[str], context: Context) -> WordList:
        """Return the list of a file, or the entities of the language."""
        if source == ENTITIES:
            if not context.lang:
                raise OptionError("entities are recognised in a language", fix="name it: --lang en")
            _spacy(context.lang).check(context)
            return cls(lang=context.lang, name=_entity_name(context))
        try:
            text = Path(source).read_text(encoding="utf-8-sig")
        except UnicodeDecodeError:
            raise InputError("not UTF-8", where=str(source), fix="convert it to UTF-8") from None
        except OSError as error:
            raise InputError(
                f"the list of words cannot be read: {error.strerror}", where=str(source),
                fix="name a file with a word on each line, or entities",
            ) from None  # fmt: skip
        phrases = frozenset(filter(None, map(_cores, text.splitlines())))
        if not phrases:
            raise InputError(
                "the list has no words", where=str(source), fix="write a word on each line"
            )
        joined = "\n".join(sorted(map(" ".join, phrases)))
        return cls(phrases, name=f"list-{sha256(joined.encode()).hexdigest()[:12]}")

    def flags(self, block: TextBlock) -> Flags:
        """Return which words of a block are in the list, or part of an entity or a phrase."""
        return self._entities(block) if self.lang else self._listed(block)

    def _listed(self, block: TextBlock) -> Flags:
        cores = [word_shape(token).core for token in block.vocabulary]
        first = {phrase[0] for phrase in self.phrases}
        longest = max(map(len, self.phrases))
        single = np.array([(core,) in self.phrases for core in cores], bool)
        ids = block.tokens.ids
        flags: Flags = single[ids] if len(ids) else np.zeros(0, bool)
        if longest > 1:
            begins = np.array([core in first for core in cores], bool)
            for at in np.flatnonzero(begins[ids] if len(ids) else []).tolist():
                end = int(block.offsets[block.row_of[at] + 1])
                words = [cores[number] for number in ids[at : min(at + longest, end)].tolist()]
                for size in range(2, len(words) + 1):
                    if tuple(words[:size]) in self.phrases:
                        flags[at : at + size] = True
        return flags

    def _entities(self, block: TextBlock) -> Flags:
        from misword.text.analyzers.spacy import BATCH, load, pipeline_name

        pipeline: Any = load(pipeline_name(_spacy(self.lang)), entities=True)
        texts = block.data[:-1].tobytes().decode().split(SEPARATOR) if len(block) else []
        flags = np.zeros(len(block.tokens.ids), bool)
        documents = pipeline.pipe(texts, batch_size=BATCH)
        for row, (text, document) in enumerate(zip(texts, documents, strict=True)):
            spans = [(entity.start_char, entity.end_char) for entity in document.ents]
            for first, last in words_of_spans(text, spans):
                flags[block.offsets[row] + first : block.offsets[row] + last] = True
        return flags


def words_of_spans(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the words that spans of characters touch, as start and end.

    >>> list(words_of_spans("Hi, Anna, you", [(4, 8)]))
    [(1, 2)]
    """
    places = [word.span() for word in re.finditer(r"\S+", text)]
    starts, ends = [start for start, _ in places], [end for _, end in places]
    for begin, end in spans:
        yield bisect_right(ends, begin), bisect_left(starts, end)


@dataclass(frozen=True, slots=True, eq=False)
class Protection:
    """Which words of a text may not be changed: those of `keep`, and those not of `only`."""

    keep: WordList | None = None
    only: WordList | None = None
    # The flags of the last blocks: several word error rates ask for the same ones.
    _known: dict[int, tuple[TextBlock, Flags]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        keep: str | os.PathLike[str] | None,
        only: str | os.PathLike[str] | None,
        context: Context,
    ) -> Protection | None:
        """Return the protection that options name, None for none."""
        if keep is None and only is None:
            return None
        kept, chosen = (
            None if source is None else WordList.read(source, context) for source in (keep, only)
        )
        return cls(kept, chosen)

    def barred(self, block: TextBlock) -> Flags:
        """Return which words of a block may not be changed."""
        known = self._known.get(id(block))
        if known is not None and known[0] is block:
            return known[1]
        barred = np.zeros(len(block.tokens.ids), bool)
        if self.keep is not None:
            barred |= self.keep.flags(block)
        if self.only is not None:
            barred |= ~self.only.flags(block)
        while len(self._known) > 8:
            self._known.pop(next(iter(self._known)), None)
        self._known[id(block)] = block, barred
        return barred

    def barred_gaps(self, block: TextBlock) -> Flags:
        """Return the gaps (after words, before rows) where nothing may be inserted.

        These are the gaps within kept stretches and, with `only`, those not beside its words.
        """
        barred = self.barred(block)
        size, rows = len(barred), len(block)
        gaps = np.zeros(size + rows, bool)
        last = np.zeros(size, bool)
        last[block.offsets[1:][block.has_words] - 1] = True
        following = np.append(barred[1:], False) | last
        gaps[:size] = barred & following
        first = block.offsets[:-1][block.has_words]
        gaps[size:][block.has_words] = barred[first] if self.only is not None else False
        return gaps

    @property
    def settings(self) -> Settings:
        """The lists, for a signature."""
        pairs = (("keep", self.keep), ("only", self.only))
        return tuple((name, listed.name) for name, listed in pairs if listed is not None)

    def without_memory(self) -> Protection:
        """Return the same protection without the flags of blocks."""
        return replace(self, _known={})


def _cores(line: str) -> Phrase:
    return tuple(core for core in (word_shape(token).core for token in line.split()) if core)


def _spacy(lang: str) -> Any:
    from misword.text.analyzers import ANALYZERS

    return ANALYZERS.create_for(lang, "spacy", "recogniser", lambda part: True)


def _entity_name(context: Context) -> str:
    return ",".join(value for _, value in _spacy(context.lang).settings(context))

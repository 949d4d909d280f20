"""Build a gold set from dictionaries: a training lexicon and an evaluation set.

Reference: Denisová and Rychlý 2023, "Evaluation of the Cross-lingual Embedding Models from the
Lexicographic Perspective", section 4
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Unpack

from misword.bli.auditing.languages import language_codes
from misword.bli.building.assembling import assemble
from misword.bli.building.result import GoldSet, check_folder
from misword.bli.building.settings import BuildSettings, Criteria
from misword.bli.building.word_analysis import NO_NAMES, SIDES, Analyzers, WordAnalysis
from misword.bli.mapping import open_vectors
from misword.core.errors import OptionError
from misword.embed.vectors.words import WordVectors
from misword.io.dictionaries.entries import Dictionary
from misword.io.dictionaries.read import read_dictionary
from misword.io.files.sources import PathLike

DictionaryOrPath = Dictionary | PathLike


def build(
    source_lang: str,
    target_lang: str,
    dictionaries: DictionaryOrPath | Sequence[DictionaryOrPath],
    source_vectors: WordVectors | PathLike,
    target_vectors: WordVectors | PathLike,
    *,
    purpose: str = "lexicography",
    reverse: bool = False,
    format: str | None = None,
    keep_going: bool = False,
    analyzers: Analyzers = NO_NAMES,
    audited: bool = True,
    out: PathLike | None = None,
    force: bool = False,
    **criteria: Unpack[Criteria],
) -> GoldSet:
    """Make a training lexicon and an evaluation set from dictionaries, by stated criteria.

    `dictionaries` are files that `read_dictionary` reads (`format`, `reverse` and `keep_going` are
    its options), or dictionaries in memory. `purpose` sets the defaults of all criteria:
    `lexicography` (all frequencies and senses) or `learners` (frequent words with few senses).
    `Criteria` explains the criteria (`size=1500`, `pos="NOUN:50,VERB:50"`, ...). `analyzers` names
    other lemmatizers or another tagger than the defaults of the languages. With `audited`, the
    datasheet has what `audit` finds. `out` is a folder for `train.tsv`, `evaluation.tsv`,
    `datasheet.md` and `datasheet.json`; `force` replaces an older gold set in it.

    >>> from misword.io.dictionaries.entries import Entry
    >>> words = [[f"{kind}{letter}" for letter in "abcdefgh"] for kind in ("word", "mot")]
    >>> entries = [Entry((word,), ((translation,),), "n") for word, translation in zip(*words)]
    >>> vectors = [WordVectors.of(side, [[n, 1] for n in range(8)]) for side in words]
    >>> gold = build("eo", "ia", Dictionary.of(entries), *vectors, size=3)
    >>> gold.datasheet["counts"]["evaluation"]["headwords"], gold.train.height
    (3, 5)
    """
    settings = BuildSettings.of(purpose, criteria)
    langs = dict(zip(SIDES, language_codes(source_lang, target_lang), strict=True))
    if out is not None:
        check_folder(Path(out), force=force)
    analysis = WordAnalysis.of(langs, analyzers, settings)
    options: dict[str, Any] = {"format": format, "reverse": reverse, "keep_going": keep_going}
    read = [
        one if isinstance(one, Dictionary) else read_dictionary(one, *langs.values(), **options)
        for one in _several(dictionaries)
    ]
    vectors = {
        side: one if isinstance(one, WordVectors) else open_vectors(one, settings.max_words)
        for side, one in zip(SIDES, (source_vectors, target_vectors), strict=True)
    }
    gold = assemble(read, vectors, langs, analysis, settings, audited=audited)
    if out is not None:
        gold.write(out, force=force)
    return gold


def _several(
    dictionaries: DictionaryOrPath | Sequence[DictionaryOrPath],
) -> Sequence[DictionaryOrPath]:
    """Return a list of dictionaries, which may be one."""
    if isinstance(dictionaries, Dictionary | str | os.PathLike):
        return [dictionaries]
    if not dictionaries:
        raise OptionError("no dictionary", fix="name at least one: --from dict.tsv")
    return dictionaries

"""Build a gold set from dictionaries: a training lexicon and an evaluation set.

Reference: Denisová and Rychlý 2023, "Evaluation of the Cross-lingual Embedding Models from the
Lexicographic Perspective", section 4
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from misword.bli.building.assembling import assemble
from misword.bli.building.result import GoldSet, check_folder
from misword.bli.building.settings import BuildSettings
from misword.bli.building.word_analysis import SIDES, WordAnalysis
from misword.bli.mapping import open_vectors
from misword.core.errors import OptionError
from misword.core.languages import known_code
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
    size: int | None = None,
    train_size: int | None = None,
    max_words: int | None = None,
    pos: str | None = None,
    bands: str | None = None,
    senses: str | tuple[int, int] | None = None,
    exclude: str | Sequence[str] | None = None,
    forms: str | None = None,
    disjoint: str | None = None,
    seed: int | None = None,
    reverse: bool = False,
    format: str | None = None,
    keep_going: bool = False,
    source_lemmatizer: str = "",
    target_lemmatizer: str = "",
    tagger: str = "",
    out: PathLike | None = None,
    force: bool = False,
) -> GoldSet:
    """Make a training lexicon and an evaluation set from dictionaries, by stated criteria.

    `dictionaries` are files that `read_dictionary` reads (`format`, `reverse` and `keep_going` are
    its options), or dictionaries in memory. Both words of a pair must be among the first
    `max_words` words of the vectors, be one word and have a letter. `purpose` sets the defaults of
    all criteria: `lexicography` (all frequencies and senses) or `learners` (frequent words with few
    senses).

    `size` is the number of headwords of the evaluation set, and `train_size` that of the training
    lexicon, whose headwords are the most frequent of the others. `pos` names the parts of speech of
    the evaluation set, with their shares (`NOUN:50,VERB:30,ADJ:20`) or without (`NOUN,VERB`);
    `bands` names frequency bands by their highest ranks in the same way; `senses` is the range of
    the number of senses of a headword (`1-3`). A headword with more senses is left out as a whole,
    since without some of its translations right answers would count as wrong.

    `exclude`: `identical` pairs, `names`. `forms`: words of the dictionary `as-is`; `lemmas`, both
    words replaced by their lemmas; or `expand`, which adds the inflected forms of translations to
    the evaluation set. No headword of the training lexicon has the lemma of one of the evaluation
    set; with `disjoint="both"` no translation has either. `seed` decides the draw.

    `out` is a folder for `train.tsv`, `evaluation.tsv`, `datasheet.md` and `datasheet.json`.

    >>> from misword.io.dictionaries.entries import Entry
    >>> entries = [Entry((f"word{i}x",), ((f"mot{i}x",),), "n") for i in range(20)]
    >>> rows = [[i, 1.0] for i in range(20)]
    >>> english, french = (WordVectors.of([f"{w}{i}x" for i in range(20)], rows)
    ...                    for w in ("word", "mot"))
    >>> gold = build("eo", "ia", Dictionary.of(entries), english, french, size=5)
    >>> gold.datasheet["counts"]["evaluation"]["headwords"], gold.train.height
    (5, 15)
    """
    settings = BuildSettings.of(
        purpose, size=size, train_size=train_size, max_words=max_words, pos=pos, bands=bands,
        senses=senses, exclude=exclude, forms=forms, disjoint=disjoint, seed=seed,
    )  # fmt: skip
    langs = {"source": known_code(source_lang), "target": known_code(target_lang)}
    if out is not None:
        check_folder(Path(out), force=force)
    lemmatizers = {"source": source_lemmatizer, "target": target_lemmatizer}
    analysis = WordAnalysis.of(langs, lemmatizers, tagger, settings)
    read = [
        one
        if isinstance(one, Dictionary)
        else read_dictionary(
            one, *langs.values(), format=format, reverse=reverse, keep_going=keep_going
        )
        for one in _several(dictionaries)
    ]
    vectors = {
        side: one if isinstance(one, WordVectors) else open_vectors(one, settings.max_words)
        for side, one in zip(SIDES, (source_vectors, target_vectors), strict=True)
    }
    gold = assemble(read, vectors, langs, analysis, settings)
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

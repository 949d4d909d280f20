"""Mappings by the methods of the papers, kept in build/studies, and gold lexicons."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import polars as pl

from misword.bli.evaluation.rates import quotient
from misword.bli.evaluation.result import Evaluation
from misword.bli.map import prepare
from misword.bli.mapping import open_vectors
from misword.io.lexicons import Lexicon, read_lexicon
from misword.stat.paired import Difference, paired
from studies.common.data import BUILD, shared

# The names of the papers' systems, and the methods. The adversarial training of MUSE-U fails on
# these vectors also at its defaults (bench/results/mapping-games.md), and takes minutes to do so.
METHODS = {
    "MUSE-S": "muse-s",
    "MUSE-I": "muse-i",
    "MUSE-U": "muse-u:starts=1,epochs=1,steps=100",
    "VecMap-S": "vecmap-s",
    "VecMap-I": "vecmap-i",
    "VecMap-U": "vecmap-u",
    "RCSLS": "rcsls",
}
ALL_WORDS = 30_000


def vectors(lang: str) -> Path:
    """Return the vectors of a language."""
    return shared(f"vectors/{lang}.vec.gz")


def training_lexicon(pair: str) -> Path:
    """Return the training lexicon of MUSE of two languages, such as `en-de`."""
    return shared(f"bli/{pair}.0-5000.txt")


def muse_gold(pair: str) -> Lexicon:
    """Return the test lexicon of MUSE."""
    return read_lexicon(shared(f"bli/{pair}.5000-6500.txt"))


def mapping_file(pair: str, system: str, max_words: int = ALL_WORDS) -> Path:
    """Return the file of a mapping; learn the mapping if it is not there yet.

    Known problems: a file is found by the signature of its mapping. After a change of a method that
    does not change the signature, remove build/studies/mappings.
    """
    source, target = (vectors(lang) for lang in pair.split("-"))
    method = METHODS[system]
    lexicon = training_lexicon(pair) if method in ("muse-s", "vecmap-s", "rcsls") else None
    task = prepare(source, target, method, lexicon=lexicon, max_words=max_words)
    digest = sha256(str(task.signature).encode()).hexdigest()[:12]
    path = BUILD / "mappings" / f"{pair}-{system.lower()}-{max_words}-{digest}.map"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        task.train(path)
    return path


def mapping_files(pair: str, max_words: int = ALL_WORDS, *systems: str) -> dict[str, Path]:
    """Return the files of the mappings of some systems, or of all."""
    return {name: mapping_file(pair, name, max_words) for name in systems or METHODS}


def annotated_gold(pair: str, *parts_of_speech: str) -> Lexicon:
    """Return the pairs of MUSE's test lexicon that people gave some part of speech.

    The parts of speech are those of Kementchedjhieva et al. 2019: n, v, a (adjectives and adverbs),
    pn (proper nouns), o (others), nw (invalid). A pair can have several.
    """
    folder = shared("bli/lost-in-evaluation")
    files = [folder / f"{pair}.5000-6500.{kind}.txt" for kind in parts_of_speech]
    pairs = [
        words
        for lexicon in map(read_lexicon, files)
        for words in zip(lexicon.source, lexicon.target, strict=True)
    ]
    return Lexicon.of(dict.fromkeys(pairs), f"{pair} {','.join(parts_of_speech)}")


def pairs_within(gold: Lexicon, pair: str, max_words: int) -> Lexicon:
    """Return the pairs of which both words are among the first words of the vectors."""
    known = [set(open_vectors(vectors(lang), max_words).words) for lang in pair.split("-")]
    pairs = zip(gold.source, gold.target, strict=True)
    inside = [words for words in pairs if words[0] in known[0] and words[1] in known[1]]
    return Lexicon.of(inside, f"{gold.name}, first {max_words:,} words")


def recall_change(before: Evaluation, after: Evaluation, system: str, k: int = 10) -> Difference:
    """Return the difference of a system's recall in two evaluations on the same lexicon."""
    tables = [each.headwords().filter(pl.col("system") == system) for each in (before, after)]
    assert tables[0]["word"].equals(tables[1]["word"])
    terms = [table.select(f"found@{k}", "pairs").to_numpy() for table in tables]
    return paired(terms[0], terms[1], quotient)

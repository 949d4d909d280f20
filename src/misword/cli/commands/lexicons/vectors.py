"""Inspect and convert word vectors, list nearest neighbours, train vectors on a corpus.

Formats: word2vec and fastText text (.vec), GloVe, word2vec binary, fastText .bin with its n-grams,
numpy .npz, gensim; text also as .gz, .zst, .bz2 or .xz. A file that was read once is stored in the
cache folder (MISWORD_CACHE, or the default of the system) and opens within milliseconds next time.
`train` reads a corpus instead, a sentence in each line, and needs pip install 'misword[vectors]'.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict

from misword.cli.options import Format
from misword.cli.output import bars, refuse_options
from misword.cli.printing import note
from misword.cli.rendering import print_facts, print_table
from misword.core.errors import InputError, OptionError
from misword.core.options import Option, chosen, declared, whole
from misword.core.tables import Table, count, number, text
from misword.embed.options import VectorReading, VectorTraining

if TYPE_CHECKING:
    from misword.embed.vectors.words import WordVectors


class VectorArguments(TypedDict, total=False):
    """What is done with a file of vectors."""

    action: Annotated[
        Literal["info", "convert", "neighbors", "train"],
        Option(
            "info: show facts about the file (words, dimension, norms, defects); convert: read it "
            "into the cache, or into a new folder; neighbors: list the words with the greatest "
            "cosine; train: train vectors on a corpus",
            metavar="info|convert|neighbors|train",
            positional=True,
        ),
    ]
    file: Annotated[
        str,
        Option(
            "word vectors, or a folder of `convert --out`; of train: a corpus, plain text",
            metavar="FILE",
            positional=True,
            is_file=True,
        ),
    ]
    words: Annotated[
        list[str],
        Option(
            "words whose neighbours are listed",
            default=(),
            metavar="WORD",
            positional=True,
            values="+",
        ),
    ]
    k: Annotated[
        int,
        Option(
            "neighbours of each word",
            flags=("-k", "--k"),
            default=10,
            metavar="N",
            read=whole(1),
            common=True,
        ),
    ]
    out: Annotated[
        str | None,
        Option(
            "of convert: write a folder that can be used instead of the file, also on another "
            "machine; of train: the file for the vectors, .vec (text) or .bin (fastText, with the "
            "vectors of n-grams)",
            flags=("--out", "-o"),
            metavar="DIR",
            common=True,
        ),
    ]


OPTIONS = (VectorArguments, VectorReading, VectorTraining, Format)
EXAMPLES = """\
examples:
  misword vectors info cc.fr.300.vec.gz
  misword vectors info glove.840B.300d.txt --max-words 200000 --format md
  misword vectors convert cc.fr.300.vec.gz --out french/
  misword vectors neighbors cc.fr.300.bin maison chien -k 5
  misword vectors train corpus.cs.txt -o cs.vec --workers 4
  misword vectors train corpus.cs.txt -o cs.bin --min-count 10 --dimension 300
"""

TRAINED = declared(VectorTraining)
SHOWN = 10  # words that `info` lists
SPELLINGS = 200_000  # the number of words that are searched for similar spellings


def run(options: argparse.Namespace) -> None:
    """Do what the first argument says."""
    if options.action == "neighbors" and not options.words:
        raise OptionError("no words to look up", fix="name them after the file")
    if options.action != "neighbors" and options.words:
        raise OptionError(
            f"{options.action} takes one file and no words", fix="use neighbors, or leave them out"
        )
    used = {"convert": {"out"}, "neighbors": {"k"}, "train": {"out", *TRAINED}}
    unused = {"k", "out", *TRAINED} - used.get(options.action, set())
    if options.action == "train":
        unused |= {"max_words", "vector_format"}
    refuse_options(options, unused, options.action)
    actions = {"info": _info, "convert": _convert, "neighbors": _neighbors, "train": _train}
    actions[options.action](options)


@contextmanager
def _opened(options: argparse.Namespace) -> Iterator[WordVectors]:
    from misword.embed.vectors.words import WordVectors

    with bars():
        vectors = WordVectors.open(
            options.file, vector_format=options.vector_format, max_words=options.max_words
        )
        note(*vectors.notes)
        yield vectors


def _info(options: argparse.Namespace) -> None:
    with _opened(options) as vectors:
        facts = describe(vectors, Path(options.file))
    print_facts(facts, options.format)


def describe(vectors: WordVectors, path: Path) -> dict[str, Any]:
    """Return facts about vectors: size, format, norms, first words."""
    norms, lower = _norms_and_case(vectors)
    return {
        "file": vectors.name,
        "format": vectors.format,
        "words": len(vectors),
        "dimension": vectors.dimension,
        "subwords": vectors.pieces is not None,
        "digest": vectors.digest,
        "bytes on disk": _size(path),
        "kept in": str(vectors.folder) if vectors.folder else None,
        "norm, least": norms[0],
        "norm, mean": norms[1],
        "norm, greatest": norms[2],
        "lower-case words": lower,
        "first words": vectors.words[:SHOWN],
        "notes": list(vectors.notes),
    }


def _norms_and_case(vectors: WordVectors) -> tuple[tuple[float, float, float], float]:
    """Return least, mean and greatest norm, and the share of words in lower case."""
    import numpy as np

    from misword.core.progress import progress

    norms, lower, rows = [], 0, 8192
    with progress("measuring", len(vectors)) as step:
        for lo in range(0, len(vectors), rows):
            numbers = np.arange(lo, min(lo + rows, len(vectors)))
            norms.append(np.linalg.norm(vectors.rows(numbers).astype(np.float64), axis=1))
            lower += sum(word == word.lower() for word in vectors.words[lo : lo + rows])
            step(len(numbers))
    lengths = np.concatenate(norms)
    return (
        (float(lengths.min()), float(lengths.mean()), float(lengths.max())),
        lower / len(vectors),
    )


def _size(path: Path) -> int:
    files = path.iterdir() if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files)


def _convert(options: argparse.Namespace) -> None:
    if options.out is None:
        with _opened(options) as vectors:
            if vectors.folder is None:
                raise InputError("nothing was kept", fix="see the note, or name a folder: --out")
    else:
        from misword.embed.vectors.store import Request, export
        from misword.embed.vectors.words import WordVectors

        if os.path.isdir(options.file):
            raise InputError("this is a folder", where=options.file, fix="copy it as it is")
        wanted = Request.of(options.file, options.vector_format, options.max_words)
        with bars():
            export(wanted, Path(options.out))
        vectors = WordVectors.open(options.out)
        note(*vectors.notes)
    facts = {
        "file": options.file,
        "folder": str(vectors.folder),
        "words": len(vectors),
        "dimension": vectors.dimension,
        "digest": vectors.digest,
    }
    print_facts(facts, options.format)


def _train(options: argparse.Namespace) -> None:
    from misword.embed.vectors.training import train_vectors

    if options.out is None:
        raise OptionError("nowhere to write the vectors", fix="name a file: -o en.vec")
    with bars():
        vectors = train_vectors(options.file, options.out, **chosen(options, VectorTraining))
    facts = {
        "corpus": options.file,
        "vectors": options.out,
        "words": len(vectors),
        "dimension": vectors.dimension,
        "subwords": vectors.pieces is not None,
        "seed": options.seed,
        "digest": vectors.digest,
    }
    print_facts(facts, options.format)


def _neighbors(options: argparse.Namespace) -> None:
    rows: list[dict[str, Any]] = []
    unknown_words = []
    with _opened(options) as vectors:
        for word in options.words:
            try:
                neighbors = vectors.neighbors(word, options.k)
            except KeyError:
                unknown_words.append(word)
                note(unknown_word(vectors, word))
                continue
            if word not in vectors and vectors.pieces is not None:
                note(f"{word!r} is not listed: a vector from n-grams")
            rows += [
                {"word": word, "rank": rank, "neighbor": near, "cosine": round(cosine, 6)}
                for rank, (near, cosine) in enumerate(neighbors, 1)
            ]
    if not rows:
        raise InputError(
            f"none of the words is known: {', '.join(unknown_words)}", where=options.file
        )
    columns = text("word"), text("neighbor"), count("rank"), number("cosine", digits=4)
    print_table(Table("neighbors", columns, rows), options.format)


def unknown_word(vectors: WordVectors, word: str) -> str:
    """Return a note that a word has no vector, with words of similar spelling."""
    if word in vectors:
        return f"{word!r} has a vector without a direction: zero or not finite"
    near = get_close_matches(word, vectors.words[:SPELLINGS], 3)
    hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
    return f"{word!r} is not among the {len(vectors):,} words{hint}"

"""Inspect and convert word vectors, list nearest neighbours.

Formats: word2vec and fastText text (.vec), GloVe, word2vec binary, fastText .bin with its n-grams,
numpy .npz, gensim; text also as .gz, .zst, .bz2 or .xz. A file that was read once is stored in the
cache folder (MISWORD_CACHE, or the default of the system) and opens within milliseconds next time.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from misword.cli.command_line import Parser
from misword.cli.options import Format, General
from misword.cli.output import TextTable, bars, print_facts, print_table
from misword.cli.printing import note, print_json
from misword.core.errors import InputError
from misword.core.options import Option, whole
from misword.core.tables import Table, count, number, text
from misword.embed.options import VectorReading

if TYPE_CHECKING:
    from misword.embed.vectors.words import WordVectors


class VectorFile(TypedDict, total=False):
    """The file of vectors."""

    file: Annotated[
        str,
        Option(
            "word vectors, or a folder of `convert --out`",
            metavar="FILE",
            positional=True,
            is_file=True,
        ),
    ]


class Converted(TypedDict, total=False):
    """The folder for converted vectors."""

    out: Annotated[
        str | None,
        Option(
            "write a folder that can be used instead of the file, also on another machine",
            metavar="DIR",
        ),
    ]


class Words(TypedDict, total=False):
    """The words whose neighbours are listed."""

    words: Annotated[
        list[str], Option("words to look up", metavar="WORD", positional=True, values="+")
    ]
    k: Annotated[
        int,
        Option(
            "neighbours of each word", flags=("-k", "--k"), default=10, metavar="N", read=whole(1)
        ),
    ]


EXAMPLES = """\
examples:
  misword vectors info cc.fr.300.vec.gz
  misword vectors info glove.840B.300d.txt --max-words 200000 --format md
  misword vectors convert cc.fr.300.vec.gz --out french/
  misword vectors neighbors cc.fr.300.bin maison chien -k 5
"""

SHOWN = 10  # words that `info` lists
SPELLINGS = 200_000  # the number of words that are searched for similar spellings


def add_arguments(parser: Parser) -> None:
    """Declare the sub-commands and their options."""
    commands = parser.add_subparsers(required=True, metavar="info|convert|neighbors")
    _command(commands, "info", "show facts about a file: words, dimension, norms, defects", _info)
    about = "read a file into the cache, or into a new folder"
    _command(commands, "convert", about, _convert, Converted)
    about = "list the words with the greatest cosine"
    _command(commands, "neighbors", about, _neighbors, Words)


def run(options: argparse.Namespace) -> None:
    """Run the chosen sub-command."""
    options.run(options)


def _command(
    commands: Any, name: str, about: str, run: Callable[[argparse.Namespace], None], *own: Any
) -> None:
    parser: Parser = commands.add_parser(name, help=about, description=about)
    parser.add_options((VectorFile, *own, VectorReading, Format, General))
    parser.set_defaults(run=run)


@contextmanager
def _opened(options: argparse.Namespace) -> Iterator[WordVectors]:
    from misword.embed.vectors.words import WordVectors

    with bars():
        vectors = WordVectors.open(
            options.file, vector_format=options.vector_format, max_words=options.max_words
        )
        for text in vectors.notes:
            note(text)
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
        for text in vectors.notes:
            note(text)
    facts = {
        "file": options.file,
        "folder": str(vectors.folder),
        "words": len(vectors),
        "dimension": vectors.dimension,
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
    _print_rows(rows, options.format)


def unknown_word(vectors: WordVectors, word: str) -> str:
    """Return a note that a word has no vector, with words of similar spelling."""
    if word in vectors:
        return f"{word!r} has a vector without a direction: zero or not finite"
    near = get_close_matches(word, vectors.words[:SPELLINGS], 3)
    hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
    return f"{word!r} is not among the {len(vectors):,} words{hint}"


def _print_rows(rows: list[dict[str, Any]], form: str) -> None:
    if form == "json":
        print_json(rows)
        return
    columns = text("word"), text("neighbor"), count("rank"), number("cosine", digits=4)
    print_table(TextTable.of(Table("neighbors", columns, rows)), form)

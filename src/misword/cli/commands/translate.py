"""The nearest words of another language, by a mapping.

Words are looked up as they are written. A word that is not among the vectors has no candidates; it
is listed all the same, and counted. `-o` writes a lexicon as a table (tabs, with a header), which
`misword evaluate` and `misword map` read, and spreadsheets do.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from misword.bli.open_mapping import Bridge
from misword.bli.retrievers import RETRIEVERS
from misword.bli.translate import Translations, translations, with_new
from misword.cli.bilingual import add_retriever, add_vectors, opening
from misword.cli.inputs import provenance, whole
from misword.cli.notes import note
from misword.cli.output import Table, add_format, status
from misword.cli.progress import bars
from misword.core.errors import OptionError
from misword.core.types import Result
from misword.core.version import __version__
from misword.io.files.sources import counted, open_source, recorded
from misword.io.lexicons import write_lexicon
from misword.io.results import write_result

if TYPE_CHECKING:
    from misword.bli.retrievers import Retriever

EXAMPLES = """\
examples:
  misword translate en-fr.map dog cat house
  misword translate en-fr.map --words words.txt --k 10 --retriever csls
  misword translate en-fr.map --words words.txt --format csv > candidates.csv
  misword translate en-fr.map --all --k 3 -o draft.tsv
  misword translate en-fr.map chien --reverse
"""
COLUMNS = ("word", "rank", "candidate", "score")
SHOWN = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("mapping", metavar="MAPPING", help="a file that `misword map` wrote")
    parser.add_argument("words", metavar="WORD", nargs="*", help="words to translate")
    parser.add_argument(
        "--words",
        dest="word_list",
        metavar="FILE",
        help="words to translate, one a line (of a table between tabs, its first column); - for "
        "stdin",
    )
    parser.add_argument("--all", action="store_true", help="translate the whole vocabulary")
    parser.add_argument(
        "--k", type=whole(1), default=10, metavar="N", help="candidates for each word (default 10)"
    )
    add_retriever(parser)
    add_vectors(parser)
    add_format(parser)
    parser.add_argument(
        "-o", dest="lexicon", metavar="FILE", help="write a lexicon to FILE, and no table"
    )
    parser.add_argument("--out", metavar="DIR", help="also write a result folder (JSON, Parquet)")


def run(options: argparse.Namespace) -> None:
    """Open, look for neighbours, write."""
    _check(options)
    part = RETRIEVERS.create(options.retriever)
    with bars(), recorded() as hashes:
        words = _words(options)
        with status("opening"):
            bridge = Bridge.of(options.mapping, **opening(options))
        found = _found(bridge, words, part, options)
    unknown = found.unknown
    if options.lexicon is not None:
        write_lexicon(_lexicon_rows(found), options.lexicon)
        note(f"{len(found.words) - len(unknown):,} words written to {options.lexicon}")
    if options.out is not None:
        known = {**provenance(options, "translate", hashes), "signature": str(found.signature)}
        known["unknown"] = len(unknown)
        write_result(Result("translations", {"candidates": found.table()}, known), options.out)
    if found.new:
        told = "is not listed: a vector" if len(found.new) == 1 else "are not listed: vectors"
        note(f"{counted(len(found.new), 'word')} {told} from n-grams")
    if unknown:
        shown = ", ".join(map(repr, unknown[:SHOWN])) + (", ..." if len(unknown) > SHOWN else "")
        note(f"{len(unknown):,} of {len(found.words):,} words have no vector: {shown}")
    if options.lexicon is None:
        _print(found, options.format)
    else:
        note(str(found.signature))


def _check(options: argparse.Namespace) -> None:
    """Refuse, before any work, what cannot be done."""
    given = [bool(options.words), options.word_list is not None, options.all]
    if sum(given) != 1:
        raise OptionError(
            "no words to translate" if not any(given) else "words are named in two ways",
            fix="name words, or --words FILE, or --all",
        )
    if options.all and options.lexicon is None and options.format in ("table", "md"):
        raise OptionError(
            "the whole vocabulary is too long a table to look at",
            fix="write a lexicon with -o FILE, or use --format csv or json",
        )
    if options.lexicon is not None:
        _check_output(options)


def _check_output(options: argparse.Namespace) -> None:
    """Refuse a lexicon that cannot be written, or would replace what is read."""
    from misword.io.files.writing import check_path

    check_path(options.lexicon, "draft.tsv")
    inputs = (options.mapping, options.word_list, options.source, options.target)
    known = {Path(name).absolute().resolve() for name in inputs if name not in (None, "-")}
    if Path(options.lexicon).absolute().resolve() in known:
        raise OptionError("this is an input", where=options.lexicon, fix="name another file")


def _words(options: argparse.Namespace) -> list[str] | None:
    """The words that are asked for, each once; None: all there are."""
    if options.all:
        return None
    if options.words:
        return list(dict.fromkeys(options.words))
    lines = (line.partition("\t")[0].strip() for line in open_source(options.word_list).lines)
    words = [line for line in lines if line]
    different = list(dict.fromkeys(words))
    if len(different) < len(words):
        note(f"{len(words) - len(different):,} doubled words: each is translated once")
    if not different:
        raise OptionError("no words in it", where=options.word_list, fix="write one on each line")
    return different


def _found(
    bridge: Bridge, words: Sequence[str] | None, part: Retriever, options: argparse.Namespace
) -> Translations:
    with status("translating"):
        found = translations(bridge, words, options.k, part, options.workers)
        return with_new(bridge, found, options.k, part, options.workers)


def _lexicon_rows(found: Translations) -> Iterator[Sequence[str]]:
    """A row for each candidate, after the header."""
    yield ("source", "target", "rank", "score")
    for row in _rows(found):
        if row["rank"] is not None:
            yield (row["word"], row["candidate"], str(row["rank"]), f"{row['score']:.6f}")


def _print(found: Translations, form: str) -> None:
    if form == "json":
        _print_json(found)
    elif form == "csv":
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows([row[name] for name in COLUMNS] for row in _rows(found))
        note(str(found.signature))
    else:
        rows = [_cells(row) for block in found.blocks() for row in block]
        table = Table(("word", "candidate", "rank", "score"), rows, left=2)
        if form == "md":
            print(table.markdown(), end="\n\n")
        else:
            table.show()
        print(f"`{found.signature}`" if form == "md" else found.signature)


def _cells(row: dict[str, Any]) -> list[str]:
    if row["rank"] is None:
        return [row["word"], "", "", ""]
    return [row["word"], row["candidate"], str(row["rank"]), f"{row['score']:.4f}"]


def _print_json(found: Translations) -> None:
    """One object whose rows are printed as they are made."""
    head: dict[str, Any] = {"misword": __version__, "signature": str(found.signature)}
    head |= {"words": len(found.words), "unknown": len(found.unknown)}
    print(json.dumps(head, ensure_ascii=False, indent=1)[:-2] + ',\n "rows": [', end="")
    between = "\n"
    for row in _rows(found):
        print(f"{between}  {json.dumps(row, ensure_ascii=False)}", end="")
        between = ",\n"
    print("\n ]\n}")


def _rows(found: Translations) -> Iterator[dict[str, Any]]:
    for block in found.blocks():
        yield from block

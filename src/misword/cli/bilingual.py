"""Options that bilingual commands share: vectors of a mapping, retriever, gold lexicon."""

from __future__ import annotations

import argparse
from typing import Any

from misword.bli.retrievers import RETRIEVERS
from misword.cli.options import numbers, whole, workers


def add_vectors(parser: argparse.ArgumentParser, several: bool = False) -> None:
    """Add the options for one or several numbers of words, the direction, the paths of vectors."""
    group = parser.add_argument_group("vectors")
    compared = "; several numbers are compared, such as 50000,200000" if several else ""
    group.add_argument(
        "--max-words",
        type=numbers if several else whole(1),
        metavar="LIST" if several else "N",
        help="use only the first N words of each language (default: all words of the mapping)"
        + compared,
    )
    group.add_argument(
        "--reverse",
        action="store_true",
        help="translate from the target language to the source language",
    )
    for side in ("source", "target"):
        group.add_argument(
            f"--{side}", metavar="FILE", help=f"path of the {side} vectors, if they were moved"
        )
    group.add_argument("--workers", type=workers, metavar="N", help="threads (default: all cores)")


def add_lexicon_reading(parser: argparse.ArgumentParser) -> Any:
    """Add the options for reading a gold lexicon; return their group, to add more to it."""
    group = parser.add_argument_group("reading")
    group.add_argument(
        "--columns",
        metavar="A,B",
        help="columns of the words and the translations in GOLD (default: the first two)",
    )
    group.add_argument(
        "--input-format",
        metavar="FORMAT",
        help="format of GOLD: csv, tsv (with quoted fields), jsonl, parquet",
    )
    return group


def add_retriever(
    parser: argparse.ArgumentParser, several: bool = False, default: str | None = "csls"
) -> None:
    """Add the option that names the retriever, or several; without a default, drafts choose it."""
    names = ", ".join(RETRIEVERS.names())
    usual = default or "csls; in drafts reranked, if the mapping has a reranker"
    parser.add_argument(
        "--retriever",
        metavar="LIST" if several else "NAME",
        default=default,
        help=f"{names}; options after a colon: csls:neighbors=5 (default: {usual})",
    )


def mapping_options(options: argparse.Namespace) -> dict[str, Any]:
    """Return the options of `add_vectors` as arguments of `translate` and `evaluate`."""
    names = ("source", "target", "reverse", "max_words", "workers")
    return {name: getattr(options, name) for name in names}

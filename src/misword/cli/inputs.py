"""Options that several commands share: what to read, and how to look at it."""

from __future__ import annotations

import argparse
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

from misword.asr.pairs import Pairs, prepare
from misword.asr.readings import read_equivalents
from misword.core.version import __version__
from misword.io.formats import FORMATS
from misword.io.transcripts import read_corpus


def add_inputs(parser: argparse.ArgumentParser) -> None:
    """Files, formats, columns."""
    parser.add_argument("reference", metavar="REF", help="references: a file, or - for stdin")
    parser.add_argument(
        "hypotheses",
        metavar="HYP",
        nargs="*",
        help="one file per system; none where REF holds both (a NeMo manifest, a CSV)",
    )
    group = parser.add_argument_group("reading")
    known = ", ".join(FORMATS.names())
    group.add_argument(
        "--input-format",
        metavar="FORMAT",
        help=f"{known}; found from name and content if not given. REF,HYP for two different ones",
    )
    group.add_argument("--id-column", metavar="NAME", help="column with the utterance ids")
    group.add_argument("--reference-column", metavar="NAME", help="column with the references")
    group.add_argument("--hypothesis-column", metavar="NAME", help="column with the hypotheses")
    group.add_argument(
        "--metadata",
        metavar="FILE",
        action="append",
        default=[],
        help="table with more columns by id, or Kaldi's utt2spk; may be repeated",
    )
    group.add_argument(
        "--names", metavar="A,B", help="names of the systems (default: of the files)"
    )


def add_looks(parser: argparse.ArgumentParser) -> None:
    """Normalisation, alternatives, equivalents."""
    group = parser.add_argument_group("comparing")
    group.add_argument(
        "--normalize",
        metavar="LIST",
        default="nfc",
        help="changes to both sides, in order: nfc (default), lower, nopunct, ... or none; "
        "`misword parts normalizers` lists them",
    )
    group.add_argument(
        "--no-alternatives",
        dest="alternatives",
        action="store_false",
        help="take { a / b } in references as plain text, not as alternatives",
    )
    group.add_argument(
        "--equivalents",
        metavar="FILE",
        help="lines of words or phrases that count as the same: gonna / going to",
    )
    group.add_argument("--workers", type=int, metavar="N", help="threads (default: all cores)")


def read_pairs(options: argparse.Namespace) -> Pairs:
    """Read the corpus that the options name and prepare it."""
    reference_format, _, hypothesis_format = (options.input_format or "").partition(",")
    corpus, notes = read_corpus(
        options.reference,
        options.hypotheses,
        format=reference_format or None,
        hypothesis_format=hypothesis_format or None,
        id_column=options.id_column,
        reference_column=options.reference_column,
        hypothesis_column=options.hypothesis_column,
        metadata=options.metadata,
        names=options.names.split(",") if options.names else None,
    )
    for note in notes:
        print(f"note: {note}", file=sys.stderr)
    return prepare(
        corpus,
        normalize_with=options.normalize,
        alternatives=options.alternatives,
        equivalents=read_equivalents(options.equivalents) if options.equivalents else (),
        workers=options.workers,
    )


def provenance(options: argparse.Namespace, command: str) -> dict[str, Any]:
    """What was run on what: the command's options and a hash of each input file."""
    settings = {k: v for k, v in vars(options).items() if k not in ("out", "format", "workers")}
    files = [options.reference, *options.hypotheses, *options.metadata]
    files += [options.equivalents] if options.equivalents else []
    hashes = {
        str(name): sha256(Path(name).read_bytes()).hexdigest() for name in files if name != "-"
    }
    return {"misword": __version__, "command": command, "options": settings, "sha256": hashes}

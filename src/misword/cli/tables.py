"""Options for entities and keywords."""

from __future__ import annotations

import argparse


def add_entities(parser: argparse.ArgumentParser) -> None:
    """Declare the options for entities and keywords."""
    group = parser.add_argument_group("words that matter")
    group.add_argument(
        "--entities",
        metavar="SOURCE",
        help="also the error rate of entities by class, and how many are found as a whole: tags "
        "(of nlp references, with --tags-from, or of the column entities: spans in characters or "
        "BIO tags), tags:COLUMN, or spacy (finds them in the references; --lang names the "
        "language)",
    )
    group.add_argument(
        "--keywords",
        metavar="FILE",
        help="also the error rate, recall and precision of the terms in a file, one a line; a tab "
        "(in .csv files a comma) and a class may follow",
    )

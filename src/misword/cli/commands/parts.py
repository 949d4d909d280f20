"""List every part of misword: what it does, its options, what it needs and whether it is installed.

A part is a metric, a view, an encoder, ... Commands take its name, with its options after a colon:
--metrics cer:spaces=false. With `--lang` only the parts for this language are listed, with the
packages that they need for it.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import MISSING, fields
from typing import Any

from misword.cli.output import Table, add_format, print_json, print_table
from misword.cli.registries import REGISTRIES, registry
from misword.core.context import Context
from misword.core.errors import MissingExtraError, MiswordError
from misword.core.languages import code
from misword.core.parts.contract import Part, Requirement, spell
from misword.embed.vectors.words import WordVectors

EXAMPLES = """\
examples:
  misword parts
  misword parts metrics --format md
  misword parts --lang fr
"""
COLUMNS = ["kind", "name", "options", "needs", "installed", "install", "what it does"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("kind", nargs="?", choices=REGISTRIES, help="list only this kind")
    parser.add_argument("--lang", metavar="CODE", help="only the parts for a language: fr, cs, ...")
    add_format(parser)


def run(options: argparse.Namespace) -> None:
    """Print a row for each part."""
    lang = code(options.lang) if options.lang else ""
    kinds = [options.kind] if options.kind else REGISTRIES
    rows = [row for kind in kinds for row in describe_all(kind, lang)]
    if options.format == "json":
        print_json(rows)
    elif options.format == "csv":
        import polars as pl

        print(pl.DataFrame(rows).write_csv(), end="")
    else:
        cells = [[row[name] for name in COLUMNS] for row in rows]
        print_table(Table(COLUMNS, cells, left=len(COLUMNS)), options.format)


def describe_all(kind: str, lang: str) -> Iterator[dict[str, str]]:
    """Yield a row for each part of a kind; with a language, for each part that works on it."""
    for name in registry(kind).names():
        try:
            part = registry(kind).load(name)()
        except MissingExtraError as error:
            yield describe(kind, name, None, Requirement(("?",), error.fix))
            continue
        if lang and "lang" in (*part.needs, *part.uses):
            yield describe(kind, name, part, _missing(part, lang))
        elif not lang or lang in part.languages():
            yield describe(kind, name, part, part.requirement(lang))


def _missing(part: Part, lang: str) -> Requirement:
    """Return what a part lacks for a language with its default options."""
    vectors = WordVectors.of(["a"], [[1.0]])  # the user can name a file of vectors
    try:
        part.check(Context.of(lang, vectors))
    except MiswordError as error:
        return Requirement(("?",), error.fix.partition("; or")[0])
    return Requirement()


def describe(kind: str, name: str, part: Part | None, requirement: Requirement) -> dict[str, str]:
    """Return the row of a part; `part` is None if it cannot be imported."""
    options = [field for field in fields(part) if field.init] if part else []  # type: ignore[arg-type]
    needs = " ".join(f"--{need}" for need in part.needs) if part else ""
    return {
        "kind": kind,
        "name": name,
        "options": ",".join(f"{field.name}={_default(field.default)}" for field in options),
        "needs": needs or " ".join(requirement.modules),
        "installed": "yes" if requirement.installed else "no",
        "install": requirement.install if requirement.modules else "",
        "licence": requirement.licence,
        "what it does": (part.__doc__ or "").strip().partition("\n")[0] if part else "",
    }


def _default(value: Any) -> str:
    return "" if value is MISSING else spell(value)

"""List every part of misword: its options, what it does, what it needs and whether that is there.

A part is named in an option, its own options after a colon: --metrics cer:spaces=false. With
`--lang` only the parts that know the language are listed, and what they need for it.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import MISSING, fields
from typing import Any

from misword.asr.costs import COSTS
from misword.asr.downstreams import DOWNSTREAMS
from misword.asr.metrics import METRICS, Metric
from misword.asr.views import VIEWS
from misword.bli.methods import METHODS
from misword.bli.retrievers import RETRIEVERS
from misword.cli.output import Table, add_format, print_json
from misword.core.context import Context
from misword.core.errors import MissingExtraError, MiswordError
from misword.core.languages import code
from misword.core.part import Part, spell
from misword.core.registry import Registry
from misword.core.requirements import Requirement
from misword.embed.encoders import ENCODERS
from misword.embed.vectors.words import WordVectors
from misword.io.transcripts.formats import FORMATS
from misword.io.vectors import VECTOR_FORMATS
from misword.noise.channels import CHANNELS, Channel
from misword.text import analyzers, phonemizers
from misword.text.normalizers import NORMALIZERS

REGISTRIES: dict[str, Registry[Any]] = {
    registry.kind: registry
    for registry in (
        METRICS,
        VIEWS,
        COSTS,
        NORMALIZERS,
        analyzers.ANALYZERS,
        phonemizers.PHONEMIZERS,
        ENCODERS,
        DOWNSTREAMS,
        CHANNELS,
        FORMATS,
        METHODS,
        VECTOR_FORMATS,
        RETRIEVERS,
    )
}

EXAMPLES = """\
examples:
  misword parts
  misword parts metrics --format md
  misword parts --lang fr
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("kind", nargs="?", choices=REGISTRIES, help="only this kind")
    parser.add_argument("--lang", metavar="CODE", help="only the parts for a language: fr, cs, ...")
    add_format(parser)


def run(options: argparse.Namespace) -> None:
    """List them."""
    lang = code(options.lang) if options.lang else ""
    kinds = [options.kind] if options.kind else list(REGISTRIES)
    rows = [row for kind in kinds for row in describe_all(REGISTRIES[kind], lang)]
    if options.format == "json":
        print_json(rows)
        return
    header = ["kind", "name", "options", "needs", "installed", "install", "what it does"]
    table = Table(header, [[row[key] for key in header] for row in rows], left=len(header))
    if options.format == "table":
        table.show()
    elif options.format == "md":
        print(table.markdown())
    else:
        import polars as pl

        print(pl.DataFrame(rows).write_csv(), end="")


def describe_all(registry: Registry[Any], lang: str) -> Iterator[dict[str, str]]:
    """The parts of a registry; with a language, those that have one and know this one."""
    for name in registry.names():
        try:
            part = registry.load(name)
        except MissingExtraError as error:
            yield describe(registry.kind, name, None, Requirement(("?",), error.fix))
            continue
        asks = {_wants(part), *getattr(part(), "heeds", ()), *getattr(part(), "uses", ())}
        if lang and "lang" in asks:
            yield describe(registry.kind, name, part, _need_of(part(), lang))
        elif not lang or lang in getattr(part, "languages", tuple)():
            needed = part.requirement(lang) if hasattr(part, "requirement") else Requirement()
            yield describe(registry.kind, name, part, needed)


def _need_of(part: Metric | Channel, lang: str) -> Requirement:
    """What a part lacks for a language, with the language's default parts."""
    try:
        part.check(Context.of(lang, WordVectors.of(["a"], [[1.0]])))  # a file can be named
    except MiswordError as error:
        return Requirement(("?",), error.fix.partition("; or")[0])
    return Requirement()


def describe(kind: str, name: str, part: Any, needed: Requirement) -> dict[str, str]:
    """A part in one row."""
    options = [field for field in fields(part) if field.init] if part else []
    about = (part.__doc__ or "").strip().partition("\n")[0] if part else ""
    return {
        "kind": kind,
        "name": name,
        "options": ",".join(f"{field.name}={_default(field.default)}" for field in options),
        "needs": f"--{wants}" if (wants := _wants(part)) else " ".join(needed.modules),
        "installed": "yes" if needed.installed else "no",
        "install": needed.install if needed.modules else "",
        "licence": needed.licence,
        "what it does": about,
    }


def _wants(part: Any) -> str:
    """What a part with its usual options wants in the context."""
    if part is not None and issubclass(part, Part):
        return "".join(part().needs[:1])
    return getattr(part(), "wants", "") if part else ""


def _default(value: Any) -> str:
    return "" if value is MISSING else spell(value)

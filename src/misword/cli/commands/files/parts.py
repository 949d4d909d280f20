"""List every part of misword: what it does, its options, what it needs and whether it is installed.

A part is a metric, a view, an encoder, ... Commands take its name, with its options after a colon:
--metrics cer:spaces=false. With `--lang` only the parts for this language are listed, with the
packages that they need for it. The name of a part, such as wer-s, prints its whole description.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import MISSING, fields, replace
from importlib import import_module
from inspect import cleandoc
from typing import Annotated, Any, TypedDict

from misword.cli.options import Format
from misword.cli.printing import print_csv, print_json, print_text
from misword.cli.rendering import print_described, print_facts
from misword.core.context import Context, code
from misword.core.errors import MissingExtraError, MiswordError, OptionError, did_you_mean
from misword.core.lazy import pl
from misword.core.options import Option
from misword.core.parts import Part, Requirement, spell
from misword.core.parts.registry import Registry
from misword.core.tables import Table, count, prose, text
from misword.embed.vectors.words import WordVectors

EXAMPLES = """\
examples:
  misword parts
  misword parts metrics --format md
  misword parts wer-s
  misword parts --lang fr
  misword parts severity
"""


class ListedParts(TypedDict, total=False):
    """Which parts are listed."""

    wanted: Annotated[
        str | None,
        Option(
            "list only one kind (metrics, views, ...), describe the part of this name, or "
            "severity: the lists of each language",
            metavar="WHAT",
            positional=True,
            values="?",
        ),
    ]
    lang: Annotated[
        str | None,
        Option("only the parts for a language: fr, cs, ...", metavar="CODE", common=True),
    ]


OPTIONS = (ListedParts, Format)


def run(options: argparse.Namespace) -> None:
    """Print a row for each part, or all about one part."""
    lang = code(options.lang) if options.lang else ""
    if options.wanted == SEVERITY:
        _show_severity(lang, options.format)
        return
    if options.wanted is not None and options.wanted not in REGISTRIES:
        rows = [_explained(kind, options.wanted, lang) for kind in _kinds_with(options.wanted)]
        show = _print_explained
    else:
        kinds = [options.wanted] if options.wanted else REGISTRIES
        rows = [row for kind in kinds for row in describe_all(kind, lang)]
        show = _print_listed
    if options.format == "json":
        print_json(rows)
    elif options.format == "csv":
        print_csv(pl.DataFrame(rows))
    else:
        show(rows, options.format)


SEVERITY = "severity"


def _show_severity(lang: str, form: str) -> None:
    """Print what each language has for the severity of errors: the sizes of its lists."""
    from misword.asr.severity.language import SECTIONS, language, languages, relations

    rows: list[dict[str, Any]] = []
    for known in languages() if not lang else [lang]:
        found = language(known)
        sizes = {name: found.sizes.get(name, 0) for name in SECTIONS}
        words = {"opposites": len(found.opposites) // 2, "relations": len(relations(known).lines)}
        rows.append({"language": known, **sizes, **words})
    if form == "json":
        print_json(rows)
    elif form == "csv":
        print_csv(pl.DataFrame(rows))
    else:
        listed = [
            {"list": name, **{row["language"]: row[name] for row in rows}}
            for name in rows[0]
            if name != "language"
        ]
        columns = (text("list"), *(count(row["language"]) for row in rows))
        table = Table("severity", columns, listed, title="severity: entries of each language")
        print_described([table], marked=form == "md")
        print_text("Other languages have digits, names, cut ends, lost and invented words.")


def _kinds_with(name: str) -> list[str]:
    """Return the kinds that have a part of this name; raise if there is none."""
    names = {kind: registry(kind).names() for kind in REGISTRIES}
    if kinds := [kind for kind, known in names.items() if name in known]:
        return kinds
    hint = did_you_mean(name, [*REGISTRIES, *(n for known in names.values() for n in known)])
    raise OptionError(
        f"no kind or part {name!r}", fix=f"{hint}`misword parts` lists all parts by kind"
    )


def _explained(kind: str, name: str, lang: str) -> dict[str, str]:
    """Return the row of a part, with its whole description."""
    try:
        part = registry(kind).load(name)()
    except MissingExtraError as error:
        return describe(kind, name, None, Requirement(("?",), error.fix)) | {"description": ""}
    row = describe(kind, name, part, part.requirement(lang))
    return row | {"description": cleandoc(part.__doc__ or "")}


def _print_explained(rows: list[dict[str, str]], form: str) -> None:
    for row in rows:
        facts = {name: row[name] for name in row if name not in ("what it does", "description")}
        print_text(row["description"])
        print_facts({name: value or None for name, value in facts.items()}, form)


def _print_listed(rows: list[dict[str, str]], form: str) -> None:
    """Print a table for each kind; `install` is empty for parts that are installed."""
    columns = (
        text("name"),
        prose("what it does"),
        prose("options", of=lambda row: row["options"].replace(",", ", "), optional=True),
        prose("needs", optional=True),
        prose("install", of=lambda r: "" if r["installed"] == "yes" else r["install"],
              optional=True),
    )  # fmt: skip
    table = Table("parts", columns, rows)
    kinds = dict.fromkeys(row["kind"] for row in rows)
    tables = [replace(table.where(kind=kind), title=kind) for kind in kinds]
    print_described(tables, marked=form == "md")


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


# All registries of misword by kind; a registry is imported when it is first needed.

# Where the registry of each kind is (`module:NAME`), in the order in which `misword parts` lists
# them. A new registry needs a line here to be listed and tested.
REGISTRIES = {
    "metrics": "misword.asr.metrics:METRICS",
    "views": "misword.asr.views:VIEWS",
    "costs": "misword.asr.costs:COSTS",
    "normalizers": "misword.text.normalizers:NORMALIZERS",
    "presets": "misword.asr.presets:PRESETS",
    "segmenters": "misword.text.segmenters:SEGMENTERS",
    "families": "misword.text.writing:FAMILIES",
    "analyzers": "misword.text.analyzers:ANALYZERS",
    "phonemizers": "misword.text.phonemizers:PHONEMIZERS",
    "encoders": "misword.embed.encoders:ENCODERS",
    "language_models": "misword.embed.language_models:LANGUAGE_MODELS",
    "checks": "misword.asr.checks:CHECKS",
    "downstreams": "misword.asr.downstreams:DOWNSTREAMS",
    "channels": "misword.noise.channels:CHANNELS",
    "formats": "misword.io.transcripts.formats:FORMATS",
    "dictionary_formats": "misword.io.dictionaries:DICTIONARY_FORMATS",
    "mappings": "misword.bli.methods:METHODS",
    "vector_formats": "misword.io.vectors:VECTOR_FORMATS",
    "retrievers": "misword.bli.retrievers:RETRIEVERS",
    "engines": "misword.core.engines:ENGINES",
    "flags": "misword.bli.flags:FLAGS",
}


def registry(kind: str) -> Registry[Part]:
    """Import and return the registry of a kind.

    >>> registry("metrics").load("wer").__name__
    'WER'
    """
    module, _, name = REGISTRIES[kind].partition(":")
    loaded: Registry[Part] = getattr(import_module(module), name)
    return loaded

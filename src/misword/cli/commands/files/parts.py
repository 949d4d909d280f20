"""List every part of misword: what it does, its options, what it needs and whether it is installed.

A part is a metric, a view, an encoder, ... Commands take its name, with its options after a colon:
--metrics cer:spaces=false. With `--lang` only the parts for this language are listed, with the
packages that they need for it. The name of a part, such as wer-s, prints its whole description.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import MISSING, fields, replace
from importlib import import_module
from inspect import cleandoc
from pathlib import Path
from typing import Annotated, Any, TypedDict

from misword.cli.options import Format
from misword.cli.printing import print_csv, print_json, print_text
from misword.cli.rendering import print_described, print_facts
from misword.core.context import Context, code
from misword.core.errors import MissingExtraError, MiswordError, OptionError, did_you_mean
from misword.core.lazy import pl
from misword.core.options import Option
from misword.core.parts import Part, Requirement, spell
from misword.core.parts.registry import Registry, plugins
from misword.core.tables import Table, count, prose, text

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
        rows = list(_listed(options.wanted, lang))
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


def _listed(kind: str | None, lang: str) -> Iterator[dict[str, str]]:
    """Yield the rows of a kind or, without one, of all kinds."""
    if kind is None and not lang:
        yield from listed_parts()
        return
    for each in [kind] if kind else REGISTRIES:
        yield from describe_all(each, lang)


# The list of all parts of misword: a line for each with what `describe` finds out by importing it,
# so that `misword parts` need not import several hundred modules. tools/make_glossary.py writes it.
LIST = Path(__file__).with_suffix(".jsonl")


def listed_parts() -> Iterator[dict[str, str]]:
    """Yield a row for each part of misword and of other packages, by kind and name."""
    found: dict[str, list[dict[str, str]]] = {kind: [] for kind in REGISTRIES}
    for line in LIST.read_text("utf-8").splitlines():
        part = json.loads(line)
        requirement = Requirement(**{key: part.pop(key) for key in REQUIRED})
        found[part["kind"]].append(_row(part, requirement))
    for kind, rows in found.items():
        known = {row["name"] for row in rows}
        others = [name for name in plugins(f"misword.{kind}") if name not in known]
        rows += [row for row in describe_all(kind, "") if row["name"] in others] if others else []
        yield from sorted(rows, key=lambda row: row["name"])


def list_of_parts() -> str:
    """Return the text of the list: a line for each part of misword itself."""
    lines = []
    for kind in REGISTRIES:
        parts = registry(kind)
        for name, entry in sorted(parts.entries().items()):
            if entry.target.startswith("misword."):
                part = parts.load(name)()
                requirement = part.requirement("")
                needed = {key: getattr(requirement, key) for key in REQUIRED}
                line = json.dumps(_facts(kind, name, part) | needed, ensure_ascii=False)
                lines.append(f"{line}\n")
    return "".join(lines)


REQUIRED = tuple(field.name for field in fields(Requirement))


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
    from misword.embed.vectors.words import WordVectors

    vectors = WordVectors.of(["a"], [[1.0]])  # the user can name a file of vectors
    try:
        part.check(Context.of(lang, vectors))
    except MiswordError as error:
        return Requirement(("?",), error.fix.partition("; or")[0])
    return Requirement()


def describe(kind: str, name: str, part: Part | None, requirement: Requirement) -> dict[str, str]:
    """Return the row of a part; `part` is None if it cannot be imported."""
    return _row(_facts(kind, name, part), requirement)


def _facts(kind: str, name: str, part: Part | None) -> dict[str, str]:
    """Return what a part says about itself, whatever is installed."""
    options = [field for field in fields(part) if field.init] if part else []  # type: ignore[arg-type]
    return {
        "kind": kind,
        "name": name,
        "options": ",".join(f"{field.name}={_default(field.default)}" for field in options),
        "needs": " ".join(f"--{need}" for need in part.needs) if part else "",
        "what it does": (part.__doc__ or "").strip().partition("\n")[0] if part else "",
    }


def _row(facts: dict[str, str], requirement: Requirement) -> dict[str, str]:
    """Return the row of a part with what it requires, and whether that is installed."""
    return {
        "kind": facts["kind"],
        "name": facts["name"],
        "options": facts["options"],
        "needs": facts["needs"] or " ".join(requirement.modules),
        "installed": "yes" if requirement.installed else "no",
        "install": requirement.install if requirement.modules else "",
        "licence": requirement.licence,
        "what it does": facts["what it does"],
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

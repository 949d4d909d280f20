"""List every part of misword: its name, its options with their defaults, and what it does.

A part is named in an option, its own options after a colon: --metrics cer:spaces=false
"""

from __future__ import annotations

import argparse
from dataclasses import fields
from typing import Any

from misword.asr.metrics import METRICS
from misword.asr.views import VIEWS
from misword.cli.output import Table, add_format, print_json
from misword.core.registry import Registry, spell
from misword.io.formats import FORMATS
from misword.text.normalizers import NORMALIZERS

REGISTRIES: dict[str, Registry[Any]] = {
    registry.kind: registry for registry in (METRICS, VIEWS, NORMALIZERS, FORMATS)
}

EXAMPLES = """\
examples:
  misword parts
  misword parts metrics --format md
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("kind", nargs="?", choices=REGISTRIES, help="only this kind")
    add_format(parser)


def run(options: argparse.Namespace) -> None:
    """List them."""
    kinds = [options.kind] if options.kind else list(REGISTRIES)
    rows = [describe(REGISTRIES[kind], name) for kind in kinds for name in REGISTRIES[kind].names()]
    if options.format == "json":
        print_json(rows)
        return
    header = ["kind", "name", "options", "what it does"]
    table = Table(header, [[row[key] for key in header] for row in rows], left=4)
    if options.format == "table":
        table.show()
    elif options.format == "md":
        print(table.markdown())
    else:
        import polars as pl

        print(pl.DataFrame(rows).write_csv(), end="")


def describe(registry: Registry[Any], name: str) -> dict[str, str]:
    """A part in one row."""
    part = registry.load(name)
    options = ",".join(f"{field.name}={spell(field.default)}" for field in fields(part))
    about = (part.__doc__ or "").strip().partition("\n")[0]
    return {"kind": registry.kind, "name": name, "options": options, "what it does": about}

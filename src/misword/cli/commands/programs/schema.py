"""Print a JSON Schema: of the JSON output of a command, of a result folder, or of errors.

`misword schema score` is the schema of `misword score --format json`, `misword schema
result/scores` that of `result.json` in a folder that --out wrote; its `$defs` have the columns of
each Parquet file. `misword schema error` is the object that a failed command prints on standard
error with --format json. Without a name, the names of all schemas are listed.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, TypedDict

from misword.cli.commands import COMMANDS
from misword.cli.options import Format
from misword.cli.printing import print_json
from misword.cli.rendering import print_table
from misword.core.errors import OptionError, did_you_mean
from misword.core.options import Option
from misword.core.tables import Table, prose, text
from misword.io.files.strict_json import (
    anything,
    boolean,
    integer,
    json_schema,
    list_of,
    mapping_of,
    optional,
    record,
)
from misword.io.files.strict_json import number as a_number
from misword.io.files.strict_json import text as a_text
from misword.stat.descriptions import DESCRIPTIONS
from misword.stat.descriptions.schemas import (
    Schema,
    folder_schema,
    named_schema,
    object_schema,
    output_schema,
)

EXAMPLES = """\
examples:
  misword schema
  misword schema score > score.schema.json
  misword schema result/scores
  misword schema error
"""


class WantedSchema(TypedDict, total=False):
    """Which schema is printed."""

    name: Annotated[
        str | None,
        Option(
            "a command, result/KIND, result, shard or error; without it, all names are listed",
            metavar="NAME",
            positional=True,
            values="?",
        ),
    ]


OPTIONS = (WantedSchema, Format)


@dataclass(frozen=True, slots=True)
class Printed:
    """What a command prints with `--format json`.

    Attributes:
        kinds: the kinds of the results that it prints.
        facts: what it adds to the facts of a result, as `output_schema` takes it.
        others: what it prints instead of a result.
        more: what further facts are, which cannot be listed.
    """

    kinds: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    others: tuple[Schema, ...] = ()
    more: str | None = None


STRING, INTEGER = json_schema(a_text()), json_schema(integer(0))
NULL_STRING = json_schema(optional(a_text()))
NULL_INTEGER = json_schema(optional(integer()))
NULL_NUMBER = json_schema(optional(a_number()))
ANY: Schema = {}
STEP = object_schema(
    {
        "kind": STRING,
        "reference": NULL_STRING,
        "hypothesis": NULL_STRING,
        "cost": NULL_NUMBER,
        "family?": NULL_STRING,
        "spacing?": ANY,
    }
)
ALIGNED = object_schema(
    {"utt": STRING, "system": STRING, "steps": {"type": "array", "items": STEP}}
)
EXAMPLE = {"line": optional(integer()), "text": optional(a_text()),
           "other_line": optional(integer()), "other": optional(a_text())}  # fmt: skip
FINDING = record(
    {
        **dict.fromkeys(("check", "severity", "message"), a_text()),
        **dict.fromkeys(("file", "side", "place", "first_id", "last_id", "other", "mend"),
                        optional(a_text())),
        **dict.fromkeys(("first", "last", "count"), optional(integer())),
        "evidence": mapping_of(anything),
        "examples": list_of(record(EXAMPLE)),
    }
)  # fmt: skip
CHECKED = record({"sound": boolean, "checks": list_of(a_text()), "findings": list_of(FINDING)})
PART = mapping_of(a_text())
LANGUAGE = mapping_of(anything)
VERDICT = record(dict.fromkeys(("path", "kind", "state", "what"), a_text()))
NEIGHBOR = record(
    {"word": a_text(), "rank": integer(1), "neighbor": a_text(), "cosine": a_number()}
)
NAMED = record({"name": a_text(), "about": a_text()})
CANDIDATE = {"word": STRING, "rank": NULL_INTEGER, "candidate": NULL_STRING, "score": NULL_NUMBER}


def _rows(row: Any) -> Schema:
    """Return the schema of a list of rows."""
    return json_schema(list_of(row))


def _facts(*needed: str) -> Schema:
    """Return the schema of an object of facts, of which some are always there."""
    return {**object_schema(dict.fromkeys(needed, ANY)), "additionalProperties": {}}


OUTPUTS = {
    "score": Printed(("scores",)),
    "compare": Printed(("comparison",)),
    "gate": Printed(("gate",)),
    "bench": Printed(("benchmark",), {"$schema?": STRING, "kind?": {"const": "benchmark"}}),
    "align": Printed(
        ("alignment",),
        {
            "metric": STRING,
            "pairs": {"type": "array", "items": ALIGNED},
            "errors?": {"type": "array", "items": {**object_schema({"utt": STRING}),
                                                   "additionalProperties": {}}},
        },
        more="the fields of the signature",
    ),
    "correlate": Printed(("correlation",)),
    "segment": Printed(("segmentation",)),
    "oracle": Printed(("oracle",)),
    "rescore": Printed(("rescored",)),
    "tune": Printed(("tuning", "system-tuning"), {"apply?": STRING}),
    "mbr": Printed(("mbr",)),
    "combine": Printed(("combination",)),
    "agree": Printed(("agreement",)),
    "fit": Printed(("fit", "severity-fit"), more="the settings of the training"),
    "corrupt": Printed(("corruption",), {"seed": INTEGER}),
    "learn-noise": Printed(("learnt-noise",)),
    "realism": Printed(("realism",)),
    "robust": Printed(("robustness", "downstream")),
    "map": Printed(
        others=(_facts("mapping", "method", "dimension", "signature", "notes", "trace"),)
    ),
    "translate": Printed(
        others=(
            object_schema({
                "misword": STRING, "signature": STRING, "words": INTEGER, "unknown": INTEGER,
                "about?": json_schema(list_of(a_text())),
                "rows": {"type": "array", "items": object_schema(CANDIDATE, further="features")},
            }),
            _facts("headwords", "signature"),
            _facts("accepted pairs"),
        ),
    ),
    "evaluate": Printed(
        ("evaluation",), {"signatures": json_schema(mapping_of(mapping_of(a_text())))}
    ),
    "audit": Printed(("audit",)),
    "build": Printed(("gold-set",)),
    "vectors": Printed(
        others=(
            _facts("file", "words", "dimension", "digest"),
            _rows(NEIGHBOR),
        )
    ),
    "references": Printed(("references",)),
    "check": Printed(others=(json_schema(CHECKED),)),
    "verify": Printed(others=(_rows(VERDICT),)),
    "parts": Printed(others=(_rows(PART), _rows(LANGUAGE))),
    "schema": Printed(others=(_rows(NAMED), _facts("$schema", "$id", "title"))),
}  # fmt: skip

ERROR = record(
    {
        "kind": a_text(),
        "message": a_text(),
        "where": a_text(),
        "hint": a_text(),
        "exit_code": integer(1, 255),
        "command": a_text(),
    }
)
SHARD = record(
    {
        "version": integer(),
        "digest": a_text(),
        "files": list_of(a_text()),
        "content": mapping_of(anything),
    }
)
FILES = {
    "result": "result.json of any kind, in a folder that --out wrote",
    "shard": "the record of a finished shard, in the folder `utterances` of a result",
    "error": "an error, on standard error with --format json",
}
RESULT_OF = "result/"


def run(options: argparse.Namespace) -> None:
    """Print a schema, or the names of all."""
    if options.name is not None:
        if options.format in ("csv", "md"):
            raise OptionError(
                f"a schema is JSON, not {options.format}",
                fix="leave out --format, or the name: then the names of all schemas are listed",
            )
        print_json(schema(options.name))
        return
    rows = [{"name": name, "about": about} for name, about in schemas().items()]
    print_table(Table("schemas", (text("name"), prose("about")), rows), options.format)


def schemas() -> dict[str, str]:
    """Return the names of all schemas, and what each is about."""
    outputs = {name: f"misword {name} --format json" for name in COMMANDS if name in OUTPUTS}
    folders = {f"{RESULT_OF}{kind}": f"result.json of {kind}" for kind in DESCRIPTIONS}
    return {**outputs, **folders, **FILES}


def schema(name: str) -> Schema:
    """Return a schema by its name."""
    known = schemas()
    if name not in known:
        fix = f"{did_you_mean(name, known)}`misword schema` lists all"
        raise OptionError(f"no schema {name!r}", fix=fix)
    about = known[name]
    if name in OUTPUTS:
        about = f"{COMMANDS[name]}. Rates, intervals and p-values are fractions; null if undefined."
        return named_schema(name, known[name], about, _output(OUTPUTS[name]))
    if name.startswith(RESULT_OF):
        body = folder_schema(name.removeprefix(RESULT_OF))
    elif name == "result":
        kinds = {"enum": list(DESCRIPTIONS)}
        from misword.io.results import RESULT

        body = json_schema(RESULT)
        body["properties"] = {**body["properties"], "kind": kinds}
    else:
        body = json_schema({"error": ERROR, "shard": SHARD}[name])
    return named_schema(name, f"misword {name}", about, body)


def _output(printed: Printed) -> Schema:
    """Return the schema of what a command prints."""
    variants = [output_schema(kind, printed.facts) for kind in printed.kinds]
    if printed.more is not None:
        variants = [{**one, "additionalProperties": {"description": printed.more}}
                    for one in variants]  # fmt: skip
    variants += printed.others
    return variants[0] if len(variants) == 1 else {"anyOf": variants}

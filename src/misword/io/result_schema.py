"""The schema of `result.json`: what every reader of a result may rely on.

Keys of the provenance have one type in all kinds of results. A key that is not declared here may
have any value; code that reads it checks it.
"""

from __future__ import annotations

from misword.io.files.checksums import HEX, KEY
from misword.io.files.schema import (
    any_of,
    anything,
    boolean,
    integer,
    list_of,
    mapping_of,
    number,
    optional,
    record,
    text,
)

TABLE_NAME = r"\w[\w.-]*"
NAMES = list_of(text())
TEXTS = mapping_of(text())
COUNT = integer(0)

TABLE = record(
    {"file": text(TABLE_NAME)},
    {"rows": COUNT, "columns": NAMES, KEY: text(HEX)},
)
PART = record({"title": text()}, {"family": text(), "cites": NAMES})
PROVENANCE = record(
    {},
    {
        "baseline": optional(text()),
        "better": TEXTS,
        "block": optional(any_of(COUNT, text())),
        "block_size": optional(COUNT),
        "blocks": optional(COUNT),
        "by": NAMES,
        "channel": text(),
        "command": text(),
        "confidence": optional(number(0, 1)),
        "encoders": NAMES,
        "forgiven": NAMES,
        "metrics": NAMES,
        "misword": text(),
        "notes": NAMES,
        "oov": text(),
        "options": mapping_of(anything),
        "pairs": COUNT,
        "parts": mapping_of(PART),
        "refit": boolean,
        "scores": any_of(NAMES, TEXTS),
        "sha256": TEXTS,
        "signatures": TEXTS,
        "systems": NAMES,
        "trials": COUNT,
        "utterances": COUNT,
        "words": any_of(COUNT, mapping_of(optional(text()))),
    },
)
RESULT = record(
    {"kind": text(), "provenance": PROVENANCE, "order": NAMES, "tables": mapping_of(TABLE)}
)

"""What a simulated listener has learnt from a recogniser's errors: listen.json.

The file has counts and weights; `learning.py` makes them, `listener.py` uses them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Self

from misword.core.errors import InputError
from misword.core.lazy import pl
from misword.core.types import DisplayedResult, Result
from misword.core.version import __version__
from misword.io.files.checksums import KEY, json_checksum, read_index
from misword.io.files.sources import PathLike
from misword.io.files.strict_json import integer, mapping_of, number, record, text
from misword.noise.listening.places import DEFAULTS, FEATURES, INSERTION
from misword.noise.listening.spelling import CLASSES
from misword.stat.descriptions.noise import LEARNT_NOISE

FORMAT, VERSION = "misword-listening", 1
COUNTS = mapping_of(number(0), key=text())
# `common` is what the weight of the language is higher if all words that were said are common.
WEIGHTS = ("sound", "language", "spelling", "word", "more", "fewer", "common")
DELETION_CLASSES = tuple(f"{n} {size}" for n in (1, 2, 3) for size in (2, 4, 7, 99))
# Weights and shares of a listener that has learnt from nothing: set by hand, not fitted.
DEFAULT_WEIGHTS: dict[str, float] = {
    "sound": 0.8,
    "language": 0.5,
    "spelling": 2.0,
    "word": 0.0,
    "more": 0.0,
    "fewer": 0.0,
    "common": 0.0,
}
DEFAULT_DELETIONS: dict[str, float] = dict(
    zip(DELETION_CLASSES, (0.3, 0.1, 0.03, 0.01, 0.2, 0.1, 0.03, 0.02) + (0.05,) * 4, strict=True)
)
# At most this share of spans is heard out of context: they do not sound like what was said.
MOST_SINGLE = 0.02
CONFUSABLE = "confusable"  # the feature of places that older files lack
OLDER_FEATURES = tuple(name for name in FEATURES if name != CONFUSABLE)
SCHEMA = record(
    {
        "lang": text(),
        "vocabulary": text(),
        "utterances": integer(0),
        "said_words": integer(0),
        "misword": text(),
        "places": record(
            dict.fromkeys((*OLDER_FEATURES, INSERTION), number(-100, 100)),
            {CONFUSABLE: number(-100, 100)},
        ),
        "deviations": mapping_of(number(-20, 20), key=text()),
        "single": number(0, MOST_SINGLE),
        "apart": number(0, 1),
        "weights": record(
            dict.fromkeys(WEIGHTS[:-1], number(-100, 100)), {WEIGHTS[-1]: number(-100, 100)}
        ),
        "deletions": record(dict.fromkeys(DELETION_CLASSES, number(0, 1))),
        "heard_sounds": mapping_of(COUNTS, key=text()),
        "missed_sounds": COUNTS,
        "added_sounds": COUNTS,
        "spans": mapping_of(COUNTS, key=text()),
        "bigrams": COUNTS,
    },
    # Older files have none.
    {
        "spellings": mapping_of(COUNTS, key=text()),
        "invented": record({}, dict.fromkeys(CLASSES, number(0, 1))),
    },
)


@dataclass(frozen=True, slots=True, repr=False)
class LearntListening(DisplayedResult):
    """Counts and weights of a listener; the field names are those of the file.

    `places` are the weights of `places.py`, `deviations` those of single words. `spans` counts the
    error spans by what was said and what was heard, words joined by spaces; insertions have an
    empty key, deletions an empty name. `heard_sounds`, `missed_sounds` and `added_sounds` count
    phonemes within error spans. `deletions` has the share of deletions among the spans of a number
    of words and a length in phonemes. `weights` are those of the terms of a decoded word sequence.
    `single` is the share of spans whose words are heard one by one (`single_words.py`),
    `apart` that of the other spans of several words whose words are decoded one after the other.
    `bigrams` counts the neighbouring words of what was heard, for the language model. `spellings`
    and `invented` are the rates of other spellings of parts of words, and the shares of invented
    spellings by class of word (`spelling.py`).
    """

    lang: str
    vocabulary: str = "wordfreq"
    utterances: int = 0
    said_words: int = 0
    places: dict[str, float] = field(default_factory=lambda: dict(DEFAULTS))
    deviations: dict[str, float] = field(default_factory=dict)
    weights: dict[str, float] = field(default_factory=lambda: dict(DEFAULT_WEIGHTS))
    single: float = 0.02
    apart: float = 0.2
    deletions: dict[str, float] = field(default_factory=lambda: dict(DEFAULT_DELETIONS))
    heard_sounds: dict[str, dict[str, float]] = field(default_factory=dict)
    missed_sounds: dict[str, float] = field(default_factory=dict)
    added_sounds: dict[str, float] = field(default_factory=dict)
    spans: dict[str, dict[str, float]] = field(default_factory=dict)
    bigrams: dict[str, float] = field(default_factory=dict)
    spellings: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    invented: dict[str, float] = field(default_factory=dict)
    description = LEARNT_NOISE

    def main_table(self) -> pl.DataFrame:
        """Return the spans, the most frequent first."""
        return self.result().tables["confusions"]

    def result(self, provenance: dict[str, Any] | None = None, most: int | None = None) -> Result:
        """Return the `most` frequent spans (None: all), and the numbers of errors."""
        pairs = [(c, s, h) for s, row in self.spans.items() for h, c in row.items()]
        pairs.sort(key=lambda pair: (-pair[0], pair[1], pair[2]))
        totals = {said: sum(row.values()) for said, row in self.spans.items()}
        found = [
            {"said": s, "heard": h, "times": round(c), "share": c / totals[s]}
            for c, s, h in pairs[:most]
        ]
        schema = {"said": pl.String, "heard": pl.String, "times": pl.Int64, "share": pl.Float64}
        deleted = sum(row.get("", 0) for row in self.spans.values())
        inserted = totals.get("", 0)
        facts = {"misword": __version__, **(provenance or {}), "utterances": self.utterances}
        facts |= {"words": self.said_words, "deletions": round(deleted)}
        facts["substitutions"] = round(sum(totals.values()) - deleted - inserted)
        facts |= {"insertions": round(inserted), "digest": self.digest}
        return Result("learnt-noise", {"confusions": pl.DataFrame(found, schema)}, facts)

    @property
    def digest(self) -> str:
        """A hash of all counts and weights, for a signature."""
        content = json.dumps(asdict(self), ensure_ascii=False, sort_keys=True)
        return sha256(content.encode()).hexdigest()[:16]

    def to_json(self) -> str:
        """Return the text of a file."""
        head = {"format": FORMAT, "version": VERSION, "misword": __version__}
        data = asdict(self)
        head[KEY] = json_checksum({**head, **data})
        return json.dumps({**head, **data}, ensure_ascii=False, indent=1) + "\n"

    @classmethod
    def read(cls, path: PathLike) -> Self:
        """Read a file that `misword learn-noise --channel listen` wrote."""

        def wrong() -> InputError:
            return InputError(
                "this is not a learnt listener",
                where=str(path),
                fix="make it: misword learn-noise REF HYP --channel listen --lang CODE",
            )

        index = read_index(Path(path), FORMAT, VERSION, wrong, SCHEMA)
        return cls(**{name: index[name] for name in cls.__dataclass_fields__ if name in index})


def deletion_class(words: int, phonemes: int) -> str:
    """Return the class of a span in `deletions`.

    >>> deletion_class(1, 3), deletion_class(5, 20)
    ('1 4', '3 99')
    """
    size = next(limit for limit in (2, 4, 7, 99) if phonemes <= limit or limit == 99)
    return f"{min(words, 3)} {size}"

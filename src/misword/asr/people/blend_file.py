"""A blend: metrics and their weights, the JSON file that holds them, and rates of utterances."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from math import fsum
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.asr.metrics import METRICS, Metric, labelled, statistics_of
from misword.asr.pairs import Pairs
from misword.core.context import Context
from misword.core.errors import InputError, MismatchError
from misword.core.parts import Settings, signed_name
from misword.io.files.checksums import check_schema, check_version
from misword.io.files.sources import PathLike
from misword.io.files.strict_json import (
    anything,
    list_of,
    mapping_of,
    number,
    parse_json,
    record,
    text,
)
from misword.io.files.writing import write_whole

MARK = "misword-blend"
# Metrics that are blends.
BLENDS = ("blend", "people")
VERSION = 1
# Weights add up to 1, up to the rounding of their digits in the file.
ROUNDING = 1e-6
# Version numbers within settings, such as those of a phonemizer.
VERSIONS = re.compile(r"\d+(\.\d+)+")

PART = record({"metric": text(), "weight": number(0, 1), "settings": mapping_of(text())})
SCHEMA = record(
    {
        "metrics": list_of(PART),
        "lang": text(),
        "slope": number(0),
        "about": mapping_of(anything),
    }
)


@dataclass(frozen=True, slots=True)
class BlendedMetric:
    """One metric of a blend: its spec (`per:cost=features`), its weight and its settings.

    The settings are those with which the weights were learnt: they name the revision of the metric
    and the models that it used.
    """

    spec: str
    weight: float
    settings: Settings

    def create(self) -> Metric:
        """Return the metric."""
        return METRICS.create(self.spec)


@dataclass(frozen=True, slots=True)
class Blend:
    """Metrics with weights that add up to 1.

    `lang` is the language of the judgements. `slope` says how fast people's agreement grows with
    the difference of two rates: a hypothesis whose rate is lower by `d` is chosen with a
    probability of about `1 / (1 + exp(-slope * d))`; it is 0 if that is not known. `about` has the
    data, the method and the measured agreement, for people who read the file.
    """

    metrics: tuple[BlendedMetric, ...]
    lang: str = ""
    slope: float = 0.0
    about: Mapping[str, Any] = field(default_factory=dict, compare=False)

    @property
    def digest(self) -> str:
        """A digest of what decides the numbers: metrics, weights and settings."""
        facts = [[part.spec, part.weight, list(part.settings)] for part in self.metrics]
        return sha256(json.dumps(facts).encode()).hexdigest()[:12]

    def check(self, context: Context, where: str) -> None:
        """Raise unless each metric can be used and is the one with which weights were learnt.

        In another language than that of the judgements, the settings of a metric may differ: it
        then uses the phonemes or the model of that language. Another version of a package, such as
        of a phonemizer, is allowed: `other_versions` names it.
        """
        for part in self.metrics:
            with labelled(part.spec):
                metric = part.create()
                metric.check(context)
            for key, was, now in self._changes(part, metric, context):
                if VERSIONS.sub("", was) != VERSIONS.sub("", now):
                    raise MismatchError(
                        f"{part.spec} is not the metric with which its weights were learnt: {key} "
                        f"was {was}, now it is {now}",
                        where=where,
                        fix="learn the weights again: misword fit",
                    )

    def other_versions(self, context: Context) -> list[str]:
        """Return a sentence for each package that had another version when weights were learnt."""
        changes = (
            change
            for part in self.metrics
            for change in self._changes(part, part.create(), context)
        )
        return [f"its weights were learnt with {was}, here is {now}" for _, was, now in changes]

    def _changes(
        self, part: BlendedMetric, metric: Metric, context: Context
    ) -> Iterator[tuple[str, str, str]]:
        """Yield each setting that differs: its name, its value in the blend and its value here."""
        if context.lang not in ("", self.lang):
            return
        now, learnt = dict(settings_of(metric, context)), dict(part.settings)
        for key in {**learnt, **now}:
            before, here = learnt.get(key, "not set"), now.get(key, "not set")
            if before != here:
                yield key, before, here


def settings_of(metric: Metric, context: Context) -> Settings:
    """Return the settings of a metric that a blend records: its own, and its revision."""
    return *metric.settings(context), ("v", signed_name(metric))


def write_blend(blend: Blend, path: PathLike) -> None:
    """Write a blend to a JSON file, completely or not at all."""
    metrics = [
        {"metric": part.spec, "weight": part.weight, "settings": dict(part.settings)}
        for part in blend.metrics
    ]
    content = {
        "format": MARK,
        "version": VERSION,
        "metrics": metrics,
        "lang": blend.lang,
        "slope": blend.slope,
        "about": dict(blend.about),
    }
    written = json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False)
    write_whole(f"{written}\n".encode(), path)


def read_blend(path: PathLike) -> Blend:
    """Read a blend that `misword fit` wrote."""
    shown = str(path)
    try:
        content = Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8 text"
        raise InputError(
            f"the blend cannot be read ({reason})", where=shown, fix="make one: misword fit"
        ) from None
    return parse_blend(content, shown)


def parse_blend(content: str, where: str) -> Blend:
    """Return the blend of a JSON text; `where` is the name of its file."""
    wrong = InputError(
        "this is not a blend file of misword",
        where=where,
        fix="name a file that `misword fit -o` wrote, or make it again",
    )
    try:
        read = parse_json(content)
    except ValueError:
        raise wrong from None
    if not isinstance(read, dict) or read.get("format") != MARK:
        raise wrong
    check_version(read, VERSION, where)
    check_schema(read, SCHEMA, wrong)
    metrics = tuple(
        BlendedMetric(part["metric"], float(part["weight"]), tuple(part["settings"].items()))
        for part in read["metrics"]
    )
    blend = Blend(metrics, read["lang"], float(read["slope"]), read["about"])
    try:
        _check(blend)
    except ValueError as error:
        raise InputError(f"{wrong.what}: {error}", where=where, fix=wrong.fix) from None
    return blend


def _check(blend: Blend) -> None:
    """Raise `ValueError` unless the weights are those of a blend."""
    weights = [part.weight for part in blend.metrics]
    if not all(weight > 0 for weight in weights):
        raise ValueError("a weight is not above 0")
    if abs(fsum(weights) - 1) > ROUNDING:
        raise ValueError(f"its weights add up to {fsum(weights):g}, not to 1")
    if len({part.spec for part in blend.metrics}) < len(weights):
        raise ValueError("a metric occurs twice")
    if any(part.spec.partition(":")[0] in BLENDS for part in blend.metrics):
        raise ValueError("a blend is part of it")


# The rates of metrics for single utterances.


def utterance_rates(metrics: Iterable[Metric], pairs: Pairs) -> NDArray[np.float64]:
    """Return the rate of each pair (rows) by each metric (columns); every rate is defined.

    Equal texts have the rate 0. Most metrics have no rate for a pair with an empty reference, and
    some none for a reference without a known word; such a rate is 1, as if all were lost.
    """
    columns = []
    equal = _equal_texts(pairs)
    for metric in metrics:
        rates = np.array(metric.rate(metric.terms(statistics_of(metric, pairs))), np.float64)
        rates[np.isnan(rates)] = 1.0
        rates[equal] = 0.0
        columns.append(rates)
    return np.column_stack(columns)


def _equal_texts(pairs: Pairs) -> NDArray[np.bool_]:
    """Return which pairs have two equal texts; white space is collapsed."""
    distinct = pairs.utterances.distinct
    left = distinct.references[pairs.index[:, 0]]
    return np.asarray(left == distinct.hypotheses[pairs.index[:, 1]])

"""The function `gate`: conditions on the rates of a new system, alone or against a baseline."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum, isnan, nan
from typing import Any, ClassVar, Literal, Unpack

import numpy as np
from numpy.typing import NDArray

from misword.asr.comparison.matched_systems import (
    MatchedSystems,
    check_metadata,
    split_by_system,
    usual_block,
)
from misword.asr.metrics import METRICS
from misword.asr.options import GateOptions, ScoreOptions, find_preset
from misword.asr.presets import Preset
from misword.asr.score import scores_from
from misword.core.errors import OptionError
from misword.core.formatting import number_span, percent, signed, signed_span, span
from misword.core.lazy import pl
from misword.core.options import chosen, takes
from misword.core.parts.registry import split_specs
from misword.core.types import Description, DisplayedResult, Result, Statistics
from misword.core.version import __version__
from misword.stat.bootstrap import Bootstrap, interval
from misword.stat.descriptions.comparison import GATE, in_unit
from misword.stat.measure import MetricColumn, RowGroups, metric_provenance, ratio_of_terms
from misword.stat.paired import by_block, holm, paired
from misword.stat.scores import Scores
from misword.stat.tallies.class_rates import ENTITY_TABLE
from misword.stat.times.figures import FIGURES, Figure, Unit, metric_and_figure

# A condition of a gate with its outcome, and its text.

Kind = Literal["max", "min", "no-worse"]
Outcome = Literal["passed", "failed", "undecided"]


@dataclass(frozen=True, slots=True)
class Condition:
    """What a metric must satisfy, what was measured, and the outcome.

    Attributes:
        kind: `max` for a largest rate, `min` for a least one, `no-worse` for a test against the
            baseline.
        metric: the label of the metric, or of one of its figures (`latency.p95`).
        outcome: `undecided` if the data show neither that the rate is worse nor that it is not.
        rate: the rate of the new system; nan if it is undefined.
        limit: the largest rate, or the margin; as a fraction.
        low: lower end of the interval of the rate, or of the difference from the baseline.
        high: upper end of this interval.
        baseline_rate: the rate of the baseline.
        difference: rate - baseline_rate; negative is better.
        p_no_worse: p-value against "worse by the margin or more"; small if the rate is no worse.
        p_worse: p-value against "worse by the margin at most"; small if the rate is worse.
        reason: why the condition is undecided, or why it failed without a rate.
        slice: the utterances or words that the condition is about; empty for all.
        cure: what to do if the condition failed.
        unit: of the rate, its limit and its interval: `""` for fractions, `s` for seconds, or
            `per word`.
    """

    kind: Kind
    metric: str
    outcome: Outcome
    rate: float
    limit: float
    low: float = nan
    high: float = nan
    baseline_rate: float = nan
    difference: float = nan
    p_no_worse: float = nan
    p_worse: float = nan
    reason: str = ""
    slice: str = ""
    cure: str = ""
    unit: Unit = ""

    @property
    def name(self) -> str:
        """The condition as the command line writes it.

        >>> Condition("max", "wer", "passed", 0.07, 0.08).name
        'max wer=0.08'
        """
        limit = f"={self.limit:g}" if self.kind != "no-worse" else ""
        return f"{self.kind} {self.metric}{limit}" + (f" [{self.slice}]" if self.slice else "")

    def text(self, confidence: float) -> str:
        """Return what was measured, the limit and the outcome, in one clause.

        >>> Condition("max", "wer", "failed", 0.093, 0.08, 0.07, 0.11).text(0.95)
        'wer 9.30 % (95 % interval 7.00 to 11.00), limit 8.00 %: failed'
        """
        ending = self.outcome + (f", {self.reason}" if self.reason else "")
        if self.kind != "no-worse":
            limit = f"limit {in_unit(self.limit, self.unit)}"
            shown = number_span if self.unit else span
            interval = _bracketed(confidence, shown(self.low, self.high))
        else:
            limit = f"margin {_points(self.limit)} points"
            interval = _bracketed(confidence, signed_span(self.low, self.high, 2))
            if not isnan(self.p_no_worse):
                limit += f", {self._p()}"
        if self.outcome == "failed" and self.cure:
            ending += f" ({self.cure})"
        place = f" of {self.slice}" if self.slice else ""
        return f"{self.metric}{place} {self._measured()}{interval}, {limit}: {ending}"

    def row(self) -> dict[str, Any]:
        """Return the condition as a row of a table; null instead of nan."""
        values = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {
            name: None if isinstance(value, float) and isnan(value) else value
            for name, value in values.items()
        }

    def _measured(self) -> str:
        """Return the rate, or the difference from the baseline."""
        if isnan(self.rate):
            return "undefined"
        if self.kind != "no-worse":
            return in_unit(self.rate, self.unit)
        rates = f"{percent(self.rate)} % against {percent(self.baseline_rate)} %"
        return f"{rates}, {signed(self.difference, 2)} points"

    def _p(self) -> str:
        """Return the p-value of the outcome; of an undecided condition the smaller one."""
        p = {"passed": self.p_no_worse, "failed": self.p_worse}.get(
            self.outcome, min(self.p_no_worse, self.p_worse)
        )
        return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def _bracketed(confidence: float, interval: str) -> str:
    return f" ({100 * confidence:g} % interval {interval})" if interval else ""


def _points(margin: float) -> str:
    return f"{100 * margin:.2f}"


# How the conditions of a gate are decided.
#
# The largest rate (`max`) is compared with the measured rate. Its interval is shown, but does not
# decide: a limit is an agreement, and the same data must give the same outcome.
#
# The least rate (`min`) likewise. Both can also be conditions on a figure of a metric, such as a
# percentile of latencies (`stat/times/figures.py`).
#
# `no-worse` is a pair of one-sided tests with a margin. With d = rate - baseline rate, the
# condition has passed if "d is the margin or more" can be rejected (a test of non-inferiority),
# and failed if "d is at most the margin" can be rejected. If neither can be rejected, it is
# undecided. So a rate that is lower than that of the baseline never fails.
#
# Reference: G. Piaggio et al., Reporting of noninferiority and equivalence randomized trials, JAMA
# 308, 2012 (margins of non-inferiority); S. Holm, A simple sequentially rejective multiple test
# procedure, Scandinavian Journal of Statistics 6, 1979.

UNDEFINED = "because the references are empty"


@dataclass(frozen=True, slots=True)
class GateResampling:
    """How the rows are resampled: the settings, and the block of each utterance if there are any.

    `units` is what the rows are called in messages.
    """

    bootstrap: Bootstrap
    blocks: NDArray[np.int64] | None = None
    units: str = "utterances"

    def rows(self, terms: Statistics) -> Statistics:
        """Return the terms of each utterance, or their sums over each block."""
        return terms if self.blocks is None else by_block(terms, self.blocks)


@dataclass(frozen=True, slots=True)
class GatedRate:
    """The rate that a condition is about: its label, and the function of its terms."""

    label: str
    rate: Callable[[Statistics], Statistics]

    @classmethod
    def of(cls, column: MetricColumn) -> GatedRate:
        """Return the rate of a metric."""
        return cls(column.label, column.measure.rate)


def in_limit(
    rate_of: GatedRate, terms: Statistics, limit: float, sample: GateResampling, kind: Kind = "max"
) -> Condition:
    """Decide whether the rate is at most `limit`, or at least; an undefined rate fails."""
    low, high = interval(sample.rows(terms), rate_of.rate, sample.bootstrap)
    return _limited(rate_of.label, (_rate(rate_of, terms), low, high), limit, kind, UNDEFINED)


def _limited(
    label: str, found: tuple[float, float, float], limit: float, kind: Kind, undefined: str
) -> Condition:
    """Compare a value, which comes with its interval, with a limit."""
    value, low, high = found
    passed = value <= limit if kind == "max" else value >= limit
    outcome: Outcome = "passed" if passed else "failed"
    reason = undefined if isnan(value) else ""
    return Condition(kind, label, outcome, value, limit, low, high, reason=reason)


def against_baseline(
    rate_of: GatedRate,
    baseline: Statistics,
    new: Statistics,
    margin: float,
    sample: GateResampling,
) -> Condition:
    """Test whether the rate rose by less than `margin`; p-values are not yet corrected.

    The margin is added to the rate of the baseline, so that `paired` tests the difference beyond
    the margin. Half the two-sided p-value is the one-sided one. If the systems differ in n
    utterances, these are all worse by chance with probability 1 / 2^n; p_worse is at least that.
    """
    rates = _rate(rate_of, baseline), _rate(rate_of, new)
    condition = Condition(
        kind="no-worse",
        metric=rate_of.label,
        outcome="undecided",
        rate=rates[1],
        limit=margin,
        baseline_rate=rates[0],
        difference=rates[1] - rates[0],
    )
    if isnan(condition.difference):
        return replace(condition, outcome="failed", reason=UNDEFINED)
    rows = sample.rows(baseline), sample.rows(new)
    differing = int((rows[0] != rows[1]).any(axis=1).sum())
    if not differing:
        return replace(condition, outcome="passed", reason=f"the same in all {sample.units}")
    found = paired(*_marked(rows), _shifted(rate_of, margin / len(rows[0])), sample.bootstrap)
    half = found.p / 2 if found.difference else 0.5
    below, above = (half, 1 - half) if found.difference < 0 else (1 - half, half)
    return replace(
        condition,
        low=found.low + margin,
        high=found.high + margin,
        p_no_worse=below,
        p_worse=max(above, 0.5**differing),
        reason=f"too few {sample.units} ({len(rows[0]):,})",
    )


def _rate(rate_of: GatedRate, terms: Statistics) -> float:
    """Return the rate over all rows, from exact sums."""
    return float(rate_of.rate(np.array([fsum(term) for term in terms.T])))


def _marked(sides: tuple[Statistics, Statistics]) -> tuple[Statistics, Statistics]:
    """Return the terms with a marker column: 1 for the baseline, 0 for the new system."""
    last = ((0, 0), (0, 1))
    baseline, new = sides
    return np.pad(baseline, last, constant_values=1), np.pad(new, last, constant_values=0)


def _shifted(rate_of: GatedRate, share: float) -> Callable[[Statistics], Statistics]:
    """Return the rate function of marked terms: it adds `share` to the rate for each marked row.

    A linear function of the marks can be used in resamples and in permutations.
    """

    def rate(terms: Statistics) -> Statistics:
        shifted: Statistics = rate_of.rate(terms[..., :-1]) + share * terms[..., -1]
        return shifted

    return rate


def decide(tested: Sequence[Condition], level: float) -> list[Condition]:
    """Correct the p-values of `no-worse` conditions by Holm's method, and decide at `level`."""
    no_worse = holm([condition.p_no_worse for condition in tested]).tolist()
    worse = holm([condition.p_worse for condition in tested]).tolist()
    return [
        _decided(replace(condition, p_no_worse=passing, p_worse=failing), level)
        for condition, passing, failing in zip(tested, no_worse, worse, strict=True)
    ]


def _decided(condition: Condition, level: float) -> Condition:
    """Return a condition with the outcome that its corrected p-values give."""
    if condition.p_no_worse < level:
        return replace(condition, outcome="passed", reason="")
    if condition.p_worse < level:
        return replace(condition, outcome="failed", reason="")
    return condition


def conditions_frame(conditions: Iterable[Condition]) -> pl.DataFrame:
    """Return a row for each condition."""
    texts = ("kind", "metric", "outcome", "reason", "slice", "cure", "unit")
    fields = Condition.__dataclass_fields__
    types = {name: pl.String if name in texts else pl.Float64 for name in fields}
    return pl.DataFrame([condition.row() for condition in conditions], schema=types)


# The gate and its result.

# Outcomes in the order in which the one-line summary lists them.
ORDER: tuple[Outcome, ...] = ("failed", "undecided", "passed")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class GateResult(DisplayedResult):
    """The conditions with their outcomes.

    Attributes:
        conditions: those on largest rates, then those against the baseline, in the user's order.
        strict: whether an undecided condition fails the gate.
        bootstrap: how intervals and p-values were drawn.
        scores: the scores of the new system and the baseline.
    """

    description: ClassVar[Description] = GATE

    conditions: tuple[Condition, ...]
    strict: bool
    bootstrap: Bootstrap
    scores: Scores

    def main_table(self) -> pl.DataFrame:
        """Return a row for each condition."""
        return conditions_frame(self.conditions)

    def result(self, provenance: Mapping[str, Any] | None = None) -> Result:
        """Return the conditions and their provenance."""
        facts = {
            "misword": __version__,
            **(provenance or {}),
            **metric_provenance(self.scores.columns),
            **self.bootstrap.settings,
            "passed": self.passed,
            "line": self.line,
            "strict": self.strict,
        }
        return Result("gate", {"conditions": self.main_table()}, facts)

    @property
    def passed(self) -> bool:
        """Whether no condition failed; if `strict`, whether all passed."""
        return not any(self.fails(condition) for condition in self.conditions)

    @property
    def line(self) -> str:
        """The outcome and the reasons in one line, the failed conditions first."""
        ordered = sorted(self.conditions, key=lambda condition: ORDER.index(condition.outcome))
        return f"gate {'passed' if self.passed else 'failed'}: " + "; ".join(
            condition.text(self.bootstrap.confidence) for condition in ordered
        )

    def fails(self, condition: Condition) -> bool:
        """Return whether a condition fails the gate."""
        return condition.outcome == "failed" or (self.strict and condition.outcome == "undecided")


@takes(GateOptions)
def gate(
    references: Any,
    hypotheses: Any = None,
    *,
    metadata: Any = None,
    ids: Any = None,
    **options: Unpack[GateOptions],
) -> GateResult:
    """Check whether a new system satisfies conditions on its error rates.

    The first system of `hypotheses`, or of `Scores`, is the new one; the second, if there is one,
    is the baseline. `max` has the largest rate allowed for each metric, as a fraction; `min` the
    least one. Both may name a figure of a metric: `word-times.within200`, a share, or
    `latency.p95`, in seconds. The measured rate decides, not its interval. `no_worse` names
    metrics that must not be worse than
    those of the baseline by more than `margin`, a fraction like the limits. This is a one-sided
    paired test at the level 1 - `confidence`, corrected over all its conditions by Holm's method. A
    condition that the data do not decide fails only if `strict`. `block` is a metadata column whose
    values are resampled as a whole. `by` names metadata columns: each combination of their values
    is a slice with conditions of its own, beside those on all utterances. With `entities` or
    `keywords`, the error rate of each class of words must not be worse either. The other arguments
    are those of `misword.score`.

    >>> import misword
    >>> refs, new = ["the cat sat", "so we go"], ["the cat sat", "so we went"]
    >>> found = misword.gate(refs, new, max={"wer": 0.1}, bootstrap=0)
    >>> found.passed, found.conditions[0].outcome, round(found.conditions[0].rate, 4)
    (False, 'failed', 0.1667)
    """
    resampling, margin = Bootstrap.of(options), options["margin"]
    limits = [
        Limit.of(kind, name, limit)
        for kind, given in _limits_of(options)
        for name, limit in (given or {}).items()
    ]
    tested = list(dict.fromkeys(map(METRICS.spelled, split_specs(options["no_worse"]))))
    if options["severity"] and tested:  # serious errors must not be more frequent either
        tested = list(dict.fromkeys([*tested, "critical"]))
    _check(limits, tested, margin)
    scores = scores_from(
        references,
        hypotheses=hypotheses,
        metrics=_metrics_beside(options["preset"], [*(limit.metric for limit in limits), *tested]),
        metadata=metadata,
        ids=ids,
        **chosen(options, ScoreOptions),
    )
    settled: GateOptions = {
        **options,
        "block": options["block"] or usual_block(scores, len(tested)),
    }
    conditions = _conditions(scores, limits, tested, margin, settled, resampling)
    return GateResult(tuple(conditions), options["strict"], resampling, scores)


def _limits_of(options: GateOptions) -> tuple[tuple[Kind, Mapping[str, float] | None], ...]:
    return ("max", options["max"]), ("min", options["min"])


@dataclass(frozen=True, slots=True)
class Limit:
    """A largest or least value of the rate of a metric, or of one of its figures."""

    kind: Kind
    metric: str
    limit: float
    figure: str = ""

    @classmethod
    def of(cls, kind: Kind, name: str, limit: float) -> Limit:
        """Return the limit that a user named."""
        metric, figure = metric_and_figure(name)
        found = cls(kind, METRICS.spelled(metric), limit, figure)
        if figure and figure not in (known := FIGURES[found.base]):
            raise OptionError(
                f"{found.base} has no figure {figure!r}", fix=f"figures: {', '.join(known)}"
            )
        return found

    @property
    def base(self) -> str:
        """The name of the metric without its settings."""
        return self.metric.partition(":")[0]

    @property
    def of_figure(self) -> Figure | None:
        """The figure that is limited; None for the rate."""
        return FIGURES[self.base][self.figure] if self.figure else None


def _check(limits: Sequence[Limit], tested: list[str], margin: float) -> None:
    """Raise if there is no condition, or if a number makes no sense."""
    if not limits and not tested:
        raise OptionError(
            "the gate has no condition", fix="add one: --max wer=0.08, or --no-worse wer"
        )
    for each in limits:
        figure = each.of_figure
        if not each.limit >= 0 or (each.limit > 1 and (figure is None or not figure.unit)):
            shown = f"{each.metric}.{each.figure}" if each.figure else each.metric
            end = "largest" if each.kind == "max" else "least"
            raise OptionError(
                f"the {end} {shown} is {each.limit:g}",
                fix="use a number of 0 or more"
                if figure is not None and figure.unit
                else "use a fraction: 0.08 for 8 %",
            )
    if not 0 <= margin < 1:
        raise OptionError(
            f"margin is {margin:g}", fix="use a fraction such as 0.002, which is 0.2 points"
        )


def _metrics_beside(preset: str | Preset | None, names: list[str]) -> list[str]:
    """Return those of the named metrics that the preset does not compute."""
    own = split_specs(find_preset(preset).metrics or "")
    return [name for name in dict.fromkeys(names) if _find(name, own) is None]


def _find(name: str, labels: Iterable[str]) -> str | None:
    """Return the label for a name: the same label, or the only label of that metric."""
    known = list(labels)
    same_metric = [label for label in known if label.partition(":")[0] == name]
    if name in known:
        return name
    return same_metric[0] if len(same_metric) == 1 else None


def _conditions(
    scores: Scores,
    limits: Sequence[Limit],
    tested: list[str],
    margin: float,
    options: GateOptions,
    bootstrap: Bootstrap,
) -> list[Condition]:
    """Decide all conditions on the first system of the scores, on all utterances and by slice."""
    systems, new = _new_and_baseline(scores, with_baseline=bool(tested))
    columns = {column.label: column for column in scores.columns}
    by = [options["by"]] if isinstance(options["by"], str) else list(options["by"])
    of_rates, of_differences = [], []
    for part in slices(systems, new, by, options["block"] or "", bootstrap):
        for each in limits:
            column = _column_of(each.metric, columns)
            own = systems.by_system[new]
            if each.figure:
                found = _figure_in_limit(each, column.label, own, part)
            else:
                terms = column.measure.terms(own.statistics(column.label))
                rate_of = GatedRate.of(column)
                found = in_limit(rate_of, terms[part.rows], each.limit, part.sample, each.kind)
            of_rates.append(replace(found, slice=part.name, cure=part.cure_of_limit(found)))
        for column in (_column_of(name, columns) for name in tested):
            baseline, now = (side[part.rows] for side in systems.terms(column, new))
            found = against_baseline(GatedRate.of(column), baseline, now, margin, part.sample)
            of_differences.append(replace(found, slice=part.name, cure=part.cure(found)))
    if tested:
        of_differences += _of_classes(systems, new, margin, bootstrap)
    return [*of_rates, *decide(of_differences, 1 - bootstrap.confidence)]


def _figure_in_limit(limit: Limit, label: str, scores: Scores, part: Slice) -> Condition:
    """Decide whether a figure of a metric is at most, or at least, its limit."""
    figure = limit.of_figure
    assert figure is not None
    if figure.record not in scores.records:
        raise OptionError(
            f"the scores have no times for {label}.{limit.figure}", fix="score the files again"
        )
    rows = scores.records[figure.record]
    utterances = scores.table["utt"].filter(_as_mask(part.rows, len(scores.table)))
    groups = part.sample.blocks
    if groups is None:
        groups = np.arange(len(utterances))
    place = pl.DataFrame({"utt": utterances, "group": groups})
    joined = rows.join(place, on="utt", how="inner", maintain_order="left")
    found = figure.measured(joined, joined["group"].to_numpy(), part.sample.bootstrap)
    name = f"{label}.{limit.figure}"
    decided = _limited(name, found, limit.limit, limit.kind, "because nothing has times")
    return replace(decided, unit=figure.unit)


def _as_mask(rows: NDArray[np.bool_] | slice, size: int) -> pl.Series:
    mask = np.zeros(size, np.bool_)
    mask[rows] = True
    return pl.Series(mask)


def _column_of(name: str, columns: Mapping[str, MetricColumn]) -> MetricColumn:
    label = _find(name, columns)
    if label is None:
        raise OptionError(
            f"the scores have no metric {name!r}", fix=f"metrics: {', '.join(columns)}"
        )
    return columns[label]


# Slices: groups of utterances, and classes of words.


@dataclass(frozen=True, slots=True, eq=False)
class Slice:
    """Some of the utterances: their name, their rows, and how they are resampled."""

    name: str
    rows: NDArray[np.bool_] | slice
    sample: GateResampling
    by: tuple[str, ...] = ()

    def cure(self, found: Condition) -> str:
        """Return what to do if the rate is worse than that of the baseline."""
        by = f" --by {','.join(self.by)}" if self.by else ""
        return (
            f"`misword compare` REF BASE NEW{by} --report page.html shows the utterances; "
            f"--margin {100 * max(found.difference, 0):.2g}% would allow it"
        )

    def cure_of_limit(self, found: Condition) -> str:
        """Return what to do if the rate is above the limit."""
        by = f" --by {','.join(self.by)}" if self.by else ""
        return f"`misword score` REF NEW{by} --report page.html shows the utterances"


def slices(
    systems: MatchedSystems, new: str, by: Sequence[str], block: str, bootstrap: Bootstrap
) -> list[Slice]:
    """Return all utterances as the first slice, then those of each combination of values."""
    blocks = systems.blocks(block) if block else None
    units = f"values of {block}" if block else "utterances"
    whole = GateResampling(bootstrap, blocks, units)
    found = [Slice("", slice(None), whole)]
    if not by:
        return found
    own = systems.by_system[new]
    for name in by:
        check_metadata(own, name)
    groups = RowGroups.of(own.table, by)
    order = groups.order if groups.order is not None else np.arange(len(own.table))
    for place, values in enumerate(groups.keys.iter_rows()):
        rows = np.zeros(len(own.table), np.bool_)
        rows[order[groups.starts[place] : groups.starts[place + 1]]] = True
        named = ", ".join(f"{n}={v}" for n, v in zip(by, values, strict=True))
        inner = None
        if blocks is not None:
            inner = np.unique(blocks[rows], return_inverse=True)[1].astype(np.int64)
        sample = GateResampling(bootstrap, inner, units)
        found.append(Slice(named, rows, sample, tuple(by)))
    return found


def _of_classes(
    systems: MatchedSystems, new: str, margin: float, bootstrap: Bootstrap
) -> list[Condition]:
    """Test the error rate of each class of entities and keywords, if some were counted."""
    scores = systems.scores
    if ENTITY_TABLE not in scores.records:
        return []
    counts = scores.tally(paired=True).paired
    assert counts is not None
    found = []
    for source, name in counts.class_names():
        sides = [(side, term) for side in (systems.baseline, new) for term in ("errors", "words")]
        sample = counts.class_sample(source, name, sides)
        rows = sample.repeated()
        terms = rows[:, :2], rows[:, 2:]
        tested = against_baseline(
            GatedRate("errors", ratio_of_terms), *terms, margin, GateResampling(bootstrap)
        )
        shown = f"{source} {name}" if name else source
        option = "--keywords FILE" if source == "keywords" else "--entities SOURCE"
        cure = f"`misword compare` REF BASE NEW {option} --report page.html shows them"
        found.append(replace(tested, slice=shown, cure=cure))
    return found


def _new_and_baseline(scores: Scores, *, with_baseline: bool) -> tuple[MatchedSystems, str]:
    """Return the systems, the baseline first if there is one, and the name of the new system."""
    names = scores.systems
    if len(names) > 2:
        raise OptionError(
            f"{len(names)} systems: {', '.join(names)}", fix="name the new one, then the baseline"
        )
    if len(names) == 2:
        return MatchedSystems.of(scores, names[1]), names[0]
    if with_baseline:
        raise OptionError(
            "there is no baseline to compare with", fix="name it after the new system: REF NEW BASE"
        )
    best = scores.filter(rank=1)
    return MatchedSystems(split_by_system(best), best), names[0]

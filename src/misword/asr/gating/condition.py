"""A condition of a gate with its outcome, and its text."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan, nan
from typing import Any, Literal

from misword.core.formatting import percent, signed, signed_span, span

Kind = Literal["max", "no-worse"]
Outcome = Literal["passed", "failed", "undecided"]


@dataclass(frozen=True, slots=True)
class Condition:
    """What a metric must satisfy, what was measured, and the outcome.

    Attributes:
        kind: `max` for a largest rate, `no-worse` for a test against the baseline.
        metric: the label of the metric.
        outcome: `undecided` if the data neither show that the rate is no worse nor that it is.
        rate: the rate of the new system; nan if it is undefined.
        limit: the largest rate, or the margin; as a fraction.
        low: lower end of the interval of the rate, or of the difference from the baseline.
        high: upper end of this interval.
        baseline_rate: the rate of the baseline.
        difference: rate - baseline_rate; negative is better.
        p_no_worse: p-value against "worse by the margin or more"; small if the rate is no worse.
        p_worse: p-value against "worse by the margin at most"; small if the rate is worse.
        reason: why the condition is undecided, or failed without a number.
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

    @property
    def name(self) -> str:
        """The condition as the command line writes it.

        >>> Condition("max", "wer", "passed", 0.07, 0.08).name
        'max wer=0.08'
        """
        return f"{self.kind} {self.metric}" + (f"={self.limit:g}" if self.kind == "max" else "")

    def text(self, confidence: float) -> str:
        """Return what was measured, the limit and the outcome, in one clause.

        >>> Condition("max", "wer", "failed", 0.093, 0.08, 0.07, 0.11).text(0.95)
        'wer 9.30 % (95 % interval 7.00 to 11.00), limit 8.00 %: failed'
        """
        ending = self.outcome + (f", {self.reason}" if self.reason else "")
        if self.kind == "max":
            limit = f"limit {percent(self.limit)} %"
            interval = _bracketed(confidence, span(self.low, self.high))
        else:
            limit = f"margin {_points(self.limit)} points"
            interval = _bracketed(confidence, signed_span(self.low, self.high, 2))
            if not isnan(self.p_no_worse):
                limit += f", {self._p()}"
        return f"{self.metric} {self._measured()}{interval}, {limit}: {ending}"

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
        if self.kind == "max":
            return f"{percent(self.rate)} %"
        rates = f"{percent(self.rate)} % against {percent(self.baseline_rate)} %"
        return f"{rates}, {signed(self.difference, 2)} points"

    def _p(self) -> str:
        """Return the p-value that decides, or the smaller one if none does."""
        p = {"passed": self.p_no_worse, "failed": self.p_worse}.get(
            self.outcome, min(self.p_no_worse, self.p_worse)
        )
        return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def _bracketed(confidence: float, interval: str) -> str:
    return f" ({100 * confidence:g} % interval {interval})" if interval else ""


def _points(margin: float) -> str:
    return f"{100 * margin:.2f}"

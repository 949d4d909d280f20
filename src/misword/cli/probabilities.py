"""Tables of `misword evaluate` for systems whose scores are probabilities."""

from __future__ import annotations

from misword.bli.evaluation.result import Evaluation
from misword.cli.output import Table, percent, span


def probability_tables(evaluation: Evaluation) -> dict[str, Table]:
    """Return the tables by title; none if no system gives probabilities."""
    if not len(evaluation.probabilities.thresholds):
        return {}
    return {
        "Candidates with a probability of at least p": _thresholds(evaluation),
        "Calibration": _calibration(evaluation),
    }


def _thresholds(evaluation: Evaluation) -> Table:
    """Return precision and recall over the probability of candidates."""
    bootstrap = evaluation.settings.bootstrap
    intervals = [f"{100 * bootstrap.confidence:g} % interval"] if bootstrap.times else []
    header = ["system", "p", "candidates", "headwords"]
    for name in ("precision", "recall"):
        header += [f"{name} %", *intervals]
    body = []
    for row in evaluation.probabilities.thresholds.to_dicts():
        line = [row["system"], f"{row['threshold']:.1f}"]
        line += [f"{row[name]:,}" for name in ("candidates", "headwords")]
        for name in ("precision", "recall"):
            line.append(percent(row[name]) or "undefined")
            if intervals:
                line.append(span(row[f"{name}_low"], row[f"{name}_high"]))
        body.append(line)
    return Table(header, body)


def _calibration(evaluation: Evaluation) -> Table:
    """Return the expected calibration error of each system with probabilities."""
    header = ["system", "candidates", "number", "calibration error", "by chance"]
    body = [
        [
            row["system"],
            row["candidates"],
            f"{row['cases']:,}",
            f"{row['error']:.4f}",
            f"{row['by_chance']:.4f}",
        ]
        for row in evaluation.probabilities.calibration_errors.to_dicts()
    ]
    return Table(header, body, left=2)

"""How the severity of errors is shown: rates of labels, frequent critical errors, what changed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from misword.core.tables import (
    WORDS,
    Column,
    Row,
    Table,
    count,
    field_is,
    number,
    probability,
    prose,
    signed,
    text,
    utterance,
    written,
)
from misword.core.types import Description, Result
from misword.stat.descriptions.result_access import rows

# Names of the explorer's filters.
LABEL, LEVEL = "error with label", "level of the worst error"
# Rows that a terminal shows of each system.
FREQUENT_SHOWN, WORST_SHOWN, CHANGES_SHOWN = 15, 5, 10
TITLES = {
    "term": "critical term",
    "number": "number, unit or date",
    "modality": "modality or quantifier",
    "role": "who does what",
    "replaced": "content replaced",
    "lost": "content lost",
    "invented": "content invented",
    "cut": "cut off",
}


def _label() -> Column:
    """Return the column with the label of an error, which opens the explorer at such errors."""
    return text(
        "label",
        of=lambda row: TITLES.get(row["label"], row["label"]),
        filters=lambda row: [field_is(WORDS, LABEL, row["label"])],
    )


def _per_thousand(key: str, header: str) -> Column:
    return written(key, header, lambda rate: f"{1000 * rate:.2f}")


def severity_table(result: Result) -> Table:
    """Return a row for each system and label: critical errors per 1,000 words, and counts."""
    return Table(
        "severity",
        (
            text("system"),
            _label(),
            _per_thousand("rate", "per 1,000 words"),
            _per_thousand("low", "from"),
            _per_thousand("high", "to"),
            count("critical"),
            count("major"),
            count("minor"),
            count("with_critical", "utts", title="utterances with a critical one"),
        ),
        rows(result, "severity"),
        title="Critical errors by label",
    )


def frequent_table(result: Result) -> Table:
    """Return the most frequent critical errors with their words."""
    return Table(
        "critical_errors",
        (
            text("system"),
            _label(),
            text("reference", empty="***"),
            text("hypothesis", empty="***"),
            count("count"),
        ),
        _first(rows(result, "critical_errors"), FREQUENT_SHOWN),
        title="The most frequent critical errors",
    )


def worst_table(result: Result) -> Table:
    """Return the utterances with the highest scores, each with its worst error."""
    return Table(
        "severity_worst",
        (
            text("system"),
            utterance(),
            number("score"),
            _label(),
            text("reference", "said", empty="***"),
            text("hypothesis", "heard", empty="***"),
            prose("said", "whole reference", optional=True, page_only=True),
            prose("heard", "whole hypothesis", optional=True, page_only=True),
        ),
        _first(rows(result, "severity_worst"), WORST_SHOWN),
        title="The utterances whose errors matter most",
    )


def silence_table(result: Result) -> Table:
    """Return the hypotheses that have words where the reference has none."""
    return Table(
        "silence",
        (
            text("system"),
            utterance(),
            count("words"),
            text("stock", "stock phrase", optional=True),
            prose("hypothesis"),
        ),
        _first(rows(result, "silence"), CHANGES_SHOWN),
        title="Words where the reference has none",
    )


def severity_differences_table(result: Result) -> Table:
    """Return the change of the critical errors of each label, with intervals and p-values."""
    return Table(
        "severity_differences",
        (
            _label(),
            text("system"),
            _per_thousand("baseline_rate", "baseline, per 1,000 words"),
            _per_thousand("rate", "per 1,000 words"),
            signed("difference", "points", 3),
            signed("low", "from", 3),
            signed("high", "to", 3),
            count("baseline_errors", "errors before"),
            count("errors"),
            probability("p_holm", "p"),
        ),
        rows(result, "severity_differences"),
        title="Critical errors by label, against the baseline",
    )


def changes_table(result: Result) -> Table:
    """Return the critical errors that the new system makes alone, and those that it mended."""
    shown = [{**row, "change": CHANGES[row["change"]]} for row in rows(result, "dangerous_changes")]
    return Table(
        "dangerous_changes",
        (
            text("system"),
            text("change"),
            utterance(),
            _label(),
            text("reference", empty="***"),
            text("hypothesis", empty="***"),
        ),
        _first(shown, CHANGES_SHOWN, "change"),
        title="What the new system gets dangerously wrong that the old one had right, and reverse",
    )


CHANGES = {"new": "wrong now", "mended": "right now"}


def severity_tables(result: Result) -> Iterator[Table]:
    """Yield the tables of one result."""
    yield severity_table(result)
    yield frequent_table(result)
    yield worst_table(result)
    yield silence_table(result)
    yield judge_table(result)


def severity_changes(result: Result) -> Iterator[Table]:
    """Yield the tables of a comparison."""
    yield severity_differences_table(result)
    yield changes_table(result)


def _first(listed: list[Row], number: int, *by: str) -> list[Row]:
    """Return the first rows of each system."""

    def key(row: Row) -> tuple[str, ...]:
        return tuple(str(row[name]) for name in ("system", *by))

    groups = (list(group) for _, group in groupby(sorted(listed, key=key), key=key))
    return [row for group in groups for row in group[:number]]


# Levels learnt from labels (`misword fit --severity`).


def fit_tables(result: Result) -> Iterator[Table]:
    """Yield quality, agreement, calibration, and what carries the prediction."""
    yield Table(
        "quality",
        (
            text("prediction"),
            number("auc", "AUC", 3),
            number("calibration_error", "calibration error", 3),
            number("kappa_matters", "kappa, matters", 3),
            count("utterances"),
        ),
        rows(result, "quality"),
    )
    yield Table(
        "agreement",
        (
            text("one"),
            text("other"),
            number("kappa", digits=3),
            number("kappa_matters", "kappa, matters", 3),
        ),
        rows(result, "agreement"),
        title="Agreement on the levels (Cohen's kappa; groups left out)",
    )
    yield Table(
        "calibration",
        (
            number("low", "from", 1),
            number("high", "to", 1),
            count("cases"),
            number("mean", "predicted", 3),
            number("share", "happened", 3),
        ),
        rows(result, "calibration"),
        title="Calibration: predicted and observed shares of utterances that matter",
    )
    yield Table(
        "weights",
        (text("feature"), number("matters", digits=3), number("significant", digits=3)),
        rows(result, "weights"),
        title="What carries the prediction (weights of scaled features)",
    )


def fit_headline(result: Result) -> str:
    """Return the AUC of predictions for groups that were left out."""
    found = {row["prediction"]: row for row in rows(result, "quality")}
    if not found:
        return ""
    own, fitted = found.values()
    return (
        f"Which utterances matter: AUC {fitted['auc']:.3f} fitted, groups left out; "
        f"{own['auc']:.3f} by the score as it is."
    )


SEVERITY_FIT = Description(
    fit_tables,
    main=("quality",),
    data={name: name for name in ("quality", "agreement", "calibration", "weights")},
    headline=fit_headline,
)


def judge_table(result: Result) -> Table:
    """Return how well a judge agrees with the levels of the labels."""
    return Table(
        "judge_agreement",
        (
            text("system"),
            text("judge"),
            count("utterances"),
            number("same", "same level", 3),
            number("kappa", digits=3),
            number("kappa_matters", "kappa, major or critical", 3),
            count("critical", "critical by labels"),
            count("judged_critical", "critical by judge"),
        ),
        rows(result, "judge_agreement"),
        title="Agreement of the judge with the levels of the labels",
    )

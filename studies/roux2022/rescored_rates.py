"""Rates before and after rescoring: Table 2."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import misword
from misword.core.types import Statistics
from misword.stat.scores import Scores
from studies.common.conclusions import Conclusion, Section, conclusion, joined
from studies.common.markdown import number, p_value, page, paragraph, percent, signed, span, table
from studies.common.resampled import Estimate, estimate
from studies.roux2022.published import LER_RESCORED, METRICS, SEMANTIC, TABLE_2, TITLES
from studies.roux2022.systems import BASE, Recogniser

GAINS = [
    "lists", "language model", "base", "rescored", "difference", "95 % interval", "p",
    "best choice",
]  # fmt: skip
REDUCTIONS = [
    "", "base", "rescored", "relative, %", "95 % interval", "minus WER's", "paper: base",
    "rescored", "relative, %",
]  # fmt: skip


def gains(recognisers: Sequence[Recogniser]) -> Section:
    """Return the section on what rescoring gains in WER."""
    rows = [row for recogniser in recognisers for row in gain_rows(recogniser)]
    statuses = {}
    for recogniser in recognisers:
        rates = recogniser.tunings[recogniser.main].rates
        row = rates.filter(choice="held out").row(0, named=True)
        low, high = row["difference_low"], row["difference_high"]
        statuses[recogniser.title] = conclusion(low, high, "lower")
    before, after, _ = TABLE_2["wer"]
    text = f"""WER in % of the first hypotheses (base) and of the rescored ones. The paper's
    recogniser goes from {before} to {after} %. The last column is the lowest WER that a choice
    from the lists can have."""
    return Section(
        f"## What rescoring gains\n\n{paragraph(text)}\n\n{table(GAINS, rows, text_columns=2)}",
        (Conclusion("Table 2, our lists", "rescoring lowers WER", joined(statuses)),),
        ("misword tune wce-whisper/ref.jsonl wce-whisper/nbest.jsonl --features score,lm,words",),
    )


def gain_rows(recogniser: Recogniser) -> list[list[str]]:
    """Return a row for each rescoring of a recogniser."""
    rows = []
    for name, found in recogniser.tunings.items():
        rates = {row["choice"]: row for row in found.rates.iter_rows(named=True)}
        row = rates["held out"]
        rows.append([
            recogniser.title, name, percent(rates["rank 1"]["rate"]), percent(row["rate"]),
            signed(100 * row["difference"]),
            span(100 * row["difference_low"], 100 * row["difference_high"]), p_value(row["p"]),
            percent(rates["oracle"]["rate"]),
        ])  # fmt: skip
    return rows


def reductions(recognisers: Sequence[Recogniser]) -> Section:
    """Return the section on Table 2."""
    blocks: list[str] = []
    less: dict[str, dict[str, str]] = {TITLES[metric]: {} for metric in SEMANTIC}
    for recogniser in recognisers:
        name = recogniser.main
        compared = misword.compare(recogniser.systems(BASE, name), baseline=BASE).differences
        by_metric = {row["metric"]: row for row in compared.iter_rows(named=True)}
        against = {
            metric: relative_difference(recogniser.scores, metric, "wer", name)
            for metric in METRICS
        }
        for metric in SEMANTIC:
            _, low, high = against[metric]
            less[TITLES[metric]][recogniser.title] = conclusion(low, high, "higher")
        better = sum(row["relative_high"] < 0 for row in by_metric.values())
        blocks += [
            f"**{recogniser.title}, rescored by {name}**: {better} of {len(METRICS)} intervals "
            "are below 0.",
            table(REDUCTIONS, reduction_rows(by_metric, against)),
        ]
    corrected = 100 * (LER_RESCORED / TABLE_2["ler"][0] - 1)
    text = f"""Rates in % of the base system and after rescoring, with the relative change, as in
    the paper. `minus WER's` is the interval of the relative change by a metric minus that by
    WER: if it is above 0, the metric gains less than WER. The paper's LER after rescoring,
    {TABLE_2["ler"][1]}, is a misprint of {LER_RESCORED}, which is a change of
    {signed(corrected, 1)} %; only then is its text right that WER gains most."""
    return Section(
        page(
            "## Table 2: all metrics before and after rescoring", paragraph(text), *blocks
        ).strip(),
        tuple(
            Conclusion("Table 2, our lists", f"{title} gains less than WER", joined(statuses))
            for title, statuses in less.items()
        ),
        (
            "misword compare ref.csv base.csv rescored.csv --baseline base.csv --lang fr "
            f"--metrics {','.join(METRICS)} --vectors vectors/fr.vec.gz",
        ),
    )


def reduction_rows(
    by_metric: Mapping[str, Mapping[str, Any]], against: Mapping[str, Estimate]
) -> list[list[str]]:
    """Return the rows of Table 2 for one recogniser, beside the paper's."""
    rows = []
    for metric in METRICS:
        row, (before, after, relative) = by_metric[metric], TABLE_2[metric]
        _, low, high = against[metric]
        rows.append([
            TITLES[metric], percent(row["baseline_rate"]), percent(row["rate"]),
            signed(100 * row["relative"], 1),
            span(100 * row["relative_low"], 100 * row["relative_high"], 1),
            "" if metric == "wer" else span(low, high, 1),
            number(before), number(after), signed(relative, 1),
        ])  # fmt: skip
    return rows


def relative_difference(scores: Scores, label: str, other: str, system: str) -> Estimate:
    """Return the relative change by one metric minus that by another one, in percent."""
    columns = {column.label: column for column in scores.columns}
    blocks, rates, start = [], [], 0
    for name in (label, other):
        for of_system in (BASE, system):
            terms = columns[name].terms(scores.table.filter(system=of_system))
            blocks.append(terms)
            rates.append((columns[name].measure.rate, slice(start, start + terms.shape[1])))
            start += terms.shape[1]

    def change(terms: Statistics) -> Statistics:
        before, after, other_before, other_after = (rate(terms[..., at]) for rate, at in rates)
        return np.asarray(100 * (after / before - other_after / other_before))

    return estimate(np.hstack(blocks), change)

"""How noise is shown: corrupted texts, learnt errors, realism, and robustness of encoders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from misword.core import formatting
from misword.core.formatting import (
    counted,
    interval_in_sentence,
    is_number,
    listed,
    number_span,
    signed_number,
)
from misword.core.tables import (
    Column,
    Row,
    Table,
    beside,
    composed,
    count,
    number,
    part,
    percent,
    span,
    text,
    written,
)
from misword.core.tables import number_span as spanned
from misword.core.types import Description, Result
from misword.stat.bootstrap import BOOTSTRAP_SETTINGS
from misword.stat.descriptions.result_access import (
    Titles,
    confidence,
    interval,
    rows,
    table,
    titles,
    unique,
)
from misword.stat.descriptions.severity import severity_table

# The most frequent errors that the page shows.
ERRORS_SHOWN = 100
# The sentence names at most this many word error rates.
RATES_NAMED = 5


# Corrupted texts.


def corruption_table(result: Result) -> Table:
    """Return a row for each noisy text: the target and the realised WER, and counts."""
    return Table(
        "summary",
        (
            text("system"),
            percent("asked", title="asked, %"),
            percent("wer", "WER %", title="WER, %", empty="undefined"),
            count("substitutions", "sub", title="substitutions"),
            count("deletions", "del", title="deletions"),
            count("insertions", "ins", title="insertions"),
            count("words"),
            count("left_alone", "no candidate"),
        ),
        rows(result, "summary"),
    )


def frequent_errors_table(result: Result) -> Table:
    """Return the errors that were drawn most often, over all noisy texts."""
    truth = table(result, "truth")
    found: list[Row] = []
    if truth is not None:
        counts = truth.group_by("kind", "old", "new", maintain_order=True).len("times")
        found = counts.sort("times", descending=True, maintain_order=True).to_dicts()
    return Table(
        "errors",
        (text("kind", "error"), text("old", "word"), text("new", "became"), count("times")),
        found[:ERRORS_SHOWN],
    )


def corruption_tables(result: Result) -> Iterator[Table]:
    """Yield the table of word error rates, and that of the labels of errors if there is one."""
    yield corruption_table(result)
    if "severity" in result.tables:
        yield severity_table(result)


def corruption_headline(result: Result) -> str:
    """Return the word error rates of the noisy texts."""
    summary = rows(result, "summary")
    rates = [f"{formatting.percent(row['wer'], 1)} %" for row in summary if is_number(row["wer"])]
    if not rates:
        return ""
    found = f"word error rate {listed(rates)}"
    if len(rates) > RATES_NAMED:
        found = f"{len(rates)} word error rates from {rates[0]} to {rates[-1]}"
    return f"Noise in {counted(summary[0]['words'], 'word')}: {found}."


CORRUPTION = Description(
    corruption_tables,
    main=("summary",),
    data={"rows": "summary", "severity": "severity"},
    facts=("misword", "signature"),
    headline=corruption_headline,
)


# Learnt errors.


def confusions_table(result: Result) -> Table:
    """Return the substitutions of a recogniser, the most frequent first."""
    return Table(
        "confusions",
        (
            text("said"),
            text("heard"),
            count("times"),
            percent("share", "% of its substitutions", 1),
        ),
        rows(result, "confusions"),
    )


def learnt_noise_tables(result: Result) -> Iterator[Table]:
    """Yield the table of substitutions."""
    yield confusions_table(result)


def learnt_noise_headline(result: Result) -> str:
    """Return the numbers of utterances, words and errors."""
    facts = result.provenance
    errors = ("substitutions", "deletions", "insertions")
    return (
        f"{facts['utterances']:,} utterances, {facts['words']:,} words: "
        + ", ".join(f"{facts[name]:,} {name}" for name in errors)
        + f"; {facts['digest']}"
    )


LEARNT_NOISE = Description(
    learnt_noise_tables,
    main=("confusions",),
    data={"confusions": "confusions"},
    facts=(
        "misword", "utterances", "words", "substitutions", "deletions", "insertions", "digest",
    ),
    headline=learnt_noise_headline,
    notes=lambda result: [learnt_noise_headline(result)],
)  # fmt: skip


# Realism of channels.


def channels_table(result: Result) -> Table:
    """Return a row for each channel: bits for each real error, coverage and ranks."""
    return Table(
        "summary",
        (
            text("channel"),
            number("bits"),
            spanned("low", "high", interval(result)),
            written("difference", "difference", signed_number),
            spanned("difference_low", "difference_high", interval(result)),
            percent("coverage", "coverage %", 1, title="coverage, %"),
            number("mean_rank", "mean rank", 1),
            number("median_rank", "median rank", 1),
        ),
        rows(result, "summary"),
    )


def judged_errors_table(result: Result) -> Table:
    """Return distinct test errors, the most frequent first, with their bits under each channel."""
    errors = table(result, "errors")
    if errors is None:
        return Table("errors", (), ())
    channels = [row["channel"] for row in rows(result, "summary")]
    # Equal errors have equal bits.
    distinct = errors.unique(["said", "heard"], keep="first", maintain_order=True)
    times = errors.group_by("said", "heard").len("times")
    shown = distinct.join(times, on=["said", "heard"], how="left", maintain_order="left")
    shown = shown.sort("times", descending=True, maintain_order=True).head(ERRORS_SHOWN)
    return Table(
        "errors",
        (
            text("said"),
            text("heard"),
            count("times"),
            *(
                number(f"{name}.bits", f"{name}, bits")
                for name in channels
                if f"{name}.bits" in errors.columns
            ),
        ),
        shown.to_dicts(),
    )


def error_spans_table(result: Result) -> Table:
    """Return a row for each channel: recall of real error spans within k samples, and bits."""
    columns: list[Column] = [text("channel")]
    for k in (1, 10, 100):
        name = f"recall_{k}"
        columns += [
            percent(name, f"recall@{k} %", 1, title=f"recall within {k} samples, %"),
            span(f"{name}_low", f"{name}_high", interval(result)),
        ]
    columns += [
        number("bits"),
        spanned("low", "high", interval(result)),
        written("difference", "difference", signed_number),
        spanned("difference_low", "difference_high", interval(result)),
    ]
    return Table("spans", columns, rows(result, "spans"))


def noisy_texts_table(result: Result) -> Table:
    """Return a row for the recogniser and each channel: where errors fall, and of which shape."""
    between = interval(result)
    return Table(
        "texts",
        (
            text("channel", "errors of"),
            percent("wer", "WER %", title="WER, %"),
            percent("rare", "rare %", 1, title="rare words among wrong words, %"),
            percent("runs", "in runs %", 1, title="errors in runs, %"),
            number("similarity", title="similarity of substitutions"),
            percent("dissimilar", "unlike %", 1, title="substitutions with similarity < 0.2, %"),
            percent("clean", "clean %", 1, title="utterances without errors, %"),
            number("position", "position", title="right words hit, times chance"),
            spanned("position_low", "position_high", between),
        ),
        rows(result, "texts"),
    )


def run_lengths_table(result: Result) -> Table:
    """Return the share of runs of errors of each length."""
    columns = text("channel", "errors of"), count("length", "errors in a run"), percent("share")
    return Table("runs", columns, rows(result, "runs"))


def realism_tables(result: Result) -> Iterator[Table]:
    """Yield the tables of error spans, of texts, and of single substitutions."""
    if rows(result, "spans"):
        yield error_spans_table(result)
        yield noisy_texts_table(result)
    yield channels_table(result)


def realism_headline(result: Result) -> str:
    """Return the channel that needs the fewest bits for the errors of the recogniser."""
    shown = [row for row in rows(result, "summary") if is_number(row["bits"])]
    if not shown:
        return ""
    best = min(shown, key=lambda row: float(row["bits"]))
    between = interval_in_sentence(confidence(result), number_span(best["low"], best["high"]))
    errors = counted(best["errors"], "substitution")
    return (
        f"No channel needs fewer bits for the recogniser's errors than {best['channel']}: "
        f"{formatting.number(best['bits'])} for each of {errors}{between}."
    )


REALISM = Description(
    realism_tables,
    main=("spans", "texts", "summary"),
    data={"spans": "spans", "texts": "texts", "runs": "runs", "rows": "summary"},
    facts=("misword", "signatures", *BOOTSTRAP_SETTINGS),
    headline=realism_headline,
    signed_by="channel",
)


# A task under noise.


def downstream_table(result: Result) -> Table:
    """Return a row for each channel and word error rate: the score of a task, and what is left."""
    return Table(
        "levels",
        (
            text("channel"),
            percent("realised", "WER %", title="WER, %"),
            number("score", digits=4),
            number("deviation", "SD over trials", digits=4, empty=""),
            percent("ratio", "left %", 1, title="score left, %", empty="undefined"),
            _between(span("ratio_low", "ratio_high", confidence(result))),
            count("trials"),
        ),
        rows(result, "levels"),
    )


def downstream_tables(result: Result) -> Iterator[Table]:
    """Yield the table of scores."""
    yield downstream_table(result)


def downstream_headline(result: Result) -> str:
    """Return how much of its score the task keeps at the highest word error rate."""
    levels = [row for row in rows(result, "levels") if is_number(row["ratio"])]
    if not levels:
        return ""
    wer = max(row["wer"] for row in levels)
    left = [
        f"{formatting.percent(row['ratio'], 1)} % under {row['channel']}"
        for row in levels
        if row["wer"] == wer
    ]
    return f"At {_whole_percent(wer)} % WER the task keeps {listed(left)} of its score."


DOWNSTREAM = Description(
    downstream_tables,
    main=("levels",),
    data={"rows": "levels"},
    facts=("misword", "signatures", "task", "texts", "trials", *BOOTSTRAP_SETTINGS),
    headline=downstream_headline,
    signed_by="channel",
)


# Robustness of encoders.


def levels_table(result: Result) -> Table:
    """Return a row for each encoder and word error rate: similarity and correlations."""
    between = confidence(result)
    return Table(
        "levels",
        (
            part("encoder", titles(result)),
            percent("realised", "WER, %"),
            number("similarity", digits=4, empty="undefined"),
            _between(spanned("similarity_low", "similarity_high", between, 4)),
            percent("pearson", "Pearson x 100", empty="undefined"),
            _between(span("pearson_low", "pearson_high", between)),
            _between(
                span("pearson_pairs_low", "pearson_pairs_high", f"{between} over pairs"),
                optional=True,
            ),
            percent("spearman", "Spearman x 100", empty="undefined"),
            percent("ratio", "ratio, %", empty="undefined"),
            _between(span("ratio_low", "ratio_high", between)),
        ),
        rows(result, "levels"),
    )


def _between(column: Column, *, optional: bool = False) -> Column:
    """Return a column of intervals; those of numbers without a spread are empty."""

    def value(row: Row) -> Any:
        low, high = column.value(row)
        return (None, None) if low == high else (low, high)

    return replace(column, of=value, optional=optional)


def lines_table(result: Result) -> Table:
    """Return the line through the similarities of each encoder."""

    def per_point(row: Row, name: str) -> float | None:
        return row[name] / 100 if is_number(row[name]) else None

    ends = spanned("slope_low", "slope_high", "interval", 5, title=interval(result))
    slope = number("slope", "similarity per point of WER", 5, empty="undefined")
    return Table(
        "lines",
        (
            part("encoder", titles(result)),
            replace(slope, of=lambda row: per_point(row, "slope")),
            replace(
                ends, of=lambda row: (per_point(row, "slope_low"), per_point(row, "slope_high"))
            ),
            number("r2", "R2", 4, empty="undefined"),
        ),
        rows(result, "lines"),
    )


def encoders_table(result: Result) -> Table:
    """Return a row for each encoder: the numbers of all word error rates side by side."""
    levels, lines = levels_table(result), lines_table(result)
    by_key = {column.key: column for column in (*levels.columns, *lines.columns)}
    rates = unique(row["wer"] for row in levels.rows)
    together: dict[str, Row] = {}
    for row in levels.rows:
        line = together.setdefault(row["encoder"], {"encoder": row["encoder"]})
        line[f"at {row['wer']}"] = row
    for row in lines.rows:
        together.setdefault(row["encoder"], {"encoder": row["encoder"]})["line"] = row
    noisy = [(f"at {rate}", formatting.percent(rate, 0)) for rate in rates if rate]
    return Table(
        "encoders",
        (
            by_key["encoder"],
            *(
                beside(by_key["pearson"], f"at {rate}", f"Pearson at {name} %")
                for rate, name in zip(rates, map(_whole_percent, rates), strict=True)
            ),
            *(
                beside(_with_interval(levels, "ratio"), place, f"left at {name} %, %")
                for place, name in noisy
            ),
            *(
                beside(column, "line", column.heading(page=True))
                for column in lines.columns
                if column.key != "encoder"
            ),
        ),
        list(together.values()),
    )


def _whole_percent(rate: float) -> str:
    return formatting.percent(rate, 0)


def _with_interval(shown: Table, name: str) -> Column:
    """Return a column of numbers with their intervals in brackets, sorted by the numbers."""
    by_key = {column.key: column for column in shown.columns}
    value, ends = by_key[name], by_key[f"{name}_low to {name}_high"]

    def both(row: Row) -> str:
        between = ends.cell(row)
        return value.cell(row) + (f" ({between})" if between else "")

    return composed(name, value.header, both)


def noisy_sentences_table(result: Result) -> Table:
    """Return some sentences with their noisy versions."""
    columns = (
        text("sentence", "said"),
        percent("wer", "WER, %", 0),
        text("heard"),
    )
    return Table("examples", columns, rows(result, "examples"))


def robustness_tables(result: Result) -> Iterator[Table]:
    """Yield the numbers at each word error rate, and the lines through the similarities."""
    yield levels_table(result)
    yield lines_table(result)


def robustness_headline(result: Result) -> str:
    """Return which encoder loses most of its correlation with people at the highest error rate.

    The second clause names the encoder that loses least, and the one that follows people's scores
    best under this noise.
    """
    levels = [row for row in rows(result, "levels") if is_number(row["pearson"])]
    if not levels:
        return ""
    wer, title = max(row["wer"] for row in levels), titles(result)
    clean = {row["encoder"]: row["pearson"] for row in levels if not row["wer"]}
    noisy = [row for row in levels if row["wer"] == wer]
    best = max(noisy, key=lambda row: row["pearson"])
    losses = [row for row in noisy if is_number(row.get("ratio")) and row["encoder"] in clean]
    start = f"At {_whole_percent(wer)} % WER"
    if not wer or not losses:
        superlative = " best" if len(noisy) > 1 else ""
        name, pearson = title(best["encoder"]), formatting.percent(best["pearson"], 1)
        return f"{start} {name} follows people's scores{superlative}: Pearson x 100 {pearson}."
    worst, *others = sorted(losses, key=lambda row: row["ratio"])
    if worst["ratio"] >= 1:
        nobody = "no encoder loses any" if others else f"{title(worst['encoder'])} loses nothing"
        return f"{start} {nobody} of its correlation with people's scores."
    most = f" {_verb(worst, others)}" if others else ""
    before = formatting.percent(clean[worst["encoder"]], 1)
    sentence = (
        f"{start} {title(worst['encoder'])} loses{most} {_loss(worst, confidence(result))} of its "
        f"correlation with people's scores (Pearson x 100 {before} without noise, "
        f"{formatting.percent(worst['pearson'], 1)} with it)"
    )
    return f"{sentence}{_least(worst, others, best, title)}."


def _verb(worst: Row, others: Sequence[Row]) -> str:
    """Return `most:`, or `as much as any:` where another encoder loses the same."""
    return "most:" if worst["ratio"] < others[0]["ratio"] else "as much as any:"


def _loss(row: Row, share: str) -> str:
    """Return the share of the correlation that is lost, with its interval."""
    low, high = row.get("ratio_low"), row.get("ratio_high")
    between = ""
    if is_number(low) and is_number(high):
        between = formatting.span(1 - high, 1 - low, 0)
    return f"{_whole_percent(1 - row['ratio'])} %{interval_in_sentence(share, between)}"


def _least(worst: Row, others: Sequence[Row], best: Row, title: Titles) -> str:
    """Return a clause on the encoder that loses least and on the one that is best under noise."""
    if not others:
        return ""
    least = others[-1]
    follows = f"follows people's scores best ({formatting.percent(best['pearson'], 1)})"
    if least["ratio"] == worst["ratio"]:
        return f"; {title(best['encoder'])} {follows}"
    overlap = ""
    if is_number(worst.get("ratio_high")) and is_number(least.get("ratio_low")):
        overlap = ", the intervals overlap" if least["ratio_low"] <= worst["ratio_high"] else ""
    loss = f"{_whole_percent(1 - least['ratio'])} %{overlap}"
    clause = f"; {title(least['encoder'])} loses least ({loss})"
    if best["encoder"] == least["encoder"]:
        return f"{clause} and {follows}"
    return f"{clause}; {title(best['encoder'])} {follows}"


ROBUSTNESS = Description(
    robustness_tables,
    main=("levels",),
    data={"lines": "lines", "rows": "levels"},
    facts=(
        "misword", "signatures", "pairs", "words", "left_alone", "trials", "refit", "channel",
        *BOOTSTRAP_SETTINGS,
    ),
    headline=robustness_headline,
    repeated=("signature",),
    signed_by="encoder",
)  # fmt: skip

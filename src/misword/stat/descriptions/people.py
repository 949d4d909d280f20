"""How metrics beside people are shown: agreement, correlations and blends that were learnt."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

from misword.core import formatting
from misword.core.formatting import counted, interval_in_sentence, is_number, listed, p_in_sentence
from misword.core.lazy import pl
from misword.core.parts.registry import split_specs
from misword.core.tables import (
    Column,
    Row,
    Table,
    count,
    number,
    number_span,
    part,
    percent,
    probability,
    prose,
    side_by_side,
    span,
    text,
    written,
)
from misword.core.types import Description, Result
from misword.stat.bootstrap import BOOTSTRAP_SETTINGS
from misword.stat.descriptions.result_access import (
    Titles,
    confidence,
    interval,
    metrics,
    rows,
    titles,
    unique,
)
from misword.stat.options import SIGNIFICANCE_LEVEL

# The headline names at most this many metrics with an overlapping interval.
NAMED = 3
COEFFICIENTS = ("pearson", "spearman", "kendall")
# The names of the blend and of the human ceiling in the table of quality.
BLEND, VOTER = "blend", "one voter"


def _share_columns(result: Result, size: str) -> list[Column]:
    """Return the columns of agreement with people; `size` is the column of the number of cases."""
    return [
        part("metric", titles(result)),
        text("consensus"),
        count(size, page_only=True),
        percent("agreed", "agreed", 1, title="agreed, %", empty="undefined"),
        span("low", "high", interval(result), digits=1),
        percent("half", "half", 1, title="with half for ties, %", empty="undefined"),
        percent("ties", "ties", 1, title="ties, %", empty="undefined"),
    ]


def _level(size: str) -> Callable[[Row], str]:
    """Return a function that names a level of consensus with its number of cases."""
    return lambda row: f"{row['consensus']} ({row[size]:,})"


def agreement_table(result: Result) -> Table:
    """Return how often each metric prefers what people prefer, at each level of consensus."""
    return Table("agreement", _share_columns(result, "triplets"), rows(result, "agreement"))


def agreement_tables(result: Result) -> Iterator[Table]:
    """Yield a row for each metric, the levels of consensus side by side; then tables of ratings."""
    shares = agreement_table(result)
    yield side_by_side(shares, "metric", _level("triplets"), *shares.numbers)
    yield mean_ratings_table(result)
    yield reliability_table(result)


def mean_ratings_table(result: Result) -> Table:
    """Return the correlation of each metric with the mean ratings of hypotheses."""
    return Table(
        "ratings",
        (
            part("metric", titles(result)),
            *(coefficient(name) for name in COEFFICIENTS),
            count("hypotheses"),
        ),
        rows(result, "ratings"),
        title="Correlation with mean ratings, intervals over items",
    )


def reliability_table(result: Result) -> Table:
    """Return how many ratings there are, and how far the raters agree with each other."""
    return Table(
        "reliability",
        (
            count("items"),
            count("hypotheses"),
            count("raters"),
            count("ratings"),
            coefficient(
                "one_rater",
                "one rater and the others",
                title="Spearman, one rater and the mean of the others",
            ),
            coefficient("alpha", "alpha", title="Krippendorff's alpha"),
        ),
        rows(result, "reliability"),
        title="How far the raters agree",
    )


def agreement_headline(result: Result) -> str:
    """Return the metric that agrees most often with people, at the highest consensus."""
    shown = [row for row in rows(result, "agreement") if is_number(row["agreed"])]
    if not shown:
        return ""
    level, title = shown[0]["consensus"], titles(result)
    ranked = sorted(
        (row for row in shown if row["consensus"] == level), key=lambda row: -row["agreed"]
    )
    first, *others = ranked
    share = f"{_agreed(first, result)} of {counted(first['triplets'], 'triplet')}"
    share += f" (consensus {level})"
    name = title(first["metric"])
    if not others:
        return f"{name} chooses as people do in {share}."
    most = "most often" if first["agreed"] > others[0]["agreed"] else "as often as any"
    return f"{name} chooses as people do {most}: {share}{_overlapping(first, others, title)}."


def _agreed(row: Row, result: Result) -> str:
    """Return a share of agreement with its interval."""
    ends = formatting.span(row["low"], row["high"], 1)
    share = f"{formatting.percent(row['agreed'], 1)} %"
    return share + interval_in_sentence(confidence(result), ends)


def _overlapping(first: Row, others: list[Row], title: Titles) -> str:
    """Return the metrics whose interval overlaps that of the first: there is no test of these."""
    if not _has_interval(first):
        return ""
    near = [
        title(row["metric"]) for row in others if _has_interval(row) and row["high"] >= first["low"]
    ]
    if not near:
        return "; no other metric's interval reaches its own"
    if len(near) == 1:
        return f"; {near[0]} has an interval that overlaps with its own"
    names = listed(near) if len(near) <= NAMED else f"{len(near)} other metrics"
    return f"; {names} have intervals that overlap with its own"


def _has_interval(row: Row) -> bool:
    return is_number(row.get("low")) and is_number(row.get("high"))


AGREEMENT = Description(
    agreement_tables,
    main=("agreement",),
    data={"rows": "agreement", "ratings": "ratings", "reliability": "reliability"},
    facts=("misword", "signatures", "undecided", "undefined", *BOOTSTRAP_SETTINGS),
    headline=agreement_headline,
)


def coefficient(name: str, header: str = "", **look: Any) -> Column:
    """Return a column of a coefficient with its interval in brackets."""

    def value(row: Row) -> str | None:
        return _with_interval(row, name) if is_number(row.get(name)) else None

    return written(name, header or name.capitalize(), str, of=value, empty="undefined", **look)


def _with_interval(row: Row, name: str) -> str:
    ends = formatting.number_span(row.get(f"{name}_low"), row.get(f"{name}_high"), 3)
    return formatting.number(row[name], 3) + (f" ({ends})" if ends else "")


def coefficients_table(result: Result, pairs: Sequence[Row]) -> Table:
    """Return the coefficients of pairs of metrics."""
    title = titles(result)
    return Table(
        "metrics",
        (
            part("a", title, "metric"),
            part("b", title, "and"),
            *(coefficient(name) for name in COEFFICIENTS if any(name in row for row in pairs)),
            count("utterances"),
        ),
        pairs,
    )


def shown_coefficient(result: Result) -> str:
    """Return the coefficient that the terminal shows; CSV, JSON and the page have all."""
    return str(result.provenance.get("options", {}).get("coefficient") or COEFFICIENTS[0])


def matrix_table(result: Result) -> Table:
    """Return a square of metrics: coefficients above the diagonal, intervals below it."""
    labels, name = metrics(result), shown_coefficient(result)
    cells: dict[str, Row] = {label: {"": label} for label in labels}
    for row in rows(result, "metrics"):
        cells[row["a"]][row["b"]] = _or_undefined(row[name])
        ends = formatting.number_span(row[f"{name}_low"], row[f"{name}_high"], 3)
        cells[row["b"]][row["a"]] = ends
    facts = result.provenance
    systems, size = facts.get("systems", ()), facts.get("utterances", 0)
    caption = f"{name} over {size:,} utterances"
    caption += f", mean of {len(systems)} systems" if len(systems) > 1 else ""
    if facts.get("bootstrap"):
        caption += f"; below the diagonal {confidence(result)} intervals"
        caption += f", {facts['bootstrap']:,} resamples"
    columns = (text(""), *(written(label, label, str) for label in labels))
    shown = list(cells.values()) if len(labels) > 1 else []
    pairs = coefficients_table(result, rows(result, "metrics"))
    return Table("matrix", columns, shown, notes=[caption], long=pairs)


def _or_undefined(value: float | None) -> str:
    return "undefined" if value is None else formatting.number(value, 3)


def downstream_table(result: Result) -> Table:
    """Return the coefficients of each metric with each downstream score, over blocks."""
    title = titles(result)
    return Table(
        "downstream",
        (
            text("system"),
            part("score", title),
            number("corpus"),
            part("metric", title),
            *map(coefficient, COEFFICIENTS),
            count("blocks"),
        ),
        rows(result, "downstream"),
    )


def blocks_table(result: Result, labels: Sequence[str], score: str) -> Table:
    """Return the rates of some metrics, and a downstream score, of each block of utterances."""
    title = titles(result)
    return Table(
        "blocks",
        (
            text("system"),
            text("block"),
            *(percent(label, f"{title(label)}, %") for label in labels),
            number(score, title(score)),
        ),
        rows(result, "blocks"),
    )


def downstream_matrix_table(result: Result) -> Table:
    """Return a row for each system and score, and a column for each metric."""
    facts, name, labels = result.provenance, shown_coefficient(result), metrics(result)
    lines: dict[tuple[str, str], Row] = {}
    for row in rows(result, "downstream"):
        first = {key: row[key] for key in ("system", "score", "corpus")}
        line = lines.setdefault((row["system"], row["score"]), first)
        line[f"metric {row['metric']}"] = (
            _with_interval(row, name) if is_number(row[name]) else None
        )
    blocks = len(rows(result, "blocks")) // max(1, len(facts.get("systems", ())))
    size = facts.get("block_size")
    how = f"{size:,} utterances" if size else f"a {facts.get('block')}"
    columns = (
        text("system"),
        text("score"),
        number("corpus"),
        *(written(f"metric {label}", label, str, empty="undefined") for label in labels),
    )
    caption = f"{name} over {blocks:,} blocks of {how}"
    shown = list(lines.values())
    return Table(
        "downstream matrix", columns, shown, notes=[caption], long=downstream_table(result)
    )


def correlation_tables(result: Result) -> Iterator[Table]:
    """Yield the square of metrics, and the coefficients with downstream scores."""
    yield matrix_table(result)
    yield downstream_matrix_table(result)


def correlation_rows(result: Result) -> pl.DataFrame:
    """Return all coefficients, of metrics and of downstream scores, with the signatures."""
    found = result.tables["metrics"].with_columns(over=pl.lit("utterances"))
    found = found.rename({"utterances": "points"})
    if "downstream" in result.tables:
        more = result.tables["downstream"].rename({"metric": "a", "score": "b", "blocks": "points"})
        found = pl.concat([found, more.with_columns(over=pl.lit("blocks"))], how="diagonal_relaxed")
    signed = {**result.provenance["signatures"], **result.provenance["scores"]}
    return found.with_columns(
        pl.col(side).replace_strict(signed).alias(f"{side}_signature") for side in ("a", "b")
    )


def correlation_headline(result: Result) -> str:
    """Return which metrics are most and least alike, and which follows a downstream score best."""
    pairs = [row for row in rows(result, "metrics") if row["a"] != row["b"]]
    pairs = [row for row in pairs if is_number(row["pearson"])]
    clauses = [_between_metrics(pairs, titles(result)), _with_downstream_score(result)]
    sentence = "; ".join(clause for clause in clauses if clause)
    return f"{sentence}." if sentence else ""


def _between_metrics(pairs: list[Row], title: Titles) -> str:
    """Return the closest pair, and the metric with the lowest mean correlation."""
    if not pairs:
        return ""
    labels = unique(name for row in pairs for name in (row["a"], row["b"]))
    closest = max(pairs, key=lambda row: row["pearson"])
    names = listed([title(closest["a"]), title(closest["b"])])
    if len(labels) == 2:
        return f"{names} have a Pearson correlation of {formatting.number(closest['pearson'])}"
    means = {
        label: fmean(row["pearson"] for row in pairs if label in (row["a"], row["b"]))
        for label in labels
    }
    farthest = min(labels, key=lambda label: means[label])
    return (
        f"{names} are most alike (Pearson {formatting.number(closest['pearson'])}); "
        f"{title(farthest)} is least like the others ({formatting.number(means[farthest])} on "
        "average)"
    )


def _with_downstream_score(result: Result) -> str:
    """Return the metric with the strongest correlation with the first downstream score."""
    shown = [row for row in rows(result, "downstream") if is_number(row["pearson"])]
    if not shown:
        return ""
    shown = [row for row in shown if row["score"] == shown[0]["score"]]
    title = titles(result)
    # Metrics are error rates. A metric follows a score of which higher is better if it is low
    # where the score is high: their correlation is negative.
    better = result.provenance.get("better", {}).get(shown[0]["score"], "higher")
    sign = -1 if better == "higher" else 1
    best = max(shown, key=lambda row: sign * row["pearson"])
    ends = formatting.number_span(best.get("pearson_low"), best.get("pearson_high"))
    follows = "follows" if len(unique(row["metric"] for row in shown)) == 1 else "best follows"
    several = len(unique(row["system"] for row in shown)) > 1
    of_system = f" of {best['system']}" if several else ""
    return (
        f"{title(best['metric'])} {follows} {title(best['score'])}: "
        f"Pearson {formatting.number(best['pearson'])}"
        f"{interval_in_sentence(confidence(result), ends)} over "
        f"{counted(best['blocks'], 'block')}{of_system}"
    )


CORRELATION = Description(
    correlation_tables,
    main=("metrics",),
    data={name: name for name in ("metrics", "downstream", "blocks")},
    facts=(
        "misword", "signatures", "scores", "systems", "utterances", "undefined", "block",
        "block_size", *BOOTSTRAP_SETTINGS,
    ),
    headline=correlation_headline,
    csv=correlation_rows,
)  # fmt: skip


def choice_quality_rows(result: Result) -> list[Row]:
    """Return the rows of agreement: the blend, the metrics from the highest, and one voter.

    The result of a fit to ratings has no such rows.
    """
    shown = [row for row in rows(result, "quality") if is_number(row.get("agreed"))]
    least = min((row["least"] for row in shown), default=0)
    of_all = {row["metric"]: row["agreed"] for row in shown if row["least"] == least}

    def order(row: Row) -> tuple[bool, bool, float]:
        name = row["metric"]
        return name == VOTER, name != BLEND, -of_all.get(name, 0)

    return sorted(shown, key=order)


def choice_quality_table(result: Result) -> Table:
    """Return how often the blend, each metric and one voter choose as most people do."""
    shown = rows(result, "quality")
    shares = [
        replace(column, page_only=column.page_only or column.key in ("half", "ties"))
        for column in _share_columns(result, "choices")
    ]
    return Table(
        "quality",
        [*shares, probability("p", title="p of the difference from the blend")],
        [row for row in shown if "agreed" in row],
        title="Agreement with people (held out), p of the difference from the blend",
    )


def rating_quality_table(result: Result) -> Table:
    """Return the correlation of the blend and of each metric with ratings."""
    return Table(
        "quality",
        (part("metric", titles(result)), *map(coefficient, COEFFICIENTS)),
        [row for row in rows(result, "quality") if "pearson" in row],
        title="Correlation with ratings (held out)",
    )


def blend_weights_table(result: Result) -> Table:
    """Return the weight of each metric, and its influence on what the blend says."""
    return Table(
        "weights",
        (
            part("metric", titles(result)),
            number("weight", digits=3),
            number_span("low", "high", interval(result), 3),
            percent("influence", "influence, %"),
        ),
        rows(result, "weights"),
        title="Weights",
    )


def learning_table(result: Result) -> Table:
    """Return the quality of blends that were learnt from fewer judgements."""
    found = rows(result, "curve")
    of_ratings = any(row["measure"] == "pearson" for row in found)

    def mean(row: Row) -> str | None:
        if not is_number(row["mean"]):
            return None
        if of_ratings:
            ends = formatting.number_span(row["low"], row["high"], 3)
            return f"{formatting.number(row['mean'], 3)} ({ends})"
        ends = formatting.span(row["low"], row["high"], 1)
        return f"{formatting.percent(row['mean'], 1)} ({ends})"

    name = "Pearson correlation with ratings" if of_ratings else "agreement with people, %"
    return Table(
        "curve",
        (
            count("judgements", "learnt from", title="judgements"),
            text("measure"),
            written("mean", "", str, title=name, of=mean, empty="undefined"),
        ),
        found,
        title="With fewer judgements",
    )


def selection_table(result: Result) -> Table:
    """Return the sets of metrics that were tried, and which one was kept."""
    title = titles(result)
    kept = ",".join(row["metric"] for row in rows(result, "weights"))

    def is_kept(row: Row) -> str:
        return "kept" if row["metrics"] == kept else ""

    def named(specs: str) -> str:
        return ", ".join(map(title, split_specs(specs)))

    return Table(
        "selection",
        (
            replace(prose("metrics"), form_on_page=named),
            count("size", "number", page_only=True),
            number("loss", "held-out loss", 4),
            number("excess", "above the best", 4),
            number("standard_error", "standard error", 4),
            text("kept", "", of=is_kept, page_only=True),
        ),
        rows(result, "selection"),
        title="Sets of metrics",
    )


def fit_tables(result: Result) -> Iterator[Table]:
    """Yield the quality of the blend, its weights, the learning curve and the sets tried."""
    choices = choice_quality_table(result)
    level = _level("choices")
    yield side_by_side(choices, "metric", level, *choices.numbers, title=choices.title)
    yield rating_quality_table(result)
    yield blend_weights_table(result)
    curve = learning_table(result)
    means = curve.without("judgements").numbers
    yield side_by_side(curve, "judgements", lambda row: row["measure"], *means, title=curve.title)
    yield selection_table(result)


def fit_headline(result: Result) -> str:
    """Return what the blend reaches, beside the best single metric and one voter."""
    return _choices_headline(result) or _ratings_headline(result)


def _choices_headline(result: Result) -> str:
    """Return how often the blend, the best single metric and one voter agree with people.

    It is about the level of consensus that has the most choices. Where all voters chose the same,
    one voter agrees with the others by definition.
    """
    shown = choice_quality_rows(result)
    least = min((row["least"] for row in shown), default=0)
    by_name = {row["metric"]: row for row in shown if row["least"] == least}
    blend, voter = by_name.pop(BLEND, None), by_name.pop(VOTER, None)
    if blend is None:
        return ""
    sentence = (
        f"The blend chooses as most people do in {_agreed(blend, result)} of "
        f"{counted(blend['choices'], 'choice')} (consensus {blend['consensus']})"
    )
    if by_name:
        best = max(by_name.values(), key=lambda row: float(row["agreed"]))
        sentence += f"; {_against_best(blend, best, titles(result))}"
    if voter is not None:
        share = formatting.percent(voter["agreed"], 1)
        sentence += f"; one voter chooses as the other voters do in {share} %"
    return f"{sentence}."


def _against_best(blend: Row, best: Row, title: Titles) -> str:
    """Return the verdict on the difference of the blend from the best single metric."""
    name = f"{title(best['metric'])}, the best single metric"
    share = f"{formatting.percent(best['agreed'], 1)} %"
    p = best.get("p")
    if not is_number(p):
        return f"{name}, does in {share}"
    verdict = "not distinguishable from"
    if p < SIGNIFICANCE_LEVEL and blend["agreed"] != best["agreed"]:
        verdict = "better than" if blend["agreed"] > best["agreed"] else "worse than"
    return f"it is {verdict} {name} ({share}, {p_in_sentence(p)})"


def rating_quality_rows(result: Result) -> list[Row]:
    """Return the rows of correlation: the blend, then the metrics from the highest.

    The result of a fit to choices has no such rows.
    """
    shown = [row for row in rows(result, "quality") if is_number(row.get("pearson"))]
    return sorted(shown, key=lambda row: (row["metric"] != BLEND, -row["pearson"]))


def _ratings_headline(result: Result) -> str:
    """Return the correlation of the blend with ratings, and that of the best single metric."""
    shown = rating_quality_rows(result)
    if not shown or shown[0]["metric"] != BLEND:
        return ""
    blend, *others = shown
    size = counted(len(rows(result, "judgements")), "rating")
    sentence = f"The blend follows {size}: Pearson {_pearson(blend, result)}"
    if others:
        name = titles(result)(others[0]["metric"])
        sentence += f"; {name}, the best single metric, has {_pearson(others[0], result)}"
    ranking = better_alone(shown, titles(result))
    return f"{sentence}; {ranking}." if ranking else f"{sentence}."


def better_alone(quality: Sequence[Row], title: Titles = str) -> str:
    """Return that a metric alone follows people better than the blend; empty if none does.

    Of choices, these are the shares at the level of consensus with the most choices; of ratings,
    the coefficients of Spearman.
    """
    least = min((row["least"] for row in quality if is_number(row.get("least"))), default=0)
    of_choices = [row for row in quality if is_number(row.get("agreed")) and row["least"] == least]
    key = "agreed" if of_choices else "spearman"
    shown = of_choices or [row for row in quality if is_number(row.get(key))]
    by_name = {row["metric"]: float(row[key]) for row in shown if row["metric"] != VOTER}
    if BLEND not in by_name:
        return ""
    best = max(by_name, key=lambda name: by_name[name])
    if by_name[best] <= by_name[BLEND]:
        return ""
    if key == "agreed":
        own, blend = (formatting.percent(by_name[name], 1) for name in (best, BLEND))
        return f"{title(best)} alone agrees more often than the blend ({own} against {blend} %)"
    own, blend = (formatting.number(by_name[name], 3) for name in (best, BLEND))
    return f"{title(best)} alone ranks better than the blend (Spearman {own} against {blend})"


def _pearson(row: Row, result: Result) -> str:
    ends = formatting.number_span(row.get("pearson_low"), row.get("pearson_high"), 3)
    return formatting.number(row["pearson"], 3) + interval_in_sentence(confidence(result), ends)


FIT = Description(
    fit_tables,
    main=("quality",),
    data={name: name for name in ("weights", "quality", "curve", "selection")},
    headline=fit_headline,
)

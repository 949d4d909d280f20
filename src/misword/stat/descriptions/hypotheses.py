"""How choices of hypotheses are shown: oracle, mbr, combine, tune, rescore and translations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.core import formatting
from misword.core.formatting import counted, interval_in_sentence, is_number, listed, p_in_sentence
from misword.core.lazy import pl
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
    signed,
    signed_span,
    span,
    text,
    utterance,
    written,
)
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

RANK_1, MBR, MBR_HELD_OUT, COMBINED = "rank 1", "mbr", "mbr, held out", "combined"
# Texts that a terminal shows if there are no references.
TEXTS_SHOWN = 20
# Weights below this size are 0, up to rounding errors.
ZERO = 1e-12
# The choices that show what weights are worth on unseen lists, the best evidence first.
UNSEEN = (("test", "tuned", "On the test lists"), ("tuning", "held out", "Held out"))
LEVEL = 0.05


def _rate(header: str = "%") -> Column:
    return percent("rate", header, title="rate, %", empty="undefined")


def _difference(result: Result, header: str, title: str = "", **look: Any) -> list[Column]:
    """Return the columns of a difference and its interval; empty where there is none."""
    return [
        signed("difference", header, title=title or header, **look),
        signed_span("difference_low", "difference_high", interval(result), **look),
    ]


def choosers(result: Result) -> Titles:
    """Return the function that gives the title of a metric that chose; `rank 1` is none."""
    title = titles(result)
    return lambda label: label if label == RANK_1 else title(label)


def oracle_rates_table(result: Result) -> Table:
    """Return the rate of the choice of each metric, judged by each metric."""
    return Table(
        "rates",
        (
            text("system"),
            part("metric", titles(result), "judged by"),
            part("chosen_by", choosers(result), "chosen by"),
            percent("rate", "", title="rate, %", empty="undefined"),
            span("low", "high", interval(result), page_only=True),
            *_difference(result, "from rank 1", "difference from rank 1", page_only=True),
        ),
        rows(result, "rates"),
    )


def curves_table(result: Result) -> Table:
    """Return the rate of each metric's own choice at each depth of the lists."""
    return Table(
        "curves",
        (
            text("system"),
            part("metric", titles(result)),
            count("depth", "best of", title="depth"),
            _rate(),
            span("low", "high", interval(result)),
            *_difference(result, "from rank 1", "difference from rank 1"),
            count("shorter", "shorter lists"),
        ),
        rows(result, "curves"),
        title="Each metric's own choice, by depth",
    )


def ties_table(result: Result) -> Table:
    """Return what the choice among equally good hypotheses can change."""
    found, title = rows(result, "ties"), titles(result)

    def tied(row: Row) -> str:
        return f"{row['tied']:,} of {row['lists']:,}"

    return Table(
        "ties",
        (
            text("system"),
            part("chosen_by", title, "chosen by"),
            part("metric", title, "judged by"),
            written("tied", "tied lists", str, of=tied),
            count("differing"),
            _rate(),
            percent("lowest", "best ties", title="best ties, %"),
            percent("highest", "worst ties", title="worst ties, %"),
            percent("own", "own choice", title="own choice, %"),
        ),
        [row for row in found if row["metric"] != row["chosen_by"]] or found,
        title="What the choice among equally good ones can change",
    )


def translations_table(result: Result) -> Table:
    """Return the scores of the translations of each choice."""
    title = titles(result)
    return Table(
        "translations",
        (
            text("system"),
            part("score", title),
            part("chosen_by", choosers(result), "chosen by"),
            number("value"),
            number_span("low", "high", interval(result)),
        ),
        rows(result, "translations"),
    )


def translation_changes_table(result: Result) -> Table:
    """Return how the translations of one choice differ from those of another."""
    chooser = choosers(result)

    def points(value: float) -> str:
        return formatting.signed(value / 100)

    def ends(row: Row) -> str:
        low, high = (None if row[end] is None else row[end] / 100 for end in ("low", "high"))
        return formatting.signed_span(low, high)

    return Table(
        "translation_changes",
        (
            text("system"),
            part("score", titles(result)),
            part("chosen_by", chooser, "chosen by"),
            part("against", chooser),
            written("difference", "difference", points),
            written("low", interval(result), str, of=ends),
            probability("p_holm"),
            count("wins"),
            count("ties"),
            count("losses"),
        ),
        rows(result, "translation_changes"),
        title="Translations of one choice against another",
    )


def _translations_of(result: Result, system: str) -> Iterator[Table]:
    """Yield the tables on the translations of one system."""
    values = translations_table(result).where(system=system).without("system")
    yield replace(values, title=f"{system}: scores of the translations")
    yield translation_changes_table(result).where(system=system).without("system")


def oracle_tables(result: Result) -> Iterator[Table]:
    """Yield the tables of each system."""
    for system in unique(row["system"] for row in rows(result, "rates")):
        yield _choices_of(result, system)
        yield curves_table(result).where(system=system).without("system")
        yield ties_table(result).where(system=system).without("system")
        yield from _translations_of(result, system)


def _choices_of(result: Result, system: str) -> Table:
    """Return a row for each judging metric, and a column for each choosing one."""
    rates = oracle_rates_table(result).where(system=system)

    def name(row: Row) -> str:
        return RANK_1 if row["chosen_by"] == RANK_1 else f"chosen by {row['chosen_by']}"

    title = f"{system}: rates in %, best of {rates.rows[-1]['depth']:,}"
    return side_by_side(rates, "metric", name, *rates.numbers, title=title)


def oracle_headline(result: Result) -> str:
    """Return the rate of the first metric at rank 1, and that of its best choice."""
    curve = [row for row in rows(result, "curves") if is_number(row["rate"])]
    if not curve:
        return ""
    system, metric = curve[0]["system"], curve[0]["metric"]
    own = [row for row in curve if (row["system"], row["metric"]) == (system, metric)]
    first, best = own[0], own[-1]
    ends = interval_in_sentence(confidence(result), formatting.span(best["low"], best["high"]))
    return (
        f"The best of {formatting.count(best['depth'])} hypotheses of {system} have "
        f"{titles(result)(metric)} {formatting.percent(best['rate'])} %{ends}; its first ones have "
        f"{formatting.percent(first['rate'])} %."
    )


ORACLE = Description(
    oracle_tables,
    main=("rates",),
    data={
        "rates": "rates",
        "curves": "curves",
        "translations": "translations",
        "translation_changes": "translation_changes",
        "tied": "ties",
    },
    facts=("misword", "signatures", "scores", "depths", "ties", *BOOTSTRAP_SETTINGS),
    headline=oracle_headline,
)


def _choice_rates(result: Result, of: str, difference: str, p: Column, title: str = "") -> Table:
    """Return the rates of systems or choices (the column `of`), and a difference of each."""
    return Table(
        "rates",
        (
            part("metric", titles(result)),
            text(of),
            _rate(),
            span("low", "high", interval(result)),
            *_difference(result, difference),
            p,
        ),
        rows(result, "rates"),
        title=title,
    )


def mbr_rates_table(result: Result) -> Table:
    """Return the rates of rank 1, of the choice and of the oracle."""
    facts = result.provenance
    title = f"Least expected {facts.get('cost', 'cost')} by {facts.get('chosen_by', 'a metric')}"
    if is_number(facts.get("scale")):
        title += f", scale {facts['scale']:g}"
    return _choice_rates(result, "choice", "from rank 1", probability("p"), title)


def scales_table(result: Result) -> Table:
    """Return the rate at each scale of the scores."""
    by = result.provenance.get("chosen_by", "the metric")
    return Table(
        "scales",
        (
            written("scale", "scale", "{:g}".format),
            percent("rate", "%", title="rate of all lists, %"),
            count("folds", title="folds that chose it"),
        ),
        rows(result, "scales"),
        title=f"Scales, by {by} of all lists, and the folds that chose each",
    )


def chosen_table(result: Result) -> Table:
    """Return the chosen texts with their expected costs."""
    return Table(
        "chosen",
        (
            utterance(),
            count("rank"),
            number("expected", "expected", 3, title="expected cost"),
            number("expected_first", "of rank 1", 3, title="expected cost of rank 1"),
            prose("text"),
        ),
        rows(result, "chosen"),
        title="Chosen texts",
        most=TEXTS_SHOWN,
    )


def mbr_tables(result: Result) -> Iterator[Table]:
    """Yield the rates and scales, or the chosen texts if there are no references."""
    if rows(result, "rates"):
        yield mbr_rates_table(result)
        yield scales_table(result)
    else:
        yield chosen_table(result)


def mbr_headline(result: Result) -> str:
    """Return the rates of rank 1 and of the choice, or how many lists have another choice."""
    rated = [row for row in rows(result, "rates") if is_number(row["rate"])]
    if not rated:
        chosen = rows(result, "chosen")
        if not chosen:
            return ""
        others = sum(row["rank"] > 1 for row in chosen)
        return (
            "The hypothesis with the least expected cost is not the first one in "
            f"{formatting.count(others)} of {formatting.count(len(chosen))} lists."
        )
    metric = rated[0]["metric"]
    own = {row["choice"]: row for row in rated if row["metric"] == metric}
    first, best = own[RANK_1], own.get(MBR_HELD_OUT, own[MBR])
    ends = interval_in_sentence(confidence(result), formatting.span(best["low"], best["high"]))
    held_out = " on held-out lists" if best["choice"] == MBR_HELD_OUT else ""
    return (
        f"The hypotheses with the least expected cost have {titles(result)(metric)} "
        f"{formatting.percent(best['rate'])} %{held_out}{ends}; the first ones have "
        f"{formatting.percent(first['rate'])} %."
    )


MINIMUM_RISK = Description(
    mbr_tables,
    main=("rates", "chosen"),
    data={name: name for name in ("chosen", "rates", "scales")},
    facts=(
        "misword", "chosen_by", "cost", "scale", "features", "weights", "effective_hypotheses",
    ),
    headline=mbr_headline,
)  # fmt: skip


def combination_rates_table(result: Result) -> Table:
    """Return the rate of each system, and how the combination differs from it."""
    title = "Rates of the systems, and the difference of the combination from each"
    p = probability("p_holm", "p (Holm)")
    return _choice_rates(result, "system", "combined", p, title)


def combined_texts_table(result: Result) -> Table:
    """Return the elected texts."""
    columns = (utterance(), prose("text"))
    found = rows(result, "texts")
    return Table("texts", columns, found, title="Combined texts", most=TEXTS_SHOWN)


def combination_tables(result: Result) -> Iterator[Table]:
    """Yield the rates, or the texts if there are no references."""
    rated = bool(rows(result, "rates"))
    yield combination_rates_table(result) if rated else combined_texts_table(result)


def combination_headline(result: Result) -> str:
    """Return the rates of the combination and of the best system, or the number of texts."""
    rated = [row for row in rows(result, "rates") if is_number(row["rate"])]
    if not rated:
        size = len(rows(result, "texts"))
        return f"The systems elected {formatting.count(size)} texts." if size else ""
    metric = rated[0]["metric"]
    own = [row for row in rated if row["metric"] == metric]
    combined = next((row for row in own if row["system"] == COMBINED), own[-1])
    others = [row for row in own if row["system"] != COMBINED]
    ends = formatting.span(combined["low"], combined["high"])
    rate = f"{formatting.percent(combined['rate'])} %"
    said = f"The combination has {titles(result)(metric)} {rate}"
    said += interval_in_sentence(confidence(result), ends)
    if not others:
        return f"{said}."
    best = min(others, key=lambda row: float(row["rate"]))
    return f"{said}; the best system, {best['system']}, has {formatting.percent(best['rate'])} %."


COMBINATION = Description(
    combination_tables,
    main=("rates", "texts"),
    data={name: name for name in ("texts", "rates")},
    facts=("misword", "systems", "method", "alpha", "null_confidence", "ranks"),
    headline=combination_headline,
)


def tuning_rates_table(result: Result) -> Table:
    """Return the rate of each choice, and its difference from rank 1."""

    def beside_rank_1(column: Column) -> Column:
        def value(row: Row) -> Any:
            return None if row["choice"] == RANK_1 else column.value(row)

        return replace(column, of=value)

    return Table(
        "rates",
        (
            text("data"),
            part("metric", titles(result)),
            text("choice"),
            _rate(),
            span("low", "high", interval(result)),
            *map(beside_rank_1, _difference(result, "from rank 1")),
            beside_rank_1(probability("p")),
            count("changed", "changed lists"),
        ),
        rows(result, "rates"),
    )


def weights_table(result: Result) -> Table:
    """Return the weight of each feature, and how far it may move while the others stay."""

    def ends(name: str, header: str) -> Column:
        return written(f"{name}low", header, str, of=lambda row: _weight_range(row, name))

    return Table(
        "weights",
        (
            text("feature"),
            written("weight", "weight", "{:.6g}".format),
            ends("", "same rate"),
            ends("noise_", "within noise"),
            ends("resampled_", "resamples"),
            ends("fold_", "folds"),
            written("spread", "spread", "{:.4g}".format),
        ),
        rows(result, "weights"),
        title="Weights, and how far each may move while the others stay",
    )


def _weight_range(row: Row, name: str) -> str | None:
    """Return a range of weights; `...` for an end without a bound."""
    ends = [row[f"{name}low"], row[f"{name}high"]]
    if not any(map(is_number, ends)):
        return None
    return " to ".join(_weight(end) if is_number(end) else "..." for end in ends)


def _weight(value: float) -> str:
    """Return a weight with four digits; rounding errors of a weight of 0 are not shown."""
    return f"{value:.4g}" if abs(value) > ZERO else "0"


def folds_table(result: Result) -> Table:
    """Return the rates of each fold; the page also has the weights tuned without it."""
    weights: dict[int, list[str]] = {}
    for row in rows(result, "fold_weights"):
        weights.setdefault(row["fold"], []).append(f"{row['feature']} {row['weight']:.4g}")
    return Table(
        "folds",
        (
            text("fold"),
            count("lists"),
            percent("tuned", "tuned on the others", title="tuned on the others, %"),
            percent("held_out", "held out", title="held out, %"),
            percent("rank_1", "rank 1", title="rank 1, %"),
            text(
                "weights",
                of=lambda row: ", ".join(weights.get(row["fold"], [])),
                page_only=True,
            ),
        ),
        rows(result, "folds"),
        title=f"Folds, {result.provenance.get('tuned_by', 'rates')} in %",
    )


def stability_table(result: Result) -> Table:
    """Return how weights that were tuned on resamples of the lists choose."""
    return Table(
        "stability",
        (
            count("resamples"),
            count("others", "other choices"),
            percent("changed", "changed lists, %"),
            span("changed_low", "changed_high", interval(result)),
            signed("loss", "loss"),
        ),
        rows(result, "stability"),
        title="Weights tuned on resamples of the lists",
    )


def tuned_texts_table(result: Result) -> Table:
    """Return the texts of unseen lists whose choice is not rank 1."""
    moved = [row for row in rows(result, "chosen") if row["rank"] > 1]
    choices = ([row for row in moved if (row["data"], row["choice"]) == (data, choice)]
               for data, choice, _ in UNSEEN)  # fmt: skip
    columns = (utterance(), count("rank"), prose("text"))
    return Table("chosen", columns, next(filter(None, choices), []), title="Chosen texts")


def tuning_tables(result: Result) -> Iterator[Table]:
    """Yield the rates on each data, weights, folds, stability and translations."""
    rates = tuning_rates_table(result)
    for data in unique(row["data"] for row in rates.rows):
        lists = result.provenance.get("lists", 0)
        what = f"{lists:,} lists" if data == "tuning" else "test lists"
        shown = rates.where(data=data).without("data")
        yield replace(shown, title=f"Rates in %, {what}")
    yield weights_table(result)
    yield folds_table(result)
    yield stability_table(result)
    for system in unique(row["system"] for row in rows(result, "translations"))[:1]:
        yield from _translations_of(result, system)


def tuning_headline(result: Result) -> str:
    """Return what the weights are worth on lists that they were not tuned on."""
    by = str(result.provenance.get("tuned_by", ""))
    known = {
        (row["data"], row["choice"]): row
        for row in rows(result, "rates")
        if row["metric"] == by and is_number(row["rate"])
    }
    metric = titles(result)(by)
    for data, choice, where in UNSEEN:
        row, first = known.get((data, choice)), known.get((data, RANK_1))
        if row is not None and first is not None:
            return _worth(row, first, f"{where}, the tuned weights have {metric}")
    row = known.get(("tuning", "tuned"))
    if row is None:
        return ""
    return (
        f"On the lists that they were tuned on, the weights have {metric} "
        f"{formatting.percent(row['rate'])} %; what they are worth on others is not known."
    )


def _worth(row: Row, first: Row, begin: str) -> str:
    """Return the rates of the weights and of rank 1, and whether the difference is shown."""
    weights, rank_1 = (formatting.percent(one["rate"]) for one in (row, first))
    rates = f"{weights} %, rank 1 has {rank_1} %"
    if not row["difference"]:
        return f"{begin} {rates}: there is nothing to gain."
    if row["difference"] < 0 and not is_number(row["p"]):
        return f"{begin} {rates}; there are too few lists or blocks for a test."
    test = f" ({p_in_sentence(row['p'])})" if is_number(row["p"]) else ""
    better = row["difference"] < 0 and row["p"] < LEVEL
    return f"{begin} {rates}{test}" + ("." if better else ": no gain is shown; keep rank 1.")


TUNED_WEIGHTS = Description(
    tuning_tables,
    main=("rates",),
    data={
        name: name
        for name in (
            "rates", "weights", "folds", "stability", "translations", "translation_changes",
        )
    },
    facts=(
        "misword", "signatures", "tuned_by", "features", "folds", *BOOTSTRAP_SETTINGS, "verdict",
    ),
    headline=tuning_headline,
)  # fmt: skip


def system_rates_table(result: Result) -> Table:
    """Return the rate of each system by each metric; a star marks the lowest one."""
    return Table(
        "rates",
        (
            text("system"),
            part("metric", titles(result)),
            written("rate", "", str, title="rate, %", of=_starred),
            span("low", "high", interval(result), page_only=True),
            signed("difference", "difference from the lowest", page_only=True),
            probability("p", of=lambda row: None if row["chosen"] else row["p"], page_only=True),
            percent("best_share", "best in", title="best in, %"),
        ),
        rows(result, "rates"),
    )


def _starred(row: Row) -> str | None:
    """Return a rate; that of the chosen system has a star."""
    return formatting.percent(row["rate"]) + (" *" if row["chosen"] else "")


def system_choices_table(result: Result) -> Table:
    """Return the choice of each metric, and how certain it is."""

    def same(row: Row) -> str:
        return f"{formatting.count(row['same_folds'])} of {formatting.count(row['folds'])}"

    return Table(
        "choices",
        (
            part("metric", titles(result)),
            text("system", "chooses"),
            _rate(),
            percent("held_out", "held out", title="held out, %"),
            written("same_folds", "same in folds", str, of=same),
            text("next"),
            signed("next_difference", "difference"),
            probability("next_p"),
            percent("others", "others in resamples, %"),
        ),
        rows(result, "choices"),
        title="Choices, and how certain they are",
    )


def judged_systems_table(result: Result) -> Table:
    """Return what each metric says of the choice of the others."""
    title = titles(result)
    return Table(
        "judged",
        (
            part("chosen_by", title, "chosen by"),
            text("system"),
            part("metric", title, "judged by"),
            percent("rate", "", title="rate, %"),
            percent("lowest", "lowest rate, %", page_only=True),
        ),
        rows(result, "judged"),
    )


def system_tuning_tables(result: Result) -> Iterator[Table]:
    """Yield the rates of all systems, the choices, and how other metrics judge these."""
    rates, judged = system_rates_table(result), judged_systems_table(result)
    yield side_by_side(
        rates,
        "system",
        lambda row: row["metric"],
        *rates.numbers,
        title="Rates in % (*: the lowest), and share of resamples, in %",
    )
    yield system_choices_table(result)
    yield side_by_side(
        judged,
        "metric",
        lambda row: f"{row['system']}, by {row['chosen_by']}",
        *judged.numbers,
        title="What each metric says of the choice of the others, %",
    )


def system_tuning_headline(result: Result) -> str:
    """Return the choice of each metric, and whether the next system is distinguishable."""
    title = titles(result)

    def sentence(row: Row) -> str:
        p = row["next_p"]
        test = f" ({p_in_sentence(p)} against {row['next']})" if is_number(p) else ""
        rate = f"{formatting.percent(row['rate'])} %"
        return f"{title(row['metric'])} chooses {row['system']}, {rate}{test}."

    return " ".join(map(sentence, rows(result, "choices")))


SYSTEM_TUNING = Description(
    system_tuning_tables,
    main=("rates",),
    data={name: name for name in ("choices", "rates", "judged")},
    facts=("misword", "signatures", "folds", *BOOTSTRAP_SETTINGS),
    headline=system_tuning_headline,
)


@dataclass(frozen=True)
class RescoredLists:
    """The hypotheses of all lists, by list and rank, and the columns of the language models.

    `starts` has the row of the first hypothesis of each list, and the number of rows at its end.
    """

    hypotheses: pl.DataFrame
    models: list[str]
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, result: Result) -> RescoredLists | None:
        """Return the lists of a result; None if it has no hypotheses."""
        frame, summary = table(result, "hypotheses"), table(result, "summary")
        if frame is None or summary is None:
            return None
        keys = [name for name in ("system", "utt") if name in frame.columns]
        numbered = frame.select(*keys, "rank").with_row_index("first")
        # Lists are in the order of their first hypothesis.
        numbered = numbered.with_columns(pl.col("first").min().over(keys))
        order = numbered.select(pl.arg_sort_by("first", "rank")).to_series()
        starts = np.flatnonzero(
            np.diff(numbered["first"][order].to_numpy().astype(int), prepend=-1)
        )
        return cls(frame[order], summary["column"].to_list(), np.append(starts, len(frame)))

    def __len__(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def preferred(self) -> dict[str, NDArray[np.int64]]:
        """For each model, the place of the most probable hypothesis in each list, from 0.

        Of equally probable ones it is the first.
        """
        places = {}
        for model in self.models:
            values = self.hypotheses[model].to_numpy()
            found = [
                int(values[start:end].argmax())
                for start, end in zip(self.starts[:-1], self.starts[1:], strict=True)
            ]
            places[model] = np.array(found, np.int64)
        return places

    def ranks(self, model: str) -> NDArray[np.int64]:
        """Return the rank of the hypothesis that a model prefers in each list."""
        ranks = self.hypotheses["rank"].to_numpy()
        return np.asarray(ranks[self.starts[:-1] + self.preferred[model]], np.int64)

    def agreements(self) -> dict[tuple[str, str], float]:
        """Return the share of lists in which two models prefer the same hypothesis."""
        return {
            (a, b): float((self.preferred[a] == self.preferred[b]).mean())
            for a, b in combinations(self.models, 2)
        }

    def others(self, model: str) -> float:
        """Return the share of lists in which a model prefers another hypothesis than rank 1."""
        return float((self.ranks(model) > 1).mean())


def models_table(result: Result) -> Table:
    """Return what each language model read, and which hypotheses it prefers."""
    lists, size = RescoredLists.of(result), len(rows(result, "hypotheses"))

    def other(row: Row) -> float | None:
        return lists.others(row["column"]) if lists else None

    def rank(row: Row) -> float | None:
        return float(lists.ranks(row["column"]).mean()) if lists else None

    return Table(
        "summary",
        (
            text("column"),
            text("model"),
            count("texts", "distinct texts", optional=True),
            count("words", optional=True),
            count("tokens", optional=True),
            count("oov", "unknown words", optional=True),
            number("per_word", "log-probability per word", 3),
            percent("others", "prefers another than rank 1, % of lists", of=other, page_only=True),
            number("mean_rank", "mean rank of the preferred", of=rank, page_only=True),
        ),
        rows(result, "summary"),
        title=f"{size:,} hypotheses",
    )


def agreements_table(result: Result) -> Table:
    """Return how often two language models prefer the same hypothesis."""
    lists = RescoredLists.of(result)
    found = lists.agreements().items() if lists else ()
    return Table(
        "agreements",
        (text("a", "model"), text("b", "and"), percent("share", "prefer the same, % of lists")),
        [{"a": a, "b": b, "share": share} for (a, b), share in found],
    )


def rescored_tables(result: Result) -> Iterator[Table]:
    """Yield the table of the models."""
    yield models_table(result)


def rescored_headline(result: Result) -> str:
    """Return in how many lists each model prefers another hypothesis than rank 1."""
    lists = RescoredLists.of(result)
    if lists is None:
        return ""
    shares = {model: f"{formatting.percent(lists.others(model), 1)} %" for model in lists.models}
    (first, share), *rest = shares.items()
    clauses = [
        f"{first} prefers another hypothesis than rank 1 in {share}",
        *(f"{model} in {share}" for model, share in rest),
    ]
    return f"{listed(clauses)} of {counted(len(lists), 'list')}."


RESCORED = Description(
    rescored_tables,
    main=("summary",),
    data={"rows": "summary"},
    headline=rescored_headline,
)

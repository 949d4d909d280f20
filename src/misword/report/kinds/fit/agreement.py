"""How often the blend, each of its metrics and one voter choose as most people do."""

from __future__ import annotations

from misword.core.formatting import counted, is_number, percent, probability, span
from misword.core.types import Result
from misword.report.html.charts import Figure, Spec, interval_plot, tooltip
from misword.report.html.markup import Cell, number_cell
from misword.report.html.text import interval_in_sentence, p_in_sentence
from misword.report.kinds.agreement.figure import (
    CHANCE,
    agreement_cells,
    agreement_point,
    with_chance,
)
from misword.report.result_access import Row, Titles, confidence, rows, titles, unique
from misword.stat.corrections import SIGNIFICANCE_LEVEL

# The names of the blend and of the human ceiling in the table of quality.
BLEND, VOTER = "blend", "one voter"
HEADER = ("metric", "consensus", "choices", "agreed, %", "from", "to", "with half for ties, %",
          "ties, %", "p of the difference from the blend")  # fmt: skip


def agreement_rows(result: Result) -> list[Row]:
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


def agreement_headline(result: Result) -> str:
    """Return how often the blend, the best single metric and one voter agree with people.

    It is about the level of consensus that has the most choices. Where all voters chose the same,
    one voter agrees with the others by definition.
    """
    shown = agreement_rows(result)
    least = min((row["least"] for row in shown), default=0)
    by_name = {row["metric"]: row for row in shown if row["least"] == least}
    blend, voter = by_name.pop(BLEND, None), by_name.pop(VOTER, None)
    if blend is None:
        return ""
    interval = interval_in_sentence(confidence(result), span(blend["low"], blend["high"], 1))
    sentence = (
        f"The blend chooses as most people do in {percent(blend['agreed'], 1)} %{interval} of "
        f"{counted(blend['choices'], 'choice')} (consensus {blend['consensus']})"
    )
    if by_name:
        best = max(by_name.values(), key=lambda row: float(row["agreed"]))
        sentence += f"; {_against_best(blend, best, titles(result))}"
    if voter is not None:
        sentence += f"; one voter chooses as the other voters do in {percent(voter['agreed'], 1)} %"
    return f"{sentence}."


def _against_best(blend: Row, best: Row, title: Titles) -> str:
    """Return the verdict on the difference of the blend from the best single metric."""
    name = f"{title(best['metric'])}, the best single metric"
    share = f"{percent(best['agreed'], 1)} %"
    p = best.get("p")
    if not is_number(p):
        return f"{name}, does in {share}"
    verdict = "not distinguishable from"
    if p < SIGNIFICANCE_LEVEL and blend["agreed"] != best["agreed"]:
        verdict = "better than" if blend["agreed"] > best["agreed"] else "worse than"
    return f"it is {verdict} {name} ({share}, {p_in_sentence(p)})"


def agreement_plot(result: Result) -> Figure | None:
    """Return how often each chooses as most people do, by level of consensus."""
    shown, title = agreement_rows(result), titles(result)
    if not shown:
        return None
    points = [_point(row, title) for row in shown]
    text = "; ".join(
        f"{title(row['metric'])} {percent(row['agreed'], 1)} % (consensus {row['consensus']})"
        for row in shown
    )
    fields = tooltip(row="metric", series="people", shown="agreed", interval="interval, %", p="p")
    return Figure(
        "agreement",
        f"Agreement with people, {confidence(result)} intervals",
        "Share of choices in which the lower rate is that of the hypothesis that most people "
        "chose, ties counted as wrong; the blend was learnt from other references. One voter is "
        f"compared with the majority of the other voters. {text}. The dashed line is what a coin "
        "would get.",
        with_chance(
            interval_plot(
                points,
                unique(point["series"] for point in points),
                title="choices agreed, %",
                line=CHANCE,
                fields=fields,
            )
        ),
        HEADER,
        [_cells(row, title) for row in shown],
    )


def _point(row: Row, title: Titles) -> Spec:
    return agreement_point(row, title) | {"p": probability(row["p"])}


def _cells(row: Row, title: Titles) -> list[Cell]:
    p = number_cell(row["p"], probability(row["p"]))
    return [*agreement_cells(row, title, "choices"), p]

"""What noise did to sentence encoders."""

from __future__ import annotations

from collections.abc import Sequence

from misword.core.types import Result
from misword.report.charts import Figure, Spec, curves, hints
from misword.report.markup import Cell, Markup, data_table, element, joined, words
from misword.report.markup import figure as cell
from misword.report.reading import Row, confidence, rows, unique
from misword.report.wording import (
    counted,
    encoder_name,
    in_line,
    is_number,
    listed,
    number,
    percent,
    span,
)


def similarity(found: Sequence[Row], lines: Sequence[Row], share: str) -> Figure | None:
    """How like its clean self a sentence is, against the word error rate."""
    shown = [row for row in found if is_number(row["similarity"])]
    if not shown:
        return None
    told = [
        f"{encoder_name(row['encoder'])} {number(row['slope'] / 100, 4)} a point of WER"
        + (f" (R2 {number(row['r2'], 3)})" if is_number(row["r2"]) else "")
        for row in lines
        if is_number(row["slope"])
    ]
    return Figure(
        "similarity",
        f"Similarity with the clean sentence, {share} intervals over trials",
        "Mean similarity of each sentence with its noisy self; 1 without noise. By straight lines: "
        f"{'; '.join(told)}.",
        _spec(shown, "similarity", 1, 3, "mean similarity with the clean sentence"),
        ["encoder", "WER, %", "similarity", "from", "to"],
        [
            [
                words(encoder_name(row["encoder"])),
                cell(row["realised"], percent(row["realised"])),
                *(cell(row[name], number(row[name], 4)) for name in _ends("similarity")),
            ]
            for row in shown
        ],
    )


def correlation(found: Sequence[Row], share: str) -> Figure | None:
    """How well similarities follow people's scores, against the word error rate."""
    shown = [row for row in found if is_number(row["pearson"])]
    if not shown:
        return None
    last = max(row["wer"] for row in shown)
    text = "; ".join(
        f"{encoder_name(row['encoder'])} {percent(row['pearson'], 1)} at {percent(row['wer'], 0)} %"
        for row in shown
        if row["wer"] in (0, last)
    )
    return Figure(
        "correlation",
        f"Correlation with people's scores, {share} intervals over trials",
        "Pearson correlation x 100 of the similarity of two sentences with people's scores: "
        f"{text}.",
        _spec(shown, "pearson", 100, 2, "Pearson correlation with people, x 100"),
        ["encoder", "WER, %", "Pearson x 100", "from", "to", "from, over pairs", "to, over pairs"],
        [
            [
                words(encoder_name(row["encoder"])),
                cell(row["realised"], percent(row["realised"])),
                *(cell(row.get(name), percent(row.get(name)))
                  for name in (*_ends("pearson"), *_ends("pearson_pairs")[1:])),
            ]
            for row in shown
        ],
    )  # fmt: skip


def table(result: Result) -> Markup:
    """A row for each encoder: correlations at each rate, what is left of them, the line."""
    found, share = rows(result, "levels"), confidence(result)
    if not found:
        return Markup()
    rates = unique(row["wer"] for row in found)
    lines = {row["encoder"]: row for row in rows(result, "lines")}
    header = ["encoder", *(f"Pearson at {percent(rate, 0)} %" for rate in rates)]
    noisy = [rate for rate in rates if rate]
    header += [f"left at {percent(rate, 0)} %, %" for rate in noisy]
    header += ["Similarity a point", f"{share} interval", "R2"]
    body = []
    for label in unique(row["encoder"] for row in found):
        mine = {row["wer"]: row for row in found if row["encoder"] == label}
        line = lines.get(label, {})
        body.append(
            [
                words(encoder_name(label)),
                *(_cell(mine.get(rate), "pearson") for rate in rates),
                *(_cell(mine.get(rate), "ratio", inside=True) for rate in noisy),
                cell(line.get("slope"), number(_hundredth(line.get("slope")), 4)),
                cell(line.get("slope_low"), _slopes(line)),
                cell(line.get("r2"), number(line.get("r2"), 3)),
            ]
        )
    return data_table(header, body, label="encoders under noise")


def lede(result: Result) -> Markup:
    """What was done, and what the intervals are of."""
    known = result.provenance
    if not rows(result, "levels"):
        return Markup()
    learnt = "each noisy corpus" if known.get("refit") else "the clean sentences"
    parts = [
        f"{counted(known.get('pairs', 0), 'pair')} of sentences, "
        f"{counted(known.get('trials', 0), 'trial')} at each word error rate; channel "
        f"{known.get('channel', '')}.",
        f"Encoders that learn from a corpus learnt from {learnt}.",
        f"Intervals are {confidence(result)}, Student's, over trials.",
    ]
    notes = [element("p", in_line(str(note)), class_="note") for note in known.get("notes", ())]
    return joined([element("p", in_line(" ".join(parts)), class_="lede"), *notes])


def examples(result: Result) -> Markup:
    """Some sentences, and what was heard of them."""
    found = rows(result, "examples")
    if not found:
        return Markup()
    body = [
        [words(row["sentence"]), cell(row["wer"], percent(row["wer"], 0)), words(row["heard"])]
        for row in found
    ]
    return data_table(["said", "WER, %", "heard"], body, label="examples", tall=True)


def said(result: Result) -> str:
    """Which encoder follows people best under most noise, and whose sentences stay most alike."""
    found = [row for row in rows(result, "levels") if is_number(row["pearson"])]
    if not found:
        return ""
    last = max(row["wer"] for row in found)
    ranked = sorted((row for row in found if row["wer"] == last), key=lambda row: -row["pearson"])
    first, name = ranked[0], encoder_name(ranked[0]["encoder"])
    at = f"At {percent(last, 0)} % WER {name} follows people's scores"
    inside = span(first.get("pearson_low"), first.get("pearson_high"), 1)
    told = f"Pearson x 100 {percent(first['pearson'], 1)}"
    if last:
        told += f" ({confidence(result)} interval {inside})" if inside else ""
        told += f", {percent(first['ratio'], 0)} % of what it is without noise"
    if len(ranked) == 1:
        return f"{at}: {told}."
    best = f"{at} best: {told}{_close(ranked)}"
    alike = max(ranked, key=lambda row: row["similarity"])
    most = f"{encoder_name(alike['encoder'])} finds noisy sentences most like clean ones"
    return f"{best}; {most} ({number(alike['similarity'])})." if last else f"{best}."


def _close(ranked: Sequence[Row]) -> str:
    """Encoders whose interval reaches into that of the first."""
    first, *rest = ranked
    if not is_number(first.get("pearson_low")) or first["pearson_low"] == first["pearson_high"]:
        return ""
    near = [
        encoder_name(row["encoder"])
        for row in rest
        if is_number(row.get("pearson_high")) and row["pearson_high"] >= first["pearson_low"]
    ]
    return f" (the interval of {listed(near)} overlaps)" if near else ""


def _spec(shown: Sequence[Row], name: str, times: float, digits: int, title: str) -> Spec:
    values = []
    for row in shown:
        value, low, high = (row[key] for key in _ends(name))
        known = is_number(low) and is_number(high)
        low, high = (low, high) if known else (value, value)
        inside = f"{number(times * low, digits)} to {number(times * high, digits)}"
        values.append(
            {
                "series": encoder_name(row["encoder"]),
                "x": 100 * row["realised"],
                "y": times * value,
                "low": times * low,
                "high": times * high,
                "shown": number(times * value, digits),
                "interval": inside if known else "",
            }
        )
    return curves(
        values,
        unique(value["series"] for value in values),
        x="word error rate, %",
        y=title,
        tooltip=hints(series="encoder", x="WER, %", shown="value", interval="interval"),
    )


def _ends(name: str) -> tuple[str, str, str]:
    return name, f"{name}_low", f"{name}_high"


def _cell(row: Row | None, name: str, *, inside: bool = False) -> Cell:
    """A number in percent, with its interval if that is wanted and there is one."""
    if row is None:
        return cell(None, "")
    between = span(row.get(f"{name}_low"), row.get(f"{name}_high"), 1) if inside else ""
    return cell(row[name], percent(row[name], 1) + (f" ({between})" if between else ""))


def _slopes(line: Row) -> str:
    low, high = (_hundredth(line.get(name)) for name in ("slope_low", "slope_high"))
    return f"{number(low, 4)} to {number(high, 4)}" if is_number(low) and is_number(high) else ""


def _hundredth(value: float | None) -> float | None:
    return value / 100 if is_number(value) else None

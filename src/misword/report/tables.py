"""The tables of the report."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from misword.core.types import Result
from misword.report.confusions import confusions
from misword.report.markup import Cell, Markup, data_table, element, joined, words
from misword.report.markup import figure as cell
from misword.report.reading import (
    Row,
    confidence,
    grouped_by,
    rows,
    systems,
    table,
    unique,
    verdict,
)
from misword.report.wording import (
    count,
    counted,
    in_line,
    is_number,
    metric_name,
    number,
    percent,
    probability,
    signed,
    signed_span,
    span,
)

VERDICTS = {
    "better": "better",
    "worse": "worse",
    "unclear": "not distinguishable",
    "untested": "not tested",
}
# Tests beside the plain bootstrap, where they were made.
ENDS = ("better", "worse", "same", "undefined")
TESTS = (
    ("p_holm", "p"),
    ("p_blocks_holm", "p, blocks"),
    ("p_mapsswe_holm", "p, MAPSSWE"),
)


def lede(result: Result) -> Markup:
    """What was compared, and how the intervals and tests were made."""
    frame, known = table(result, "utterances"), result.provenance
    parts = []
    if frame is not None:
        parts.append(
            f"{counted(len(systems(result)), 'system')}, "
            f"{counted(frame['utt'].n_unique(), 'utterance')}."
        )
    elif result.kind == "correlation" and "utterances" in known:
        systems_ = counted(len(known.get("systems", ())), "system")
        parts.append(f"{systems_}, {counted(known['utterances'], 'utterance')}.")
        if known.get("block_size"):
            parts.append(f"Blocks of {counted(known['block_size'], 'utterance')}.")
    if any(is_number(row.get("low")) for row in rows(result, "summary")):
        over = "utterances"
        if known.get("block"):
            over = f"blocks ({counted(known.get('blocks') or 0, 'value')} of {known['block']})"
        parts.append(f"Intervals are {confidence(result)}, by bootstrap over {over}.")
    if rows(result, "differences"):
        parts.append("Negative changes are gains: fewer errors.")
        parts.append("p by paired bootstrap, corrected for the number of comparisons (Holm).")
    return element("p", in_line(" ".join(parts)), class_="lede") if parts else Markup()


def differences(result: Result) -> Markup:
    """Rates of both systems, change, interval, p, and for how many utterances."""
    found = rows(result, "differences")
    several = len(unique(row["system"] for row in found)) > 1
    baseline, share = found[0]["baseline"], confidence(result)
    ours = "rate, %" if several else f"{found[0]['system']}, %"
    tests = [(name, title) for name, title in TESTS if any(is_number(r.get(name)) for r in found)]
    ends = [name for name in ENDS if name != "undefined" or any(row.get(name) for row in found)]
    header = [
        *(["system"] if several else ()),
        "metric",
        "verdict",
        f"{baseline}, %",
        ours,
        "relative change, %",
        f"{share} interval",
        *(title for _, title in tests),
        *ends,
    ]
    body = [
        [
            *([words(row["system"])] if several else ()),
            words(metric_name(row["metric"])),
            words(VERDICTS[verdict(row)]),
            cell(row["baseline_rate"], percent(row["baseline_rate"])),
            cell(row["rate"], percent(row["rate"])),
            cell(row["relative"], signed(row["relative"])),
            cell(row["relative_low"], signed_span(row["relative_low"], row["relative_high"])),
            *(cell(row.get(name), probability(row.get(name))) for name, _ in tests),
            *(cell(row[name], count(row[name])) for name in ends),
        ]
        for row in found
    ]
    faint = [verdict(row) in ("unclear", "untested") for row in found]
    return data_table(header, body, label="differences", faint=faint)


def summary(result: Result) -> Markup:
    """Rates with intervals and the size of what they were measured on."""
    frame = table(result, "summary")
    if frame is None:
        return Markup()
    by = grouped_by(frame)
    header = ["system", *by, "metric", "rate, %", f"{confidence(result)} interval", "reference",
              "utterances"]  # fmt: skip
    body = [
        [
            words(row["system"]),
            *(words(row[column]) for column in by),
            words(metric_name(row["metric"])),
            cell(row["rate"], percent(row["rate"]) or "undefined"),
            cell(row["low"], span(row["low"], row["high"])),
            cell(row["reference"], count(row["reference"])),
            cell(row["utterances"], count(row["utterances"])),
        ]
        for row in frame.to_dicts()
    ]
    return data_table(header, body, label="rates")


def contrast(result: Result) -> Markup:
    """Metadata of the utterances that got worse, beside that of the others."""
    found = rows(result, "contrast")
    several = len(unique(row["system"] for row in found)) > 1
    header = [*(["system"] if several else ()), "metadata", "value", "worsened", "others", "ratio",
              f"{confidence(result)} interval", "n worsened", "n others"]  # fmt: skip

    def line(row: Row) -> list[Cell]:
        return [
            *([words(row["system"])] if several else ()),
            words(row["column"]),
            words(row["value"]),
            *(
                cell(row[n], _part(row[n], is_share=bool(row["value"])))
                for n in ("worsened", "others")
            ),
            cell(row["ratio"], number(row["ratio"])),
            cell(row["low"], _ratio_span(row)),
            *(cell(row[n], count(row[n])) for n in ("worsened_n", "others_n")),
        ]

    note = element(
        "p",
        "Means of numbers, shares of values. A ratio above 1: the worsened utterances have more.",
        class_="note",
    )
    return _by_metric(found, header, line, note)


def worst(result: Result, explorer: str) -> Markup:
    """The utterances that got worse most; their ids open them in the explorer."""
    found = rows(result, "worst")
    several = len(unique(row["system"] for row in found)) > 1
    baseline = str(result.provenance.get("baseline") or "first system")
    linked = table(result, "utterances") is not None
    counted_too = any(is_number(row.get("errors")) for row in found)
    header = [*(["system"] if several else ()), "utterance", "before, %", "now, %", "change",
              *(["errors"] if counted_too else ()), "texts"]  # fmt: skip

    def line(row: Row) -> list[Cell]:
        utt = str(row["utt"])
        button = element("button", utt, type="button", class_="link", data_opens=explorer,
                         data_utt=utt, dir="auto")  # fmt: skip
        return [
            *([words(row["system"])] if several else ()),
            Cell(button if linked else utt, is_text=True),
            cell(row["baseline_rate"], percent(row["baseline_rate"], 1)),
            cell(row["rate"], percent(row["rate"], 1)),
            cell(row["change"], signed(row["change"])),
            *([cell(row["errors"], f"{row['errors']:+.3g}")] if counted_too else ()),
            Cell(_texts(row, baseline), is_text=True, wide=True),
        ]

    return _by_metric(found, header, line, Markup())


def _texts(row: Row, baseline: str) -> Markup:
    """Reference and both hypotheses below each other."""
    named = (("reference", "reference"), (baseline, "baseline_text"), (row["system"], "text"))
    parts = []
    for name, column in named:
        parts += [element("span", name), element("span", str(row[column] or ""), dir="auto")]
    return element("div", *parts, class_="said")


def _by_metric(
    found: Sequence[Row], header: Sequence[str], line: Callable[[Row], list[Cell]], note: Markup
) -> Markup:
    """A table for each metric, the first one open."""
    parts: list[Markup] = []
    for label in unique(row["metric"] for row in found):
        body = [line(row) for row in found if row["metric"] == label]
        inner = data_table(header, body, label=metric_name(label), tall=True)
        shown = element("summary", f"By {metric_name(label)}")
        parts.append(element("details", shown, inner, open=not parts))
    if len(parts) == 1:
        parts = [element("p", f"By {metric_name(found[0]['metric'])}.", class_="note"), inner]
    return joined([note, *parts]) if parts else Markup()


def confused(result: Result) -> Markup:
    """The commonest substitutions, deletions and insertions."""
    frame = table(result, "words")
    if frame is None:
        return Markup()
    names = systems(result)
    columns = {
        "substitution": ("reference", "hypothesis"),
        "deletion": ("reference",),
        "insertion": ("hypothesis",),
    }
    parts = []
    for kind, found in confusions(frame, names).items():
        header = [*columns[kind], *names] if len(names) > 1 else [*columns[kind], "times"]
        body = [
            [
                *(words(row[name]) for name in columns[kind]),
                *(cell(row[str(i)], count(row[str(i)])) for i in range(len(names))),
            ]
            for row in found.to_dicts()
        ]
        shown = data_table(header, body, label=f"{kind}s", tall=True)
        parts.append(element("div", element("h4", f"{kind.capitalize()}s"), shown))
    return element("div", *parts, class_="columns") if parts else Markup()


def legend() -> Markup:
    """What the marks in the explorer mean."""
    signs = (("substitution", "S", "word"), ("insertion", "I", "word"), ("deletion", "D", "∅"))
    parts = [
        joined(
            [element("span", word, element("small", letter), class_=f"cell {kind} cost-5"), kind]
        )
        for kind, letter, word in signs
    ]
    stronger = element(
        "span", "stronger ground: costs more; a number is the cost where it is not 1"
    )
    return element("p", *(element("span", part) for part in parts), stronger, class_="legend")


def _part(value: float | None, *, is_share: bool) -> str:
    """A share in percent, or a mean with three digits that count."""
    if is_share:
        return f"{percent(value, 1)} %" if is_number(value) else ""
    return f"{value:.3g}" if is_number(value) else ""


def _ratio_span(row: Row) -> str:
    low, high = row.get("low"), row.get("high")
    return f"{number(low)} to {number(high)}" if is_number(low) and is_number(high) else ""

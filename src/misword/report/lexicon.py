"""Mappings judged on a gold lexicon: hit rates, what was covered, what came instead."""

from __future__ import annotations

from collections.abc import Sequence

from misword.core.types import Result
from misword.report.charts import Figure, Spec, hints, intervals
from misword.report.markup import Cell, Markup, data_table, element, joined, words
from misword.report.markup import figure as cell
from misword.report.reading import Row, confidence, decisive, rows, unique
from misword.report.wording import (
    SIGNIFICANT,
    count,
    counted,
    in_line,
    is_number,
    listed,
    percent,
    probability,
    said_probability,
    signed,
    signed_span,
    span,
)

MISSED_SHOWN = 50
CANDIDATES_SHOWN = 3
TOLD_AT_MOST = 3
COVERED = {
    "headwords": "headwords",
    "source_known": "with a vector",
    "answerable": "answerable",
    "pairs": "gold pairs",
    "pairs_known": "both words known",
    "targets": "translations",
    "target_known": "with a vector",
    "source_beyond": "headwords cut off",
    "target_beyond": "translations cut off",
}


def evaluation(result: Result) -> str:
    """The hit rate of the first system, or which has the highest and how sure that is."""
    found = [row for row in whole(result) if row["kind"] == "hit"]
    if not found:
        return ""
    name = found[0]["metric"]
    first = [row for row in found if row["metric"] == name]
    known = sorted((row for row in first if is_number(row["rate"])), key=lambda row: -row["rate"])
    if not known:
        return f"{name} is undefined: no headword can be answered."
    if len(first) == 1:
        return f"{first[0]['system']}: {name} {_measured(first[0], result)}{_dropped(result)}."
    if len({row["whole"] for row in known}) > 1:
        return _different(known, result, name)
    best = known[0]
    tied = [row["system"] for row in known if row["rate"] == best["rate"]]
    verb = "have" if len(tied) > 1 else "has"
    told = f"{listed(tied)} {verb} the highest {name}: {_measured(best, result)}"
    return f"{told}{_dropped(result)}; {_against(result, name)}."


def _different(known: Sequence[Row], result: Result, name: str) -> str:
    """Rates over different words have no order; only the words of both can be compared."""
    sizes = [row["whole"] for row in known]
    return (
        f"{name} is of {min(sizes):,} to {max(sizes):,} headwords, since the mappings know "
        f"different words; on those that both know, {_against(result, name)}."
    )


def _measured(row: Row, result: Result) -> str:
    bounded = is_number(row["low"]) and is_number(row["high"])
    share = confidence(result)
    inside = f" ({share} interval {span(row['low'], row['high'], 1)})" if bounded else ""
    return f"{percent(row['rate'], 1)} %{inside} of {counted(row['whole'], 'headword')}"


def _dropped(result: Result) -> str:
    """How many headwords the hit rate leaves out."""
    covered = rows(result, "coverage")
    kept = {"drop": "answerable", "source": "source_known"}.get(result.provenance.get("oov", ""))
    if not covered or kept is None:
        return ""
    left = covered[0]["headwords"] - covered[0][kept]
    return f", {count(left)} left out" if left else ""


def _against(result: Result, name: str) -> str:
    """How the first few systems differ from the first."""
    found = [row for row in rows(result, "compared") if row["metric"] == name]
    told = [f"{row['system']} {_change(row)}" for row in found[:TOLD_AT_MOST]]
    more = len(found) - TOLD_AT_MOST
    rest = f", and {more} more" if more > 0 else ""
    return f"against {found[0]['baseline']}: {', '.join(told)}{rest}" if found else "nothing tested"


def _change(row: Row) -> str:
    if not is_number(row["difference"]):
        return "undefined"
    p = decisive(row)
    points = f"{signed(row['difference'])} points"
    if p is None:
        return points
    unclear = "not distinguishable, " if p >= SIGNIFICANT else ""
    return f"{points} ({unclear}{said_probability(p)})"


def whole(result: Result) -> list[Row]:
    """The rates over the whole lexicon."""
    return [row for row in rows(result, "rates") if row["column"] is None]


def lede(result: Result) -> Markup:
    """What was asked, and how."""
    known = result.provenance
    covered = rows(result, "coverage")
    size = covered[0] if covered else {"pairs": 0, "headwords": 0}
    systems = counted(len(known.get("systems", ())), "system")
    text = (
        f"{systems} on {counted(size['pairs'], 'gold pair')} of "
        f"{counted(size['headwords'], 'headword')}. hit@k: headwords with a gold translation among "
        f"k candidates (rule for words out of the vocabulary: {known.get('oov', 'drop')}); "
        "precision@k: candidates that are gold; recall@k: gold pairs that are found. Intervals are "
        f"{confidence(result)}, by bootstrap over headwords."
    )
    return element("p", text, class_="lede")


def hits(result: Result) -> Figure | None:
    """Every rate with its interval, a row for each, a mark for each system."""
    shown = [row for row in whole(result) if is_number(row["rate"])]
    if not shown:
        return None
    shown.sort(key=lambda row: [r["metric"] for r in whole(result)].index(row["metric"]))
    series = unique(row["system"] for row in whole(result))
    told = hints(row="rate", series="system", shown="share", interval="interval, %")
    spec = intervals([_point(row) for row in shown], series, title="%", tooltip=told)
    text = "; ".join(f"{row['system']}: {row['metric']} {percent(row['rate'])} %" for row in shown)
    return Figure(
        "hits",
        f"Rates with {confidence(result)} intervals",
        f"Hit rate, precision and recall of each system: {text}.",
        spec,
        ["rate", "system", "%", "from", "to", "found", "of"],
        [
            [
                words(row["metric"]),
                words(row["system"]),
                *(cell(row[name], percent(row[name])) for name in ("rate", "low", "high")),
                *(cell(row[name], count(row[name])) for name in ("part", "whole")),
            ]
            for row in shown
        ],
    )


def _point(row: Row) -> Spec:
    low, high = (row[n] if is_number(row[n]) else row["rate"] for n in ("low", "high"))
    return {
        "row": row["metric"],
        "series": row["system"],
        "x": 100 * row["rate"],
        "low": 100 * low,
        "high": 100 * high,
        "shown": f"{percent(row['rate'])} %",
        "interval": span(row["low"], row["high"]),
    }


def rate_table(found: Sequence[Row], share: str, column: str = "") -> Markup:
    """A row for each system and number of candidates, or for each value of a column too."""
    header = ["system", *([column] if column else []), "k"]
    kinds = unique(row["kind"] for row in found)
    header += [part for kind in kinds for part in (f"{kind}, %", f"{share} interval")]
    body: dict[tuple[object, ...], list[Cell]] = {}
    for row in found:
        start = [words(row["system"]), *([words(row["value"])] if column else [])]
        key = (row["system"], row["value"], row["k"])
        line = body.setdefault(key, [*start, cell(row["k"], count(row["k"]))])
        line.append(cell(row["rate"], percent(row["rate"]) or "undefined"))
        line.append(cell(row["low"], span(row["low"], row["high"])))
    return data_table(header, list(body.values()), label=column or "rates")


def compared(result: Result) -> Markup:
    """Differences against the first system; positive is better."""
    found = rows(result, "compared")
    if not found:
        return Markup()
    header = ["rate", "system", "verdict", f"{found[0]['baseline']}, %", "%", "difference, points",
              f"{confidence(result)} interval", "p", "headwords", "better", "worse"]  # fmt: skip
    body = [
        [
            words(row["metric"]),
            words(row["system"]),
            words(_verdict(row)),
            cell(row["baseline_rate"], percent(row["baseline_rate"])),
            cell(row["rate"], percent(row["rate"])),
            cell(row["difference"], signed(row["difference"], 2)),
            cell(row["low"], signed_span(row["low"], row["high"], 2)),
            cell(decisive(row), probability(decisive(row))),
            *(cell(row[name], count(row[name])) for name in ("headwords", "better", "worse")),
        ]
        for row in found
    ]
    note = element(
        "p",
        "Positive is better. p by paired bootstrap over headwords, corrected for the number of "
        "comparisons (Holm). Hit rates are compared on the headwords that count for both.",
        class_="note",
    )
    faint = [_verdict(row) not in ("better", "worse") for row in found]
    return joined([note, data_table(header, body, label="differences", faint=faint)])


def _verdict(row: Row) -> str:
    p, difference = decisive(row), row["difference"]
    if p is None:
        return "not tested"
    if p >= SIGNIFICANT or not is_number(difference) or difference == 0:
        return "not distinguishable"
    return "better" if difference > 0 else "worse"


def coverage(result: Result) -> Markup:
    """How much of the lexicon each mapping's vocabularies have."""
    found = rows(result, "coverage")
    if not found:
        return Markup()
    body = [
        [words(row["mapping"]), *(cell(row[name], _told(row[name])) for name in COVERED)]
        for row in found
    ]
    return data_table(["mapping", *COVERED.values()], body, label="coverage")


def _told(number: int | None) -> str:
    return "cannot be told" if number is None else count(number)


def by_column(result: Result) -> Markup:
    """The lexicon cut by what its file says of the pairs."""
    found = [row for row in rows(result, "rates") if row["column"] is not None]
    parts = []
    for column in unique(row["column"] for row in found):
        own = [row for row in found if row["column"] == column]
        parts += [element("h4", column), rate_table(own, confidence(result), column)]
    return joined(parts)


def missed(result: Result) -> Markup:
    """Headwords of which the first system found no gold translation, and what came instead."""
    systems = result.provenance.get("systems") or [""]
    gold: dict[str, list[Row]] = {}
    for row in rows(result, "pairs"):
        if row["system"] == systems[0] and row["source_known"]:
            gold.setdefault(row["source"], []).append(row)
    lost = [word for word, own in gold.items() if all(row["rank"] is None for row in own)]
    wanted = set(lost[:MISSED_SHOWN])
    came: dict[str, list[str]] = {}
    for row in rows(result, "predictions"):
        if row["system"] == systems[0] and row["word"] in wanted and row["candidate"] is not None:
            came.setdefault(row["word"], []).append(row["candidate"])
    if not lost:
        return Markup()
    told = f"{counted(len(lost), 'headword')} with a vector, in the order of the lexicon"
    shown = f"; the first {MISSED_SHOWN}" if len(lost) > MISSED_SHOWN else ""
    body = [
        [
            words(word),
            words(", ".join(row["target"] for row in gold[word])),
            words("yes" if any(row["both_known"] for row in gold[word]) else "no"),
            words(", ".join(came.get(word, [])[:CANDIDATES_SHOWN])),
        ]
        for word in lost[:MISSED_SHOWN]
    ]
    header = ["headword", "gold", "could be found", "came instead"]
    note = element("p", in_line(f"Of {systems[0]}: {told}{shown}."), class_="note")
    return joined([note, data_table(header, body, label="missed", tall=True)])

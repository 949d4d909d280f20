"""The first screen of a comparison: a short verdict, and the rates before and after."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from misword.core.formatting import count, counted, is_number, percent, signed
from misword.core.types import Result
from misword.report.html.tiles import Tile
from misword.report.kinds.comparison.headline import lead_row, verdict_counts
from misword.report.result_access import (
    Row,
    Titles,
    Verdict,
    rows,
    titles,
    unique,
    verdict,
)

# The first screen has at most this many tiles; the table has all differences.
TILES = 4
WORDS: dict[Verdict, str] = {
    "better": "better",
    "worse": "worse",
    "unclear": "no difference can be shown",
    "untested": "not tested",
}


def comparison_answer(result: Result) -> str:
    """Return the verdict with the rates before and after; empty if there are no differences."""
    differences, title = rows(result, "differences"), titles(result)
    if not differences:
        return ""
    if len(unique(row["system"] for row in differences)) > 1:
        return _of_several(differences, title)
    verdicts = [verdict(row) for row in differences]
    lead = lead_row(differences)
    change = f"{title(lead['metric'])} {before_and_after(lead)}"
    if set(verdicts) == {"untested"}:
        return f"{lead['system']} against {lead['baseline']}, not tested: {change}."
    return f"{verdict_counts(differences, verdicts, title)}: {change}."


def before_and_after(row: Row) -> str:
    """Return both rates and the relative change.

    >>> row = {"baseline_rate": 0.042, "rate": 0.0794, "relative": 0.8904}
    >>> before_and_after(row), before_and_after(row | {"baseline_rate": 0.0, "relative": None})
    ('4.2 → 7.9 %, +89.0 %', '0.0 → 7.9 %')
    """
    old, new = row["baseline_rate"], row["rate"]
    if not (is_number(old) and is_number(new)):
        return "undefined"
    same = percent(old, 1) == percent(new, 1) and old != new
    rates = f"{percent(old, 1 + same)} → {percent(new, 1 + same)} %"
    return f"{rates}, {signed(row['relative'])} %" if is_number(row["relative"]) else rates


def comparison_tiles(result: Result) -> list[Tile]:
    """Return a tile for each metric; of several systems, how many are better and worse."""
    differences, title = rows(result, "differences"), titles(result)
    lead = lead_row(differences)
    if len(unique(row["system"] for row in differences)) == 1:
        others = [row for row in differences if row is not lead]
        return [_of_metric(row, title(row["metric"])) for row in [lead, *others][:TILES]]
    of_lead = [row for row in differences if row["metric"] == lead["metric"]]
    tally = Counter(verdict(row) for row in of_lead)
    return [
        Tile(
            f"{title(lead['metric'])} against {lead['baseline']}",
            counted(tally[judged], "system"),
            words,
            judged,
        )
        for judged, words in WORDS.items()
        if tally[judged]
    ]


def _of_metric(row: Row, name: str) -> Tile:
    """Return the tile of one metric: both rates, the relative change and the verdict."""
    shown, _, relative = before_and_after(row).partition(", ")
    judged = verdict(row)
    words = ", ".join(filter(None, [relative, WORDS[judged]]))
    tally = [row.get(key) for key in ("better", "worse")]
    better, worse = (count(value) for value in tally)
    remark = f"{better} utterances better, {worse} worse" if all(map(is_number, tally)) else ""
    return Tile(name, shown, words, judged, remark)


def _of_several(differences: Sequence[Row], title: Titles) -> str:
    """Return the system with the lowest rate of the lead metric, and its change."""
    lead = lead_row(differences)
    name, baseline = title(lead["metric"]), lead["baseline"]
    of_lead = [row for row in differences if row["metric"] == lead["metric"]]
    defined = [row for row in of_lead if is_number(row["rate"])]
    systems = f"of {len(of_lead) + 1} systems"
    if not defined or not is_number(lead["baseline_rate"]):
        return f"{name} is undefined for some {systems}."
    lowest = min(defined, key=lambda row: row["rate"])
    if lowest["rate"] > lead["baseline_rate"]:
        return f"{baseline} has the lowest {name} {systems}: {percent(lead['baseline_rate'], 1)} %."
    rates = [lead["baseline_rate"], *(row["rate"] for row in defined)]
    if rates.count(lowest["rate"]) > 1:
        return f"No system alone has the lowest {name} {systems}: {percent(lowest['rate'], 1)} %."
    unsure = " (no difference can be shown)" if verdict(lowest) == "unclear" else ""
    change = f"{before_and_after(lowest)} against {baseline}{unsure}"
    return f"{lowest['system']} has the lowest {name} {systems}: {change}."

"""Read a result: rows of its tables, titles of its parts, verdicts on its differences.

A table may be missing or empty. These functions then return nothing, and the section that would
show the table is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

from misword.core.formatting import is_number
from misword.core.lazy import pl
from misword.core.types import Result
from misword.stat.options import SIGNIFICANCE_LEVEL

# A row of a table, by column.
Row = dict[str, Any]
# Returns the title of a part, with its options, by the part's label.
Titles = Callable[[str], str]
Verdict = Literal["better", "worse", "unclear", "untested"]
VERDICT_TEXTS: dict[Verdict, str] = {
    "better": "better",
    "worse": "worse",
    "unclear": "not distinguishable",
    "untested": "not tested",
}
# Columns of p-values; the first that a row has decides. A test over blocks takes into account that
# the utterances of one block depend on each other, Holm's correction the number of tests.
P_VALUES = ("p_blocks_holm", "p_holm", "p_blocks", "p")


def table(result: Result, name: str) -> pl.DataFrame | None:
    """Return a table, or None where it is missing or has no rows."""
    frame = result.tables.get(name)
    return None if frame is None or frame.is_empty() else frame


def rows(result: Result, name: str) -> list[Row]:
    """Return the rows of a table; no rows where it is missing."""
    frame = table(result, name)
    return [] if frame is None else frame.to_dicts()


def titles(result: Result) -> Titles:
    """Return the function that gives the title of a part of this result.

    A label is a spec: `wer`, `cer:spaces=false`. A part that the result does not describe is shown
    by its name. A label with a slash names a model, not a part, and is shown as it is.

    >>> title = titles(Result("scores", {}, {"parts": {"cer:spaces=false": {"title": "CER"}}}))
    >>> title("cer:spaces=false"), title("mine"), title("org/model")
    ('CER (spaces=false)', 'mine', 'org/model')
    """
    parts = described_parts(result)

    def title(label: str) -> str:
        name, _, options = label.partition(":")
        if label in parts and "/" not in name:
            name = str(parts[label]["title"])
        return f"{name} ({options})" if options else name

    return title


def family(result: Result, label: str) -> str:
    """Return the family of a metric (`words`, `sounds`); empty if the result does not name it."""
    return str(described_parts(result).get(label, {}).get("family", ""))


def described_parts(result: Result) -> dict[str, Row]:
    """Return title, family and BibTeX entries of the parts that a result shows, by label."""
    parts = result.provenance.get("parts")
    return parts if isinstance(parts, dict) else {}


def metrics(result: Result) -> list[str]:
    """Return the labels of the metrics, in the user's order."""
    return [str(label) for label in result.provenance.get("metrics", ())]


def systems(result: Result) -> list[str]:
    """Return the names of the systems; of a comparison the baseline first."""
    for name in ("utterances", "summary", "lists"):
        frame = table(result, name)
        if frame is not None and "system" in frame.columns:
            in_table = [str(value) for value in unique(frame["system"])]
            in_order = [name for name in result.provenance.get("systems", ()) if name in in_table]
            return in_order or in_table
    return []


def unique(values: Iterable[Any]) -> list[Any]:
    """Return each value once, in order of appearance."""
    return list(dict.fromkeys(values))


def group_columns(summary: pl.DataFrame) -> list[str]:
    """Return the columns that a summary is grouped by, beside the system: `--by noise`."""
    columns = summary.columns
    return columns[columns.index("system") + 1 : columns.index("metric")]


def metadata(result: Result) -> list[str]:
    """Return the metadata columns of the table of utterances."""
    frame = table(result, "utterances")
    if frame is None:
        return []
    own = ("utt", "system", "rank", *result.provenance.get("features", ()))
    starts = [*metrics(result), *(["forgiven", "without"] if forgiving_families(result) else [])]
    of_metrics = tuple(f"{start}." for start in starts)
    return [name for name in frame.columns if name not in own and not name.startswith(of_metrics)]


def forgiving_families(result: Result) -> list[str]:
    """Return the names of the families of differences of writing that were forgiven."""
    return [str(name) for name in result.provenance.get("forgiven", ())]


def best_hypotheses(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of the best hypothesis of each N-best list."""
    return frame.filter(rank=1) if "rank" in frame.columns else frame


def confidence(result: Result) -> str:
    """Return the confidence of the intervals as text, such as `95 %`."""
    options = result.provenance.get("options")
    option = options.get("confidence") if isinstance(options, dict) else None
    share = result.provenance.get("confidence", option)
    return f"{100 * share:g} %" if is_number(share) else "95 %"


def deciding_p(row: Row) -> float | None:
    """Return the p-value that decides the verdict on a difference."""
    return next((row[name] for name in P_VALUES if is_number(row.get(name))), None)


def verdict(row: Row, *, lower_is_better: bool = True) -> Verdict:
    """Return the verdict on a difference; the default is for error rates (lower is better)."""
    p, difference = deciding_p(row), row.get("difference")
    if p is None:
        return "untested"
    if p >= SIGNIFICANCE_LEVEL or not is_number(difference) or difference == 0:
        return "unclear"
    return "better" if (difference < 0) == lower_is_better else "worse"


def lead_metric(labels: Sequence[str]) -> str:
    """Return the metric that a headline names first: WER, or else the first of the labels."""
    wer = [label for label in labels if label.partition(":")[0] == "wer"]
    return (wer or list(labels) or [""])[0]


def interval(result: Result) -> str:
    """Return the heading of a column of intervals, such as `95 % interval`."""
    return f"{confidence(result)} interval"


def labels(result: Result, name: str, column: str = "system") -> list[str]:
    """Return the distinct values of a column of a table, in order of appearance."""
    frame = table(result, name)
    return [] if frame is None else frame[column].unique(maintain_order=True).to_list()

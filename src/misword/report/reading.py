"""What the report asks of a result, in one place: rows, names, verdicts.

Tables may be missing or have no rows: whoever asks gets nothing then, and the section that would
show it is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from misword.core.types import Result
from misword.report.wording import SIGNIFICANT, is_number

if TYPE_CHECKING:
    import polars as pl

Row = dict[str, Any]
Verdict = Literal["better", "worse", "unclear", "untested"]
# The first that is there decides: blocks respect what belongs together, Holm the number of tests.
DECISIVE = ("p_blocks_holm", "p_holm", "p_blocks", "p")


def table(result: Result, name: str) -> pl.DataFrame | None:
    """A table that has rows, or nothing."""
    frame = result.tables.get(name)
    return None if frame is None or frame.is_empty() else frame


def rows(result: Result, name: str) -> list[Row]:
    """The rows of a table; none where it is missing."""
    frame = table(result, name)
    return [] if frame is None else frame.to_dicts()


def metrics(result: Result) -> list[str]:
    """The metrics' labels, in the order they were asked for."""
    return [str(label) for label in result.provenance.get("metrics", ())]


def systems(result: Result) -> list[str]:
    """The systems' names; of a comparison the baseline first."""
    for name in ("utterances", "summary"):
        frame = table(result, name)
        if frame is not None and "system" in frame.columns:
            found = [str(value) for value in unique(frame["system"])]
            named = [name for name in result.provenance.get("systems", ()) if name in found]
            return named or found
    return []


def unique(values: Iterable[Any]) -> list[Any]:
    """Each value once, in order of appearance."""
    return list(dict.fromkeys(values))


def grouped_by(frame: pl.DataFrame) -> list[str]:
    """The columns of a summary, beside the system, that its rows are for: `--by noise`."""
    columns = frame.columns
    return columns[columns.index("system") + 1 : columns.index("metric")]


def metadata(result: Result) -> list[str]:
    """The metadata columns of the table of utterances."""
    frame = table(result, "utterances")
    if frame is None:
        return []
    own = ("utt", "system", "rank")
    counted = tuple(f"{label}." for label in metrics(result))
    return [name for name in frame.columns if name not in own and not name.startswith(counted)]


def best(frame: pl.DataFrame) -> pl.DataFrame:
    """Of N-best lists, the best hypotheses."""
    return frame.filter(rank=1) if "rank" in frame.columns else frame


def confidence(result: Result) -> str:
    """The intervals' confidence as text, such as `95 %`."""
    options = result.provenance.get("options")
    told = options.get("confidence") if isinstance(options, dict) else None
    share = result.provenance.get("confidence", told)
    return f"{100 * share:g} %" if is_number(share) else "95 %"


def decisive(row: Row) -> float | None:
    """The p-value that decides what is said of a difference."""
    return next((row[name] for name in DECISIVE if is_number(row.get(name))), None)


def verdict(row: Row) -> Verdict:
    """What can be said of a difference: lower is better for every metric."""
    p, difference = decisive(row), row.get("difference")
    if p is None:
        return "untested"
    if p >= SIGNIFICANT or not is_number(difference) or difference == 0:
        return "unclear"
    return "better" if difference < 0 else "worse"


def lead(labels: Sequence[str]) -> str:
    """The metric that stands for all in a sentence: WER, or the first."""
    plain = [label for label in labels if label.partition(":")[0] == "wer"]
    return (plain or list(labels) or [""])[0]

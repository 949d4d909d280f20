"""How alignments are shown: the most frequent errors, split words and forgiven differences."""

from __future__ import annotations

from collections.abc import Iterator

from misword.core.formatting import counted
from misword.core.lazy import pl
from misword.core.tables import Column, Table, count, number, number_span, percent, text
from misword.core.types import Description, Result
from misword.stat.bootstrap import BOOTSTRAP_SETTINGS
from misword.stat.descriptions.result_access import forgiving_families, interval, rows, titles

GAP = "***"  # in place of a missing word


def confusions_table(result: Result) -> Table:
    """Return how often each error was made; with the costs, unless all of them are 1."""
    errors = rows(result, "confusions")
    costs = [number("cost")] if any(row["cost"] != 1 for row in errors) else []
    return Table("confusions", (*_difference("kind", "error"), *costs), errors)


def spacings_table(result: Result) -> Table:
    """Return how often each word was split or joined."""
    found = [{"kind": "spacing", **row} for row in rows(result, "spacings")]
    return Table("spacings", _difference("kind", "split or joined"), found)


def forgiven_differences_table(result: Result) -> Table:
    """Return how often each difference of writing was forgiven."""
    return Table("forgiven", _difference("family", "forgiven"), rows(result, "forgiven"))


def _difference(key: str, header: str) -> tuple[Column, ...]:
    """Return the columns of a difference: its kind, the words of both sides and its count."""
    sides = (text(side, empty=GAP) for side in ("reference", "hypothesis"))
    return text(key, header), *sides, count("count")


def alignment_tables(result: Result) -> Iterator[Table]:
    """Yield the tables of all differences, each with the most frequent first."""
    yield confusions_table(result)
    yield spacings_table(result)
    yield forgiven_differences_table(result)


def alignment_headline(result: Result) -> str:
    """Return the number of pairs and of the operations of each kind."""
    facts = result.provenance
    counts = [counted(number, kind) for kind, number in facts["operations"].items()]
    if forgiving_families(result):
        counts.append(f"{facts['forgiven_differences']:,} forgiven")
    pairs = counted(facts["pairs"], "pair")
    return f"{pairs} as {facts['metric']} aligns them: {', '.join(counts)}"


def alignment_csv(result: Result) -> pl.DataFrame:
    """Return the errors and, as rows of the kind `forgiven`, the forgiven differences."""
    table = result.tables["confusions"].with_columns(pl.col("kind").cast(pl.String))
    if forgiving_families(result):
        forgiven = result.tables["forgiven"]
        forgiven = forgiven.with_columns(kind=pl.lit("forgiven"), cost=pl.lit(0.0))
        table = pl.concat([table, forgiven], how="diagonal")
    return table.with_columns(signature=pl.lit(result.provenance["signature"]))


# Hypotheses that were cut at the segments of references.


def cut_table(result: Result) -> Table:
    """Return a row for each system: its word errors, and the scores of its segments."""
    columns: list[Column] = [
        text("system"),
        count("segments"),
        count("words"),
        count("errors"),
        percent("rate", "WER %", title="WER, %"),
    ]
    title = titles(result)
    for label in result.provenance.get("scores", {}):
        columns.append(number(label, title(label)))
        columns.append(number_span(f"{label}.low", f"{label}.high", interval(result)))
    return Table("summary", columns, rows(result, "summary"))


def cut_headline(result: Result) -> str:
    """Return the number of segments and systems."""
    found = rows(result, "summary")
    if not found:
        return ""
    cut = counted(found[0]["segments"], "segment")
    return f"{counted(len(found), 'text')} cut into {cut}"


SEGMENTATION = Description(
    lambda result: [cut_table(result)],
    main=("summary",),
    data={"summary": "summary", "segments": "segments"},
    facts=("misword", "scores", *BOOTSTRAP_SETTINGS),
    details=("segments",),
    headline=cut_headline,
)

ALIGNMENT = Description(
    alignment_tables,
    main=("confusions",),
    data={name: name for name in ("confusions", "spacings", "forgiven")},
    facts=(),
    headline=alignment_headline,
    csv=alignment_csv,
)

"""How far several references agree, and how many errors of systems they forgive."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from misword.alignment.several_references import check_rule, merge_references
from misword.asr.measuring import prepare_with, statistics_columns
from misword.asr.metrics import Metric
from misword.asr.metrics.edit_rate import EditRate
from misword.asr.options import ScoringOptions
from misword.core.context import Context
from misword.core.lazy import pl
from misword.core.types import Corpus, SeveralReferences
from misword.io.transcripts.alternatives import first_reading
from misword.stat.reference_rates import OF_REFERENCES, OF_SYSTEMS


def reference_counts(
    corpus: Corpus,
    several: SeveralReferences,
    options: ScoringOptions,
    equivalents: Any,
    context: Context,
    metrics: Mapping[str, Metric],
) -> pl.DataFrame:
    """Return the statistics of each reference and of each system against other references.

    Each reference is measured as if it were a hypothesis, against the others, merged by the same
    rule. Each system is measured against the first reference alone. The columns are `utt`,
    `system` (the name of the reference or of the system), `rank`, `kind`, and the statistics of the
    metrics that count edits.
    """
    counted = {name: one for name, one in metrics.items() if isinstance(one, EditRate)}
    frames = []
    for kind, measured in _corpora(corpus, several):
        pairs = prepare_with(options, measured, equivalents, context)
        table = pairs.keys.select("utt", "system", "rank").with_columns(kind=pl.lit(kind))
        for label, metric in counted.items():
            table = table.hstack(statistics_columns(label, metric, metric.measure(pairs)))
        frames.append(table)
    return pl.concat(frames, how="vertical_relaxed")


def _corpora(corpus: Corpus, several: SeveralReferences) -> Iterator[tuple[str, Corpus]]:
    """Yield each reference as a hypothesis for the others, then all systems with the first one."""
    ids, rule = corpus.references["utt"], check_rule(several.rule)
    columns = [column.to_list() for column in several.texts]
    for number, name in enumerate(several.names):
        others = merge_references([*columns[:number], *columns[number + 1 :]], rule)
        frame = pl.DataFrame({"utt": ids, "text": pl.Series(others.texts, dtype=pl.String)})
        own = pl.Series([first_reading(text) for text in columns[number]], dtype=pl.String)
        yield OF_REFERENCES, Corpus.of(frame, {name: own})
    first = corpus.references.with_columns(several.texts[0].alias("text"))
    best = corpus.hypotheses.filter(pl.col("rank") == 1)
    yield OF_SYSTEMS, Corpus(first, best)

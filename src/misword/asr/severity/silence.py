"""Words on silence: hypotheses with words where the reference has none."""

from __future__ import annotations

from misword.asr.pairs import Pairs
from misword.asr.severity.labelling import aligned_words, knowledge
from misword.core.lazy import pl
from misword.core.types import Op
from misword.io.transcripts.columns import interpret
from misword.text.writing.words import base_forms

# Columns of metadata with the length of an utterance, or its begin and end, in seconds.
DURATION, ENDS = "duration", ("begin", "end")
SECONDS_PER_HOUR = 3600


def silence_table(pairs: Pairs) -> pl.DataFrame:
    """Return a row for each best hypothesis with words whose reference has none.

    `stock` names the phrase, if the hypothesis is one that recognisers write for silence, such as
    `thanks for watching`; `seconds` is the length of the utterance, if the corpus has it.
    """
    counts, _ = aligned_words(pairs)
    words = counts[:, Op.SUBSTITUTION] + counts[:, Op.INSERTION]
    said = counts[:, Op.HIT] + counts[:, Op.SUBSTITUTION] + counts[:, Op.DELETION]
    rows = ((said == 0) & (words > 0)).nonzero()[0]
    stock = knowledge(pairs.context.lang).language.stock
    texts = pairs.source.hypotheses["text"][pairs.reader.index[rows, 1]].to_list()
    phrases = [" ".join(filter(None, base_forms(text.split()))) for text in texts]
    table = pairs.keys.select("utt", "system", "rank")[rows].with_columns(
        pl.Series("words", words[rows], pl.Int64),
        pl.Series("stock", [p if p in stock else None for p in phrases], pl.String),
        pl.Series("hypothesis", texts, pl.String),
        _seconds(pairs)[rows],
    )
    best: pl.DataFrame = table.filter(rank=1).drop("rank")
    return best


def silence_notes(pairs: Pairs) -> list[str]:
    """Return a note on words where references have none, with words per hour if it is known."""
    table = silence_table(pairs)
    if table.is_empty():
        return []
    phrases = table["stock"].drop_nulls().value_counts(sort=True, name="n").head(3).rows()
    named = "".join(f"; {name!r} {number:,} times" for name, number in phrases)
    seconds, words = table["seconds"].sum(), int(table["words"].sum())
    rate = f" ({words * SECONDS_PER_HOUR / seconds:,.0f} an hour)" if seconds else ""
    return [
        f"{len(table):,} hypotheses have words where the reference has none: "
        f"{words:,} words{rate}{named}"
    ]


def _seconds(pairs: Pairs) -> pl.Series:
    """Return the length of each pair's utterance in seconds; null where it is not known."""
    frame = pairs.keys
    columns = {name: interpret(frame[name]) for name in (DURATION, *ENDS) if name in frame.columns}
    numeric = {name: column for name, column in columns.items() if column.dtype.is_numeric()}
    if DURATION in numeric:
        return numeric[DURATION].cast(pl.Float64).alias("seconds")
    if all(name in numeric for name in ENDS):
        return (numeric["end"] - numeric["begin"]).cast(pl.Float64).alias("seconds")
    return pl.Series("seconds", [None] * len(frame), pl.Float64)

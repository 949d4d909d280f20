"""What a lexicon consists of: parts of speech, frequency bands, senses of a headword."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from misword.bli.auditing.lexicon import AuditedLexicon, Column
from misword.bli.word_tags import tags_of_words
from misword.core.errors import MiswordError, OptionError
from misword.io.lexicons import Lexicon
from misword.text.analyzers import analyzer_for

if TYPE_CHECKING:
    import polars as pl

# Ranks at which bands of frequency end.
BANDS = (1_000, 5_000, 20_000, 50_000, 200_000)
MOST_SENSES = 5  # headwords with more senses are counted together
POS_NAMES = ("pos", "pos_tag", "upos", "part_of_speech", "tag", "wordclass", "category")
NO_TAG = "unknown"

Counts = Sequence[tuple[str, str, int, int]]


def composition_table(lexicon: AuditedLexicon, tags: Sequence[str]) -> pl.DataFrame:
    """Return the numbers of pairs or headwords by part of speech, frequency band and senses.

    `tags` are the parts of speech of the pairs; empty if they are not known. `by` is what is
    counted: `part of speech`, `source frequency`, `target frequency` or `senses`; `whole` is the
    number of pairs or headwords that `count` is a part of.
    """
    import polars as pl

    rows = [
        *_parts_of_speech(tags),
        *(row for column in lexicon.columns for row in _frequencies(column)),
        *_senses(lexicon.lexicon),
    ]
    schema = {"by": pl.String, "value": pl.String, "count": pl.Int64, "whole": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def parts_of_speech(lexicon: AuditedLexicon, pos_column: str | None) -> tuple[str, list[str]]:
    """Return where the parts of speech come from, and that of each pair.

    They are those of a column of the file, or of the tagger of one of the languages; there are none
    if neither exists.
    """
    columns = lexicon.lexicon.columns
    name = pos_column or _pos_column(columns)
    if name is not None:
        if name not in columns:
            has = ", ".join(columns) or "none beside the two of words"
            raise OptionError(
                f"no column {name!r} in the lexicon",
                where=lexicon.lexicon.name,
                fix=f"it has: {has}",
            )
        return f"column {name}", [value.strip() or NO_TAG for value in columns[name]]
    for column in lexicon.columns:
        try:
            tagger = analyzer_for(column.lang, "tag")
        except MiswordError:
            continue
        words = list(dict.fromkeys(column.words))
        tag_of = dict(zip(words, tags_of_words(tagger, words, NO_TAG), strict=True))
        return f"{tagger.name}, {column.lang}", [tag_of[word] for word in column.words]
    return "", []


def _pos_column(columns: Iterable[str]) -> str | None:
    """Return the first column with a usual name for parts of speech, such as `et_pos_tag`."""
    endings = tuple(f"_{name}" for name in POS_NAMES)
    return next((c for c in columns if c.lower() in POS_NAMES or c.lower().endswith(endings)), None)


def _parts_of_speech(tags: Sequence[str]) -> Counts:
    counts = Counter(tags).most_common()
    return [("part of speech", tag, count, len(tags)) for tag, count in counts]


def _frequencies(column: Column) -> Counts:
    """Count the words of a column by bands of their rank in the vectors."""
    if column.ranks is None:
        return []
    words = dict(zip(column.words, column.ranks.tolist(), strict=True))
    counts = Counter(frequency_band(rank) for rank in words.values())
    names = [frequency_band(rank) for rank in (*BANDS, BANDS[-1] + 1, 0)]
    by = f"{column.side} frequency"
    return [(by, name, counts[name], len(words)) for name in names if counts[name]]


def frequency_band(rank: int) -> str:
    """Return the band of a rank.

    >>> frequency_band(900), frequency_band(1200), frequency_band(10**6), frequency_band(0)
    ('1 to 1,000', '1,001 to 5,000', 'beyond 200,000', 'no vector')
    """
    if rank == 0:
        return "no vector"
    for low, high in pairwise((0, *BANDS)):
        if rank <= high:
            return f"{low + 1:,} to {high:,}"
    return f"beyond {BANDS[-1]:,}"


def _senses(lexicon: Lexicon) -> Counts:
    """Count the headwords by the number of their translations."""
    numbers = Counter(min(len(pairs), MOST_SENSES) for pairs in lexicon.headwords.values())
    return [
        ("senses", f"{number} or more" if number == MOST_SENSES else str(number), count,
         len(lexicon.headwords))
        for number, count in sorted(numbers.items())
    ]  # fmt: skip

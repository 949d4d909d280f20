"""The table of words: one row for each word of a transcript, with what a file says about it.

Readers fill the table in columns. Texts, segments and lists of confidences are computed from it.

| column | content |
|:--|:--|
| `recording` | the name of the recording |
| `utt` | the id of the utterance |
| `place` | the number of the word in the text of its utterance as written, from 0 |
| `segment` | the number of the turn, cue or phrase of the file, from 0 in each recording |
| `speaker`, `channel` | names |
| `begin`, `end` | in seconds from the beginning of the recording |
| `emitted` | the time at which the recogniser returned the word, in seconds |
| `confidence` | a number, usually from 0 to 1 |
| `word` | the word as written |

All columns are there; those that a file does not have are null. In nlp files there are also the
lists `tags` and `entities`; in logs of streams the first word of a segment has the list `results`.
`Corpus.words` has a further column, `system`, which is empty for references. Formats without any
metadata of words have no table: `complete_words` makes one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from misword.core.lazy import pl
from misword.core.types import OF_REFERENCES, Corpus

# The columns of the table and their types in polars.
COLUMNS = {
    "recording": "String",
    "utt": "String",
    "place": "Int64",
    "segment": "Int64",
    "speaker": "String",
    "channel": "String",
    "begin": "Float64",
    "end": "Float64",
    "emitted": "Float64",
    "confidence": "Float64",
    "word": "String",
}
# The characters of a word: those that `str.split` does not split at.
WORD = r"[^\s\x1c-\x1f]+"
BLANK = r"[\s\x1c-\x1f]"


def word_table(rows: pl.DataFrame, utt: str | None = None) -> pl.DataFrame:
    """Return a table of words from the columns that a file has.

    `rows` has the column `word` and any other columns of the table, in the order of the text. A
    value of several words becomes a row for each of them; an empty one has none. `utt` is the id
    if all rows are one utterance.

    >>> import polars as pl
    >>> rows = pl.DataFrame({"word": ["a b", "", "c"], "begin": [0.5, 1, 2]})
    >>> word_table(rows, "call").select("utt", "place", "word", "begin").rows()
    [('call', 0, 'a', 0.5), ('call', 1, 'b', 0.5), ('call', 2, 'c', 2.0)]
    """
    words = rows["word"]
    if words.null_count() or (words == "").any() or words.str.contains(BLANK).any():
        split = rows.with_columns(pl.col("word").str.extract_all(WORD))
        rows = split.explode("word").drop_nulls("word")
    if utt is not None:
        rows = rows.with_columns(pl.lit(utt, pl.String).alias("utt"))
    if "recording" not in rows.columns:
        rows = rows.with_columns(pl.col("utt").alias("recording"))
    place = pl.int_range(pl.len(), dtype=pl.Int64)
    rows = rows.with_columns((place if utt is not None else place.over("utt")).alias("place"))
    return in_order(rows)


def in_order(rows: pl.DataFrame) -> pl.DataFrame:
    """Return rows with all columns of the table in their order, then any further columns."""
    types = {name: getattr(pl, kind) for name, kind in COLUMNS.items()}
    return rows.select(
        *(
            pl.col(name).cast(kind) if name in rows.columns else pl.lit(None, kind).alias(name)
            for name, kind in types.items()
        ),
        pl.exclude(*types),
    )


def texts_of(words: pl.DataFrame) -> pl.DataFrame:
    """Return `utt` and `text` of each utterance that has words, in the order of the table."""
    groups = words.group_by("utt", maintain_order=True)
    return groups.agg(pl.col("word").str.join(" ").alias("text"))


def segments_of(words: pl.DataFrame) -> pl.DataFrame:
    """Return a row for each segment of each utterance, in the order of their first words.

    Columns: `system` (if the words have it), `recording`, `utt`, `segment`, `first` (the place of
    the first word), `words` (their number), `speaker` and `channel` (null unless all words have the
    same), `begin` and `end` (of the first and last word that has a time), and `text`.

    >>> rows = pl.DataFrame({"word": ["a", "b", "c"], "speaker": ["x", "x", "y"]})
    >>> table = word_table(rows.with_columns(segment=pl.Series([0, 0, 1])), "call")
    >>> segments_of(table).select("segment", "first", "words", "speaker", "text").rows()
    [(0, 0, 2, 'x', 'a b'), (1, 2, 1, 'y', 'c')]
    """
    keys = [name for name in ("system", "recording", "utt", "segment") if name in words.columns]
    return words.group_by(keys, maintain_order=True).agg(
        pl.col("place").first().alias("first"),
        pl.len().cast(pl.Int64).alias("words"),
        *(
            pl.when(pl.col(name).n_unique() == 1).then(pl.col(name).first()).alias(name)
            for name in ("speaker", "channel")
        ),
        pl.col("begin").min(),
        pl.col("end").max(),
        pl.col("word").str.join(" ").alias("text"),
    )


def runs_of(*columns: str) -> pl.Expr:
    """Return the numbers of runs of equal values, from 0: those of turns from `speaker`."""
    return pl.struct(columns).rle_id().cast(pl.Int64)


def with_ids_of_recording(words: pl.DataFrame, utt: str) -> pl.DataFrame:
    """Return the words of one recording with another id and name of the recording."""
    name = pl.lit(utt, pl.String)
    return words.with_columns(name.alias("recording"), name.alias("utt"))


def words_of_both(
    references: pl.DataFrame | None, systems: Mapping[str, pl.DataFrame | None], ids: pl.Series
) -> pl.DataFrame | None:
    """Return the words of references and systems in one table; None if no side has any.

    Words of other utterances than those of `ids` are left out.
    """
    sides = {OF_REFERENCES: references, **systems}
    frames = [
        table.filter(pl.col("utt").is_in(ids.implode())).select(
            pl.lit(name, pl.String).alias("system"), pl.all()
        )
        for name, table in sides.items()
        if table is not None
    ]
    return pl.concat(frames, how="diagonal_relaxed") if frames else None


def complete_words(corpus: Corpus) -> Corpus:
    """Return a corpus whose table has the words of all texts of references and of rank 1.

    Words of texts whose file has no metadata of words have a recording, an utterance, a place and
    the word; the recording is that of the references, if they have a column `recording`.
    """
    names = "recording" if "recording" in corpus.references.columns else "utt"
    recordings = corpus.references.select("utt", pl.col(names).cast(pl.String).alias("recording"))
    best = corpus.hypotheses.filter(pl.col("rank") == 1)
    texts = {OF_REFERENCES: corpus.references.select("utt", "text")}
    for (name,), rows in best.group_by("system", maintain_order=True):
        texts[str(name)] = rows.select("utt", "text")
    frames = [] if corpus.words is None else [corpus.words]
    known = set() if corpus.words is None else set(corpus.words["system"].unique())
    for name, rows in texts.items():
        if name in known:
            continue
        made = word_table(
            rows.join(recordings, on="utt", how="left", maintain_order="left").select(
                "utt", "recording", pl.col("text").alias("word")
            )
        )
        frames.append(made.select(pl.lit(name, pl.String).alias("system"), pl.all()))
    return replace(corpus, words=pl.concat(frames, how="diagonal_relaxed"))


# Confidences of words.


def has_confidences(corpus: Corpus) -> bool:
    """Return whether the words of some hypothesis have confidences."""
    words = corpus.words
    if words is None:
        return False
    known = (pl.col("system") != OF_REFERENCES) & pl.col("confidence").is_not_null()
    return bool(words.select(known.any()).item())


def confidences_of(corpus: Corpus, hypotheses: pl.DataFrame) -> pl.Series:
    """Return a list for each hypothesis: the confidences of its words, null where none is known.

    `hypotheses` has `utt`, `system` and `rank`; only hypotheses of rank 1 have a list.
    """
    keys = ["utt", "system"]
    rows = hypotheses.select(*keys, "rank")
    if corpus.words is None:
        return pl.Series([None] * len(rows), dtype=pl.List(pl.Float64))
    known = corpus.words.filter(pl.col("system") != OF_REFERENCES)
    lists = known.group_by(keys).agg(pl.col("confidence").sort_by("place"))
    lists = lists.with_columns(pl.lit(1, pl.Int64).alias("rank"))
    joined = rows.join(lists, on=[*keys, "rank"], how="left", maintain_order="left")
    return joined["confidence"]


def words_of_lists(
    hypotheses: pl.DataFrame, confidences: Sequence[Sequence[float | None] | None]
) -> pl.DataFrame:
    """Return the words of hypotheses that have a list of confidences each."""
    lists = pl.Series("confidence", confidences, pl.List(pl.Float64))
    return listed_words(hypotheses.select("system", "utt").with_columns(lists))


def listed_words(rows: pl.DataFrame) -> pl.DataFrame:
    """Return a table of words from columns of lists (`confidence`, `begin`, `word`, ...).

    `rows` has `utt`; lists of a row have the same length, and a row of null lists has no words.
    """
    lists = [name for name, kind in rows.schema.items() if isinstance(kind, pl.List)]
    kept = rows.filter(pl.col(lists[0]).list.len() > 0)
    places = pl.int_ranges(pl.col(lists[0]).list.len(), dtype=pl.Int64).alias("place")
    words = kept.with_columns(places).explode("place", *lists)
    if "recording" not in words.columns:
        words = words.with_columns(pl.col("utt").alias("recording"))
    return in_order(words)

"""nlp files of fstalign: one token a line, with speaker, times, punctuation and entity tags."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from misword.core.errors import InputError
from misword.io.files.sources import Source, counted
from misword.io.transcripts.columns import Columns, Reading
from misword.io.transcripts.field_rows import column_names
from misword.io.transcripts.formats import Format
from misword.io.transcripts.formats.recordings import one_utterance, recording_id

if TYPE_CHECKING:
    import polars as pl

SEPARATOR = "|"
TOKEN, PUNCTUATION = "token", "punctuation"
# Columns with metadata of words; one of them in the header is enough to recognise the format.
METADATA = ("speaker", "ts", "endTs", "tags", "wer_tags")
# An item of a list such as ['0:YEAR', '6:DATE'].
ITEM = r"""[^\[\]'",\s][^\[\]'",]*"""
FIX = "an nlp file has a header and one token a line: token|speaker|ts|endTs|punctuation|..."


@dataclass(frozen=True, slots=True)
class Nlp(Format):
    """Tokens of one recording, fields separated by `|`, with a header that names the columns.

    The tokens, joined by spaces, are the text of one utterance; its id is the name of the file. As
    in fstalign, the column `punctuation` is not part of the text, unless the option `punctuation`
    is true: its marks then follow the words. Speaker (`speaker`), times (`ts`, `endTs`), and
    entities (`tags`, `wer_tags`) are metadata of words. Only `token` is required.

    Known problems: a token cannot contain `|`.

    Example: `misword score references/ google/ amazon/`, where each folder has files such as
    `call1.nlp`; with punctuation, `--input-format nlp:punctuation=true`

    Reference: https://github.com/revdotcom/fstalign (docs/NLP-Format.md)
    """

    name: ClassVar[str] = "nlp"
    title: ClassVar[str] = "fstalign nlp"
    rewritten_as: ClassVar[str] = "kaldi"
    one_recording: ClassVar[bool] = True
    suffixes: ClassVar[tuple[str, ...]] = (".nlp",)

    punctuation: bool = False

    def looks_like(self, source: Source) -> bool:
        """Whether the first line is a header with `token` and another usual column."""
        names = {name.strip() for name in source.lines[0].split(SEPARATOR)}
        return TOKEN in names and not names.isdisjoint(METADATA)

    def read(self, source: Source, columns: Columns) -> Reading:
        """Join the tokens; of references, keep the metadata of the words."""
        import polars as pl

        # If a token consists of several words, each of them gets the metadata of the token.
        each_word = pl.col(TOKEN).str.extract_all(r"\S+")
        rows = read_tokens(source)
        if self.punctuation and PUNCTUATION in rows.columns:
            rows = rows.with_columns(pl.col(TOKEN) + pl.col(PUNCTUATION).fill_null(""))
        words = rows.with_columns(each_word).explode(TOKEN).drop_nulls(TOKEN)
        text = words[TOKEN].str.join(" ").item()
        if columns.role != "reference":
            return one_utterance(source, text)
        return one_utterance(source, text, metadata_of(words, recording_id(source)))


def read_tokens(source: Source) -> pl.DataFrame:
    """Return the columns of the file as text, without the blanks around the fields."""
    import polars as pl

    header, *rows = source.lines
    names = column_names(header.split(SEPARATOR), source)
    if TOKEN not in names:
        raise InputError(
            f"no column {TOKEN!r}; it has: {', '.join(names)}", where=source.at(1), fix=FIX
        )
    lines = pl.Series("fields", rows, pl.String)
    widths = lines.str.count_matches(SEPARATOR, literal=True) + 1
    blank = lines.str.strip_chars() == ""
    wrong = ((widths != len(names)) & ~blank).arg_true()
    if len(wrong):
        raise InputError(
            f"{counted(widths[wrong[0]], 'field')}, where the header has {len(names)}",
            where=source.at(wrong[0] + 2),
            fix=FIX,
        )
    fields = lines.filter(~blank).str.split_exact(SEPARATOR, len(names) - 1).struct
    frame = fields.rename_fields(names).struct.unnest()
    return frame.with_columns(pl.all().str.strip_chars(" \t"))


def metadata_of(words: pl.DataFrame, utt: str) -> pl.DataFrame:
    """Return the metadata of words; a column that the file does not have is empty."""
    import polars as pl

    missing = [pl.lit("").alias(name) for name in METADATA if name not in words.columns]
    return words.with_columns(missing).select(
        pl.lit(utt).alias("utt"),
        pl.int_range(pl.len(), dtype=pl.Int64).alias("place"),
        pl.col("speaker").replace("", None),
        pl.col("ts").cast(pl.Float64, strict=False).alias("begin"),
        pl.col("endTs").cast(pl.Float64, strict=False).alias("end"),
        pl.col("tags").str.extract_all(ITEM),
        pl.col("wer_tags").str.extract_all(ITEM).alias("entities"),
    )

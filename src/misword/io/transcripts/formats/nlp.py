"""nlp files of fstalign: one token a line, with speaker, times, punctuation and entity tags."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any, ClassVar

from misword.core.errors import InputError, OptionError
from misword.core.formatting import counted
from misword.core.lazy import pl
from misword.io.files.sources import PathLike, Source, inner_name, open_source, shown_path
from misword.io.files.strict_json import JsonError, parse_json
from misword.io.transcripts.alternatives import NOTHING, group, is_plain
from misword.io.transcripts.columns import Columns, SourceTranscripts
from misword.io.transcripts.folders import visible_files
from misword.io.transcripts.formats import Format, one_recording
from misword.io.transcripts.formats.tables import column_names
from misword.io.transcripts.pairing import SHOWN, Transcript
from misword.io.transcripts.words import runs_of

SEPARATOR = "|"
TOKEN, PUNCTUATION = "token", "punctuation"
# Columns with metadata of words; one of them in the header is enough to recognise the format.
METADATA = ("speaker", "ts", "endTs", "tags", "wer_tags")
# Columns of the table of words that only references in this format have.
OF_NLP = ("tags", "entities")
# An item of a list such as ['0:YEAR', '6:DATE'].
ITEM = r"""[^\[\]'",\s][^\[\]'",]*"""
# Signs that stand for spoken words: percent, degrees, currencies and others.
SPOKEN = r"%‰°&+=@#§\p{Sc}"
NAME = re.compile(r"[ \t]*[^\W\d]")
FIX = "an nlp file has a header and one token a line: token|speaker|ts|endTs|punctuation|..."


@dataclass(frozen=True, slots=True)
class Nlp(Format):
    """Tokens of one recording, fields separated by `|`, with a header that names the columns.

    The tokens, joined by spaces, are the text of one utterance; its id is the name of the file. As
    in fstalign, the column `punctuation` is not part of the text, unless the option `punctuation`
    is true: its marks then follow the words. But signs that are spoken (`%`, `$`), which some
    services have in this column, follow the words always, unless `signs` is false. Speaker
    (`speaker`), times (`ts`, `endTs`), and entities (`tags`, `wer_tags`) are metadata of words.
    Only `token` is required.

    Known problems: a token cannot contain `|`.

    Example: `misword score references/ google/ amazon/`, where each folder has files such as
    `call1.nlp`; with punctuation, `--input-format nlp:punctuation=true`

    Reference: https://github.com/revdotcom/fstalign (docs/NLP-Format.md)
    """

    name: ClassVar[str] = "nlp"
    sign: ClassVar[bytes] = b"|"
    title: ClassVar[str] = "fstalign nlp"
    rewritten_as: ClassVar[str] = "kaldi"
    one_recording: ClassVar[bool] = True
    suffixes: ClassVar[tuple[str, ...]] = (".nlp",)

    punctuation: bool = False
    signs: bool = True

    def looks_like(self, source: Source) -> bool:
        """Whether the first line is a header with `token` and another usual column."""
        names = {name.strip() for name in source.lines[0].split(SEPARATOR)}
        return TOKEN in names and not names.isdisjoint(METADATA)

    def read(self, source: Source, columns: Columns) -> SourceTranscripts:
        """Join the tokens; keep the metadata of the words."""
        rows, found = read_tokens(source), 0
        if PUNCTUATION in rows.columns:
            marks = pl.col(PUNCTUATION).fill_null("")
            spoken = marks.str.replace_all(f"[^{SPOKEN}]", "")
            if self.signs:
                found = int(rows.select((spoken != "").sum()).item())
            if self.punctuation or found:
                rows = rows.with_columns(pl.col(TOKEN) + (marks if self.punctuation else spoken))
        words = words_of(rows)
        reading = one_recording(
            source, words if columns.role == "reference" else words.drop(OF_NLP)
        )
        return replace(reading, spoken_signs=found)


def read_tokens(source: Source) -> pl.DataFrame:
    """Return the columns of the file as text, without the blanks around the fields."""
    header, *rows = source.lines
    names = column_names(header.split(SEPARATOR), source)
    if TOKEN not in names:
        raise InputError(
            f"no column {TOKEN!r}; it has: {', '.join(names)}", where=source.at(1), fix=FIX
        )
    odd = next((name for name in header.split(SEPARATOR) if not NAME.match(name)), None)
    if odd is not None:  # the first line of tokens may have been joined with the header
        raise InputError(f"{odd[:40]!r} is no name of a column", where=source.at(1), fix=FIX)
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


def words_of(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the words with their metadata; a column that the file does not have is empty.

    If a token consists of several words, each of them gets the metadata of the token. A turn, the
    words of one speaker until the next, is a segment.
    """
    missing = [pl.lit("").alias(name) for name in METADATA if name not in rows.columns]
    return rows.with_columns(missing).select(
        pl.col(TOKEN).alias("word"),
        runs_of("speaker").alias("segment"),
        pl.col("speaker").replace("", None),
        pl.col("ts").cast(pl.Float64, strict=False).alias("begin"),
        pl.col("endTs").cast(pl.Float64, strict=False).alias("end"),
        pl.col("tags").str.extract_all(ITEM),
        pl.col("wer_tags").str.extract_all(ITEM).alias("entities"),
    )


# Sidecars of nlp references: verbalisations of entities, and the types of entities.
#
# A sidecar is a JSON file beside an nlp file. Its keys are the ids of entities, which the columns
# `tags` and `wer_tags` of the nlp file give to tokens.

SUFFIX = ".json"
CUT_OFF = re.compile(r"\w.*-$")  # a word that was not spoken to its end: th-


def add_verbalizations(references: Transcript, path: PathLike) -> Transcript:
    """Return the references with the verbalisations of a sidecar as alternatives in the texts.

    Words with the same tag become a group of alternatives: `{ 2020 / twenty twenty }`. What is
    written stands first. If a word has several tags, the first that has verbalisations counts.
    A word that was cut off (`th-`) may be left out, as in NIST's rules for fragments of words.
    `path` is a sidecar, or a folder with a sidecar for each recording (`call1.norm.json`).
    """
    words = _words(references, "tags")
    by_utt = {utt: rows for (utt,), rows in words.group_by("utt")}
    forms: dict[str, dict[str, list[str]]] = {}  # of the recordings with tags
    texts = []
    for utt, text in references.frame.select("utt", "text").iter_rows():
        tags = by_utt[utt]["tags"].to_list() if utt in by_utt else []
        if any(tags):
            recording = str(by_utt[utt]["recording"][0])
            if recording not in forms:
                forms[recording] = verbalizations(_sidecar(path, recording, references))
            text = text_with_alternatives(text.split(" "), tags, forms[recording])
        texts.append(text)
    return replace(references, frame=references.frame.with_columns(text=pl.Series(texts)))


def text_with_alternatives(
    words: Sequence[str], tags: Sequence[Sequence[str]], forms: Mapping[str, Sequence[str]]
) -> str:
    """Return the words as text, with groups of alternatives for tags that have other forms.

    >>> text_with_alternatives(["in", "2020"], [[], ["0:YEAR"]], {"0": ["twenty twenty"]})
    'in { 2020 / twenty twenty }'
    >>> text_with_alternatives(["th-", "the"], [[], []], {})
    '{ @ / th- } the'
    """
    ids = [next((i for i in map(tag_id, row) if i in forms), "") for row in tags]
    parts: list[str] = []
    for found, run in groupby(zip(ids, words, strict=True), key=lambda pair: pair[0]):
        run_words = [word for _, word in run]
        if found:
            parts.append(_group(" ".join(run_words), forms[found]))
        else:
            parts += [_group(word, ()) for word in run_words]
    return " ".join(parts)


def _group(written: str, forms: Iterable[str]) -> str:
    """Return words with their other forms as alternatives; a word that was cut off is optional."""
    if not is_plain(written):
        return written
    optional = [NOTHING] if CUT_OFF.fullmatch(written) and " " not in written else []
    return group([*optional, written, *filter(is_plain, forms)])


def add_entity_types(references: Transcript, path: PathLike) -> Transcript:
    """Return the references with `id:TYPE` in place of `id` in the entities of their words.

    `path` is a sidecar, or a folder with a sidecar for each recording (`call1.wer_tag.json`).
    Entities that the sidecar of their recording does not have are left out; a note names them.
    """
    words = _words(references, "entities")
    frames, unknown = [], []
    for (recording,), rows in words.group_by("recording", maintain_order=True):
        if rows["entities"].list.len().sum():
            types = entity_types(_sidecar(path, str(recording), references))
            ids = rows["entities"].explode().drop_nulls().unique(maintain_order=True)
            unknown += [f"{tag!r} of {recording!r}" for tag in ids if tag not in types]
            named = {key: f"{key}:{kind}" for key, kind in types.items()}
            known = pl.element().filter(pl.element().is_in(list(types))).replace(named)
            rows = rows.with_columns(pl.col("entities").list.eval(known))
        frames.append(rows)
    notes = references.notes
    if unknown:
        more = f" and {len(unknown) - SHOWN} more" if len(unknown) > SHOWN else ""
        what = f"{counted(len(unknown), 'tag')} of entities without a type in {path}"
        notes = (*notes, f"{what} left out: {', '.join(unknown[:SHOWN])}{more}")
    return replace(references, words=pl.concat(frames) if frames else words, notes=notes)


def verbalizations(source: Source) -> dict[str, list[str]]:
    """Return the other forms of each entity of a sidecar."""
    forms: dict[str, list[str]] = {}
    for key, entry in _entries(source):
        candidates = entry.get("candidates")
        if not isinstance(candidates, list):
            raise _wrong(source, key, "no list 'candidates'")
        spoken = [item.get("verbalization") for item in candidates if isinstance(item, dict)]
        if len(spoken) < len(candidates) or not all(map(_is_words, spoken)):
            raise _wrong(source, key, "a candidate without a list of words 'verbalization'")
        forms[key] = [" ".join(" ".join(words).split()) for words in spoken if words is not None]
    return forms


def entity_types(source: Source) -> dict[str, str]:
    """Return the type of each entity of a sidecar."""
    types = {}
    for key, entry in _entries(source):
        kind = entry.get("entity_type")
        if not isinstance(kind, str):
            raise _wrong(source, key, "no text 'entity_type'")
        types[key] = kind
    return types


def tag_id(tag: str) -> str:
    """Return the id in a tag.

    >>> tag_id("0:YEAR")
    '0'
    """
    return tag.partition(":")[0]


def _is_words(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(word, str) for word in value)


def _words(references: Transcript, column: str) -> pl.DataFrame:
    if references.words is None or column not in references.words.columns:
        raise OptionError(
            f"{references.path} is read as {references.format}, which has no tags of entities",
            fix="leave --alternatives-from and --tags-from out; they belong to nlp references",
        )
    return references.words


def _sidecar(path: PathLike, recording: str, references: Transcript) -> Source:
    """Return the sidecar of a recording."""
    folder = Path(path)
    if not os.path.isdir(folder):
        recordings = _words(references, "tags")["recording"].n_unique()
        if recordings > 1:
            raise OptionError(
                f"one sidecar for {recordings} recordings: {folder}",
                fix="name the folder with the sidecars of all recordings",
            )
        return open_source(path)
    found = [
        file
        for file in visible_files(folder)
        if shown_path(file.name).startswith(f"{recording}.")
        and inner_name(file).lower().endswith(SUFFIX)
    ]
    if len(found) != 1:
        names = ", ".join(file.name for file in found)
        raise InputError(
            f"several sidecars of {recording!r}: {names}"
            if found
            else f"no sidecar of {recording!r}",
            where=str(folder),
            fix=f"each recording with tags needs one file such as {recording}.norm{SUFFIX}",
        )
    return open_source(found[0])


def _entries(source: Source) -> Iterable[tuple[str, dict[str, Any]]]:
    """Return the entries of a sidecar by the id of the entity."""
    try:
        content = parse_json(source.text)
    except JsonError as error:
        raise InputError(str(error), where=source.at(), fix="name a sidecar in JSON") from None
    if not isinstance(content, dict):
        raise InputError("JSON, but not an object", where=source.at(), fix="name a sidecar in JSON")
    for key, entry in content.items():
        if not isinstance(entry, dict):
            raise _wrong(source, key, "not an object")
        yield key, entry


def _wrong(source: Source, key: str, what: str) -> InputError:
    return InputError(
        f"entity {key!r}: {what}",
        where=source.at(),
        fix="--alternatives-from reads verbalisations, --tags-from the types of entities",
    )

"""Reading of transcript files into a `Corpus`: references with hypotheses, or hypotheses alone."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Unpack

from misword.core.errors import InputError, OptionError
from misword.core.lazy import pl
from misword.core.options import takes
from misword.core.types import Corpus, SeveralReferences
from misword.io.files.sources import STDIN, PathLike, Source, open_source, shown_path
from misword.io.options import Reading, SideReading
from misword.io.transcripts.columns import (
    PREDICTION_NAMES,
    Columns,
    Role,
    SourceTable,
    SourceTranscripts,
    as_categories,
    first_of,
    refuse_unread,
    shape,
)
from misword.io.transcripts.confidences import CONFIDENCE_NAMES, listed_confidences
from misword.io.transcripts.detection import find_format, notes_on_guess, stem_of
from misword.io.transcripts.formats import FORMATS, RANK, SCORE, Format, ListFormat
from misword.io.transcripts.pairing import (
    Missing,
    Transcript,
    check_missing,
    join_sides,
    pair,
    refuse_duplicates,
    settle_missing,
    with_same_case,
    with_sign_notes,
    without_extra,
)
from misword.io.transcripts.recordings import check_mode, divide_sides
from misword.io.transcripts.words import words_of_both


def read_transcript(
    path: PathLike,
    *,
    role: Role,
    input_format: str | None = None,
    id_column: str | None = None,
    text_column: str | None = None,
    encoding: str | None = None,
    references: Transcript | None = None,
    lists: bool = False,
) -> Transcript:
    """Return the transcripts of one file; without `input_format`, name and content decide it.

    `references` are those that the transcripts belong to: words of a ctm file are divided among the
    segments of stm references. With `lists`, all hypotheses of N-best lists are read.
    """
    columns = Columns(role, id_column, text_column, lists=lists)
    return read_file(path, input_format, encoding, columns, references)


@takes(Reading)
def read_corpus(
    reference: PathLike,
    hypotheses: PathLike | Sequence[PathLike] = (),
    *,
    nbest: bool = False,
    without_words: bool = False,
    **options: Unpack[Reading],
) -> tuple[Corpus, tuple[str, ...]]:
    """Return a corpus of references and hypotheses, and notes on everything that was left out.

    Each path is a file, or a folder with a file for each recording (nlp, srt, vtt, txt).
    `input_format` is the format of all files, `hypothesis_format` that of the hypotheses if it
    differs, `encoding` the encoding of text that is not UTF-8. Without hypothesis files, both sides
    are columns of the reference file. Several names in `hypothesis_column` are several systems of
    one table. Numbers in the metadata columns `categorical` are names.

    `missing` says what happens to utterances without a hypothesis: `error`, `skip` (they are left
    out) or `delete` (their words count as deletions). Of N-best lists, the best hypotheses are
    read; with `nbest`, all of them, with their scores and features. `without_words` reads RTTM.

    An utterance may have several references (`more_references`); functions that score the corpus
    merge them as `merge` says (`any`, `majority` or `whole`). `alternatives_from` and `tags_from`
    are sidecars of nlp references (`io/transcripts/formats/nlp.py`). `join` joins the utterances of
    each recording; it is the name of a metadata column. `segments` says how sides are paired that
    are divided differently (`io/transcripts/recordings.py`); functions that score cut or join the
    texts of the corpus.
    """
    hypotheses = [hypotheses] if isinstance(hypotheses, str | os.PathLike) else list(hypotheses)
    column, id_column = options["hypothesis_column"], options["id_column"]
    chosen = [column] if isinstance(column, str) else column or []
    metadata, missing = options["metadata"], options["missing"]
    reads = hypotheses * max(1, len(chosen))  # a file is read once for each of its columns
    refuse_two_stdins([reference, *options["more_references"], *reads, *metadata])
    check_missing(missing)
    check_mode(options["segments"])
    systems = names_of_systems(hypotheses or [reference], chosen, options["names"])
    usual = Columns("reference", id_column, without_words=without_words)
    columns = replace(usual, text=options["reference_column"])
    sought = replace(usual, role="hypothesis", gaps=missing != "error", lists=nbest)
    wanted = [replace(sought, text=column) for column in (chosen or (None,))]
    form, encoding = options["input_format"], options["encoding"]
    if hypotheses:
        ours = read_file(reference, form, encoding, columns)
        theirs = [
            read_file(path, options["hypothesis_format"] or form, encoding, one, ours)
            for path in hypotheses
            for one in wanted
        ]
    else:
        ours, theirs = _read_both(reference, form, encoding, columns, wanted)
    others = [read_file(p, form, encoding, columns, ours) for p in options["more_references"]]
    ours, others, theirs = _of_one_recording(ours, others, theirs, options["segments"])
    ours = _with_metadata(ours, theirs, options)
    names = names_of_systems([reference, *options["more_references"]], [], None) if others else []
    of_systems = zip(systems, theirs, strict=True)
    corpus, notes = _corpus_of(ours, others, names, dict(of_systems), options)
    table = as_categories(corpus.references, options["categorical"], corpus.metadata)
    return replace(corpus, references=table), notes


def _with_metadata(ours: Transcript, theirs: list[Transcript], options: Reading) -> Transcript:
    """Return the references with the metadata of other files."""
    metadata, id_column = options["metadata"], options["id_column"]
    if metadata:
        from misword.io.transcripts.metadata import join_metadata

        return join_metadata(ours, metadata, id_column, options["encoding"])
    if id_column is not None:
        _refuse_unused_id([ours, *theirs])
    return ours


def _of_one_recording(
    ours: Transcript, others: list[Transcript], theirs: list[Transcript], segments: str
) -> tuple[Transcript, list[Transcript], list[Transcript]]:
    """Return all sides with one id if they are one recording.

    `transfer` needs the segments of references, which are then kept.
    """
    if not any(FORMATS.load(side.format).one_recording for side in (ours, *theirs)):
        return ours, others, theirs
    from misword.io.transcripts.folders import same_recordings

    sides = [*others, *theirs]
    if segments != "transfer":
        ours, *sides = same_recordings([ours, *sides])
    return ours, sides[: len(others)], with_sign_notes(ours, sides[len(others) :])


def _corpus_of(
    ours: Transcript,
    others: Sequence[Transcript],
    names: Sequence[str],
    systems: Mapping[str, Transcript],
    options: Reading,
) -> tuple[Corpus, tuple[str, ...]]:
    """Return a corpus of transcripts: divided by recording, joined, or paired as they are.

    `others` are further references, and `names` the names of all references.
    """
    missing, join = options["missing"], options["join"]
    divided = None
    if not others and join is None:
        divided = divide_sides(ours, systems, options["segments"])
    ours = ours if divided is None else divided.references
    ours = _with_sidecars(ours, options["alternatives_from"], options["tags_from"])
    if divided is not None:
        return replace(divided, references=ours).corpus(missing)
    if join is not None:
        (ours, *others), theirs = join_sides([ours, *others], list(systems.values()), join)
        systems = dict(zip(systems, theirs, strict=True))
    corpus, notes = paired_corpus(ours, systems, missing)
    if others:
        corpus = with_more_references(corpus, ours, others, names, options["merge"])
        notes = tuple(dict.fromkeys([*notes, *(note for side in others for note in side.notes)]))
    return corpus, notes


def _with_sidecars(
    references: Transcript, alternatives_from: PathLike | None, tags_from: PathLike | None
) -> Transcript:
    """Return nlp references with the verbalisations and the types of entities of their sidecars."""
    if alternatives_from is not None:
        from misword.io.transcripts.formats.nlp import add_verbalizations

        references = add_verbalizations(references, alternatives_from)
    if tags_from is not None:
        from misword.io.transcripts.formats.nlp import add_entity_types

        references = add_entity_types(references, tags_from)
    return references


def paired_corpus(
    references: Transcript, systems: Mapping[str, Transcript], missing: Missing
) -> tuple[Corpus, tuple[str, ...]]:
    """Return a corpus of transcripts, and their notes."""
    gaps = missing != "error"
    systems = {name: with_same_case(references, side) for name, side in systems.items()}
    extra_notes: list[str] = []
    if missing == "skip":
        for name, side in systems.items():
            systems[name], notes_on_extra = without_extra(references, side)
            extra_notes += notes_on_extra
    texts = {name: pair(references, side, gaps=gaps) for name, side in systems.items()}
    frame = references.numbered.drop("line").select("utt", "text", pl.exclude("utt", "text"))
    scored, texts, more_notes = settle_missing(frame["utt"], texts, missing)
    if not scored.all():
        frame = frame.filter(scored)
    # Without duplicates: both sides of one file have the same notes.
    notes = dict.fromkeys(n for side in (references, *systems.values()) for n in side.notes)
    tables = {name: side.words for name, side in systems.items()}
    words = words_of_both(references.words, tables, frame["utt"])
    corpus = Corpus.of(frame, texts, words)
    lists = {name: side.lists for name, side in systems.items() if side.lists is not None}
    if lists:
        from misword.io.transcripts.nbest import with_lists

        corpus = with_lists(corpus, lists)
    return corpus, (*notes, *extra_notes, *more_notes)


def with_more_references(
    corpus: Corpus,
    references: Transcript,
    others: Sequence[Transcript],
    names: Sequence[str],
    rule: str,
) -> Corpus:
    """Return the corpus with all references of its utterances; `references` are the first ones."""
    ids = references.numbered["utt"]
    columns = {str(number): pair(references, other) for number, other in enumerate(others)}
    found = pl.DataFrame({"utt": ids, **columns})
    rows = corpus.references.select("utt").join(found, on="utt", maintain_order="left", how="left")
    texts = (corpus.references["text"], *(rows[name] for name in columns))
    return replace(corpus, several=SeveralReferences(tuple(names), texts, rule))


def refuse_two_stdins(paths: Sequence[PathLike]) -> None:
    """Raise if standard input is named twice, since it can be read only once."""
    if sum(os.fspath(path) == STDIN for path in paths) > 1:
        raise OptionError(
            "standard input (`-`) is given more than once",
            fix="it can be read once: put the other side in a file",
        )


def _refuse_unused_id(transcripts: Sequence[Transcript]) -> None:
    if not any(FORMATS.load(transcript.format).is_table for transcript in transcripts):
        raise OptionError(
            "an id column is named, but no file has columns",
            fix="leave --id-column out, or name the format with --input-format",
        )


def read_file(
    path: PathLike,
    format: str | None,
    encoding: str | None,
    columns: Columns,
    references: Transcript | None = None,
) -> Transcript:
    """Return the transcripts of a file or folder; `references` are those that it belongs to."""
    if os.path.isdir(path):
        from misword.io.transcripts.folders import (
            read_folder,
            recording_files,
            with_speakers_of_folder,
        )
        from misword.io.transcripts.formats.nist import read_into_segments

        part, reading = read_folder(path, format, columns, encoding)
        if references is not None and part.name == "ctm" and references.format == "stm":
            _, files = recording_files(Path(path), format)
            sources = [open_source(file, encoding) for file in files]
            shown = shown_path(path)
            reading = read_into_segments(sources, references, shown)
            reading = with_speakers_of_folder(reading, Path(path), encoding)
            return Transcript(shown, "ctm", reading.frame, reading.notes, words=reading.words)
        return _transcript(Source(shown_path(path), "", b""), part, reading, columns)
    source = open_source(path, encoding)
    part = find_format(source, format)
    if references is not None and part.name == "ctm" and references.format == "stm":
        from misword.io.transcripts.formats.nist import read_into_segments

        reading = read_into_segments([source], references, source.shown)
        return Transcript(
            source.shown, part.name, reading.frame, reading.notes, words=reading.words
        )
    if columns.text is not None and not part.is_table:
        raise OptionError(
            f"{source.shown} is read as {part.name}, which has no columns",
            fix=f"leave --{columns.role}-column out, or name the format with --input-format",
        )
    transcript = read_source(source, part, columns, references)
    guess = notes_on_guess(part, source.name, source.shown, format)
    transcript = replace(transcript, notes=(*transcript.notes, *guess))
    sides = [transcript] if references is None else [transcript, references]
    if references is None or not any(FORMATS.load(side.format).one_recording for side in sides):
        return transcript
    from misword.io.transcripts.folders import of_same_recording

    return of_same_recording(transcript, references)


def read_source(
    source: Source, part: Format, columns: Columns, references: Transcript | None = None
) -> Transcript:
    """Return the transcripts of an input in the format `part`."""
    reading = part.read(source, columns)
    if columns.role == "hypothesis" and _may_have_lists(part, reading):
        from misword.io.transcripts.nbest import with_ids

        reading = with_ids(reading, part, references, source)
    return _transcript(source, part, reading, columns)


def _may_have_lists(part: Format, reading: SourceTranscripts) -> bool:
    """Return whether the format or the columns are those of N-best lists."""
    return isinstance(part, ListFormat) or bool({RANK, SCORE}.intersection(reading.frame.columns))


def _transcript(
    source: Source, part: Format, reading: SourceTranscripts, columns: Columns
) -> Transcript:
    lists = None
    if columns.role == "hypothesis" and _may_have_lists(part, reading):
        from misword.io.transcripts.nbest import split_lists

        reading, lists = split_lists(reading, part, columns, source)
    elif isinstance(part, ListFormat) and RANK in reading.frame.columns:
        raise InputError(
            f"N-best lists ({part.name}), where references are expected",
            where=source.at(),
            fix="name the references first, then the hypotheses",
        )
    if not reading.frame.height:
        raise InputError(
            f"no utterances in it (read as {part.name})",
            where=source.at(),
            fix="check that this is the right file and format",
        )
    transcript = Transcript(
        source.shown,
        part.name,
        reading.frame,
        reading.notes,
        reading.ignored,
        reading.words,
        lists,
        reading.spoken_signs,
    )
    refuse_duplicates(transcript)
    if transcript.words is None and not set(CONFIDENCE_NAMES).isdisjoint(reading.frame.columns):
        return replace(transcript, words=listed_confidences(transcript.numbered))
    return transcript


def _read_both(
    path: PathLike,
    format: str | None,
    encoding: str | None,
    columns: Columns,
    wanted: Sequence[Columns],
) -> tuple[Transcript, list[Transcript]]:
    """Return the references, and the hypotheses of each system, from the columns of one table."""
    if os.path.isdir(path):
        raise OptionError(f"no hypotheses: {path} is a folder", fix="name a second folder too")
    source = open_source(path, encoding)
    part = find_format(source, format)
    if part.both_sides:
        return read_source(source, part, columns), [
            read_source(source, part, one) for one in wanted
        ]
    if not part.is_table:
        raise OptionError(
            f"no hypotheses: {source.shown} is read as {part.name}, which holds one side only",
            fix="name a file of hypotheses too",
        )
    table = part.table(source)
    names = [name for name in table.frame.columns if name != columns.text]
    found = [replace(one, text=prediction_column(one, names, table, source)) for one in wanted]
    theirs = [_transcript(source, part, shape(table, one, source), one) for one in found]
    used = {first_of((one.text or "",), names) for one in found}
    kept = [column for column in table.frame.get_columns() if column.name not in used]
    rest = SourceTable(pl.DataFrame(kept), table.lines, table.notes)
    ours = shape(rest, columns, source)
    return _transcript(source, part, ours, columns), theirs


def prediction_column(
    wanted: Columns, names: Sequence[str], table: SourceTable, source: Source
) -> str:
    """Return the column of hypotheses in a table that has the references too."""
    column = wanted.text or first_of(PREDICTION_NAMES, names)
    if column is None:
        refuse_unread(PREDICTION_NAMES, source)
        raise OptionError(
            f"no hypotheses: {source.shown} has no column for them; "
            f"it has: {', '.join(table.frame.columns)}",
            fix="name a file of hypotheses too, or their column with --hypothesis-column; "
            f"names that are recognised: {', '.join(PREDICTION_NAMES)}",
        )
    return column


# Reading of hypotheses without references.


@takes(SideReading)
def read_unpaired(
    hypotheses: Sequence[PathLike], *, nbest: bool = False, **options: Unpack[SideReading]
) -> tuple[Corpus, tuple[str, ...]]:
    """Return a corpus of hypotheses, and notes on everything that was left out.

    The first hypotheses of the first file stand where a corpus has references: all systems must
    have their utterances. The options are those of `read_corpus`.
    """
    column, missing = options["hypothesis_column"], options["missing"]
    columns = [column] if isinstance(column, str) else column or []
    refuse_two_stdins(list(hypotheses) * max(1, len(columns)))
    check_missing(missing)
    systems = names_of_systems(hypotheses, columns, options["names"])
    sought = Columns("hypothesis", options["id_column"], gaps=missing != "error", lists=nbest)
    form = options["hypothesis_format"] or options["input_format"]
    read = [
        read_file(path, form, options["encoding"], replace(sought, text=name))
        for path in hypotheses
        for name in (columns or (None,))
    ]
    sides = dict(zip(systems, read, strict=True))
    first = replace(read[0], frame=read[0].frame.select("text", "line", *_ids(read[0])))
    return paired_corpus(first, sides, missing)


def _ids(transcript: Transcript) -> list[str]:
    return ["utt"] if transcript.has_ids else []


# Names of the systems of a corpus.


def names_of_systems(
    paths: Sequence[PathLike], columns: Sequence[str], names: Sequence[str] | None
) -> list[str]:
    """Return the names of the systems: those of the files, or of several columns of one file."""
    if len(columns) < 2:
        return system_names(paths, names)
    if len(paths) > 1:
        raise OptionError(
            f"{len(columns)} columns and {len(paths)} files of hypotheses",
            fix="several columns are several systems of one table: name one file",
        )
    chosen = columns if names is None else names
    _check_names(columns, chosen)
    return list(chosen)


def system_names(paths: Sequence[PathLike], names: Sequence[str] | None = None) -> list[str]:
    """Return a different name for each file: the given names, or else the stems of the files.

    Files of the same name get the name of their folder as well, then a number.

    >>> system_names(["a/hyp.txt.gz", "b/hyp.txt", "best.stm"])
    ['a/hyp', 'b/hyp', 'best']
    """
    if names is not None:
        _check_names(paths, names)
        return list(names)
    stems = [stem_of(path) for path in paths]
    shared = Counter(stems)
    distinct = [
        f"{shown_path(Path(path).absolute().parent.name)}/{stem}" if shared[stem] > 1 else stem
        for path, stem in zip(paths, stems, strict=True)
    ]
    return _with_numbers(distinct)


def _check_names(systems: Sequence[PathLike], names: Sequence[str]) -> None:
    """Raise unless there is a different name for each system."""
    if len(names) != len(systems):
        raise OptionError(
            f"{len(names)} names for {len(systems)} systems", fix="give one name for each system"
        )
    duplicates = [name for name, count in Counter(names).items() if count > 1]
    if duplicates:
        raise OptionError(f"two systems are called {duplicates[0]!r}", fix="give each its own name")


def _with_numbers(names: Sequence[str]) -> list[str]:
    """Return the names with a number added to repeated ones."""
    taken = set(names)
    seen: Counter[str] = Counter()
    numbered = []
    for name in names:
        seen[name] += 1
        chosen = name
        while seen[name] > 1 and chosen in taken:
            chosen = f"{name}-{seen[name]}"
            seen[name] += chosen in taken
        taken.add(chosen)
        numbered.append(chosen)
    return numbered

"""Translations of chosen hypotheses: reading them, and the tables of their scores."""

from __future__ import annotations

import argparse
import os
from typing import Any

from misword.asr.options import Translating
from misword.cli.inputs import Inputs
from misword.cli.printing import note
from misword.core.errors import MismatchError, OptionError
from misword.core.formatting import counted
from misword.core.lazy import pl
from misword.core.options import chosen
from misword.core.types import Corpus
from misword.io.files.sources import open_source
from misword.io.options import Reading, column_name


def translation_arguments(options: argparse.Namespace, inputs: Inputs) -> dict[str, Any]:
    """Return the arguments of `misword.oracle` on translations that the options name."""
    translations: Any = None
    if options.translations:
        if options.translation_references is None:
            raise OptionError(
                "translations need references", fix="name them: --translation-references FILE"
            )
        files = [name for name in options.translations if os.path.exists(name)]
        if not files and len(options.translations) == 1:
            translations = column_name(options.translations[0])
        else:
            _check_files(options, files)
            translations = _reader(options, inputs)
    elif options.translate is not None and options.translation_references is None:
        raise OptionError(
            "the translations need references", fix="name them: --translation-references FILE"
        )
    return {
        **chosen(options, Translating),
        "translations": translations,
        "translation_references": _references(options, inputs),
    }


def refuse_translations(options: argparse.Namespace, beside: str) -> None:
    """Raise if an option on translations is set beside one with which none are scored."""
    for name in ("translations", "translate", "translation_references"):
        if getattr(options, name):
            flag = f"--{name.replace('_', '-')}"
            raise OptionError(f"{flag} beside {beside}", fix="leave one of them out")


def _check_files(options: argparse.Namespace, files: list[str]) -> None:
    wanted = options.hypotheses or [options.reference]
    if len(files) < len(options.translations):
        missing = next(name for name in options.translations if name not in files)
        raise OptionError(
            f"there is no file {missing!r}", fix="name files, or one column of the lists"
        )
    if len(files) != len(wanted):
        raise OptionError(
            f"{counted(len(files), 'file')} of translations for {counted(len(wanted), 'system')}",
            fix="name one for each HYP, in their order",
        )


def _references(options: argparse.Namespace, inputs: Inputs) -> Any:
    """Return the name of a column, or a function that reads a file."""
    path = options.translation_references
    if path is None or not os.path.exists(path):
        return None if path is None else column_name(path)

    def read() -> Any:
        from misword.io.transcripts.read import read_transcript

        with inputs.reading():
            found = read_transcript(path, role="reference", encoding=options.encoding)
        return found.frame.select("utt", "text") if found.has_ids else found.frame["text"]

    return read


def _reader(options: argparse.Namespace, inputs: Inputs) -> Any:
    """Return a function that reads files of translations as lists with the ids of the corpus."""

    def read() -> Corpus:
        from misword.io.transcripts.read import names_of_systems

        lists = options.hypotheses or [options.reference]
        names = names_of_systems(lists, [], options.names)
        frames = []
        with inputs.reading():
            for name, path, translated in zip(names, lists, options.translations, strict=True):
                if _has_lines(translated, options.encoding):
                    rows = _parallel(options, path, translated)
                else:
                    rows = _listed(options, translated)
                frames.append(rows.with_columns(system=pl.lit(name)))
        order = ("utt", "system", "rank", "text")
        hypotheses = pl.concat([frame.select(order) for frame in frames])
        return Corpus(hypotheses.select("utt").unique(maintain_order=True), hypotheses)

    return read


def _has_lines(path: str, encoding: str | None) -> bool:
    """Return whether a file has a text on each line and nothing else."""
    from misword.io.transcripts.detection import find_format

    return not os.path.isdir(path) and find_format(open_source(path, encoding)).name == "lines"


def _listed(options: argparse.Namespace, translated: str) -> pl.DataFrame:
    """Read translated lists, in any format of lists."""
    from misword.io.transcripts.read import read_corpus

    corpus, notes = read_corpus(
        options.reference,
        translated,
        encoding=options.encoding,
        id_column=options.id_column,
        reference_column=options.reference_column,
        missing=options.missing,
        nbest=True,
    )
    for text in notes:
        note(text)
    return corpus.hypotheses


def _parallel(options: argparse.Namespace, path: str, translated: str) -> pl.DataFrame:
    """Read a file with a line for each hypothesis, in the order of the file of the lists."""
    from misword.io.transcripts.read import read_transcript

    reading = chosen(options, Reading)
    columns = reading["hypothesis_column"]
    side: dict[str, Any] = {"encoding": options.encoding, "id_column": options.id_column}
    references = None
    if path != options.reference:
        references = read_transcript(
            options.reference,
            role="reference",
            input_format=reading["input_format"],
            text_column=options.reference_column,
            **side,
        )
    found = read_transcript(
        path,
        role="hypothesis",
        input_format=reading["hypothesis_format"] or reading["input_format"],
        text_column=columns[0] if columns else None,
        references=references,
        lists=True,
        **side,
    )
    rows = found.numbered.with_columns(rank=1) if found.lists is None else found.lists
    texts = open_source(translated, options.encoding).lines.column()
    if len(texts) != rows.height:
        raise MismatchError(
            f"{counted(len(texts), 'line')} for {rows.height:,} hypotheses of {path}",
            where=translated,
            fix="write a line for each hypothesis, in the order of the lists",
        )
    return rows.select("utt", pl.col("rank").cast(pl.Int64), texts.alias("text"))

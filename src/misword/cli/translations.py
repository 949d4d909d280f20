"""Options for the translations of chosen hypotheses, and the tables of their scores."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Any

from misword.asr.downstreams import DOWNSTREAMS
from misword.asr.translating.program import TIMEOUT
from misword.cli.inputs import Inputs
from misword.cli.options import whole
from misword.cli.printing import note
from misword.core.errors import MismatchError, OptionError
from misword.core.formatting import counted
from misword.core.lazy import pl
from misword.core.types import Corpus
from misword.io.files.sources import open_source
from misword.io.transcripts.columns import plain_name
from misword.io.transcripts.detection import find_format
from misword.io.transcripts.read import names_of_systems, read_corpus, read_transcript

if TYPE_CHECKING:
    pass


def add_translations(parser: argparse.ArgumentParser) -> None:
    """Declare the options for translations of all hypotheses."""
    group = parser.add_argument_group(
        "translations", "what the choice does to the translations of the hypotheses"
    )
    group.add_argument(
        "--translations",
        metavar="COLUMN|FILE",
        action="append",
        default=[],
        help="the translation of every hypothesis: a column of the lists, or for each HYP a file "
        "with the same lists, translated, or with a line for each hypothesis",
    )
    group.add_argument(
        "--translate",
        metavar="COMMAND",
        help="a program that reads a text on each line and writes its translation on a line; it "
        "gets each chosen text once. No shell runs it: 'sh -c \"...\"' does",
    )
    group.add_argument(
        "--translate-timeout",
        metavar="SECONDS",
        type=whole(1),
        help=f"time that the program may take for all texts (default {TIMEOUT:g})",
    )
    group.add_argument(
        "--translation-references",
        metavar="COLUMN|FILE",
        help="reference translations: a column of REF, or a file, matched by id or by line",
    )
    group.add_argument(
        "--scores",
        metavar="LIST",
        default="bleu",
        help=f"{', '.join(DOWNSTREAMS.names())}; options after a colon: bleu:tokenize=none "
        "(default: %(default)s)",
    )


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
            translations = plain_name(options.translations[0])
        else:
            _check_files(options, files)
            translations = _reader(options, inputs)
    elif options.translate is not None and options.translation_references is None:
        raise OptionError(
            "the translations need references", fix="name them: --translation-references FILE"
        )
    return {
        "translations": translations,
        "translation_references": _references(options, inputs),
        "translate": options.translate,
        "translate_timeout": options.translate_timeout,
        "downstream": options.scores,
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
        return None if path is None else plain_name(path)

    def read() -> Any:
        with inputs.recording():
            found = read_transcript(path, role="reference", encoding=options.encoding)
        return found.frame.select("utt", "text") if found.has_ids else found.frame["text"]

    return read


def _reader(options: argparse.Namespace, inputs: Inputs) -> Any:
    """Return a function that reads files of translations as lists with the ids of the corpus."""

    def read() -> Corpus:
        lists = options.hypotheses or [options.reference]
        named = options.names.split(",") if options.names is not None else None
        names = names_of_systems(lists, [], named)
        frames = []
        with inputs.recording():
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
    return not os.path.isdir(path) and find_format(open_source(path, encoding)).name == "lines"


def _listed(options: argparse.Namespace, translated: str) -> pl.DataFrame:
    """Read translated lists, in any format of lists."""
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

    formats = [name for name in (options.input_format or "").split(",") if name]
    side: dict[str, Any] = {"encoding": options.encoding, "id_column": options.id_column}
    references = None
    if path != options.reference:
        references = read_transcript(
            options.reference,
            role="reference",
            format=formats[0] if formats else None,
            text_column=options.reference_column,
            **side,
        )
    found = read_transcript(
        path,
        role="hypothesis",
        format=formats[-1] if formats else None,
        text_column=options.hypothesis_column,
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

"""Options that several commands share, and the functions that read and write files by them."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, get_args
from unicodedata import unidata_version

from misword.asr.entities.spans import read_keywords
from misword.asr.forgiving.equivalents import read_equivalents
from misword.asr.metrics import METRICS
from misword.asr.presets import PRESETS
from misword.asr.presets.toolkits import Sclite
from misword.asr.scoring_options import DEFAULT_METRICS, find_preset
from misword.cli.options import add_cache, add_context, resamples, seed, share, workers
from misword.cli.output import add_audio, add_format, add_out, add_title
from misword.cli.printing import note
from misword.cli.tables import add_entities
from misword.core.engines import ENGINES
from misword.core.errors import OptionError
from misword.core.lazy import pl
from misword.core.parts import Part
from misword.core.parts.registry import split_specs
from misword.core.types import Corpus
from misword.core.version import __version__
from misword.io.files.sources import open_source, recorded, shown_path
from misword.io.shards.files import is_pattern
from misword.io.transcripts.columns import as_categories, plain_name
from misword.io.transcripts.formats import FORMATS
from misword.io.transcripts.pairing import Missing
from misword.io.transcripts.read import read_corpus
from misword.io.transcripts.writing import read_lists
from misword.text.normalizers import DEFAULT, NORMALIZERS
from misword.text.normalizers.rules import Rules
from misword.text.normalizers.sclite import Glm


def add_metrics(parser: argparse.ArgumentParser) -> None:
    """Declare the option for metrics."""
    parser.add_argument(
        "--metrics",
        metavar="LIST",
        help=f"{', '.join(METRICS.names())}; options after a colon: cer:spaces=false "
        f"(default: {','.join(DEFAULT_METRICS)}); with a preset, metrics beside its own",
    )


def add_categorical(parser: argparse.ArgumentParser) -> None:
    """Declare the option for columns of numbers that are names."""
    parser.add_argument(
        "--categorical",
        metavar="COLUMNS",
        type=column_names,
        default=[],
        help="metadata columns whose numbers are names, such as dialect,level: they are compared "
        "by value, not by their mean (speaker, columns of ids, and whole numbers with few distinct "
        "values are so by default)",
    )


def add_comparing_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options for preset, normalisation, alternatives, equivalents, and threads."""
    group = parser.add_argument_group("comparing")
    group.add_argument(
        "--preset",
        metavar="NAME",
        help=f"options that reproduce another tool: {', '.join(PRESETS.names())}; `misword parts "
        "presets` describes them",
    )
    group.add_argument(
        "--normalize",
        metavar="LIST",
        help="normalizers for references and hypotheses, in order: nfc (default), lower, nopunct, "
        "... or none; `misword parts normalizers` lists them",
    )
    group.add_argument(
        "--rules",
        metavar="FILE",
        help="file of your own rules, one a line, applied after the normalizers: pattern => "
        "replacement (regular expressions); [fr] starts rules for French",
    )
    group.add_argument(
        "--glm",
        metavar="FILE",
        help="rules of NIST's csrfilt, applied before the normalizers or by --preset sclite: "
        "A => B / C __ D",
    )
    group.add_argument(
        "--no-alternatives",
        dest="alternatives",
        action="store_false",
        help="read { a / b } in references as plain text, not as alternatives",
    )
    group.add_argument(
        "--equivalents",
        metavar="FILE",
        help="file with words or phrases that count as the same, a group a line: gonna / going to",
    )
    group.add_argument(
        "--forgive",
        metavar="LIST",
        default="",
        help="differences of writing that are not errors: writing (all of them), or some of "
        "numbers,contractions,compounds,fillers,spelling,abbreviations,case,punctuation; the texts "
        "stay as they are, and the table shows what was forgiven; `misword parts families` lists "
        "them",
    )
    group.add_argument(
        "--workers",
        type=workers,
        metavar="N",
        help="threads, or with --engine the shards that are scored at a time (default: all cores)",
    )


def add_intervals(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the bootstrap."""
    group = parser.add_argument_group("intervals")
    group.add_argument(
        "--bootstrap",
        type=resamples,
        default=1000,
        metavar="N",
        help="number of resamples (default 1000; 0: no intervals)",
    )
    group.add_argument(
        "--confidence",
        type=share,
        default=0.95,
        metavar="P",
        help="confidence level of the intervals (default 0.95)",
    )
    group.add_argument(
        "--seed", type=seed, default=0, metavar="N", help="seed of the resamples (default 0)"
    )


def add_output(parser: argparse.ArgumentParser) -> None:
    """Declare the options for files that are written besides standard output."""
    add_out(parser)
    parser.add_argument("--report", metavar="FILE", help="also write a report (one HTML file)")
    add_title(parser)


def add_scoring(
    parser: argparse.ArgumentParser, *, entities: bool = False, audio: bool = False
) -> None:
    """Declare the options of every command that scores texts.

    With `audio`, its report has an explorer, which plays audio.
    """
    add_cache(add_context(parser))
    add_comparing_options(parser)
    if entities:
        add_entities(parser)
    add_intervals(parser)
    add_format(parser)
    add_output(parser)
    if audio:
        add_audio(parser)


class Inputs:
    """The files that a command reads, with the hash of each for the provenance of the result.

    The command passes `read_corpus` and `read_equivalents` to `misword.score` or a similar
    function. That function calls them after it has checked its options, so that a wrong option is
    reported before anything is read.
    """

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.hashes: dict[str, str] = {}
        # Only these options write the provenance; without them no hash is computed.
        self._hashing = any(getattr(options, name, None) is not None for name in ("out", "report"))

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Return a context within which the hash of each opened file is added."""
        if not self._hashing:
            yield
            return
        with recorded() as hashes:
            yield
        self.hashes |= hashes

    def record(self, path: Path) -> None:
        """Add the hash of a file."""
        with self.recording():
            open_source(path)

    def read_corpus(self) -> Corpus:
        """Read the corpus that the options name; of N-best lists, the best hypotheses."""
        return self._read(nbest=False)

    def read_nbest(self) -> Corpus:
        """Read the corpus that the options name, with all hypotheses of N-best lists."""
        return self._read(nbest=True)

    def _read(self, *, nbest: bool) -> Corpus:
        with self.recording():
            corpus = read_files(self.options, nbest=nbest)
        names = getattr(self.options, "categorical", [])
        table = as_categories(corpus.references, names, corpus.metadata)
        return replace(corpus, references=table)

    def read_equivalents(self) -> list[list[str]]:
        """Read the file of equivalents; the list is empty if the options name none."""
        if not self.options.equivalents:
            return []
        with self.recording():
            return read_equivalents(self.options.equivalents)

    def read_keywords(self) -> dict[str, str]:
        """Read the file of keywords that the options name."""
        with self.recording():
            return read_keywords(self.options.keywords)

    def read_rules(self) -> Rules | None:
        """Read the file of rules; None if the options name none."""
        if self.options.rules is None:
            return None
        with self.recording():
            return Rules(self.options.rules)

    def preset_and_normalizers(self) -> dict[str, Any]:
        """Return the preset and the normalizers, one of them with the GLM file if it is named."""
        preset, normalize = self.options.preset, self.options.normalize
        if self.options.glm is None:
            return {"preset": preset, "normalize": normalize}
        with self.recording():
            glm = Glm(self.options.glm)
        if preset is None:
            specs = [spec for spec in split_specs(normalize or DEFAULT) if spec != "none"]
            return {"preset": None, "normalize": [glm, *specs]}
        chosen = find_preset(preset)
        if not isinstance(chosen, Sclite):
            raise OptionError(
                f"--glm beside --preset {chosen.name}", fix="use --preset sclite, or no preset"
            )
        return {"preset": replace(chosen, glm=self.options.glm), "normalize": normalize}

    def used_for_texts(self) -> list[str]:
        """Return the names of the options that preset, normalizers, rules and families read."""
        listed = split_specs(self.options.normalize or "none")
        parts: list[Part] = [NORMALIZERS.create(spec) for spec in listed if spec != "none"]
        parts.append(find_preset(self.options.preset))
        names = ("rules", "forgive", "entities")
        rules = ["lang"] if any(getattr(self.options, name, None) for name in names) else []
        return [*(name for part in parts for name in part.uses), *rules]

    def scoring_arguments(self) -> dict[str, Any]:
        """Return the arguments of `misword.score` that the options name, without the texts."""
        names = (
            "alternatives", "forgive", "lang", "vectors", "max_words",
            "vector_format", "cache", "workers",
        )  # fmt: skip
        named = {"entities": self.options.entities} if "entities" in self.options else {}
        if getattr(self.options, "keywords", None) is not None:
            named["keywords"] = self.read_keywords
        return {
            **named,
            "metrics": self.options.metrics,
            "rules": self.read_rules(),
            **self.preset_and_normalizers(),
            "equivalents": self.read_equivalents,
            **{name: getattr(self.options, name) for name in names},
        }


def provenance(options: argparse.Namespace, command: str, hashes: dict[str, str]) -> dict[str, Any]:
    """Return the origin of a result: version, date, command, options, and a hash of each input."""
    aside = (
        *("out", "report", "format", "workers", "quiet", "force", "debug", "keep_formulas"),
        *("max_bytes", "engine", "keep_going"),
    )
    settings = {k: _storable(v) for k, v in vars(options).items() if k not in aside}
    return {
        "misword": __version__,
        "unicode": unidata_version,
        "date": run_date(),
        "command": command,
        "options": settings,
        "sha256": hashes,
    }


def _storable(value: Any) -> Any:
    """Return the value of an option; in paths, bytes that are not UTF-8 are written `\\xNN`."""
    if isinstance(value, list):
        return [_storable(item) for item in value]
    return shown_path(value) if isinstance(value, str) else value


def column_names(text: str) -> list[str]:
    """Return the names in a list of columns that is separated by commas.

    >>> column_names("speaker, noise")
    ['speaker', 'noise']
    """
    return [plain_name(name) for name in (name.strip() for name in text.split(",")) if name]


# Options that name files of transcripts, and the function that reads these files.


def add_inputs(parser: argparse.ArgumentParser) -> None:
    """Declare the options for files of transcripts, their formats and columns."""
    parser.add_argument(
        "reference",
        metavar="REF",
        help="references: a file, - for stdin, or a folder with a file for each recording",
    )
    parser.add_argument(
        "hypotheses",
        metavar="HYP",
        nargs="*",
        help="one file or folder per system; none if REF also has the hypotheses (a NeMo manifest, "
        "a CSV)",
    )
    group = add_reading(parser)
    group.add_argument(
        "--metadata",
        metavar="FILE",
        action="append",
        default=[],
        help="table with further columns by utterance id, or Kaldi's utt2spk or segments; may be "
        "repeated",
    )
    _add_references(group)


def add_reading(parser: argparse.ArgumentParser) -> Any:
    """Declare the options for formats, columns and missing utterances; return their group."""
    group = parser.add_argument_group("reading")
    known = ", ".join(FORMATS.names())
    group.add_argument(
        "--input-format",
        metavar="FORMAT",
        help=f"{known} (default: recognised by name and content); REF,HYP for two formats",
    )
    group.add_argument(
        "--encoding",
        metavar="NAME",
        help="encoding of the files, such as latin-1 or utf-16 (default: UTF-8)",
    )
    group.add_argument("--id-column", metavar="NAME", help="column with the utterance ids")
    group.add_argument("--reference-column", metavar="NAME", help="column with the references")
    group.add_argument(
        "--hypothesis-column",
        metavar="NAME",
        help="column with the hypotheses; A,B for several systems in one table",
    )
    group.add_argument(
        "--missing",
        choices=get_args(Missing),
        default="error",
        help="utterances without a hypothesis: an error (default), left out (skip), or scored with "
        "all their words deleted (delete)",
    )
    group.add_argument(
        "--names", metavar="A,B", help="names of the systems (default: the names of the files)"
    )
    return group


def _add_references(group: Any) -> None:
    """Declare the options for further references, their sidecars, and recordings."""
    group.add_argument(
        "--reference",
        dest="more_references",
        metavar="FILE",
        action="append",
        default=[],
        help="another file of references: each utterance is compared with the reference that has "
        "the fewest errors; may be repeated",
    )
    group.add_argument(
        "--join",
        metavar="COLUMN",
        type=plain_name,
        help="join the utterances of each recording before scoring, so that both sides may be "
        "divided differently: `recording`, or a metadata column with the name of the recording",
    )
    group.add_argument(
        "--alternatives-from",
        metavar="PATH",
        help="verbalisations of the tagged words of nlp references, as alternatives: a file "
        "(.norm.json), or a folder with one for each recording",
    )
    group.add_argument(
        "--tags-from",
        metavar="PATH",
        help="types of the entities of nlp references: a file (.wer_tag.json), or a folder",
    )


def read_list_file(
    path: str, options: argparse.Namespace, reference: str | None = None
) -> pl.DataFrame:
    """Read all hypotheses of a file of N-best lists, by the options; print notes on the reading."""
    lists, notes = read_lists(
        path,
        reference=reference,
        format=options.input_format,
        encoding=options.encoding,
        id_column=options.id_column,
        text_column=options.hypothesis_column,
    )
    for text in notes:
        note(text)
    return lists


def read_files(options: argparse.Namespace, *, nbest: bool = False) -> Corpus:
    """Read the corpus that the options name; print notes on what was left out.

    With `nbest`, it has all hypotheses of N-best lists.
    """
    _refuse_unread_alternatives(options)
    formats = [name for name in (options.input_format or "").split(",") if name]
    same = (
        "more_references", "encoding", "id_column", "reference_column", "metadata",
        "alternatives_from", "tags_from", "join", "missing",
    )  # fmt: skip
    columns = options.hypothesis_column
    corpus, notes = read_corpus(
        options.reference,
        options.hypotheses,
        format=formats[0] if formats else None,
        hypothesis_format=formats[1] if len(formats) > 1 else None,
        hypothesis_column=None if columns is None else columns.split(","),
        names=options.names.split(",") if options.names is not None else None,
        nbest=nbest,
        **{name: getattr(options, name) for name in same},
    )
    for text in notes:
        note(text)
    return corpus


def _refuse_unread_alternatives(options: argparse.Namespace) -> None:
    """Raise if references are to have alternatives that --no-alternatives would read as text."""
    if getattr(options, "alternatives", True):
        return
    for name in ("--reference", "--alternatives-from"):
        if options.more_references if name == "--reference" else options.alternatives_from:
            raise OptionError(
                f"{name} makes alternatives, which --no-alternatives reads as text",
                fix=f"leave {name} or --no-alternatives out",
            )


# The options of commands for shards; `cli/sharded_runs.py` has the runs.


def add_shards(parser: argparse.ArgumentParser) -> None:
    """Declare the options for shards of transcripts."""
    add_engine(
        parser,
        "With --engine, REF and HYP are folders or patterns of Parquet, CSV or JSON-lines files, "
        "local or URLs (s3://, gs://, https://). Each file is read in parts and scored by itself; "
        "the numbers are those of all files together. References and hypotheses are columns of one "
        "file, or file k of HYP has the utterances of file k of REF.",
        "with --out of score and compare, shards that are finished there are not scored again",
    )


def add_engine(parser: argparse.ArgumentParser, text: str, resumed: str) -> None:
    """Declare the options; `text` explains them, `resumed` says what a second run keeps."""
    group = parser.add_argument_group("shards", text)
    group.add_argument(
        "--engine",
        metavar="NAME",
        help=f"where shards are processed: {', '.join(ENGINES.names())}, or ray://HEAD:10001 for a "
        f"cluster that runs; {resumed}",
    )
    group.add_argument(
        "--keep-going",
        action="store_true",
        help="leave out shards that cannot be used; notes name them",
    )


def refuse_shard_options(options: argparse.Namespace, *paths: str) -> None:
    """Raise if an option for shards, or a pattern of shards, is given without an engine."""
    if options.keep_going:
        raise OptionError("--keep-going is for shards", fix="name an engine: --engine process")
    for path in paths:
        if is_pattern(path):
            raise OptionError(
                "this names shards", where=shown_path(path), fix="name an engine: --engine process"
            )


# The date of a run, which its result records and the report shows.

VARIABLE = "SOURCE_DATE_EPOCH"


def run_date() -> str:
    """Return the date of today, such as `2026-11-18`.

    The environment variable SOURCE_DATE_EPOCH sets another date, in seconds since 1970 (UTC). With
    it, a command that is run on another day writes the same bytes.

    Reference: https://reproducible-builds.org/specs/source-date-epoch/
    """
    seconds = os.environ.get(VARIABLE, "").strip()
    if not seconds:
        return date.today().isoformat()
    try:
        return datetime.fromtimestamp(int(seconds), UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        raise OptionError(
            f"{VARIABLE} is {seconds!r}, which is no time",
            fix=f"set it to seconds since 1970, or unset {VARIABLE}",
        ) from None

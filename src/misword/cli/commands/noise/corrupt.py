"""Put errors like those of a recogniser into a text, at a target word error rate.

Words are substituted, deleted or inserted until the alignment with the original has the target
number of errors, as `misword score TEXT NOISY` counts them. Everything else in the file stays: ids,
other columns, white space, punctuation and case of substituted words. Plain lines and Kaldi files
are read and written in blocks, so that they may be larger than the memory. --out keeps the clean
and noisy texts and all errors, which are then held in memory.

With --engine, TEXT is a folder or a pattern of files, and -o is a folder or URL for noisy files of
the same names. The errors of a row are decided by its id, so they do not depend on the shard that
it is in. Noisy files that are there already are kept.

--labels writes a table of the simulated errors with the labels and levels of `misword score
--severity`. --critical N combines several draws so that exactly N noisy texts have a critical
error, at the same word error rate: a test set of a voice agent with a known number of dangerous
inputs. Both read the whole text into memory.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from misword.asr.options import CriticalTerms
from misword.cli.inputs import provenance, refuse_shard_options
from misword.cli.options import Out, Shards
from misword.cli.output import bars, check_out, note_unread, status
from misword.cli.printing import note
from misword.cli.rendering import print_result
from misword.core.errors import OptionError
from misword.core.lazy import pl
from misword.core.options import Option, chosen, finite
from misword.noise.options import NOISE, CorruptFileOptions, CorruptOptions

if TYPE_CHECKING:
    from misword.noise.arrays import Flags
    from misword.noise.corruption.result import Corruption
    from misword.stat.scores import Scores


class CorruptArguments(TypedDict, total=False):
    """The text, its noisy form, and how many errors that has."""

    text: Annotated[
        str,
        Option(
            "a file of transcripts, or - for stdin", metavar="TEXT", positional=True, is_file=True
        ),
    ]
    wer: Annotated[
        str,
        Option(
            "target word error rates: 0.3, a list 0.1,0.3 or a range 0:0.5:0.05",
            metavar="RATES",
            required=True,
            common=True,
        ),
    ]
    output: Annotated[
        str | None,
        Option(
            "file for the noisy text, in the format of TEXT; - is standard output, and the table "
            "is then printed on standard error. With several rates there is one file for each: "
            "noisy.wer-0.10.txt and so on for noisy.txt",
            metavar="FILE",
            flags=("-o", "--output"),
            common=True,
        ),
    ]


class SimulatedSeverity(CriticalTerms, total=False):
    """How much the simulated errors matter."""

    labels: Annotated[
        str | None,
        Option(
            "file for a table of the simulated errors with label, level (minor, major, critical) "
            "and words: .csv, .tsv or .jsonl; - is standard output",
            metavar="FILE",
            group=NOISE,
            common=True,
        ),
    ]
    critical: Annotated[
        float | None,
        Option(
            "how many of the noisy texts are to have a critical error: a number, or below 1 a "
            "share of all texts; the word error rate stays",
            metavar="N",
            read=finite,
            group=NOISE,
            common=True,
        ),
    ]


OPTIONS = (CorruptArguments, SimulatedSeverity, CorruptFileOptions, Shards, Out)
NEEDS = {"id_column": ("out", "engine", "labels"), "critical_terms": ("labels", "critical")}
EXAMPLES = """\
examples:
  misword corrupt text.txt --wer 0.30 --seed 7 --lang en --vectors glove.txt -o noisy.txt
  misword corrupt text.txt --wer 0.1,0.3 --channel phonetic --lang en -o noisy.txt
  misword corrupt text.csv --wer 0:0.5:0.05 --channel uniform --out results/
  misword corrupt text.txt --wer 0.2 --channel confusion:file=noise.json -o -
  misword corrupt text.txt --wer 0.2 --channel listen:file=listener.json --lang en -o noisy.txt
  misword corrupt text.txt --wer 0.1 --channel listen --lang en --keep entities -o noisy.txt
  misword corrupt commands.txt --wer 0.1 --channel listen --lang en --critical 50 \\
      --labels labels.csv -o noisy.txt
  misword corrupt text.txt --wer 0.3 --channel uniform --mix s=0.7,d=0.2,i=0.1 -o noisy.txt
  misword corrupt 's3://bucket/text/*.parquet' --wer 0.2 --engine ray -o s3://bucket/noisy
"""


def run(options: argparse.Namespace) -> None:
    """Corrupt the file, write the results, print the summary."""
    if options.engine is not None:
        _corrupt_shards(options)
        return
    from misword.io.files.writing import together
    from misword.io.results import write_result
    from misword.noise.corrupt import corrupt_file
    from misword.noise.corruption.wanted import WantedRows

    refuse_shard_options(options, options.text)
    check_out(options)
    _check_labels(options)
    judged = options.labels is not None or options.critical is not None
    wanted = None
    if options.critical is not None:
        judge = partial(_with_critical, chosen(options, CriticalTerms), options.lang)
        wanted = WantedRows(options.critical, judge, "critical")
    with bars(), status("reading"), together():
        corruption = corrupt_file(
            options.text,
            options.wer,
            options.output,
            keep_texts=options.out is not None or judged,
            wanted=wanted,
            **chosen(options, CorruptFileOptions),
        )
        severity = _write_labels(corruption, options) if judged else {}
        if options.out is not None:
            hashes = dict(corruption.sha256)
            result = corruption.result(provenance(options, "corrupt", hashes))
            write_result(replace(result, tables={**result.tables, **severity}), options.out)
    _print(corruption, options, severity)


def _check_labels(options: argparse.Namespace) -> None:
    """Raise, before any work, if the table of labels cannot be written."""
    from misword.io.files.writing import check_path

    path = options.labels
    if path == "-" and options.output == "-":
        raise OptionError("standard output gets the texts", fix="name a file: --labels labels.csv")
    if path not in (None, "-"):
        check_path(path, "labels.csv", [options.text, options.output])
        _table_writer(path)


def _table_writer(path: str) -> Callable[[pl.DataFrame], str]:
    """Return what makes the text of a table for a file of this name."""
    from misword.io.formulas import without_formulas

    writers: dict[str, Callable[[pl.DataFrame], str]] = {
        ".csv": lambda table: without_formulas(table).write_csv(),
        ".tsv": lambda table: without_formulas(table).write_csv(separator="\t"),
        ".jsonl": lambda table: table.write_ndjson(),
    }
    suffix = ".csv" if path == "-" else PurePath(path).suffix.lower()
    if suffix not in writers:
        raise OptionError(
            f"a table cannot be written as {suffix or 'a file without ending'}",
            where=path,
            fix="name a file that ends in .csv, .tsv or .jsonl",
        )
    return writers[suffix]


def _scores(references: Any, hypotheses: Any, terms: Mapping[str, Any], lang: str | None) -> Scores:
    """Return texts with the labels of their errors."""
    import misword

    metrics = ("severity", "critical")
    return misword.score(references, hypotheses, metrics, lang=lang, **terms)


def _with_critical(
    terms: Mapping[str, Any], lang: str | None, clean: Sequence[str], noisy: Sequence[str]
) -> Flags:
    """Return which noisy texts have a critical error."""
    scores = _scores(list(clean), list(noisy), terms, lang)
    return (scores.table["severity.with_critical"] > 0).to_numpy()


def _write_labels(corruption: Corruption, options: argparse.Namespace) -> dict[str, pl.DataFrame]:
    """Write the table of labels, and return the table of rates by label."""
    from misword.io.files.writing import write_whole
    from misword.stat.bootstrap import Bootstrap
    from misword.stat.score_tables import SEVERITY_ERRORS
    from misword.stat.severity import label_rates

    terms = chosen(options, CriticalTerms)
    scores = _scores(corruption.corpus, None, terms, options.lang)
    errors = scores.records[SEVERITY_ERRORS]
    if options.labels is not None:
        table = errors.drop("rank").with_columns(pl.col("place") + 1)
        write_whole(_table_writer(options.labels)(table).encode(), options.labels)
    rates = label_rates(errors, scores.table, Bootstrap())
    return {"severity": rates} if len(rates) else {}


def _corrupt_shards(options: argparse.Namespace) -> None:
    """Corrupt shards and print the summary."""
    from misword.io.shards.source import shards
    from misword.noise.corrupt import corrupt

    if options.labels is not None or options.critical is not None:
        raise OptionError(
            "errors of shards have no labels", fix="leave out --labels and --critical"
        )
    if options.output in (None, "-") or options.out is not None:
        raise OptionError("shards need a folder", fix="name it: -o noisy/ (and leave --out out)")
    source = shards(
        options.text,
        engine=options.engine,
        out=options.output,
        keep_going=options.keep_going,
        id_column=options.id_column,
        reference_column=options.text_column,
        input_format=options.input_format,
    )
    with bars(), status("reading"):
        corruption = corrupt(source, options.wer, **chosen(options, CorruptOptions))
    _print(corruption, options, {})


def _print(
    corruption: Corruption, options: argparse.Namespace, severity: Mapping[str, pl.DataFrame]
) -> None:
    """Print the notes and the summary: on standard error, if standard output gets the texts."""
    from misword.noise.channels.specs import named_channel

    note_unread(options, "channel", [named_channel(options.channel, options.vectors)])
    note(*corruption.notes)
    file = sys.stderr if "-" in (options.output, options.labels) else sys.stdout
    shown = corruption.shown()
    shown = replace(shown, tables={**shown.tables, **severity})
    print_result(shown, options.format, facts={"seed": options.seed}, file=file)

"""Compute error rates of systems, with confidence intervals, counts and signatures.

Formats: plain lines, Kaldi `id text`, NIST trn, stm and ctm, CSV, TSV, JSON lines (NeMo manifests),
Parquet, fstalign nlp, SRT and WebVTT, each also as .gz or .zst. Utterances are matched by id, or by
line if they have no ids. A rate is the sum of the errors divided by the sum of the reference
tokens, never a mean of rates.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, TypedDict

from misword.asr.options import Grouping, Judging, Metrics, ScoreOptions
from misword.cli.inputs import Inputs, provenance
from misword.cli.options import Audio, Output, Shards, Texts
from misword.cli.output import bars, check_output, note_unused, status, write_output
from misword.cli.printing import note
from misword.cli.rendering import print_result
from misword.core.errors import InputError, OptionError
from misword.core.options import Option, chosen, whole
from misword.core.types import CONFIDENCES
from misword.io.options import Reading
from misword.stat.options import Resampling

if TYPE_CHECKING:
    from misword.core.lazy import pl
    from misword.core.types import Result
    from misword.stat.scores import Scores

EXAMPLES = """\
examples:
  misword score ref.txt hyp.txt
  misword score ref.stm hyp.ctm --metrics wer,mer,wil
  misword score ref.csv a.csv b.csv --by speaker --format md
  misword score a.stm hyp.stm --more-references b.stm --join recording
  misword score ref.txt hyp.txt --metrics wer:ties=jiwer,cer:spaces=false
  misword score ref.txt hyp.txt --lang en --metrics wer,ler,uposer,per
  misword score ref.fr hyp.fr --vectors cc.fr.300.vec --metrics wer,wer-e,wer-s,ember
  misword score ref.txt hyp.txt --metrics wer,semdist,bertscore --cache
  misword score manifest.jsonl --preset open-asr-leaderboard
  misword score ref.txt hyp.txt --normalize nfc,lower --rules rules.txt --lang en
  misword score ref.txt hyp.txt --forgive writing --by speaker
  misword score calls/ google/ --entities tags --tags-from wer_tags/
  misword score ref.txt hyp.txt --keywords drugs.tsv --entities spacy --lang en
  misword score ref.txt hyp.txt --metrics formatted,punctuation,capitals
  misword score ref.stm hyp.ctm --confidences
  misword score ref.txt hyp.txt --lang en --severity --critical-terms drugs.txt
  misword score ref.csv nbest.jsonl --ranks 10 --report lists.html
  misword score manifest.jsonl --report report.html --audio recordings/
  misword score 'run/*.parquet' --engine process --out results/
  misword score 's3://bucket/ref/*.jsonl' 's3://bucket/hyp/*.jsonl' --engine ray://head:10001
  zcat hyp.gz | misword score ref.txt - --normalize nfc,lower,nopunct --out results/
"""


class ScoreTables(TypedDict, total=False):
    """What is printed beside the rates of the best hypotheses."""

    confidences: Annotated[
        bool,
        Option(
            "also print how well the confidences of words tell right from wrong: NCE, calibration "
            "error and AUC (ctm's last column, or lists in JSON lines)",
            default=False,
        ),
    ]
    ranks: Annotated[
        int,
        Option(
            "also score the first N hypotheses of N-best lists: the report shows each list with "
            "its rates, and --by rank prints them; all other rates are those of the best "
            "hypotheses",
            default=1,
            metavar="N",
            read=whole(1),
        ),
    ]


OPTIONS = (
    *(Texts, Metrics, Grouping, ScoreTables, Reading, ScoreOptions, Judging, Resampling),
    *(Shards, Output, Audio),
)


def run(options: argparse.Namespace) -> None:
    """Score the texts, print and write the summary."""
    from misword.asr.options import beside_preset
    from misword.asr.score import score

    check_output(options)
    if options.judge and not options.severity:
        raise OptionError("--judge is for --severity", fix="add --severity")
    inputs = Inputs(options)
    stored = bool(options.out or options.report)
    with bars(), status("scoring"), inputs.reading():
        scores = score(
            inputs.source(ranks=options.ranks),
            metrics=beside_preset(options.preset, options.metrics),
            keep_texts=stored or options.confidences or options.severity,
            **chosen(options, ScoreOptions),
        )
    with status("resampling"):
        result = scores.result(
            provenance(options, "score", inputs.hashes),
            words=stored,
            utterances=stored,
            by=options.by,
            **chosen(options, Resampling),
        )
    if options.judge:
        result = _judged(result, scores, options)
    write_output(result, options)
    note_unused(options, scores, inputs.used_for_texts())
    note(*scores.notes)
    if options.format == "csv" and "entities" in result.tables:
        note("the rates of classes are not in the CSV: --out and the other formats have them")
    if options.confidences:
        tables = {**result.tables, CONFIDENCES: _confidences(scores)}
        print_result(replace(result, tables=tables), options.format)
    else:
        print_result(result, options.format, hidden=(CONFIDENCES,))


def _judged(result: Result, scores: Scores, options: argparse.Namespace) -> Result:
    """Return the result with the verdicts of the judge and their agreement with our levels."""
    from misword.asr.severity.judge import Judge, judged_tables

    judge = Judge.of(options.judge, options.judge_model)
    with bars(), status("judging"):
        tables = judged_tables(scores, judge, options.judge_context)
    provenance = {**result.provenance, "judge": judge.name}
    return replace(result, tables={**result.tables, **tables}, provenance=provenance)


def _confidences(scores: Scores) -> pl.DataFrame:
    """Return the measures of each system; raise if no word has a confidence."""
    found = scores.records.get(CONFIDENCES)
    if found is None or found.is_empty():
        raise InputError(
            "no word has a confidence",
            fix="give a ctm file with confidences in its last column, or JSON lines with a list "
            "`confidences` of one number for each word of the text",
        )
    return found

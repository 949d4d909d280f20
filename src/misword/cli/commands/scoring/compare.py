"""Compare systems with the baseline: how they differ, where, and whether it is significant.

The first sentence says which system is better, by how much, and what is unclear. The first table
has, for each metric, the relative change with its interval, and p-values: by paired permutation
test over utterances, by the same test over blocks (`--block speaker`: utterances of one speaker are
not independent), and for WER by the matched-pairs segment test (MAPSSWE). Printed p-values are
corrected for multiple comparisons (Holm). With `--by`, a table has a row for each group of
utterances, the group that got worse most first. With `--entities` or `--keywords`, a table has a
row for each class of words; with `--severity`, a row for each label of critical errors, and a list
of what the new system gets dangerously wrong that the old one had right. Further tables have the
errors by part of speech, frequency and length of words; the properties in which the utterances that
got worse differ from the others; and the utterances with the most additional errors.

Result folders (`misword score --out`) can be given instead of REF and HYP. Systems that were scored
in different runs are compared only if utterances, references and signatures are the same.
"""

from __future__ import annotations

import argparse
import os
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypedDict

from misword.asr.options import CompareOptions, Metrics, Scoring
from misword.cli.inputs import Inputs, provenance
from misword.cli.options import Audio, Output, Shards, Texts
from misword.cli.output import bars, check_output, note_unused, status, write_output
from misword.cli.printing import note
from misword.cli.rendering import print_result
from misword.core.errors import OptionError
from misword.core.options import Option, chosen, declared
from misword.io.options import Reading
from misword.io.results import INDEX

if TYPE_CHECKING:
    from misword.asr.comparison.compare import Comparison
    from misword.stat.scores import Scores

EXAMPLES = """\
examples:
  misword compare ref.txt base.txt rescored.txt
  misword compare ref.csv a.csv b.csv --block speaker --metrics wer,cer,semdist
  misword compare ref.fr base.fr new.fr --lang fr --vectors cc.fr.300.vec \\
      --metrics wer,cer,ler,uposer,ember,semdist --report compare.html
  misword compare ref.csv base.csv new.csv --by dialect,noise
  misword compare ref.txt base.txt new.txt --keywords names.tsv
  misword compare results/monday results/friday --format md
  misword compare 'run/*.parquet' --hypothesis-column base,new --engine process --by dialect
"""


class CompareTables(TypedDict, total=False):
    """What is printed."""

    brief: Annotated[
        bool,
        Option("print only the first table, and the groups of --by", default=False, recorded=False),
    ]


OPTIONS = (Texts, Metrics, CompareTables, Reading, CompareOptions, Shards, Output, Audio)
NEEDS: dict[str, tuple[str, ...]] = {"metadata": ()}  # contrasts of its values are computed


def run(options: argparse.Namespace) -> None:
    """Compare systems, print and write the result."""
    check_output(options)
    inputs = Inputs(options)
    with bars(), status("comparing"):
        comparison = _compare(options, inputs)
    origin = provenance(options, "compare", inputs.hashes)
    if options.out or options.report:
        write_output(comparison.result(origin), options)
    note(*comparison.notes)
    if comparison.details is None and not options.brief:
        note("errors by kind of word, contrasts and worst utterances cannot be computed for shards")
    shown = comparison.shown()
    shown = replace(shown, provenance={**origin, **shown.provenance})
    print_result(shown, options.format, brief=options.brief)


def _compare(options: argparse.Namespace, inputs: Inputs) -> Comparison:
    """Compare the systems of result folders or of files of transcripts."""
    from misword.asr.comparison.compare import compare
    from misword.asr.options import beside_preset
    from misword.io.transcripts.columns import as_categories

    settings = chosen(options, CompareOptions)
    scores = None if options.engine is not None else folder_scores(options, inputs)
    if scores is not None:
        table = as_categories(scores.table, options.categorical, scores.metadata)
        return compare(replace(scores, rows=table), **settings)
    with inputs.reading():
        metrics = beside_preset(options.preset, options.metrics)
        comparison = compare(inputs.source(), metrics=metrics, **settings)
    note_unused(options, comparison.scores, others=["lang"])  # its fillers are counted
    note(*comparison.scores.notes)
    return comparison


# Scores from result folders (`misword score --out`) instead of files of transcripts.

# Options on reading and scoring that have a meaning for result folders; the others have none.
OF_FOLDERS = ("names", "categorical", "lang", "workers", "cache")


def folder_scores(options: argparse.Namespace, inputs: Inputs) -> Scores | None:
    """Return the scores of the folders that the options name; None if they name transcripts."""
    folders = [Path(folder) for folder in (options.reference, *options.hypotheses)]
    if not all(os.path.isfile(folder / INDEX) for folder in folders):
        return None
    _check_text_options(options)
    for folder in folders:
        inputs.record(folder / INDEX)
    return _load(folders, options.names, getattr(options, "metrics", None))


def _check_text_options(options: argparse.Namespace) -> None:
    """Raise if an option for scoring texts is given together with result folders."""
    for name, option in declared(Reading, Scoring, Shards).items():
        if name not in OF_FOLDERS and getattr(options, name, option.default) != option.default:
            raise OptionError(
                f"{option.flags_of(name)[0]} is for texts; these folders were scored already",
                fix="leave it out, or score the texts again",
            )


def _load(folders: list[Path], names: list[str] | None, metrics: str | None) -> Scores:
    """Load and join the scores of several folders; rename their systems if names are given."""
    from misword.asr.metrics import METRICS
    from misword.asr.score import load

    scores = [load(folder) for folder in folders]
    if metrics is not None:
        scores = [part.only(METRICS.create_all(metrics)) for part in scores]
    if names is not None:
        new_names = [name.strip() for name in names]
        systems = [(part, name) for part in scores for name in part.systems]
        if len(new_names) != len(systems):
            raise OptionError(
                f"{len(new_names)} names, {len(systems)} systems", fix="name each once"
            )
        new = iter(new_names)
        scores = [part.rename({name: next(new) for name in part.systems}) for part in scores]
    seen: set[str] = set()
    for part, folder in zip(scores, folders, strict=True):
        if both := seen.intersection(part.systems):
            raise OptionError(
                f"a system {both.pop()!r} is also in another folder",
                where=str(folder),
                fix="tell them apart: --names base,new",
            )
        seen.update(part.systems)
    return reduce(lambda one, other: one + other, scores)

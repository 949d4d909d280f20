"""Choose the best hypotheses of N-best lists: how good could a recogniser be that chose well?

Each metric chooses one hypothesis from each list, so that its rate over all utterances is lowest,
and each metric judges the choice of each other one. This is Table 6 of Le et al. 2016. The rate at
a depth is that of the best choice from the first hypotheses of each list. If several hypotheses of
a list are equally good for a metric, the one with the lowest rank is chosen, or the best one by
another metric (`--ties`). The last table shows how much this can change.

With a translation of every hypothesis (`--translations`) or a program that translates
(`--translate`), the translations of each choice are scored against reference translations, and the
choices are compared: Tables 8 and 9 of the paper.
"""

from __future__ import annotations

import argparse

from misword.asr.options import Metrics, OracleOptions
from misword.cli.chosen_texts import check_files, write_texts
from misword.cli.inputs import Inputs, provenance
from misword.cli.options import Audio, Output, Shards, Texts, TextsFile
from misword.cli.output import bars, note_unused, status
from misword.cli.printing import note
from misword.cli.rendering import print_result
from misword.cli.translations import translation_arguments
from misword.core.errors import OptionError
from misword.core.options import chosen
from misword.io.options import Reading

EXAMPLES = """\
examples:
  misword oracle ref.csv nbest.jsonl
  misword oracle ref.csv nbest.jsonl --metrics wer,wer-e,wer-s --vectors cc.fr.300.vec
  misword oracle ref.csv nbest.jsonl --metrics wer,cer --depths 1,2,5,10,100 --ties cer
  misword oracle test-clean.json --metrics wer -o best.csv
  misword oracle ref.csv a.jsonl b.jsonl --metrics wer,semdist --out results/
  misword oracle ref.jsonl nbest.jsonl --metrics wer,cer --translations translation \\
    --translation-references post_edition --downstream bleu,chrf,ter
  misword oracle ref.fr nbest.jsonl --translate 'apertium -u fra-eng' \\
    --translation-references ref.en
  misword oracle 'ref/*.parquet' 'nbest/*.parquet' --engine process --out best/
"""

OPTIONS = (Texts, Metrics, TextsFile, Reading, OracleOptions, Shards, Output, Audio)
NEEDS = {"categorical": ("report",)}


def run(options: argparse.Namespace) -> None:
    """Choose hypotheses, print and write the result."""
    from misword.asr.nbest.oracle import oracle

    check_files(options, "best.csv")
    _check_systems(options, options.hypotheses)
    inputs = Inputs(options)
    settings = {**chosen(options, OracleOptions), **translation_arguments(options, inputs)}
    with bars(), status("scoring"), inputs.reading():
        found = oracle(inputs.source(ranks=None), metrics=options.metrics, **settings)
    result = found.result(provenance(options, "oracle", inputs.hashes))
    _check_systems(options, found.scores.systems)
    write_texts(found.texts, result, options)
    note_unused(options, found.scores, inputs.used_for_texts())
    note(*found.scores.notes, *found.notes)
    print_result(result, options.format)


def _check_systems(options: argparse.Namespace, systems: list[str]) -> None:
    """Raise if the texts of several systems are to be written to one file."""
    if options.output is not None and len(systems) > 1:
        raise OptionError("-o with several systems", fix="use --out DIR, or name one system")

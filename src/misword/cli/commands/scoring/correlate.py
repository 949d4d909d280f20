"""Correlate metrics with each other and with scores of translations.

Every two metrics are correlated over utterances by Pearson's, Spearman's and Kendall's (tau-b)
coefficients. Coefficients are computed for each system and averaged; intervals come from resampling
the utterances. If a coefficient is near 1, the second metric adds little to the first.

With translations of the transcripts, each metric is also correlated with scores of the translations
(BLEU, chrF, TER, METEOR) over blocks of utterances; rates and scores of a block are computed from
its sums. The coefficient of a metric that predicts the quality of the translation is far from 0:
negative for BLEU, chrF and METEOR, where higher is better, positive for TER, where lower is better.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from misword.asr.comparison.correlate import BLOCK, Correlations, correlate
from misword.asr.downstreams import DOWNSTREAMS
from misword.cli.inputs import (
    Inputs,
    add_inputs,
    add_metrics,
    add_scoring,
    provenance,
)
from misword.cli.output import (
    bars,
    check_output,
    note_unused,
    status,
    write_output,
)
from misword.cli.printing import note
from misword.cli.rendering import print_result
from misword.core.errors import OptionError
from misword.io.transcripts.columns import plain_name
from misword.io.transcripts.read import read_corpus
from misword.stat.correlation import COEFFICIENTS

if TYPE_CHECKING:
    from misword.core.types import Corpus

EXAMPLES = """\
examples:
  misword correlate ref.txt base.txt rescored.txt --metrics wer,cer,mer
  misword correlate ref.csv a.csv --lang en --metrics wer,cer,ler,uposer,per --coefficient spearman
  misword correlate ref.fr hyp.fr --vectors cc.fr.300.vec --metrics wer,wer-e,ember --format csv
  misword correlate ref.fr hyp.fr --translations hyp.en --translation-references ref.en
  misword correlate r.fr a.fr --translations a.en --translation-references r.en --scores chrf,ter
  misword correlate ref.csv a.csv b.csv --metrics wer,cer,semdist --report metrics.html
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_inputs(parser)
    add_metrics(parser)
    parser.add_argument(
        "--coefficient",
        choices=COEFFICIENTS,
        default=COEFFICIENTS[0],
        help="coefficient in table and md (default: %(default)s); json and csv have all",
    )
    group = parser.add_argument_group("translations")
    group.add_argument(
        "--translations",
        metavar="FILE",
        action="append",
        default=[],
        help="translations of a system's hypotheses; one option for each HYP, in the same order",
    )
    group.add_argument(
        "--translation-references",
        metavar="FILE",
        help="reference translations; matched by id or by line, like transcripts",
    )
    group.add_argument(
        "--translation-format",
        metavar="FORMAT",
        help="format of both kinds of files (default: recognised by name and content)",
    )
    group.add_argument(
        "--scores",
        metavar="LIST",
        default="bleu",
        help=f"{', '.join(DOWNSTREAMS.names())}; options after a colon: bleu:tokenize=none "
        "(default: %(default)s)",
    )
    group.add_argument(
        "--block",
        metavar="N|COLUMN",
        type=plain_name,
        default=str(BLOCK),
        help="utterances in a block (default %(default)s; the last block may be shorter), "
        "or a metadata column such as speaker, whose values are the blocks",
    )
    add_scoring(parser)


def run(options: argparse.Namespace) -> None:
    """Correlate metrics, print and write the result."""
    check_output(options)
    if bool(options.translations) != bool(options.translation_references):
        raise OptionError(
            "translations and their references go together",
            fix="name both: --translations FILE --translation-references FILE",
        )
    inputs = Inputs(options)
    with bars(), status("correlating"):
        correlations = _correlate(options, inputs)
    result = correlations.result(provenance(options, "correlate", inputs.hashes))
    write_output(result, options)
    note_unused(options, correlations.scores, inputs.used_for_texts())
    for text in (*correlations.scores.notes, *correlations.notes):
        note(text)
    print_result(result, options.format)


def _correlate(options: argparse.Namespace, inputs: Inputs) -> Correlations:
    """Correlate metrics on the files that the options name."""
    corpora: list[Corpus] = []

    def read_transcripts() -> Corpus:
        corpus = inputs.read_corpus()
        if options.translations:
            corpora.append(_read_translations(options, corpus.systems, inputs))
        return corpus

    return correlate(
        read_transcripts,
        translations=(lambda: corpora[0]) if options.translations else None,
        downstream=options.scores,
        block=int(options.block) if options.block.isdecimal() else options.block,
        bootstrap=options.bootstrap,
        confidence=options.confidence,
        seed=options.seed,
        **inputs.scoring_arguments(),
    )


def _read_translations(options: argparse.Namespace, systems: list[str], inputs: Inputs) -> Corpus:
    """Read the translations of each system, and their references."""
    if len(options.translations) != len(systems):
        raise OptionError(
            f"{len(options.translations)} files of translations for {len(systems)} systems",
            fix="name one for each HYP, in their order",
        )
    with inputs.recording():
        corpus, notes = read_corpus(
            options.translation_references,
            options.translations,
            format=options.translation_format,
            names=systems,
        )
    for text in notes:
        note(text)
    return corpus

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
from typing import TYPE_CHECKING, Annotated, Literal, TypedDict

from misword.asr.options import TRANSLATIONS, CorrelateOptions, Metrics
from misword.cli.inputs import Inputs, provenance
from misword.cli.options import Output, Texts
from misword.cli.output import bars, check_output, note_unused, status, write_output
from misword.cli.printing import note
from misword.cli.rendering import print_result
from misword.core.errors import OptionError
from misword.core.options import Option, chosen
from misword.io.options import Reading

if TYPE_CHECKING:
    from misword.asr.comparison.correlate import Correlations
    from misword.core.types import Corpus

# The tables that the JSON has; those of single utterances are only in the result folder.
PRINTED = ("metrics", "downstream", "blocks")
EXAMPLES = """\
examples:
  misword correlate ref.txt base.txt rescored.txt --metrics wer,cer,mer
  misword correlate ref.csv a.csv --lang en --metrics wer,cer,ler,uposer,per --coefficient spearman
  misword correlate ref.fr hyp.fr --vectors cc.fr.300.vec --metrics wer,wer-e,ember --format csv
  misword correlate ref.fr hyp.fr --translations hyp.en --translation-references ref.en
  misword correlate r.fr a.fr --translations a.en --translation-references r.en \\
      --downstream chrf,ter
  misword correlate ref.csv a.csv b.csv --metrics wer,cer,semdist --report metrics.html
"""


class CorrelateTables(TypedDict, total=False):
    """What is printed, and the format of translations."""

    coefficient: Annotated[
        Literal["pearson", "spearman", "kendall"],
        Option(
            "coefficient in table and md; json and csv have all",
            default="pearson",
            common=True,
        ),
    ]
    translation_format: Annotated[
        str | None,
        Option(
            "format of both kinds of files (default: recognised by name and content)",
            metavar="FORMAT",
            registry="formats",
            group=TRANSLATIONS,
            needs=("translations",),
        ),
    ]


OPTIONS = (Texts, Metrics, CorrelateTables, Reading, CorrelateOptions, Output)
NEEDS = {"names": ("out", "report"), "categorical": ("report",)}


def run(options: argparse.Namespace) -> None:
    """Correlate metrics, print and write the result."""
    check_output(options)
    if bool(options.translations) != bool(options.translation_references):
        raise OptionError(
            "translations and their references go together",
            fix="name both: --translations FILE --translation-references FILE",
        )
    inputs = Inputs(options)
    with bars(), status("correlating"), inputs.reading():
        correlations = _correlate(options, inputs)
    result = correlations.result(provenance(options, "correlate", inputs.hashes))
    write_output(result, options)
    note_unused(options, correlations.scores, inputs.used_for_texts())
    note(*correlations.scores.notes, *correlations.notes)
    print_result(result, options.format)


def _correlate(options: argparse.Namespace, inputs: Inputs) -> Correlations:
    """Correlate metrics on the files that the options name."""
    from misword.asr.comparison.correlate import correlate

    corpora: list[Corpus] = []

    def read_transcripts() -> Corpus:
        corpus = inputs.files()()
        if options.translations:
            corpora.append(_read_translations(options, corpus.systems))
        return corpus

    settings = chosen(options, CorrelateOptions)
    settings["translations"] = (lambda: corpora[0]) if options.translations else None
    settings["translation_references"] = None  # the translations have them
    return correlate(read_transcripts, metrics=options.metrics, **settings)


def _read_translations(options: argparse.Namespace, systems: list[str]) -> Corpus:
    """Read the translations of each system, and their references."""
    from misword.io.transcripts.read import read_corpus

    if len(options.translations) != len(systems):
        raise OptionError(
            f"{len(options.translations)} files of translations for {len(systems)} systems",
            fix="name one for each HYP, in their order",
        )
    corpus, notes = read_corpus(
        options.translation_references,
        options.translations,
        input_format=options.translation_format,
        names=systems,
    )
    note(*notes)
    return corpus

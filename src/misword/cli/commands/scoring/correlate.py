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
from typing import TYPE_CHECKING, Any

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
    TextTable,
    bars,
    check_output,
    note_unused,
    print_paragraph,
    print_signatures,
    status,
    write_output,
)
from misword.cli.printing import note, print_csv, print_json, print_markdown, print_text
from misword.core.errors import OptionError
from misword.core.lazy import pl
from misword.io.transcripts.columns import plain_name
from misword.io.transcripts.read import read_corpus
from misword.stat.bootstrap import BOOTSTRAP_SETTINGS
from misword.stat.correlation import COEFFICIENTS

if TYPE_CHECKING:
    from misword.core.types import Corpus, Result

# The tables that the JSON has; those of single utterances are only in the result folder.
PRINTED = ("metrics", "downstream", "blocks")
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
    _print(result, options)


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


def _print(result: Result, options: argparse.Namespace) -> None:
    origin = result.provenance
    if options.format == "json":
        names = ["misword", "signatures", "scores", "systems", "utterances", "undefined"]
        names += ["block", "block_size", *BOOTSTRAP_SETTINGS]
        head = {name: origin[name] for name in names if name in origin}
        tables = [name for name in PRINTED if name in result.tables]
        print_json({**head, **{name: result.tables[name].to_dicts() for name in tables}})
    elif options.format == "csv":
        print_csv(_rows(result))
    else:
        marked = options.format == "md"
        shown = [_metric_table(result, options)] if len(origin["metrics"]) > 1 else []
        shown += [_downstream_table(result, options)] if "downstream" in result.tables else []
        for caption, table in shown:
            if marked:
                print_markdown(table.markdown(), end="\n\n")
            else:
                table.show()
            print_paragraph(caption, marked=marked)
            if not marked:
                print_text()
        signed = [
            *origin["signatures"].values(),
            *(f"{n}|{s}" for n, s in origin["scores"].items()),
        ]
        print_signatures(signed, marked=marked)


def _rows(result: Result) -> pl.DataFrame:
    """Return all coefficients, of metrics and of downstream scores, with the signatures."""

    rows = result.tables["metrics"].with_columns(over=pl.lit("utterances"))
    rows = rows.rename({"utterances": "points"})
    if "downstream" in result.tables:
        more = result.tables["downstream"].rename({"metric": "a", "score": "b", "blocks": "points"})
        rows = pl.concat([rows, more.with_columns(over=pl.lit("blocks"))], how="diagonal_relaxed")
    signed = {**result.provenance["signatures"], **result.provenance["scores"]}
    return rows.with_columns(
        pl.col(side).replace_strict(signed).alias(f"{side}_signature") for side in ("a", "b")
    )


def _metric_table(result: Result, options: argparse.Namespace) -> tuple[str, TextTable]:
    """Return a caption and a table: coefficients above the diagonal, intervals below it."""
    labels = result.provenance["metrics"]
    cells = {(label, label): "" for label in labels}
    for row in result.tables["metrics"].iter_rows(named=True):
        cells[row["a"], row["b"]] = _number(row[options.coefficient])
        cells[row["b"], row["a"]] = _span(row, options.coefficient)
    body = [[a, *(cells[a, b] for b in labels)] for a in labels]
    systems, size = result.provenance["systems"], result.provenance["utterances"]
    mean = f", mean of {len(systems)} systems" if len(systems) > 1 else ""
    caption = f"{options.coefficient} over {size:,} utterances{mean}"
    if options.bootstrap:
        caption += (
            f"; below the diagonal {100 * options.confidence:g} % intervals, "
            f"{options.bootstrap:,} resamples"
        )
    return caption, TextTable(["", *labels], body)


def _downstream_table(result: Result, options: argparse.Namespace) -> tuple[str, TextTable]:
    """Return a caption and a table: a row per system and score, a column per metric."""
    labels = result.provenance["metrics"]
    cells: dict[tuple[str, str], list[str]] = {}
    for row in result.tables["downstream"].iter_rows(named=True):
        line = cells.setdefault((row["system"], row["score"]), [f"{row['corpus']:.2f}"])
        span = _span(row, options.coefficient)
        line.append(_number(row[options.coefficient]) + (f" ({span})" if span else ""))
    body = [[*key, *line] for key, line in cells.items()]
    blocks = len(result.tables["blocks"]) // len(result.provenance["systems"])
    size = result.provenance["block_size"]
    how = f"{size:,} utterances" if size else f"a {result.provenance['block']}"
    caption = f"{options.coefficient} over {blocks:,} blocks of {how}"
    return caption, TextTable(["system", "score", "corpus", *labels], body, left=2)


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"


def _span(row: dict[str, Any], name: str) -> str:
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    return "" if low is None else f"{_number(low)} to {_number(high)}"

"""Do metrics say the same, and do they foretell what becomes of the transcripts?

Correlates every two metrics over utterances: Pearson's, Spearman's and Kendall's (tau-b)
coefficients, each system's own and then the mean over systems, with intervals from resampling the
utterances. Near 1 the one says little that the other does not.

With the translations of the transcripts, each metric is also correlated with scores of the
translations (BLEU, chrF, TER, METEOR) over blocks of utterances; rates and scores of a block come
from its sums. A metric that foretells the translation has a coefficient far from 0: below it for
BLEU, chrF and METEOR, where more is better, above it for TER.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from misword.asr.correlate import BLOCK, check_metrics, correlate
from misword.asr.downstreams import DOWNSTREAMS
from misword.asr.downstreams import choose as choose_scores
from misword.asr.score import score_pairs
from misword.cli.inputs import (
    add_inputs,
    add_metrics,
    add_scoring,
    check_output,
    context_of,
    provenance,
    read_pairs,
    write_output,
)
from misword.cli.notes import chosen, note, warn
from misword.cli.output import Table, print_json, status
from misword.cli.progress import bars
from misword.core.errors import MismatchError, OptionError
from misword.io.files.sources import recorded
from misword.io.transcripts.read import read_corpus
from misword.stat.weighted_correlation import COEFFICIENTS

if TYPE_CHECKING:
    import polars as pl

    from misword.asr.pairs import Pairs
    from misword.core.types import Result

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
        help="what table and md show (default: %(default)s); json and csv have all three",
    )
    group = parser.add_argument_group("translations")
    group.add_argument(
        "--translations",
        metavar="FILE",
        action="append",
        default=[],
        help="translations of a system's transcripts; once for each HYP, in their order",
    )
    group.add_argument(
        "--translation-references",
        metavar="FILE",
        help="what the translations should be; matched by id or by line, as transcripts are",
    )
    group.add_argument(
        "--translation-format", metavar="FORMAT", help="format of both; found if not given"
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
        default=str(BLOCK),
        help="utterances in a block (default %(default)s; the last may be short), or the metadata "
        "column that names the blocks, such as speaker",
    )
    add_scoring(parser)


def run(options: argparse.Namespace) -> None:
    """Read, score, correlate, write."""
    check_output(options)
    if bool(options.translations) != bool(options.translation_references):
        raise OptionError(
            "translations and their references go together",
            fix="name both: --translations FILE --translation-references FILE",
        )
    context = context_of(options)
    more: dict[str, Any] = {}
    with bars():
        if options.translations:
            choose_scores(options.scores)
        metrics = chosen(options, context)
        check_metrics(list(metrics), options.translations or None)
        with status("reading"):
            pairs, hashes = read_pairs(options, context)
            if options.translations:
                more = _read_translations(options, pairs, hashes)
        with status("scoring"):
            scores = score_pairs(pairs, metrics)
        with status("correlating"):
            how = {name: getattr(options, name) for name in ("bootstrap", "confidence", "seed")}
            found = correlate(scores, workers=options.workers, **more, **how)
    result = found.result(provenance(options, "correlate", hashes))
    write_output(result, options)
    warn(scores, context)
    for said in found.notes:
        note(said)
    _print(result, options)


def _read_translations(
    options: argparse.Namespace, pairs: Pairs, hashes: dict[str, str]
) -> dict[str, Any]:
    """Translations in the order of the utterances, as `correlate` takes them."""
    systems = pairs.keys["system"].unique(maintain_order=True).to_list()
    if len(options.translations) != len(systems):
        raise OptionError(
            f"{len(options.translations)} files of translations for {len(systems)} systems",
            fix="name one for each HYP, in their order",
        )
    with recorded() as read:
        corpus, notes = read_corpus(
            options.translation_references,
            options.translations,
            format=options.translation_format,
            names=systems,
        )
    hashes |= read
    for said in notes:
        note(said)
    spoken = pairs.keys.filter(system=systems[0], rank=1).select("utt")
    _refuse_others(spoken, corpus.references.select("utt"), options.translation_references)
    sides = {
        name: spoken.join(
            corpus.hypotheses.filter(system=name), on="utt", how="left", maintain_order="left"
        )["text"]
        for name in systems
    }
    right = spoken.join(corpus.references, on="utt", how="left", maintain_order="left")["text"]
    return {
        "translations": sides,
        "translation_references": right,
        "downstream": options.scores,
        "block": int(options.block) if options.block.isdecimal() else options.block,
    }


def _refuse_others(spoken: pl.DataFrame, translated: pl.DataFrame, path: str) -> None:
    """Transcripts and translations must be of the same utterances."""
    for ours, theirs, what in (
        (spoken, translated, "has no translation"),
        (translated, spoken, "has a translation but no transcript"),
    ):
        stray = ours.join(theirs, on="utt", how="anti", maintain_order="left")["utt"]
        if len(stray):
            raise MismatchError(
                f"utterance {stray[0]!r} {what} ({len(stray)} such)",
                where=path,
                fix="give transcripts and translations the same ids, or none and as many lines",
            )


def _print(result: Result, options: argparse.Namespace) -> None:
    known = result.provenance
    if options.format == "json":
        names = ["misword", "signatures", "scores", "systems", "utterances", "undefined"]
        names += ["block", "block_size", "bootstrap", "confidence", "seed"]
        head = {name: known[name] for name in names if name in known}
        tables = {name: table.to_dicts() for name, table in result.tables.items()}
        print_json({**head, **tables})
    elif options.format == "csv":
        print(_rows(result).write_csv(), end="")
    else:
        tables_ = [_matrix(result, options)] if len(known["metrics"]) > 1 else []
        tables_ += [_against(result, options)] if "downstream" in result.tables else []
        for caption, table in tables_:
            if options.format == "md":
                print(table.markdown(), caption, sep="\n\n", end="\n\n")
            else:
                table.show()
                print(caption, end="\n\n")
        signed = [*known["signatures"].values(), *(f"{n}|{s}" for n, s in known["scores"].items())]
        print("\n".join(f"`{s}`" if options.format == "md" else s for s in signed))


def _rows(result: Result) -> pl.DataFrame:
    """All coefficients, of metrics and of downstream scores, with the signatures."""
    import polars as pl

    rows = result.tables["metrics"].with_columns(over=pl.lit("utterances"))
    rows = rows.rename({"utterances": "points"})
    if "downstream" in result.tables:
        more = result.tables["downstream"].rename({"metric": "a", "score": "b", "blocks": "points"})
        rows = pl.concat([rows, more.with_columns(over=pl.lit("blocks"))], how="diagonal_relaxed")
    signed = {**result.provenance["signatures"], **result.provenance["scores"]}
    return rows.with_columns(
        pl.col(side).replace_strict(signed).alias(f"{side}_signature") for side in ("a", "b")
    )


def _matrix(result: Result, options: argparse.Namespace) -> tuple[str, Table]:
    """Coefficients above the diagonal, intervals below it."""
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
    return caption, Table(["", *labels], body)


def _against(result: Result, options: argparse.Namespace) -> tuple[str, Table]:
    """A row for each system and score, a column for each metric."""
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
    return caption, Table(["system", "score", "corpus", *labels], body, left=2)


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"


def _span(row: dict[str, Any], name: str) -> str:
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    return "" if low is None else f"{_number(low)} to {_number(high)}"

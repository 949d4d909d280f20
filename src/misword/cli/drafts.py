"""Options and outputs of the drafts that `misword translate` makes for people to judge."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from misword.bli.draft import CANDIDATES, draft_lexicon
from misword.bli.drafting.result import Draft
from misword.bli.drafting.verdicts import check_replaced
from misword.cli.bilingual import mapping_options
from misword.cli.inputs import provenance
from misword.cli.output import (
    add_title,
    input_files,
    print_facts,
    refuse_standard_output,
    status,
    write_output,
)
from misword.cli.printing import note
from misword.cli.progress import bars
from misword.core.errors import OptionError
from misword.core.formatting import counted
from misword.io.files.outputs import together
from misword.io.files.sources import recorded
from misword.io.files.writing import check_path
from misword.io.lexicon_writing import check_format


def add_draft(parser: argparse.ArgumentParser) -> None:
    """Declare the options of drafts."""
    add_title(parser)
    group = parser.add_argument_group(
        "drafts of dictionaries",
        "--draft, --report, --judged or --accepted make a draft: a row for each headword, the "
        "surest first, with a column for verdicts; -o then writes the draft",
    )
    group.add_argument(
        "--draft", action="store_true", help="write a row for each headword to -o FILE"
    )
    group.add_argument(
        "--report", metavar="FILE", help="write a page on which the draft can be judged"
    )
    group.add_argument(
        "--judged",
        metavar="FILE",
        help="a draft with verdicts (.xlsx, .csv, .tsv), or the file that the page saves: the "
        "verdicts are kept",
    )
    group.add_argument(
        "--accepted", metavar="FILE", help="write the accepted pairs of --judged as a lexicon"
    )
    for side in ("source", "target"):
        group.add_argument(
            f"--{side}-lang",
            metavar="CODE",
            help=f"language of the mapping's {side} vectors, for parts of speech, lemmas and "
            "names (default: by the name of their file)",
        )


def is_draft(options: argparse.Namespace) -> bool:
    """Return whether the options ask for a draft."""
    files = (options.report, options.judged, options.accepted)
    return options.draft or any(name is not None for name in files)


def check_draft(options: argparse.Namespace) -> None:
    """Raise, before any work, if the options contradict each other or a file cannot be written."""
    if not is_draft(options):
        if options.source_lang or options.target_lang:
            raise OptionError(
                "languages are named, and no draft is made", fix="add --draft, or leave them out"
            )
        return
    outputs = (options.lexicon, options.report, options.out, options.accepted)
    if all(name is None for name in outputs):
        raise OptionError(
            "a draft is written to files", fix="name one: -o draft.xlsx, or --report draft.html"
        )
    if options.accepted is not None:
        if options.judged is None:
            raise OptionError(
                "--accepted without verdicts", fix="name the file that has them: --judged FILE"
            )
        refuse_standard_output(options.accepted, "--accepted accepted.tsv")
        inputs = [*input_files(options), options.lexicon, options.report]
        check_path(options.accepted, "accepted.tsv", inputs)
        check_format(options.accepted)
    if options.lexicon is not None:
        refuse_standard_output(options.lexicon, "-o draft.xlsx")
        check_replaced(options.lexicon, options.judged)


def run_draft(options: argparse.Namespace, words: Callable[[], list[str]] | None) -> None:
    """Make the draft of some words, or of all if `words` is None, and write its files."""
    with bars(), recorded() as hashes, status("drafting"):
        draft = draft_lexicon(
            options.mapping,
            words,
            options.k or CANDIDATES,
            retriever=options.retriever,
            judged=options.judged,
            source_lang=options.source_lang,
            target_lang=options.target_lang,
            **mapping_options(options),
        )
    result = draft.result(provenance(options, "translate", hashes))
    with together():
        if options.lexicon is not None:
            draft.write(options.lexicon, formulas=options.keep_formulas)
        if options.accepted is not None:
            draft.write_accepted(options.accepted, formulas=options.keep_formulas)
        write_output(result, options)
    for text in draft.notes:
        note(text)
    if options.lexicon is not None:
        note(f"{counted(len(draft.headwords), 'headword')} written to {options.lexicon}")
    if options.accepted is not None:
        note(f"{counted(len(draft.accepted), 'accepted pair')} written to {options.accepted}")
    print_facts(_facts(draft), options.format)


def _facts(draft: Draft) -> dict[str, Any]:
    """Return the size of the draft and its verdicts."""
    rows = draft.headwords
    return {
        "headwords": len(rows),
        "with candidates": sum(bool(row.candidates) for row in rows),
        "same word back": sum(row.is_mutual for row in rows),
        "scores": "probabilities" if draft.probabilities else "no probabilities",
        **draft.verdicts,
        "signature": str(draft.signature),
    }

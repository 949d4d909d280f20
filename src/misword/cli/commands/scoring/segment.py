"""Cut long texts at the segments of references: the translation of a talk, a recording's text.

The text is aligned with the reference once, and each of its words goes to the segment of the word
that it is aligned with. Word errors are the fewest that any cut has; with `--costs spelling`,
similar words are paired, which helps where translations have other words. `-o` writes a line for
each segment. `--downstream` scores the segments as translations.

REF has a row for each segment. If it names no recordings, it is one, and so is HYP, whatever lines
it has. To score transcripts by segment, no file has to be cut: `misword score REF HYP` does both.
"""

from __future__ import annotations

import argparse

from misword.asr.options import SegmentOptions
from misword.cli.inputs import Inputs, provenance
from misword.cli.options import Out, Texts, TextsFile
from misword.cli.output import bars, check_out, input_files, refuse_standard_output, status
from misword.cli.rendering import print_result
from misword.core.errors import OptionError
from misword.core.options import chosen, defaults
from misword.io.files.writing import check_path, together, write_whole
from misword.io.options import Reading

OPTIONS = (Texts, SegmentOptions, TextsFile, Reading, Out)
IGNORED = {
    "segments": "texts are always cut",
    "join": "recordings are joined anyway",
    "more_references": "texts are cut at the segments of one reference",
    "alternatives_from": "texts are compared as they are written",
    "tags_from": "entities are not scored",
    "categorical": "no values of metadata are compared",
}
NEEDS = {"bootstrap": ("downstream",), "metadata": ()}
EXAMPLES = """\
examples:
  misword segment ref.de talk.de -o cut.de.txt
  misword segment ref.de talk.de --costs spelling --downstream bleu,chrf,ter
  misword segment talks.stm output/ --normalize lower,nopunct -o cut.csv
"""


def run(options: argparse.Namespace) -> None:
    """Cut the texts, write them, print the scores."""
    from misword.asr.segment import segment
    from misword.io.results import write_result
    from misword.io.transcripts.writing import one_best_file, text_format

    check_out(options)
    if options.output is not None:
        refuse_standard_output(options.output, "-o cut.txt")
        check_path(options.output, "cut.txt", input_files(options))
        text_format(options.output)
    if options.output is not None and len(options.hypotheses) != 1:
        raise OptionError(
            f"-o is for the texts of one system, not {len(options.hypotheses)}",
            fix="cut them one by one, or use --out: its table has the segments of all systems",
        )
    inputs = Inputs(options)
    usual = defaults(Reading)
    read = {**vars(options), **{name: usual[name] for name in IGNORED}, "segments": "transfer"}
    with bars(), status("cutting"), inputs.reading():
        files = inputs.files(cuts=True, options=argparse.Namespace(**read))
        cut = segment(files, **chosen(options, SegmentOptions))
    result = cut.result(provenance(options, "segment", inputs.hashes))
    with together():
        if options.output is not None:
            write_whole(one_best_file(cut.texts(), options.output), options.output)
        if options.out is not None:
            write_result(result, options.out)
    print_result(result, options.format)

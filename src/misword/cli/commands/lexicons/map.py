"""Map word vectors of two languages into one space, so that words can be translated.

`misword parts mappings` lists the methods with their options, which follow after a colon. The
mapping is one file with both matrices, the trace of the training and a signature; the vectors stay
in their own files. A training that is stopped (Ctrl-C, SIGTERM) leaves OUT.part; with --resume it
continues and ends with the same result. With a mapping instead of SOURCE and TARGET nothing is
trained: the mapping is described, and exported by the options below.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from types import FrameType
from typing import TYPE_CHECKING, Annotated, TypedDict

from misword.bli.options import DEFAULT_METHOD, TRAINING, MapOptions
from misword.cli.options import Format
from misword.cli.output import bar, bars
from misword.cli.printing import note, print_text, shows_notes, shows_progress
from misword.cli.rendering import print_facts, print_signatures
from misword.core.errors import OptionError, visible
from misword.core.options import Group, Option, chosen
from misword.core.progress import Step, reporting
from misword.core.tables import fact_text

if TYPE_CHECKING:
    from misword.bli.mapping import Mapping, Record

EXPORTING = Group("exporting")


class MapArguments(TypedDict, total=False):
    """The vectors, and how they are mapped."""

    vectors: Annotated[
        str,
        Option(
            "word vectors of the source language; or a mapping",
            metavar="SOURCE",
            positional=True,
            is_file=True,
        ),
    ]
    other: Annotated[
        str | None,
        Option(
            "word vectors of the target language",
            metavar="TARGET",
            positional=True,
            values="?",
            is_file=True,
        ),
    ]
    method: Annotated[
        str,
        Option(
            "how the mapping is learnt; options after a colon: vecmap-u:cutoff=4000; auto: compare "
            "methods on held-out words of the lexicon, and say why one is taken",
            default=DEFAULT_METHOD,
            metavar="SPEC",
            group=TRAINING,
            common=True,
            registry="mappings",
        ),
    ]


class Exporting(TypedDict, total=False):
    """Files for the mapped vectors, and where the vectors of a mapping are."""

    export_source: Annotated[
        str | None,
        Option(
            "write the mapped vectors of the source language as word2vec text",
            metavar="FILE",
            group=EXPORTING,
        ),
    ]
    export_target: Annotated[
        str | None,
        Option(
            "write the mapped vectors of the target language as word2vec text",
            metavar="FILE",
            group=EXPORTING,
        ),
    ]
    source: Annotated[
        str | None,
        Option(
            "path of the source vectors of a mapping, if they were moved",
            metavar="FILE",
            group=EXPORTING,
            is_file=True,
        ),
    ]
    target: Annotated[
        str | None,
        Option(
            "path of the target vectors of a mapping, if they were moved",
            metavar="FILE",
            group=EXPORTING,
            is_file=True,
        ),
    ]


OPTIONS = (MapArguments, MapOptions, Exporting, Format)
EXAMPLES = """\
examples:
  misword map en.vec fr.vec --method auto --lexicon train.txt -o en-fr.map
  misword map en.vec fr.vec --method vecmap-s --lexicon train.txt -o en-fr.map
  misword map en.vec fr.vec --method vecmap-u:cutoff=8000 --valid valid.txt -o en-fr.map
  misword map en.vec fr.vec --method vecmap-u:cutoff=8000 --valid valid.txt -o en-fr.map --resume
  misword map en.vec fr.vec --lexicon train.txt --rerank train.txt -o en-fr.map
  misword map en.vec fr.vec --method procrustes --lexicon train.txt -o en-fr.map \\
    --export-source en.mapped.vec --export-target fr.mapped.vec
  misword map en-fr.map
  misword map en-fr.map --export-source en.mapped.vec --source moved/en.vec
"""

CLEAR = "\r\x1b[K"  # back to the start of the line, which is emptied
PATIENCE = 10.0  # seconds between two lines of progress where standard error is no terminal


def run(options: argparse.Namespace) -> None:
    """Train or read a mapping, export it, describe it."""
    from misword.bli.mapping import Mapping

    _check(options)
    if options.other is None:
        path, mapping = options.vectors, Mapping.read(options.vectors)
        note(*([mapping.failure] if mapping.failure else []))
    else:
        path, mapping = options.output, _train(options)
    with bars():
        _export(mapping, options)
    _describe(mapping, path, options.format)


def _check(options: argparse.Namespace) -> None:
    """Raise an error, before any work, if options contradict each other or a path is wrong."""
    if options.other is None and options.output is not None:
        raise OptionError("one file of vectors", fix="name two, SOURCE and TARGET, to train")
    if options.other is not None and options.output is None:
        raise OptionError("nowhere to write the mapping", fix="name a file: -o en-fr.map")
    if options.other is not None and (options.source or options.target):
        raise OptionError("--source and --target are for a mapping that is there already")
    from misword.bli.map import check_no_input

    inputs = (options.vectors, options.other, options.lexicon, options.valid, options.rerank)
    for path in filter(None, (options.export_source, options.export_target)):
        check_no_input(path, inputs)


def _train(options: argparse.Namespace) -> Mapping:
    from misword.bli.map import map_vectors

    display = TrainingDisplay()
    with reporting(display.work):
        return map_vectors(
            options.vectors,
            options.other,
            options.method,
            on_note=note,
            on_iteration=display.iteration,
            **chosen(options, MapOptions),
        )


@contextmanager
def stoppable(stopped: Event) -> Iterator[None]:
    """Within this context Ctrl-C and SIGTERM set `stopped`, and raise KeyboardInterrupt.

    The handler that was there before raises it, if there was one. Python drops an exception that a
    signal handler raises while it frees an object. The event is therefore checked again after each
    iteration.
    """

    def stop(sign: int, frame: FrameType | None) -> None:
        stopped.set()
        if callable(handler := before[signal.Signals(sign)]):
            handler(sign, frame)
        raise KeyboardInterrupt

    before = {sign: signal.signal(sign, stop) for sign in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for sign, handler in before.items():
            signal.signal(sign, handler)


class TrainingDisplay:
    """Shows a training on standard error: one changing line on a terminal, else some lines."""

    def __init__(self) -> None:
        self.stopped = Event()
        self.terminal = shows_progress()
        self.training = False
        self.last_printed, self.line = time.monotonic(), ""

    @contextmanager
    def work(self, what: str, total: int | None) -> Iterator[Step]:
        """Show a piece of work that `core.progress` reports.

        Reading has a bar on a terminal. Within the training the only display is the line of
        `iteration`; the training can be stopped by signals.
        """
        from misword.bli.map import TRAINING_STEP

        if what == TRAINING_STEP:
            with stoppable(self.stopped), self._training():
                yield _ignore
        elif self.terminal and not self.training:
            with bar(what, total) as step:
                yield step
        else:
            yield _ignore

    @contextmanager
    def _training(self) -> Iterator[None]:
        """Announce the training, and leave the last line standing in the end."""
        self.training, self.last_printed = True, time.monotonic()
        if self.terminal:
            _show("training", end="")
        try:
            yield
        finally:
            self.training = False
            if self.line:
                _show("" if self.terminal else self.line)

    def iteration(self, record: Record) -> None:
        """Show an iteration; raises KeyboardInterrupt if a signal came during it."""
        if self.stopped.is_set():
            raise KeyboardInterrupt
        self.line = format_record(record)
        if self.terminal:
            _show(self.line, start=CLEAR, end="")
        elif time.monotonic() - self.last_printed >= PATIENCE:
            _show(self.line)
            self.last_printed, self.line = time.monotonic(), ""


def _show(text: str, *, start: str = "", end: str = "\n") -> None:
    """Print a text on standard error, unless the user wants no progress (`-q`)."""
    if shows_notes():
        sys.stderr.write(f"{start}{visible(text)}{end}")
        sys.stderr.flush()


def _ignore(done: int) -> None:
    """Show nothing."""


def format_record(record: Record) -> str:
    """Return the record of an iteration as one line.

    >>> format_record({"iteration": 3, "objective": 0.51234, "hit@1": 0.25})
    'iteration 3, objective 0.5123, hit@1 25.00 %'
    """
    return ", ".join(f"{name} {fact_text(name, value)}" for name, value in record.items())


def _export(mapping: Mapping, options: argparse.Namespace) -> None:
    from misword.bli.mapping import SIDES, export
    from misword.io.files.writing import together

    with together():
        for which in SIDES:
            path = getattr(options, f"export_{which}")
            if path is not None:
                vectors = getattr(options, which)
                note(*export(mapping.mapped(which, vectors, options.workers), path))


def _describe(mapping: Mapping, path: str, form: str) -> None:
    facts, signature = {"mapping": path, **mapping.facts()}, str(mapping.signature)
    if form in ("json", "csv"):
        facts["signature"] = signature
    if form == "json":
        facts |= {"notes": list(mapping.notes), "trace": list(mapping.trace)}
    print_facts(facts, form)
    if form in ("table", "md"):
        if form == "md":
            print_text()
        print_signatures([signature], marked=form == "md")

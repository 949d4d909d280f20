"""Bring word vectors of two languages into one space, so that words can be translated.

Methods: `misword parts mappings` lists them with all their options, which follow after a colon. The
mapping is one file with both matrices, the trace of the training and a signature; the vectors stay
where they are. A training that is stopped (Ctrl-C, SIGTERM) leaves OUT.part, from which --resume
goes on to the same result. With a mapping instead of SOURCE and TARGET nothing is trained: it is
described, and exported if asked for.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

from misword.bli.map import DEFAULT_METHOD, MAX_WORDS, choose, prepare
from misword.bli.mapping import SIDES, Mapping, Record
from misword.bli.methods import METHODS
from misword.bli.training import part_of, refuse_interrupted
from misword.cli.inputs import whole
from misword.cli.notes import note
from misword.cli.output import add_format, print_facts
from misword.cli.progress import bars
from misword.core.errors import InputError, OptionError

EXAMPLES = """\
examples:
  misword map en.vec fr.vec --method vecmap-s --lexicon train.txt -o en-fr.map
  misword map en.vec fr.vec --method vecmap-u:cutoff=10000 --valid valid.txt -o en-fr.map
  misword map en.vec fr.vec --method vecmap-u:cutoff=10000 --valid valid.txt -o en-fr.map --resume
  misword map en.vec fr.vec --method procrustes --lexicon train.txt -o en-fr.map \\
    --export-source en.mapped.vec --export-target fr.mapped.vec
  misword map en-fr.map
  misword map en-fr.map --export-source en.mapped.vec --source moved/en.vec
"""

PATIENCE = 10.0  # seconds between two lines of progress where nobody watches


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("vectors", metavar="SOURCE", help="vectors of the source; or a mapping")
    parser.add_argument("other", metavar="TARGET", nargs="?", help="vectors of the target")
    parser.add_argument("-o", "--output", metavar="OUT", help="the mapping to write: en-fr.map")
    group = parser.add_argument_group("training")
    group.add_argument(
        "--method",
        metavar="SPEC",
        default=DEFAULT_METHOD,
        help=f"{', '.join(METHODS.names())}; options after a colon: vecmap-u:cutoff=4000 "
        "(default: %(default)s)",
    )
    group.add_argument("--lexicon", metavar="FILE", help="pairs to learn from, source word first")
    group.add_argument("--valid", metavar="FILE", help="pairs to measure hit@1 on while training")
    group.add_argument(
        "--max-words",
        type=whole(1),
        default=MAX_WORDS,
        metavar="N",
        help="the first N words of each file (default: %(default)s)",
    )
    group.add_argument(
        "--vector-format", metavar="NAME", help="found from the content if not given"
    )
    group.add_argument("--seed", type=whole(0), default=0, metavar="N", help="default 0")
    group.add_argument("--resume", action="store_true", help="go on with what was interrupted")
    group.add_argument("--workers", type=whole(1), metavar="N", help="threads (default: all cores)")
    group = parser.add_argument_group("exporting")
    for which in SIDES:
        group.add_argument(
            f"--export-{which}",
            metavar="FILE",
            help=f"write the mapped vectors of the {which} as word2vec text",
        )
    for which in SIDES:
        group.add_argument(
            f"--{which}", metavar="FILE", help=f"where the {which} vectors of a mapping are now"
        )
    add_format(parser)


def run(options: argparse.Namespace) -> None:
    """Train or read a mapping, export it, describe it."""
    _check(options)
    if options.other is None:
        path, mapping = options.vectors, Mapping.read(options.vectors)
    else:
        path, mapping = options.output, _train(options)
    with bars():
        _export(mapping, options)
    _describe(mapping, path, options.format)


def _check(options: argparse.Namespace) -> None:
    """Refuse, before any work, what cannot be."""
    from misword.io.files.writing import check_path

    if options.other is None and options.output is not None:
        raise OptionError("one file of vectors", fix="name two, SOURCE and TARGET, to train")
    if options.other is not None and options.output is None:
        raise OptionError("nowhere to write the mapping", fix="name a file: -o en-fr.map")
    if options.other is not None and (options.source or options.target):
        raise OptionError("--source and --target are for a mapping that is there already")
    outputs = (options.output, options.export_source, options.export_target)
    inputs = (options.vectors, options.other, options.lexicon, options.valid)
    known = {Path(name).absolute().resolve() for name in inputs if name not in (None, "-")}
    for path in filter(None, outputs):
        check_path(path, "en-fr.map")
        if Path(path).absolute().resolve() in known:
            raise OptionError("this is an input", where=path, fix="name another file")
    if options.output is not None and Path(options.output).exists():
        try:
            Mapping.read(options.output)
        except InputError:
            raise OptionError(
                "it exists and is no mapping", where=options.output, fix="name another file"
            ) from None


def _train(options: argparse.Namespace) -> Mapping:
    method = choose(options.method, options.lexicon is not None)
    part = part_of(options.output)
    refuse_interrupted(part, resume=options.resume)
    if options.resume and not part.exists():
        note(f"there is no {part}: the training begins anew")
    with bars():
        task = prepare(
            options.vectors, options.other, method, lexicon=options.lexicon, valid=options.valid,
            max_words=options.max_words, seed=options.seed, vector_format=options.vector_format,
        )  # fmt: skip
    for said in task.notes:
        note(said)
    with stoppable() as stopped:
        teller = Teller(stopped)
        try:
            mapping = task.train(
                options.output, resume=options.resume, workers=options.workers, tell=teller.tell
            )
        finally:
            teller.end()
    for said in mapping.notes[len(task.notes) :]:
        note(said)
    return mapping


@contextmanager
def stoppable() -> Iterator[Event]:
    """Within this context Ctrl-C and SIGTERM interrupt; gives whether one of them came.

    An exception that a handler raises is lost where Python was just clearing something away, so
    whoever has the event looks again.
    """
    stopped = Event()

    def stop(*_: Any) -> None:
        stopped.set()
        raise KeyboardInterrupt

    before = {sign: signal.signal(sign, stop) for sign in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stopped
    finally:
        for sign, handler in before.items():
            signal.signal(sign, handler)


class Teller:
    """Says on standard error how a training comes along: one line that changes, or a few lines."""

    def __init__(self, stopped: Event) -> None:
        self.stopped = stopped
        self.live = sys.stderr.isatty()
        self.last, self.held = time.monotonic(), ""
        if self.live:
            print("training", end="", file=sys.stderr, flush=True)

    def tell(self, record: Record) -> None:
        """Hear of an iteration; the last one if it was to be stopped."""
        if self.stopped.is_set():
            raise KeyboardInterrupt
        self.held = told(record)
        if self.live:
            print(f"\r\x1b[K{self.held}", end="", file=sys.stderr, flush=True)
        elif time.monotonic() - self.last >= PATIENCE:
            print(self.held, file=sys.stderr, flush=True)
            self.last, self.held = time.monotonic(), ""

    def end(self) -> None:
        """Leave the last line standing."""
        if self.live and self.held:
            print(file=sys.stderr)
        elif self.held:
            print(self.held, file=sys.stderr)


def told(record: Record) -> str:
    """An iteration in words.

    >>> told({"iteration": 3, "objective": 0.51234, "hit@1": 0.25})
    'iteration 3, objective 0.5123, hit@1 25.00 %'
    """
    return ", ".join(f"{name} {_shown(name, value)}" for name, value in record.items())


def _shown(name: str, value: float | int) -> str:
    if name.startswith("hit@"):
        return f"{100 * value:.2f} %"
    return f"{value:.4f}" if isinstance(value, float) else f"{value:,}"


def _export(mapping: Mapping, options: argparse.Namespace) -> None:
    from misword.bli.export import export

    for which in SIDES:
        path = getattr(options, f"export_{which}")
        if path is not None:
            moved = getattr(options, which)
            for said in export(mapping.mapped(which, moved, options.workers), path):
                note(said)


def _describe(mapping: Mapping, path: str, form: str) -> None:
    facts: dict[str, Any] = {"mapping": path, "method": mapping.signature.metric}
    for which in SIDES:
        side = mapping.side(which)
        facts[which], facts[f"{which} words"] = side.name, side.words
    facts["dimension"] = int(mapping.source.matrix.shape[1])
    last = {name: value for record in mapping.trace for name, value in record.items()}
    shown = last if form == "json" else {name: _shown(name, value) for name, value in last.items()}
    facts |= shown
    signature = str(mapping.signature)
    if form in ("json", "csv"):
        facts["signature"] = signature
    if form == "json":
        facts |= {"notes": list(mapping.notes), "trace": list(mapping.trace)}
    print_facts(facts, form)
    if form in ("table", "md"):
        print(f"\n`{signature}`" if form == "md" else signature)

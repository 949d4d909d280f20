"""`misword COMMAND ...`: run a command; an error is printed as one message.

With `--format json` an error is one JSON object, the last line of standard error. `EXIT_CODES` says
what each exit code means.
"""

from __future__ import annotations

import atexit
import codecs
import gc
import io
import os
import signal
import sys
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO, TextIO, cast

from misword.cli.command_line import Parser, parser_of
from misword.cli.commands import COMMANDS, GROUPS, module_of, options_of
from misword.cli.options import General
from misword.cli.printing import (
    OutputError,
    errors_are_json,
    errors_as_json,
    formulas_kept,
    note,
    output_errors,
    print_error,
    print_error_object,
    quieted,
)
from misword.core.errors import (
    InputError,
    KernelError,
    MismatchError,
    MissingExtraError,
    MiswordError,
    OptionError,
    shortened,
    visible,
)
from misword.core.options import advice_without, declared, flags_in, without_effect
from misword.core.version import __version__
from misword.io.files.limits import limited
from misword.io.files.written import recording

# What each exit code means, for `--help`; docs/output.md has the same table, and a test reads it.
WRONG_INPUT = 2
BUG = 70  # EX_SOFTWARE of sysexits.h
INTERRUPTED = 128 + signal.SIGINT
TERMINATED = 128 + signal.SIGTERM
EXIT_CODES = {
    0: "success",
    1: "a condition of `gate` or `bench` failed, `check --strict` found a mistake, `verify`\n"
    "       found damage",
    WRONG_INPUT: "an input or an option is wrong, a file cannot be written, or there is too "
    "little memory",
    BUG: "a bug of misword; --debug prints what a report of it needs",
    INTERRUPTED: "interrupted (Ctrl-C)",
    TERMINATED: "terminated (SIGTERM)",
}

# Options of every command that may also stand before its name.
GENERAL = ("-q", "--quiet", "--debug")

EXAMPLES = """\
examples:
  misword score ref.txt hyp.txt
  misword score ref.trn a.trn b.trn --metrics wer,cer,mer,wil --by speaker
  misword score manifest.jsonl --normalize nfc,lower,nopunct --out results/
  misword score ref.fr hyp.fr --lang fr --vectors cc.fr.300.vec --metrics wer,ler,per,wer-s
  misword compare ref.csv base.csv new.csv --block speaker --report compare.html
  misword gate ref.txt new.txt base.txt --max wer=8% --no-worse wer,cer --margin 0.2%
  misword fit choices.tsv --prior people --lang en -o mine.json
  misword align ref.txt hyp.txt --errors-only
  misword corrupt text.txt --wer 0.3 --channel phonetic --lang en -o noisy.txt
  misword map en.vec fr.vec --method vecmap-s --lexicon train.txt -o en-fr.map

`misword COMMAND --help` explains a command, `misword COMMAND --help all` all of its options.
Results are printed on standard output, notes and progress on standard error. If an input or an
option is wrong, nothing is written and the exit code is 2. With --format json an error is a JSON
object, the last line of standard error; the command `schema` prints the schemas of all outputs.

exit codes:
""" + "".join(f"  {code:<5}{meaning}\n" for code, meaning in EXIT_CODES.items())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return the exit code.

    The first SIGTERM raises `Terminated`, and a second one ends the process at once.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    received = threading.Event()

    def terminate(*_: object) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        received.set()
        raise Terminated

    # Another program that calls `main` may have a handler of its own, or call it in a thread.
    in_main_thread = threading.current_thread() is threading.main_thread()
    handled = in_main_thread and signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    written: list[str] = []
    try:
        try:
            if handled:  # before all else, so that a signal at any time finds the handler
                signal.signal(signal.SIGTERM, terminate)
            words = _general_options_last(words)
            with errors_as_json(wants_json(words)):
                return _run_command(words, written)
        except KeyboardInterrupt as error:
            # Ray raises a `KeyboardInterrupt` of its own for SIGTERM.
            terminated = received.is_set() or isinstance(error, Terminated)
            kind = Terminated if terminated else KeyboardInterrupt
            in_place = f"already written: {', '.join(written)}" if written else ""
            raise kind(str(error) or in_place) from error
        finally:
            if handled:
                signal.signal(signal.SIGTERM, signal.SIG_DFL)
    except SystemExit:  # after the help text, or an error in the arguments
        raise
    except BaseException as error:  # panics of polars are no `Exception`
        name = words[0] if words and words[0] in COMMANDS else ""
        with errors_as_json(wants_json(words)):
            return end_of(error, name, debug="--debug" in words)


def wants_json(words: Sequence[str]) -> bool:
    """Return whether the arguments of a command ask for JSON; the last `--format` counts.

    >>> wants_json(["score", "a", "--format", "json"]), wants_json(["score", "json"])
    (True, False)
    """
    forms = [
        after if word == "--format" else word.removeprefix("--format=")
        for word, after in zip(words, [*words[1:], ""], strict=False)
        if word == "--format" or word.startswith("--format=")
    ]
    return forms[-1:] == ["json"]


def _run_command(words: list[str], written: list[str]) -> int:
    """Run the command whose name is the first of the arguments; `written` gets its outputs."""
    # At its end the interpreter searches all objects for unused cycles, which takes longer than
    # many a command. It does not search frozen objects.
    atexit.register(gc.freeze)
    check_open()
    parser = Parser(
        prog="misword",
        description="When a machine gets a word wrong, how wrong is it? Evaluate speech\n"
        "recognition, simulate its errors, map and evaluate word vectors of two languages.",
        epilog=f"{_listing()}\n\n{EXAMPLES}",
    )
    parser.add_options((General,))
    parser.add_argument("--version", action="version", version=f"misword {__version__}")
    parser.add_argument("command", choices=COMMANDS, metavar="COMMAND", help="see below")
    with encoded("table"), recording(written):
        name = parser.parse_args(words[:1] or ["--help"]).command
        return _run(name, words[1:])


def _general_options_last(words: list[str]) -> list[str]:
    """Return the arguments with the general options before the command moved behind it."""
    place = next((i for i, word in enumerate(words) if word not in GENERAL), len(words))
    return [*words[place : place + 1], *words[:place], *words[place + 1 :]]


def _run(name: str, words: list[str]) -> int:
    module, parser = module_of(name), parser_of(name)
    options, known = parser.parse_args(words), options_of(name)
    with (
        quieted(options.quiet),
        limited(options.max_bytes),
        formulas_kept(getattr(options, "keep_formulas", False)),
        encoded(getattr(options, "format", "table")),
        _plain_warnings(),
    ):
        code: int | None = module.run(options)
        note(*without_effect(known, vars(options)))
        with output_errors():
            sys.stdout.flush()
    return code or 0


@contextmanager
def _plain_warnings() -> Iterator[None]:
    """Return a context within which warnings of libraries are one line each."""
    before = warnings.formatwarning
    warnings.formatwarning = _warning_line
    try:
        yield
    finally:
        warnings.formatwarning = before


def _warning_line(message: Warning | str, *_: Any, **__: Any) -> str:
    return f"warning: {shortened(visible(str(message)))}\n"


def _listing() -> str:
    """Return the commands of each group, one a line."""
    lines = []
    for (title, _), group in GROUPS.items():
        lines += [f"{title}:", *(f"  {name:<13}{about}" for name, about in group.items()), ""]
    return "\n".join(lines).rstrip()


# The standard streams of the process: what is done if one is closed, and their encoding.

# Output formats for programs; they are UTF-8, whatever the locale says.
UTF8_FORMATS = frozenset({"json", "csv", "md", "github"})


class ClosedInput:
    """Takes the place of a closed standard input, and says so when it is read."""

    @property
    def buffer(self) -> BinaryIO:
        """Raise an error."""
        raise InputError("standard input is closed", fix="redirect a file or a pipe to it")


def check_open() -> None:
    """Raise if standard output is closed; a closed standard error becomes the null device.

    The descriptor of a closed stream is taken by the null device. Otherwise the next file that is
    opened would get it, and a library that prints would write into that file.
    """
    for descriptor, mode in enumerate((os.O_RDONLY, os.O_WRONLY, os.O_WRONLY)):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, mode)  # it gets the lowest free descriptor, which is this one
    if sys.stdin is None:
        sys.stdin = cast(TextIO, ClosedInput())
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if sys.stdout is None:
        raise OutputError("closed", fix="redirect it: > results.json, or > /dev/null")


def discard_output() -> None:
    """Send what is still to be written on standard output to the null device.

    The interpreter writes it at its end, and would report once more that it cannot.
    """
    with suppress(OSError, AttributeError):  # it is closed, or an object of another program
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def encoded(form: str) -> Iterator[None]:
    """Return a context within which output of a format for programs is UTF-8.

    Formats for people have the encoding of the terminal; characters that it lacks are shown as
    escapes.
    """
    before = [
        (stream, stream.encoding, stream.errors)
        for stream in (sys.stdout, sys.stderr)
        if isinstance(stream, io.TextIOWrapper)
    ]
    for stream, encoding, _ in before:
        # Some commands print their table on standard error, after data on standard output.
        programs = form in UTF8_FORMATS and (stream is sys.stdout or not stream.isatty())
        stream.reconfigure(encoding="utf-8" if programs else encoding, errors="backslashreplace")
    if form in UTF8_FORMATS:
        _check_encoding(sys.stdout)
    try:
        yield
    finally:
        for stream, encoding, errors in before:
            with suppress(OSError):  # what is still to be written cannot be; it was reported
                stream.reconfigure(encoding=encoding, errors=errors)


def _check_encoding(stream: Any) -> None:
    """Raise if a stream, such as an object of another program, cannot take all characters."""
    encoding = getattr(stream, "encoding", None)
    if encoding is not None and codecs.lookup(encoding).name != "utf-8":
        raise OutputError(f"it is {encoding}, not UTF-8", fix="use --format table")


# The end of a command that failed: one message on standard error, and the exit code.


class Terminated(KeyboardInterrupt):
    """A signal asks the process to end: it does what it does after Ctrl-C."""


def end_of(error: BaseException, command: str, *, debug: bool) -> int:
    """Print the message of an error and return the exit code; with `debug`, also the traceback."""
    if isinstance(error, BrokenPipeError):  # the reader of a pipe, such as `head`, has ended
        discard_output()
        return 0
    if isinstance(error, OutputError):
        discard_output()
    with suppress(OSError, OutputError):  # standard error cannot be written either
        if debug:
            import traceback

            print_error("".join(traceback.format_exception(error)).rstrip())
        if errors_are_json():
            print_error_object(**error_object(error, command))
        else:
            print_error(message(error, command))
    return exit_code_of(error)


def exit_code_of(error: BaseException) -> int:
    """Return the exit code of a command that an error ended."""
    if isinstance(error, KeyboardInterrupt):
        return TERMINATED if isinstance(error, Terminated) else INTERRUPTED
    return WRONG_INPUT if is_expected(error) else BUG


# Kinds of errors in JSON, by the type of the error: the first that fits. Other types are bugs.
ERROR_KINDS: dict[type[BaseException], str] = {
    OutputError: "output",
    MissingExtraError: "missing-extra",
    KernelError: "kernel",
    MismatchError: "mismatch",
    OptionError: "option",
    MiswordError: "input",
    MemoryError: "memory",
    OSError: "file",
    UnicodeEncodeError: "file",
    Terminated: "terminated",
    KeyboardInterrupt: "interrupted",
}


def error_object(error: BaseException, command: str) -> dict[str, Any]:
    """Return an error for programs: its kind, what is wrong, where, what to do, and the code."""
    code = exit_code_of(error)
    kinds = (name for kind, name in ERROR_KINDS.items() if isinstance(error, kind))
    kind = "bug" if code == BUG else next(kinds)
    where = ""
    if isinstance(error, MiswordError):
        what, where, fix = error.whole, error.where, applicable(error.fix, command)
    else:
        what, _, fix = message(error, command).partition("\n")
        what = what.removeprefix(f"misword {command}".rstrip()).removeprefix("misword")
        what, fix = what.removeprefix(": "), fix.strip()
    return {"kind": kind, "message": what, "where": where, "hint": fix, "exit_code": code,
            "command": command}  # fmt: skip


def is_expected(error: BaseException) -> bool:
    """Return whether the input, an option or the machine is the cause, and not a bug."""
    return isinstance(error, MiswordError | OSError | MemoryError) or _is_bad_name(error)


def message(error: BaseException, command: str) -> str:
    """Return what is printed about an error."""
    program = f"misword {command}".rstrip()
    if isinstance(error, KeyboardInterrupt):
        what = "terminated" if isinstance(error, Terminated) else "interrupted"
        return f"misword: {what}; {str(error) or 'nothing was written'}"
    if isinstance(error, MiswordError):
        advice = applicable(error.fix, command)
        if advice != error.fix:
            error = MiswordError(error.what, where=error.where, fix=advice)
        return f"{program}: {error}"
    if isinstance(error, MemoryError):
        return (
            f"{program}: not enough memory\n"
            "  give fewer texts or vectors at once (--max-words), or use a machine with more memory"
        )
    said = shortened(visible(str(error)))
    if isinstance(error, OSError):
        return f"{program}: {said}"
    if _is_bad_name(error):
        return (
            f"{program}: an argument or a name is not valid Unicode: {said}\n"
            "  write it in the encoding of the system (locale), or rename the file"
        )
    what = f"{type(error).__name__}: {said}" if said else type(error).__name__
    return (
        f"{program}: internal error: {what} (this is a bug of misword: please report it with the "
        "output of the same command with --debug)"
    )


def applicable(fix: str, command: str) -> str:
    """Return the advice of an error without that to use options which the command lacks.

    Parts that several commands share, such as readers, advise the options of all of them. Flags of
    no command are those of another program, such as pip.
    """
    if command not in COMMANDS or not (named := flags_in(fix) - flags_of(command)):
        return fix
    try:
        known = set().union(*map(flags_of, COMMANDS))
    except MiswordError:  # the installation is damaged, and this is what the advice is about
        return fix
    return advice_without(named & known, fix)


def flags_of(command: str) -> set[str]:
    """Return the flags of a command."""
    options = {**options_of(command), **declared(General)}
    return {flag for name, option in options.items() for flag in option.flags_of(name)}


def _is_bad_name(error: BaseException) -> bool:
    """Return whether the error is about bytes in an argument that are not valid Unicode.

    Python reads such bytes as halves of surrogate pairs, which no encoding can write.
    """
    return isinstance(error, UnicodeEncodeError) and "surrogate" in error.reason

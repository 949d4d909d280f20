"""The end of a command that failed: one message on standard error, and the exit code."""

from __future__ import annotations

from contextlib import suppress

from misword.cli.printing import OutputError, print_error
from misword.cli.streams import discard_output
from misword.core.errors import MiswordError
from misword.core.visible import shortened, visible

WRONG_INPUT = 2
BUG = 70  # EX_SOFTWARE of sysexits.h
INTERRUPTED = 130


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
        print_error(message(error, command))
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED
    return WRONG_INPUT if is_expected(error) else BUG


def is_expected(error: BaseException) -> bool:
    """Return whether the input, an option or the machine is the cause, and not a bug."""
    return isinstance(error, MiswordError | OSError | MemoryError) or _is_bad_name(error)


def message(error: BaseException, command: str) -> str:
    """Return what is printed about an error."""
    program = f"misword {command}".rstrip()
    if isinstance(error, KeyboardInterrupt):
        return f"misword: interrupted; {str(error) or 'nothing was written'}"
    if isinstance(error, MiswordError):
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


def _is_bad_name(error: BaseException) -> bool:
    """Return whether the error is about bytes in an argument that are not valid Unicode.

    Python reads such bytes as halves of surrogate pairs, which no encoding can write.
    """
    return isinstance(error, UnicodeEncodeError) and "surrogate" in error.reason

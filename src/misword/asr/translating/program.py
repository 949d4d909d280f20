"""Translation by another program, which reads lines and writes lines."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from threading import Event, Thread, Timer
from typing import IO

from misword.asr.translating.cache import TranslationCache
from misword.core.errors import InputError, OptionError
from misword.core.formatting import counted
from misword.core.progress import progress

# Seconds that the program may take for all texts.
TIMEOUT = 3600.0
# Characters of the program's own message that an error shows.
SHOWN = 500
FIX = "the program must write one line for each line that it reads, in the same order"

Translator = Callable[[list[str]], Sequence[str]]


@dataclass(frozen=True, slots=True)
class TranslationProgram:
    """A program that reads a text on each line and writes its translation on a line.

    `command` are the program and its arguments. `timeout` is the number of seconds that it may take
    for all texts. With `cache`, translations are stored on disk.
    """

    command: tuple[str, ...]
    timeout: float = TIMEOUT
    cache: bool = False

    @classmethod
    def of(
        cls, command: str | Sequence[str], timeout: float | None = None, *, cache: bool = False
    ) -> TranslationProgram:
        """Return the program of a command, whose words may be quoted as in a shell.

        No shell runs the command; `sh -c '...'` does, if a pipe is needed.

        >>> TranslationProgram.of("apertium -u 'eng-spa'").command
        ('apertium', '-u', 'eng-spa')
        """
        seconds = TIMEOUT if timeout is None else timeout
        if not seconds > 0:
            raise OptionError(f"the timeout is {seconds:g}", fix="use a number of seconds above 0")
        try:
            words = shlex.split(command) if isinstance(command, str) else [*command]
        except ValueError as error:
            raise OptionError(
                f"the command to translate cannot be read ({error})",
                where=str(command),
                fix="close each quote, as in a shell",
            ) from None
        if not words:
            raise OptionError("the command to translate is empty", fix="name a program")
        return cls(tuple(words), seconds, cache)

    def check(self) -> None:
        """Raise if there is no such program."""
        if shutil.which(self.command[0]) is None:
            raise OptionError(
                f"there is no program {self.command[0]!r}",
                where=self.shown,
                fix="install it, or give its path; no shell reads the command: use sh -c '...' "
                "for pipes",
            )

    @property
    def shown(self) -> str:
        """The command as one would type it."""
        return shlex.join(self.command)

    def __call__(self, texts: list[str]) -> list[str]:
        """Translate texts that have no line ends and are not empty."""
        if not self.cache:
            return self._run(texts)
        return TranslationCache.of(self.command).complete(texts, self._run)

    def _run(self, texts: list[str]) -> list[str]:
        with progress("translating", len(texts)) as step, tempfile.TemporaryFile() as messages:
            with self._started(messages) as (process, expired):
                assert process.stdin is not None
                assert process.stdout is not None
                Thread(target=_feed, args=(process.stdin, texts), daemon=True).start()
                lines = []
                for line in process.stdout:
                    lines.append(line)
                    step(1)
                code = process.wait()
            if expired.is_set() or code or len(lines) != len(texts):
                raise self._failure(expired.is_set(), code, len(lines), len(texts), messages)
        return [self._decoded(line) for line in lines]

    @contextmanager
    def _started(self, messages: IO[bytes]) -> Iterator[tuple[subprocess.Popen[bytes], Event]]:
        """Yield the running program; the event says that it was ended because of the timeout."""
        try:
            process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=messages,
                start_new_session=True,
            )
        except OSError as error:
            raise OptionError(
                f"the program cannot be started: {error.strerror or error}", where=self.shown
            ) from None
        expired = Event()

        def expire() -> None:
            expired.set()
            _end(process)

        timer = Timer(self.timeout, expire)
        timer.daemon = True
        timer.start()
        try:
            yield process, expired
        finally:
            timer.cancel()
            _end(process)
            if process.stdout is not None:
                process.stdout.close()

    def _failure(
        self, expired: bool, code: int, lines: int, texts: int, messages: IO[bytes]
    ) -> InputError:
        """Return the error of a program that failed, with the end of what it printed."""
        what = f"it wrote {counted(lines, 'line')} for {counted(texts, 'text')}"
        fix = FIX
        if expired:
            what = f"it did not end within {self.timeout:g} seconds; {what}"
            fix = "allow more time (--translate-timeout), or try the command on a few lines"
        elif code:
            what = f"it ended with code {code}; {what}"
            fix = "try the command on a few lines"
        messages.seek(0)
        printed = messages.read().decode(errors="replace").strip()
        if printed:
            what = f"{what}; its message: {printed[-SHOWN:]}"
        return InputError(f"the program that translates failed: {what}", where=self.shown, fix=fix)

    def _decoded(self, line: bytes) -> str:
        try:
            return line.decode().strip()
        except UnicodeDecodeError:
            raise InputError(
                "the program that translates wrote text that is not UTF-8",
                where=self.shown,
                fix="set its output encoding to UTF-8",
            ) from None


def _feed(stdin: IO[bytes], texts: Sequence[str]) -> None:
    """Write the texts; a program that ended early is found by its exit code or its lines."""
    with suppress(OSError), stdin:
        for text in texts:
            stdin.write(f"{text}\n".encode())


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a program that is running, and those that it started."""
    if process.poll() is not None:
        return
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()


def translate_texts(texts: Sequence[str], translator: Translator) -> list[str]:
    """Return the translation of each text; `translator` gets each distinct text once.

    An empty text has an empty translation and is not passed on. A line end inside of a text becomes
    a space.

    >>> translate_texts(["a", "", "b", "a"], lambda texts: [text.upper() for text in texts])
    ['A', '', 'B', 'A']
    """
    lines = [" ".join(text.split()) for text in texts]
    distinct = list(dict.fromkeys(line for line in lines if line))
    if not distinct:
        return lines
    translated = list(translator(distinct))
    if len(translated) != len(distinct):
        raise InputError(
            f"{counted(len(translated), 'translation')} of {counted(len(distinct), 'text')}",
            where="translate",
            fix="the function must return one translation for each text",
        )
    by_line = dict(zip(distinct, translated, strict=True))
    return [by_line.get(line, "") for line in lines]

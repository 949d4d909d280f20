"""Translation by another program, which reads lines and writes lines; its cache on disk."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from threading import Event, Thread, Timer
from typing import IO

from misword.core.errors import InputError, MiswordError, OptionError
from misword.core.formatting import counted
from misword.core.progress import progress
from misword.io.files.strict_json import JsonError, parse_json
from misword.io.files.writing import cache_folder, write_whole

# Translations that a program made, stored on disk.


@dataclass(frozen=True, slots=True)
class TranslationCache:
    """The translations by one command: JSON lines with a text and its translation.

    The cache only saves time: lines that cannot be read are translated again, and a cache that
    cannot be written is not an error.
    """

    file: Path

    @classmethod
    def of(cls, command: Sequence[str]) -> TranslationCache:
        """Return the cache of a command; a change of a file that the command names makes a new one.

        Known problems: a change of data that the command does not name is not noticed, such as a
        model in its configuration.
        """
        words = [f"{word}\0{_state(word)}" for word in command]
        name = blake2b("\0".join(words).encode("utf-8", "surrogatepass"), digest_size=16)
        return cls(cache_folder() / "translations" / f"{name.hexdigest()}.jsonl")

    def complete(self, texts: list[str], translate: Callable[[list[str]], list[str]]) -> list[str]:
        """Return the translation of each text; `translate` gets the texts that are not stored."""
        known = self.read()
        missing = [text for text in texts if text not in known]
        if missing:
            known |= dict(zip(missing, translate(missing), strict=True))
            self.write(known)
        return [known[text] for text in texts]

    def read(self) -> dict[str, str]:
        """Return the stored translations by text."""
        known: dict[str, str] = {}
        with suppress(OSError, UnicodeDecodeError):
            for line in self.file.read_text("utf-8").split("\n"):
                with suppress(JsonError):
                    pair = parse_json(line)
                    if isinstance(pair, list) and [type(part) for part in pair] == [str, str]:
                        known[pair[0]] = pair[1]
        return known

    def write(self, known: dict[str, str]) -> None:
        """Replace the stored translations."""
        lines = (json.dumps(pair, ensure_ascii=False) for pair in known.items())
        with suppress(OSError, MiswordError):
            self.file.parent.mkdir(parents=True, exist_ok=True)
            write_whole("".join(f"{line}\n" for line in lines).encode(), self.file)


def _state(word: str) -> str:
    """Return the size and the time of the last change of a file; empty if there is none."""
    try:
        found = os.stat(word)
    except (OSError, ValueError):
        return ""
    return f"{found.st_size} {found.st_mtime_ns}"


# The program.

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
        if "\0" in "".join(words):
            raise OptionError("the command to translate has a NUL character", fix="leave it out")
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

"""Normalizer with the user's own rules: regular expressions of a file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, field
from hashlib import sha256
from typing import ClassVar, NamedTuple, Self

from misword.core.context import Context, code
from misword.core.errors import InputError, OptionError
from misword.core.parts import Settings
from misword.core.time_limits import OverTime, time_limits
from misword.io.files.sources import Source, open_source
from misword.text.normalizers import Normalizer
from misword.text.texts import SEPARATOR

ARROW = re.compile(r"\s=>(?:\s|$)")
NUL_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*\\0")
# How long a rule may take on a text. Searches take less than 0.1 microseconds for each character.
SECONDS = 5.0
SECONDS_PER_CHARACTER = 1e-5
SECTION = re.compile(r"\[\s*([A-Za-z][\w-]*|\*)\s*\]")


class Rule(NamedTuple):
    """A regular expression with its replacement, its language and its place in the file.

    The language is empty for rules of every language.
    """

    pattern: re.Pattern[str]
    replacement: str
    lang: str
    where: str


@dataclass(frozen=True, slots=True)
class Rules(Normalizer):
    r"""Your own rules: a file of regular expressions with their replacements.

    Each line is `pattern => replacement`, in the syntax of Python's `re`; `\1` in the replacement
    stands for the first group. The rules are applied to each text one after the other, in the order
    of the file. A line `[fr]` means that the rules below it are for French only, `[*]` that they
    are for every language. `# ` starts a comment line. Blanks around pattern and replacement do not
    count; in double quotes they do: `- => " "`. Nothing after the arrow deletes what was found.

    A rule that takes longer than five seconds on a text is an error: patterns with nested
    repetitions, such as `(a+)+b`, can take hours.

    Known problems: on Windows, and outside the main thread of Python, the time is not limited.

    Example: `misword score ref.txt hyp.txt --rules my-rules.txt`

    Reference: docs.python.org/3/library/re.html.
    """

    name: ClassVar[str] = "rules"
    uses: ClassVar[tuple[str, ...]] = ("lang",)

    file: str = ""
    lang: str = ""
    digest: str = field(default="", init=False, repr=False, compare=False)
    rules: tuple[Rule, ...] = field(default=(), init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Read the file, so that an error is reported before any text is read."""
        if self.file:
            source = open_source(self.file)
            object.__setattr__(self, "digest", sha256(source.data).hexdigest()[:12])
            object.__setattr__(self, "rules", tuple(parse_rules(source)))

    def in_language(self, lang: str) -> Self:
        """Return the normalizer with the rules for a language, without reading the file again."""
        bound = copy(self)
        if self.lang or lang:
            object.__setattr__(bound, "lang", code(self.lang or lang))
        return bound

    def check(self, context: Context) -> None:
        """Raise if no file is named, or if a rule is for a language and the texts' is unknown."""
        if not self.file:
            raise OptionError("the rules have no file", fix="name it: rules:file=my-rules.txt")
        if not self.lang and (langs := sorted({rule.lang for rule in self.rules} - {""})):
            raise OptionError(
                f"some rules are for {', '.join(langs)} only",
                where=self.file,
                fix=f"name the language of the texts: --lang {langs[0]}",
            )

    def settings(self, context: Context) -> Settings:
        """The digest of the file, and the language if a rule depends on it."""
        depends = any(rule.lang for rule in self.rules)
        return ("sha256", self.digest), *((("lang", self.lang),) if depends else ())

    def apply(self, joined: str) -> str:
        """Return the texts after all rules for their language; raise if a rule takes too long."""
        rules = [rule for rule in self.rules if rule.lang in ("", self.lang)]
        rows = joined.split(SEPARATOR)
        changed = {}
        with time_limits() as clock:
            for row in dict.fromkeys(rows):
                text = row
                for rule in rules:
                    seconds = SECONDS + SECONDS_PER_CHARACTER * len(text)
                    try:
                        clock.start(seconds)
                        text = rule.pattern.sub(rule.replacement, text)
                        clock.stop()
                    except OverTime:
                        raise _too_slow(rule, seconds, rows.index(row) + 1, row) from None
                changed[row] = text
        return SEPARATOR.join([changed[row] for row in rows])


def _too_slow(rule: Rule, seconds: float, number: int, text: str) -> InputError:
    return InputError(
        f"{rule.pattern.pattern!r} takes more than {seconds:.0f} seconds on text {number}: "
        f"{text[:60]!r}",
        where=rule.where,
        fix="write the pattern without a repetition inside a repetition, or two that can match the "
        "same characters one after the other",
    )


def parse_rules(source: Source) -> Iterator[Rule]:
    """Yield the rules of a file; raise if a line is not a rule."""
    lang = ""
    for number, line in enumerate(source.lines, 1):
        stripped = line.strip()
        if not stripped or stripped == "#" or stripped.startswith("# "):
            continue
        if section := SECTION.fullmatch(stripped):
            lang = "" if section[1] == "*" else _language(section[1], source.at(number))
            continue
        pattern, *rest = ARROW.split(f" {stripped}", maxsplit=1)
        if not rest:
            raise InputError(
                f"not a rule: {stripped[:60]!r}",
                where=source.at(number),
                fix="write: pattern => replacement; a comment starts with '# '",
            )
        yield _rule(_field(pattern), _field(rest[0]), lang, source.at(number))


def _language(name: str, where: str) -> str:
    """Return the code of a language; an error names the line."""
    try:
        return code(name)
    except OptionError as error:
        raise InputError(error.what, where=where, fix=error.fix) from None


def _field(text: str) -> str:
    """Return a pattern or a replacement without blanks around it and without its quotes."""
    text = text.strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text


def _rule(pattern: str, replacement: str, lang: str, where: str) -> Rule:
    """Compile a rule; an error names the line."""
    if not pattern:
        raise InputError("the pattern is empty", where=where, fix="write: pattern => replacement")
    if NUL_ESCAPE.search(replacement):
        raise InputError("a replacement with NUL", where=where, fix=r"groups begin at \1")
    try:
        compiled = re.compile(pattern)
        compiled.sub(replacement, "")  # checks the replacement, whether the pattern is found or not
    except (re.error, IndexError) as error:
        raise InputError(
            f"{pattern!r} => {replacement!r} is wrong: {error}",
            where=where,
            fix="see docs.python.org/3/library/re.html",
        ) from None
    return Rule(compiled, replacement, lang, where)

"""Normalizers of NIST's scoring tools: the rules of a GLM file (csrfilt), and tags (sclite)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import dataclass, field
from hashlib import sha256
from typing import ClassVar, Literal, NamedTuple, Self

from misword.core.context import Context
from misword.core.errors import InputError, OptionError
from misword.core.parts import Settings
from misword.io.files.sources import Source, open_source
from misword.io.transcripts.alternatives import spaced
from misword.text.normalizers import Normalizer, Side

# The rules of a GLM file.

COMMENT = ";;"
INPUT = re.compile(r';;\s+INPUT_DEPENDENT_APPLICATION\s*=\s*"([^"]*)"')
# Possessive, so that the time for a long line is linear.
HEADER = re.compile(r"""\*.*?\b(\w++)\s*+[=:]?+\s*+(["'])(.*?)\2""")
CONTEXT = "__"
# The names of the inputs of csrfilt that stand for a side.
INPUTS: dict[Side, tuple[str, ...]] = {
    "reference": ("ref", "stm", "trn"),
    "hypothesis": ("hyp", "ctm", "trn"),
}
HYPHEN = re.compile(r"(?<=[^( ])-(?=[^) ])")
SEVERAL_IN_PARENTHESES = re.compile(r"\( ([^()]*) \)")


class GlmRule(NamedTuple):
    """`found` between the contexts `before` and `after` becomes `written`.

    `inputs` is a regular expression for the names of the inputs that the rule is for; None: all.
    """

    found: str
    written: str
    before: str
    after: str
    inputs: str | None = None

    def fits(self, text: str, start: int, end: int, case_sensitive: bool) -> bool:
        """Return whether the contexts are around a place of the text."""
        around = text[max(start - len(self.before), 0) : start], text[end : end + len(self.after)]
        contexts = self.before, self.after
        if case_sensitive:
            return around == contexts
        return [side.lower() for side in around] == [side.lower() for side in contexts]


@dataclass(frozen=True, slots=True)
class Glm(Normalizer):
    """The rules of a GLM file (global mapping), as NIST's csrfilt applies them before sclite.

    A rule is `A => B` or `A => B / C __ D`: A becomes B, where C stands before and D after it.
    Square brackets keep blanks at the ends: `[ ] __ [ ]`. At each place the first rule that fits is
    applied; contexts are those of the text before any rule. B may be `[{HE IS / HE HAS}]`; these
    are alternatives. Rules below `;; INPUT_DEPENDENT_APPLICATION = "hyp"` are for hypotheses only,
    and so on for `ref`, `stm` (references) and `ctm` (hypotheses). `hyphens=split` divides words at
    hyphens between letters, as `csrfilt -dh` does. The rules are applied to the texts as they are
    written, before all other normalizers.

    Known problems: csrfilt writes text in capitals; here the texts keep their case, so add `lower`.

    Example: `misword score ref.stm hyp.ctm --normalize glm:file=en.glm,lower`

    Reference: https://github.com/usnistgov/SCTK (doc/GLMRules.txt)
    """

    name: ClassVar[str] = "glm"
    before_alternatives: ClassVar[bool] = True

    file: str = ""
    hyphens: Literal["keep", "split"] = "keep"
    side: Side | None = field(default=None, init=False, repr=False, compare=False)
    digest: str = field(default="", init=False, repr=False, compare=False)
    table: GlmTable | None = field(default=None, init=False, repr=False, compare=False)
    rules: tuple[GlmRule, ...] = field(default=(), init=False, repr=False, compare=False)
    case_sensitive: bool = field(default=True, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Read the file, so that an error is reported before any text is read."""
        if self.file:
            source = open_source(self.file)
            object.__setattr__(self, "digest", sha256(source.data).hexdigest()[:12])
            object.__setattr__(self, "case_sensitive", is_case_sensitive(source))
            object.__setattr__(self, "rules", tuple(parse_glm(source)))
            self._index(None)

    def for_side(self, side: Side) -> Self:
        """Return the normalizer with the rules for references or for hypotheses."""
        bound = copy(self)
        bound._index(side)
        return bound

    def _index(self, side: Side | None) -> None:
        chosen = [rule for rule in self.rules if _is_for(rule, side)]
        object.__setattr__(self, "side", side)
        object.__setattr__(self, "table", GlmTable.of(chosen, self.case_sensitive))

    def check(self, context: Context) -> None:
        """Raise if no file is named."""
        if not self.file:
            raise OptionError("no GLM file is named", fix="name it: glm:file=en.glm")

    def settings(self, context: Context) -> Settings:
        """The digest of the file, and what happens to hyphens."""
        return ("sha256", self.digest), ("hyphens", self.hyphens)

    def apply_row(self, text: str) -> str:
        """Return the text after all rules."""
        if self.table is None:
            return text
        text = " ".join(text.replace("(", "( ").replace(")", " )").split())
        text = self.table.rewrite(f" {text} ")
        if self.hyphens == "split":
            text = HYPHEN.sub(" ", text)
        text = " ".join(text.split())
        return SEVERAL_IN_PARENTHESES.sub(_each_in_parentheses, text)


def _each_in_parentheses(match: re.Match[str]) -> str:
    """Return `(a) (b)` for `( a b )`: each word may be left out by itself."""
    return " ".join(f"({word})" for word in match[1].split())


def _is_for(rule: GlmRule, side: Side | None) -> bool:
    if rule.inputs is None:
        return True
    return any(re.search(rule.inputs, name) for name in (INPUTS[side] if side else ()))


@dataclass(frozen=True, slots=True)
class GlmTable:
    """Rules as one regular expression, and the rules by what they find."""

    pattern: re.Pattern[str] | None
    rules: dict[str, list[GlmRule]]
    case_sensitive: bool

    @classmethod
    def of(cls, rules: Iterable[GlmRule], case_sensitive: bool) -> GlmTable:
        """Index the rules; only rules with the same first letter compete, in their order."""
        by_letter: dict[str, list[str]] = {}
        by_text: dict[str, list[GlmRule]] = {}
        for rule in rules:
            found = rule.found if case_sensitive else rule.found.lower()
            by_text.setdefault(found, []).append(rule)
            # The contexts come last: most places are refused by the text itself.
            look = f"{re.escape(rule.found)}(?={re.escape(rule.after)})"
            look += f"(?<={re.escape(rule.before + rule.found)})" if rule.before else ""
            by_letter.setdefault(found[0], []).append(look)
        groups = [f"(?={re.escape(c)})(?:{'|'.join(looks)})" for c, looks in by_letter.items()]
        flags = 0 if case_sensitive else re.IGNORECASE
        pattern = re.compile("|".join(groups), flags) if groups else None
        return cls(pattern, by_text, case_sensitive)

    def rewrite(self, text: str) -> str:
        """Return the text after all rules."""
        return self.pattern.sub(self._written, text) if self.pattern else text

    def _written(self, match: re.Match[str]) -> str:
        """Return what the first rule writes that fits at a place."""
        found = match[0] if self.case_sensitive else match[0].lower()
        for rule in self.rules.get(found, ()):
            if rule.fits(match.string, *match.span(), self.case_sensitive):
                return rule.written
        return match[0]


def is_case_sensitive(source: Source) -> bool:
    """Return whether the rules of a file distinguish case; its header may say that they do not."""
    for line in source.lines:
        header = HEADER.match(line.strip())
        if header and header[1].lower() == "case_sensitive":
            return header[3].lower() in ("t", "yes", "true")
    return False


def parse_glm(source: Source) -> Iterator[GlmRule]:
    """Yield the rules of a file; raise if a line is not a rule."""
    inputs: str | None = None
    for number, line in enumerate(source.lines, 1):
        if restricted := INPUT.match(line):
            inputs = _inputs(restricted[1], source.at(number))
        rule = line.partition(COMMENT)[0].strip()
        if not rule or rule.startswith("*"):
            continue
        found, arrow, rest = rule.partition("=>")
        written, before, after = _right_side(rest)
        if not arrow or not _field(found):
            raise InputError(
                f"not a rule: {rule[:60]!r}",
                where=source.at(number),
                fix="write: A => B, or A => B / C __ D; a comment starts with ;;",
            )
        where = source.at(number)
        yield GlmRule(_field(found), _alternatives(written, where), before, after, inputs)


def _inputs(pattern: str, where: str) -> str:
    """Return the regular expression of inputs in lower case; raise if it is none."""
    try:
        return re.compile(pattern.lower()).pattern
    except re.error as error:
        raise InputError(
            f"{pattern!r} is no regular expression: {error}", where=where, fix='write: "ref|stm"'
        ) from None


def _right_side(rest: str) -> tuple[str, str, str]:
    """Return what a rule writes, and its contexts before and after; without contexts, empty."""
    head, marked, after = rest.partition(CONTEXT)
    if not marked:
        return _field(rest), "", ""
    written, _, before = head.rpartition("/")
    return _field(written), _field(before), _field(after)


def _field(text: str) -> str:
    """Return a field without blanks around it and without its square brackets."""
    text = text.strip()
    return text[1:-1] if len(text) > 1 and text[0] == "[" and text[-1] == "]" else text


def _alternatives(written: str, where: str) -> str:
    """Return what a rule writes, with blanks around the signs of alternatives."""
    return f" {spaced(written, where)} " if "{" in written else written


# Tags of words.

# A word ends at white space or at NUL, which separates rows.
TAGS = re.compile(r"(?<!\\);[^\s\0]*")
ASTERISK = re.compile(r"(?<=[^\s\0])\*(?![^\s\0])")


@dataclass(frozen=True, slots=True)
class ScliteTags(Normalizer):
    r"""Removes what NIST sclite does not compare: tags of a word, and an asterisk at its end.

    A semicolon separates a word from its tags, `word;tag;tag`; `\;` is a semicolon of the word.

    Known problems: punctuation is removed as well where it is a semicolon at the end of a word.

    Reference: https://github.com/usnistgov/SCTK (src/sclite/word.c)
    """

    name: ClassVar[str] = "sclite-tags"

    def apply(self, joined: str) -> str:
        r"""Remove tags, then asterisks.

        >>> ScliteTags().apply(r"a b;noun;x c\;d e* *")
        'a b c;d e *'
        """
        if ";" not in joined and "*" not in joined:
            return joined
        return ASTERISK.sub("", TAGS.sub("", joined).replace(r"\;", ";"))

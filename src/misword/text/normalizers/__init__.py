"""Normalizers: changes of both texts, in the order of their specs, before they are compared.

The default is `nfc` alone, so that an accented letter counts the same in either of its Unicode
encodings; nothing else is changed. `none` means no normalizer at all. In Python, any function from
text to text can be a normalizer.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from types import CodeType
from typing import Any, ClassVar, Literal, Self

from misword.core.context import Context
from misword.core.errors import InputError, MiswordError, OptionError
from misword.core.parts import Part, Settings, signed_name
from misword.core.parts.registry import Entry, Registry, split_specs
from misword.text.texts import SEPARATOR, Texts

HERE = "misword.text.normalizers"
DEFAULT = "nfc"

Side = Literal["reference", "hypothesis"]


class Normalizer(Part):
    """A change of text. A subclass defines `apply_row` or, for speed, `apply`.

    `keeps_ascii` is True for a normalizer that never changes ASCII text; it is then not called for
    such text. `before_alternatives` is True for a normalizer that is applied before alternatives
    are found, and before all others, because it can write alternatives.
    """

    __slots__ = ()

    family: ClassVar[str] = "text"
    keeps_ascii: ClassVar[bool] = False
    before_alternatives: ClassVar[bool] = False

    def in_language(self, lang: str) -> Self:
        """Return the normalizer for texts of a language; `lang` is empty if none is named.

        A normalizer that depends on the language has an option `lang`, which this sets.
        """
        return self

    def for_side(self, side: Side) -> Self:
        """Return the normalizer for references or hypotheses; most change both in the same way."""
        return self

    def apply_row(self, text: str) -> str:
        """Return one row, changed."""
        raise NotImplementedError

    def apply(self, joined: str) -> str:
        """Return the changed rows; `joined` has all rows, with a NUL character between two rows.

        Each row must be changed as if it were alone, and the number of NUL characters must stay.
        This method calls `apply_row` once for each distinct row.
        """
        rows = joined.split(SEPARATOR)
        changed = {}
        for row in dict.fromkeys(rows):
            try:
                changed[row] = self.apply_row(row)
            except MiswordError:
                raise
            except Exception as error:
                raise InputError(
                    f"normalizer {self.name!r} failed: {type(error).__name__}: {error}",
                    where=f"text {row[:60]!r}",
                    fix="leave out this text, or use another normalizer",
                ) from error
        return SEPARATOR.join([changed[row] for row in rows])


@dataclass(frozen=True, slots=True)
class FunctionNormalizer(Normalizer):
    """A function from text to text; it is called once for each distinct text.

    `identity` is what the signature has of the function: `name=...` if the user named it, else
    `source=...` or `code=...`, a digest of its source or of its compiled code.
    """

    name: ClassVar[str] = "function"

    function: Callable[[str], str]
    identity: tuple[str, str]

    def settings(self, context: Context) -> Settings:
        """The name or the digest of the function."""
        return (self.identity,)

    def apply_row(self, text: str) -> str:
        """Return what the function returns."""
        changed = self.function(text)
        if not isinstance(changed, str):
            raise OptionError(
                f"the function {title_of(self.function)} returned a {type(changed).__name__}",
                fix="return a string for every text",
            )
        return changed


def normalizer(function: Callable[[str], str], name: str = "") -> FunctionNormalizer:
    """Make a normalizer of a function, with a name for the signature.

    Without a name, the signature has a digest of the function's source, and of the values of the
    variables that it takes from the function around it and of its default arguments. If the source
    cannot be found, as in an interactive session, the digest is that of its compiled code, which
    differs between versions of Python.

    Known problems: a digest does not contain the functions and global variables that the function
    uses, nor the attributes of an object. If these can change, give a name with a version.

    >>> import misword
    >>> shout = misword.normalizer(lambda text: text.upper(), name="shout-1")
    >>> misword.score(["a b"], ["A B"], "wer", normalize=["nfc", shout]).summary()["rate"].item()
    0.0
    """
    if not callable(function):
        raise OptionError(f"{function!r} cannot be called", fix="give a function from text to text")
    return FunctionNormalizer(
        function, ("name", checked_name(name)) if name else identity_of(function)
    )


NORMALIZERS: Registry[Normalizer] = Registry(
    "normalizers",
    {
        "apostrophe": Entry(f"{HERE}.characters:Apostrophe"),
        "casefold": Entry(f"{HERE}.characters:Casefold"),
        "glm": Entry(f"{HERE}.sclite:Glm"),
        "lower": Entry(f"{HERE}.characters:Lower"),
        "nfc": Entry(f"{HERE}.characters:Nfc"),
        "nfd": Entry(f"{HERE}.characters:Nfd"),
        "nfkc": Entry(f"{HERE}.characters:Nfkc"),
        "noaccent": Entry(f"{HERE}.characters:NoAccent"),
        "noharakat": Entry(f"{HERE}.characters:NoHarakat"),
        "nopunct": Entry(f"{HERE}.characters:NoPunct"),
        "nozerowidth": Entry(f"{HERE}.characters:NoZeroWidth"),
        "open-asr-leaderboard": Entry(f"{HERE}.open_asr_leaderboard:OpenAsrLeaderboard"),
        "rules": Entry(f"{HERE}.rules:Rules"),
        "sclite-tags": Entry(f"{HERE}.sclite:ScliteTags"),
        "whisper": Entry(f"{HERE}.whisper:Whisper"),
    },
)


# A normalizer as the user names it: a spec, a part, or a function from text to text.
Step = str | Normalizer | Callable[[str], str]
Steps = Step | Iterable[Step]
Chain = tuple[Normalizer, ...]


def normalizers(steps: Steps, lang: str = "") -> Chain:
    """Return the normalizers of a list for texts of a language; `none` gives no normalizer.

    This raises if a package that a normalizer needs is not installed.

    >>> [part.name for part in normalizers("nfc,lower")]
    ['nfc', 'lower']
    >>> [part.name for part in normalizers(["nfc", str.swapcase])]
    ['nfc', 'function']
    """
    listed = [steps] if isinstance(steps, str | Normalizer) or callable(steps) else list(steps)
    specs = [spec for step in listed for spec in _specs(step)]
    if specs == ["none"]:
        return ()
    chain = tuple(_create(step).in_language(lang) for step in specs)
    for part in chain:
        part.check(Context(lang))
    return chain


def _specs(step: Step) -> list[Step]:
    return [*split_specs(step)] if isinstance(step, str) else [step]


def _create(step: Step) -> Normalizer:
    if isinstance(step, Normalizer):
        return step
    if isinstance(step, str):
        return NORMALIZERS.create(step)
    if callable(step):
        return normalizer(step)
    raise OptionError(
        f"{step!r} is not a normalizer", fix="give its name, or a function from text to text"
    )


def spell_chain(chain: Chain) -> str:
    """Return the normalizers with all their options as a signature prints them."""
    if not chain:
        return "none"
    steps = []
    for part in chain:
        options = ",".join(f"{name}={value}" for name, value in part.settings(Context()))
        steps.append(signed_name(part) + (f"[{options}]" if options else ""))
    return "+".join(steps)


def rewrite(texts: Texts, chain: Chain, side: Side) -> Texts:
    """Return the texts of a side after the normalizers that come before alternatives."""
    first = (part.for_side(side) for part in chain if part.before_alternatives)
    return normalize(texts, tuple(first))


def normalize(texts: Texts, chain: Chain) -> Texts:
    """Return the texts after all normalizers of the chain, applied in order.

    >>> normalize(Texts.of(["Hé !", "Ça va ?"]), normalizers("lower,nopunct")).split()
    ['hé  ', 'ça va  ']
    """
    if not texts.rows:
        return texts
    for part in chain:
        if part.keeps_ascii and texts.data.isascii():
            continue
        changed = part.apply(texts.joined)
        if changed is texts.joined:
            continue
        if changed.count(SEPARATOR) != max(texts.rows - 1, 0):
            raise OptionError(
                f"normalizer {part.name!r} changed the number of rows: it must keep NULs"
            )
        texts = Texts.of_joined(changed, texts.rows)
    return texts


# What a signature has of a function that the user wrote: a name, or a digest of its code.

# Values of these types are part of a digest: their text is the same in each run.
PLAIN = (str, bytes, int, float, bool, type(None))


def checked_name(name: str) -> str:
    """Return a name for a signature; raise if it has a character that signatures use."""
    if set(name) & set("|:,[]+=") or name.split() != [name]:
        raise OptionError(f"{name!r} cannot be in a signature", fix="use letters, digits, - and .")
    return name


def identity_of(function: Any) -> tuple[str, str]:
    """Return the kind and the digest of what a function does, as far as it can be known."""
    held = list(_held_values(function))
    inner = function.func if isinstance(function, partial) else function
    inner = inspect.unwrap(getattr(inner, "__func__", inner))
    if inspect.isbuiltin(inner) or inspect.ismethoddescriptor(inner):
        return "name", f"{getattr(inner, '__module__', None) or 'builtins'}.{inner.__qualname__}"
    written = inner if inspect.isroutine(inner) or isinstance(inner, type) else type(inner)
    try:
        source = textwrap.dedent(inspect.getsource(written))
        return "source", _digest([source, *held])
    except (OSError, TypeError):
        code = getattr(written, "__code__", None) or getattr(written.__call__, "__code__", None)
    if code is None:
        raise OptionError(
            f"the code of {title_of(function)} cannot be found, so its signature would not name it",
            fix="name it: misword.normalizer(function, name='my-rules-1')",
        )
    return "code", _digest([*_code_texts(code), *held])


def _held_values(function: Any) -> Iterator[str]:
    """Yield the values that a function holds: arguments of a partial, defaults, closure."""
    if isinstance(function, partial):
        yield from map(_shown, (*function.args, *sorted(function.keywords.items())))
        function = function.func
    defaults = getattr(function, "__defaults__", None) or ()
    yield from map(_shown, (*defaults, *(getattr(function, "__kwdefaults__", None) or {}).items()))
    for cell in getattr(function, "__closure__", None) or ():
        yield _shown(cell.cell_contents)


def _shown(value: object) -> str:
    """Return the text of a plain value; of other values only the type, which has no address."""
    if isinstance(value, PLAIN):
        return repr(value)
    if isinstance(value, dict):
        return repr([(_shown(key), _shown(item)) for key, item in value.items()])
    if isinstance(value, list | tuple):
        return repr([_shown(item) for item in value])
    if isinstance(value, set | frozenset):
        return repr(sorted(map(_shown, value)))
    return type(value).__qualname__


def _code_texts(code: CodeType) -> Iterator[str]:
    """Yield the instructions, names and constants of compiled code, inner functions included."""
    yield code.co_code.hex()
    yield repr(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _code_texts(constant)
        else:
            yield _shown(constant)


def _digest(texts: list[str]) -> str:
    return sha256("\0".join(texts).encode()).hexdigest()[:12]


def title_of(function: object) -> str:
    """Return the name of a function as it is shown in an error."""
    return repr(getattr(function, "__qualname__", type(function).__qualname__))

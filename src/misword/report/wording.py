"""Numbers and names as the report writes them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

# Differences with a corrected p from here on are said not to be distinguishable.
SIGNIFICANT = 0.05

NAMES = {
    "bertscore": "BERTScore",
    "cer": "CER",
    "dposer": "dPOSER",
    "ember": "EmbER",
    "lcer": "LCER",
    "ler": "LER",
    "mer": "MER",
    "per": "PER",
    "semdist": "SemDist",
    "uposer": "uPOSER",
    "wer": "WER",
    "wer-e": "WER-E",
    "wer-s": "WER-S",
    "wil": "WIL",
}
# What a metric is about, for the sentence that says which side of language gains least.
FAMILIES = {
    "bertscore": "semantics",
    "cer": "characters",
    "dposer": "grammar",
    "ember": "semantics",
    "lcer": "lemmas",
    "ler": "lemmas",
    "mer": "words",
    "per": "sounds",
    "semdist": "semantics",
    "uposer": "grammar",
    "wer": "words",
    "wer-e": "semantics",
    "wer-s": "semantics",
    "wil": "words",
}
# Marks of Unicode that set the direction of all that follows.
DIRECTIONS = [*range(0x202A, 0x202F), *range(0x2066, 0x206A)]
ENCODERS = {
    "infersent": "InferSent",
    "mean": "mean",
    "mean-stop": "mean-stop",
    "sif": "SIF",
    "subspace": "subspace",
    "transformer": "transformer",
    "use": "USE",
    "usif": "uSIF",
}
SCORES = {"bleu": "BLEU", "chrf": "chrF", "meteor": "METEOR", "ter": "TER"}


def metric_name(label: str) -> str:
    """A metric's name as papers write it, with its options.

    >>> metric_name("wer"), metric_name("cer:spaces=false"), metric_name("mine")
    ('WER', 'CER (spaces=false)', 'mine')
    """
    return _named(label, NAMES)


def score_name(name: str) -> str:
    """A downstream score's name as papers write it, with its options.

    >>> score_name("bleu"), score_name("bleu:tokenize=none")
    ('BLEU', 'BLEU (tokenize=none)')
    """
    return _named(name, SCORES)


def encoder_name(label: str) -> str:
    """An encoder's name as papers write it, with its options.

    >>> encoder_name("usif"), encoder_name("subspace:n=3"), encoder_name("org/model")
    ('uSIF', 'subspace (n=3)', 'org/model')
    """
    return _named(label, ENCODERS)


def family(label: str) -> str:
    """What a metric is about; empty for metrics that the report does not know."""
    return FAMILIES.get(label.partition(":")[0], "")


def number(value: float | None, digits: int = 2) -> str:
    """A number with so many digits behind the point, or nothing; never a negative zero.

    >>> number(0.126), number(None), number(-0.001)
    ('0.13', '', '0.00')
    """
    if not is_number(value):
        return ""
    shown = f"{value:,.{digits}f}"
    return shown.removeprefix("-") if _is_zero(shown) else shown


def percent(rate: float | None, digits: int = 2) -> str:
    """A rate in percent, without the sign.

    >>> percent(0.2192)
    '21.92'
    """
    return number(100 * rate, digits) if is_number(rate) else ""


def signed(rate: float | None, digits: int = 1) -> str:
    """A change in percent with its sign.

    >>> signed(-0.143), signed(0.02), signed(0)
    ('-14.3', '+2.0', '0.0')
    """
    shown = percent(rate, digits)
    return f"+{shown}" if is_number(rate) and rate > 0 and not _is_zero(shown) else shown


def span(low: float | None, high: float | None, digits: int = 2) -> str:
    """An interval of rates in percent, or nothing.

    >>> span(0.131, 0.154, 1)
    '13.1 to 15.4'
    """
    if not (is_number(low) and is_number(high)):
        return ""
    return f"{percent(low, digits)} to {percent(high, digits)}"


def signed_span(low: float | None, high: float | None, digits: int = 1) -> str:
    """An interval of changes in percent, or nothing.

    >>> signed_span(-0.02, 0.01)
    '-2.0 to +1.0'
    """
    if not (is_number(low) and is_number(high)):
        return ""
    return f"{signed(low, digits)} to {signed(high, digits)}"


def probability(p: float | None) -> str:
    """A p-value for a table.

    >>> probability(0.0002), probability(0.0312), probability(None)
    ('< 0.001', '0.031', '')
    """
    if not is_number(p):
        return ""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def said_probability(p: float) -> str:
    """A p-value for a sentence.

    >>> said_probability(0.0002), said_probability(0.3)
    ('p < 0.001', 'p = 0.300')
    """
    return f"p {probability(p)}" if p < 0.001 else f"p = {probability(p)}"


def count(value: float | None) -> str:
    """A whole number with its thousands apart."""
    return number(value, 0)


def listed(names: Sequence[str]) -> str:
    """Names in a row.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def in_line(text: str) -> str:
    """A sentence with users' names in it, without the signs that would turn the rest of it round.

    >>> in_line("\\u202eb is better than a")
    'b is better than a'
    """
    return text.translate(dict.fromkeys(DIRECTIONS))


def unbroken(text: str) -> str:
    """A sentence whose numbers stay in one line with their signs.

    >>> unbroken("-1.0 % (p = 0.3)").split(" ")
    ['-1.0\\xa0%', '(p\\xa0=\\xa00.3)']
    """
    return re.sub(r"(?<=\d) (?=%)|(?<=\bp) (?=[<=])|(?<=\bp [<=]) ", "\u00a0", text)


def counted(value: int, noun: str) -> str:
    """A number and its noun.

    >>> counted(1, "utterance"), counted(2643, "utterance")
    ('1 utterance', '2,643 utterances')
    """
    return f"{value:,} {noun}" if value == 1 else f"{value:,} {noun}s"


def is_number(value: Any) -> TypeGuard[float]:
    """Whether there is a finite number: tables have null or nan where there is none."""
    return isinstance(value, int | float) and value == value and abs(value) != float("inf")


def _named(label: str, known: Mapping[str, str]) -> str:
    base, _, options = label.partition(":")
    name = known.get(base, base)
    return f"{name} ({options})" if options else name


def _is_zero(shown: str) -> bool:
    return not any(digit in "123456789" for digit in shown)

"""The options of corruption: target word error rates and the mix of errors, read and checked."""

from __future__ import annotations

from collections.abc import Iterable

from misword.core.errors import OptionError
from misword.noise.error_model import Mix

# Target rates are below this. A higher rate is a percentage in all likelihood.
HIGHEST = 2
# Each rate makes a copy of the corpus.
MOST_RATES = 1000


def read_target_wers(text: str) -> list[float]:
    """Read word error rates from `0.3`, `0.1,0.3` or `0:0.5:0.05` (from, to, step, with both ends).

    >>> read_target_wers("0:0.2:0.05,0.5")
    [0.0, 0.05, 0.1, 0.15, 0.2, 0.5]
    """
    target_wers: list[float] = []
    for piece in text.split(","):
        try:
            first, *rest = (float(number) for number in piece.split(":"))
        except ValueError:
            raise _wer_error(text) from None
        if not rest:
            target_wers.append(first)
        elif len(rest) == 2 and rest[1] > 0 and rest[0] >= first:
            last, step = rest
            count = (last - first) / step + 1e-9
            if not count < MOST_RATES:
                raise _too_many_rates()
            target_wers += [round(first + number * step, 9) for number in range(int(count) + 1)]
        else:
            raise _wer_error(text)
    return check_target_wers(target_wers)


def check_target_wers(target_wers: Iterable[float]) -> list[float]:
    """Return word error rates as a list; raise an error if one is out of range or there twice."""
    checked = [float(target_wer) for target_wer in target_wers]
    if len(checked) > MOST_RATES:
        raise _too_many_rates()
    if any(HIGHEST <= target_wer <= 100 for target_wer in checked):
        raise _percent_error(checked)
    if not checked or not all(0 <= target_wer < HIGHEST for target_wer in checked):
        raise _wer_error(", ".join(f"{target_wer:g}" for target_wer in checked))
    if len({round(target_wer, 9) for target_wer in checked}) < len(checked):
        raise OptionError("a rate is given twice", fix="give each once")
    return checked


def _too_many_rates() -> OptionError:
    return OptionError(
        f"more than {MOST_RATES:,} word error rates", fix="use a larger step: 0:0.5:0.05"
    )


def _percent_error(target_wers: list[float]) -> OptionError:
    """Return the error about rates that look like percentages, with the rates as shares."""
    most = max(target_wers)
    shares = ",".join(f"{target_wer / 100:.4g}" for target_wer in target_wers)
    return OptionError(
        f"a word error rate of {most:g} is {100 * most:,.0f} %",
        fix=f"did you mean {shares}? rates are shares, 0.3 is 30 %, and below {HIGHEST}",
    )


def _wer_error(text: str) -> OptionError:
    return OptionError(
        f"{text!r} is no word error rate", fix="use 0.3, a list 0.1,0.3 or a range 0:0.5:0.05"
    )


def read_mix(text: str) -> Mix:
    """Read the shares of errors from `s=0.7,d=0.2,i=0.1`; a kind that is not named has 0.

    >>> read_mix("s=0.75,d=0.25")
    Mix(substitutions=0.75, deletions=0.25, insertions=0.0)
    """
    shares: dict[str, float] = {}
    for piece in text.split(","):
        name, _, value = piece.strip().partition("=")
        try:
            shares[name] = float(value)
        except ValueError:
            raise _mix_error(text) from None
    if not set(shares) <= set("sdi"):
        raise _mix_error(text)
    mix = Mix(*(shares.get(name, 0.0) for name in "sdi"))
    check_mix(mix, text)
    return mix


def check_mix(mix: Mix, text: str = "") -> None:
    """Raise an error unless the shares are in [0, 1] and add up to 1."""
    if not all(0 <= share <= 1 for share in mix.shares) or abs(sum(mix.shares) - 1) > 1e-6:
        raise _mix_error(text or str(mix))


def _mix_error(text: str) -> OptionError:
    return OptionError(
        f"{text!r} is no mix of errors",
        fix="give the shares of substitutions, deletions and insertions, whose sum is 1: "
        "s=0.7,d=0.2,i=0.1",
    )

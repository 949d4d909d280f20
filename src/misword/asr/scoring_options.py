"""The options of a run that scores texts, after a preset was combined with what the user gave."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, TypedDict

from misword.asr.forgiving.choice import ForgivenFamilies
from misword.asr.pairs import EquivalentClasses
from misword.asr.presets import PRESETS, Preset
from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.parts.registry import split_specs
from misword.text.normalizers import DEFAULT, Chain, Normalizer, Steps, normalizers

if TYPE_CHECKING:
    from misword.embed.vectors.words import WordVectors

DEFAULT_METRICS = ("wer", "cer")

# A file of rules (`misword parts normalizers`), or the normalizer that was made of it.
RuleFile = str | PathLike[str] | Normalizer


@dataclass(frozen=True, slots=True)
class ScoringOptions:
    """Metrics, normalizers, alternatives and what is forgiven, and the preset of a run."""

    metrics: tuple[str, ...]
    chain: Chain
    alternatives: bool
    forgive: ForgivenFamilies
    preset: Preset


def combine(
    context: Context,
    *,
    preset: str | Preset | None = None,
    metrics: str | Iterable[str] | None = None,
    normalize: Steps | None = None,
    rules: RuleFile | None = None,
    alternatives: bool = True,
    forgive: str | Iterable[str] = (),
) -> ScoringOptions:
    """Combine a preset with the options beside it; None is an option that was not given.

    Raises if an option contradicts the preset. Metrics and families of differences of writing are
    added to those of the preset; the rules come after its normalizers.

    >>> combine(Context(), preset="kaldi", metrics="cer").metrics
    ('wer:ties=kaldialign', 'cer')
    """
    chosen = find_preset(preset)
    chosen.check(context)
    if normalize is not None and chosen.normalize is not None:
        raise _conflict("normalize", chosen, f"it normalises by {_spelled(chosen.normalize)!r}")
    if chosen.alternatives and not alternatives:
        raise _conflict("no-alternatives", chosen, "it reads alternatives")
    steps = chosen.normalize or (DEFAULT if normalize is None else normalize)
    chain = normalizers(steps, context.lang)
    if rules is not None:
        chain += normalizers(_rules(rules), context.lang)
    choice = ForgivenFamilies()
    if families := [*split_specs(chosen.forgive or ""), *split_specs(forgive)]:
        choice = ForgivenFamilies.of(families, context.lang)
        choice.check()
    return ScoringOptions(
        metric_specs(chosen, metrics),
        chain,
        alternatives and chosen.alternatives is not False,
        choice,
        chosen,
    )


def find_preset(preset: str | Preset | None) -> Preset:
    """Return the preset of a spec; one that sets nothing if there is none."""
    return PRESETS.create(preset) if isinstance(preset, str) else preset or Preset()


def metric_specs(
    preset: str | Preset | None, metrics: str | Iterable[str] | None
) -> tuple[str, ...]:
    """Return the metrics of a preset and those beside it; the default if neither names one."""
    own = find_preset(preset).metrics
    if own is None and metrics is None:
        return DEFAULT_METRICS
    return tuple(dict.fromkeys([*split_specs(own or ""), *split_specs(metrics or ())]))


def _rules(rules: RuleFile) -> Normalizer:
    """Return the normalizer of a file of rules."""
    from misword.text.normalizers.rules import Rules

    return rules if isinstance(rules, Normalizer) else Rules(str(rules))


def _spelled(steps: Steps) -> str:
    """Return the names of normalizers, separated by commas."""
    return ",".join(part.name for part in normalizers(steps))


def _conflict(option: str, preset: Preset, reason: str) -> OptionError:
    return OptionError(
        f"--{option} beside --preset {preset.name}: {reason}",
        fix="leave out one of the two; your own rules can be added by --rules FILE",
    )


# The arguments of `misword.score` that other functions pass on to it.


class ScoringArguments(TypedDict, total=False):
    """How texts are compared, and what metrics need: see `misword.score`."""

    preset: str | Preset | None
    normalize: Steps | None
    rules: RuleFile | None
    alternatives: bool
    equivalents: EquivalentClasses
    forgive: str | Iterable[str]
    lang: str | None
    vectors: str | PathLike[str] | WordVectors | None
    max_words: int | None
    vector_format: str | None
    cache: bool
    workers: int | None

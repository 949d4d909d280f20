"""The options of a run that scores texts, after a preset was combined with what the user gave."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any, Unpack

from misword.asr.forgiving.choice import ForgivenFamilies
from misword.asr.metrics import METRICS
from misword.asr.options import DEFAULT_METRICS, Scoring
from misword.asr.presets import PRESETS, Preset
from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.options import takes
from misword.core.parts.registry import split_specs
from misword.text.normalizers import DEFAULT, Chain, Normalizer, Steps, normalizers

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


@takes(Scoring)
def combine(
    context: Context,
    metrics: str | Iterable[str] | None = None,
    **options: Unpack[Scoring],
) -> ScoringOptions:
    """Combine a preset with the options beside it; None is an option that was not given.

    Raises if an option contradicts the preset. Metrics and families of differences of writing are
    added to those of the preset; the rules come after its normalizers, those of a GLM file before
    other normalizers.

    >>> combine(Context(), preset="kaldi", metrics="cer").metrics
    ('wer:ties=kaldialign', 'cer')
    """
    chosen, normalize = _with_glm(options)
    rules, alternatives = options["rules"], options["alternatives"]
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
    if families := [*split_specs(chosen.forgive or ""), *split_specs(options["forgive"])]:
        choice = ForgivenFamilies.of(families, context.lang)
        choice.check()
    return ScoringOptions(
        metric_specs(chosen, metrics),
        chain,
        alternatives and chosen.alternatives is not False,
        choice,
        chosen,
    )


def _with_glm(options: Scoring) -> tuple[Preset, Steps | None]:
    """Return the preset and the normalizers, one of them with the GLM file if it is named."""
    preset, normalize = find_preset(options["preset"]), options["normalize"]
    if options["glm"] is None:
        return preset, normalize
    from misword.asr.presets.toolkits import Sclite
    from misword.text.normalizers.sclite import Glm

    file = str(options["glm"])
    if isinstance(preset, Sclite):
        return replace(preset, glm=file), normalize
    if options["preset"] is not None:
        raise OptionError(
            f"--glm beside --preset {preset.name}", fix="use --preset sclite, or no preset"
        )
    steps: Any = (
        split_specs(normalize or DEFAULT) if isinstance(normalize, str | None) else normalize
    )
    return preset, [Glm(file), *(step for step in steps if step != "none")]


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
    named = [*split_specs(own or ""), *split_specs(metrics or ())]
    return tuple(dict.fromkeys(map(METRICS.spelled, named)))


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

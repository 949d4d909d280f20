"""May a new system be released? Conditions on its rates, alone and against a baseline system."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

from misword.asr.comparison.matched_systems import MatchedSystems, split_by_system
from misword.asr.gating.condition import Condition, Outcome
from misword.asr.gating.decisions import Sample, against_baseline, below_limit, decide
from misword.asr.pairs import EquivalentClasses
from misword.asr.presets import Preset
from misword.asr.score import scores_from
from misword.asr.scoring_options import RuleFile, find_preset
from misword.core.errors import OptionError
from misword.core.parts.registry import split_specs
from misword.core.visible import visible
from misword.stat.bootstrap import Bootstrap
from misword.stat.measure import MetricColumn
from misword.stat.scores import Scores
from misword.text.normalizers import Steps

if TYPE_CHECKING:
    from misword.embed.vectors.words import WordVectors

# The order of the conditions in the line that says why.
ORDER: tuple[Outcome, ...] = ("failed", "undecided", "passed")


@dataclass(frozen=True, slots=True, eq=False)
class GateResult:
    """The conditions with their outcomes.

    Attributes:
        conditions: those on largest rates, then those against the baseline, in the user's order.
        strict: whether an undecided condition fails the gate.
        bootstrap: how intervals and p-values were drawn.
        scores: the scores of the new system and the baseline.
    """

    conditions: tuple[Condition, ...]
    strict: bool
    bootstrap: Bootstrap
    scores: Scores

    def __repr__(self) -> str:
        return f"GateResult({visible(self.line)})"

    @property
    def passed(self) -> bool:
        """Whether no condition failed; if `strict`, whether all passed."""
        return not any(self.fails(condition) for condition in self.conditions)

    @property
    def line(self) -> str:
        """The outcome and the reasons in one line, the failed conditions first."""
        ordered = sorted(self.conditions, key=lambda condition: ORDER.index(condition.outcome))
        return f"gate {'passed' if self.passed else 'failed'}: " + "; ".join(
            condition.text(self.bootstrap.confidence) for condition in ordered
        )

    def fails(self, condition: Condition) -> bool:
        """Return whether a condition fails the gate."""
        return condition.outcome == "failed" or (self.strict and condition.outcome == "undecided")


def gate(
    references: Any,
    hypotheses: Any = None,
    *,
    max_rates: Mapping[str, float] | None = None,
    no_worse: str | Iterable[str] = (),
    margin: float = 0.0,
    strict: bool = False,
    block: str | None = None,
    bootstrap: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
    preset: str | Preset | None = None,
    normalize: Steps | None = None,
    rules: RuleFile | None = None,
    alternatives: bool = True,
    equivalents: EquivalentClasses = (),
    forgive: str | Iterable[str] = (),
    lang: str | None = None,
    vectors: str | PathLike[str] | WordVectors | None = None,
    max_words: int | None = None,
    vector_format: str | None = None,
    metadata: Any = None,
    ids: Any = None,
    cache: bool = False,
    workers: int | None = None,
) -> GateResult:
    """Check whether a new system satisfies conditions on its error rates.

    The first system of `hypotheses`, or of `Scores`, is the new one; the second, if there is one,
    is the baseline. `max_rates` has the largest rate allowed for each metric, as a fraction. The
    measured rate decides, not its interval. `no_worse` names metrics that must not be worse than
    those of the baseline by more than `margin` percentage points. This is a one-sided
    paired test at the level 1 - `confidence`, corrected over the metrics by Holm's method. A
    condition that the data do not decide fails only if `strict`. `block` is a metadata column whose
    values are resampled as a whole. The other arguments are those of `misword.score`.

    >>> import misword
    >>> refs, new = ["the cat sat", "so we go"], ["the cat sat", "so we went"]
    >>> print(misword.gate(refs, new, max_rates={"wer": 0.1}, bootstrap=0).line)
    gate failed: wer 16.67 %, limit 10.00 %: failed
    """
    resampling = Bootstrap(bootstrap, confidence, seed)
    limits, tested = dict(max_rates or {}), list(dict.fromkeys(split_specs(no_worse)))
    _check(limits, tested, margin)
    options: dict[str, Any] = {
        "hypotheses": hypotheses, "preset": preset, "normalize": normalize, "rules": rules,
        "alternatives": alternatives, "equivalents": equivalents, "forgive": forgive, "lang": lang,
        "vectors": vectors, "max_words": max_words, "vector_format": vector_format,
        "metadata": metadata, "ids": ids, "cache": cache, "workers": workers,
    }  # fmt: skip
    options["metrics"] = _metrics_beside(preset, [*limits, *tested])
    scores = scores_from(references, options)
    conditions = _conditions(scores, limits, tested, margin / 100, block or "", resampling)
    return GateResult(tuple(conditions), strict, resampling, scores)


def _check(limits: Mapping[str, float], tested: list[str], margin: float) -> None:
    """Raise if there is no condition, or if a number makes no sense."""
    if not limits and not tested:
        raise OptionError(
            "the gate has no condition", fix="add one: --max wer=0.08, or --no-worse wer"
        )
    for metric, limit in limits.items():
        if not 0 <= limit <= 1:
            raise OptionError(
                f"the largest {metric} is {limit:g}", fix="use a fraction: 0.08 for 8 %"
            )
    if not 0 <= margin < 100:
        raise OptionError(f"margin is {margin:g}", fix="use percentage points, such as 0.2")


def _metrics_beside(preset: str | Preset | None, names: list[str]) -> list[str]:
    """Return the metrics to score beside those of the preset, which may be among the names."""
    own = split_specs(find_preset(preset).metrics or "")
    return [name for name in dict.fromkeys(names) if _find(name, own) is None]


def _find(name: str, labels: Iterable[str]) -> str | None:
    """Return the label that a name means: itself, or the only one of that metric."""
    known = list(labels)
    same_metric = [label for label in known if label.partition(":")[0] == name]
    if name in known:
        return name
    return same_metric[0] if len(same_metric) == 1 else None


def _conditions(
    scores: Scores,
    limits: Mapping[str, float],
    tested: list[str],
    margin: float,
    block: str,
    bootstrap: Bootstrap,
) -> list[Condition]:
    """Decide all conditions on the first system of the scores."""
    systems, new = _new_and_baseline(scores, with_baseline=bool(tested))
    blocks = systems.blocks(block) if block else None
    sample = Sample(bootstrap, blocks, f"values of {block}" if block else "utterances")
    columns = {column.label: column for column in scores.columns}

    def column_of(name: str) -> MetricColumn:
        label = _find(name, columns)
        if label is None:
            raise OptionError(f"no metric {name!r} here", fix=f"there are: {', '.join(columns)}")
        return columns[label]

    of_rates = []
    for name, limit in limits.items():
        column = column_of(name)
        terms = column.measure.terms(systems.by_system[new].statistics(column.label))
        of_rates.append(below_limit(column, terms, limit, sample))
    of_differences = [
        against_baseline(column, *systems.terms(column, new), margin, sample)
        for column in map(column_of, tested)
    ]
    return [*of_rates, *decide(of_differences, 1 - bootstrap.confidence)]


def _new_and_baseline(scores: Scores, *, with_baseline: bool) -> tuple[MatchedSystems, str]:
    """Return the systems, the baseline first if there is one, and the name of the new system."""
    names = scores.systems
    if len(names) > 2:
        raise OptionError(
            f"{len(names)} systems: {', '.join(names)}", fix="name the new one, then the baseline"
        )
    if len(names) == 2:
        return MatchedSystems.of(scores, names[1]), names[0]
    if with_baseline:
        raise OptionError(
            "there is no baseline to compare with", fix="name it after the new system: REF NEW BASE"
        )
    best = scores.filter(rank=1)
    return MatchedSystems(split_by_system(best), best), names[0]

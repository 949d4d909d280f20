"""Options of the functions that score, compare and choose transcripts.

The options that say how texts are compared are read in one place (`combine`). The parts that they
name are imported when they are needed, so that a command line is made without them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict, Unpack

from misword.core.errors import OptionError
from misword.core.options import Group, Need, Option, finite, listed, listed_of, takes, whole
from misword.embed.options import Models, Threads
from misword.io.options import Reading, column_name, column_names
from misword.stat.options import Resampling, resamples

if TYPE_CHECKING:
    from misword.asr.entities.spans import KeywordList
    from misword.asr.forgiving.choice import ForgivenFamilies
    from misword.asr.pairs import EquivalentClasses
    from misword.asr.presets import Preset
    from misword.asr.translating.program import Translator
    from misword.core.context import Context
    from misword.text.normalizers import Chain, Normalizer, Steps

COMPARING = Group("comparing")
ENTITIES = Group("words that matter")
CONDITIONS = Group("conditions")
TUNING = Group("tuning")
LEARNING = Group("learning")
MATRIX = Group("matrix")
HISTORY = Group("history")
FURTHER_FILES = Group("further files")
TRANSLATIONS = Group("translations", "what the choice does to the translations of the hypotheses")
# Least shares of votes for the majority: all people chose the same, 70 % did, any majority.
CONSENSUS = (1.0, 0.7, 0.0)
DEFAULT_METRICS = ("wer", "cer")
BLENDED_METRICS = ("cer", "per:cost=features", "semdist", "bertscore")
METRICS_HELP = (
    "wer, cer, mer, wil, ler, per, wer-s, semdist, ...; options after a colon: cer:spaces=false"
)


def shares(text: str) -> tuple[float, ...]:
    """Read shares (numbers from 0 to 1) that are separated by commas."""
    numbers = tuple(finite(piece) for piece in text.split(","))
    if not all(0 <= number <= 1 for number in numbers):
        raise ValueError(f"{text} are not shares such as 1,0.7,0")
    return numbers


# A margin from which on a number without a percent sign is probably in percentage points.
LARGE_MARGIN = 0.1


def rate(text: str) -> float:
    """Read a rate: a fraction, or a number in percent.

    >>> rate("0.08"), rate("8%")
    (0.08, 0.08)
    """
    return finite(text[:-1]) / 100 if text.endswith("%") else finite(text)


def small_rate(text: str) -> float:
    """Read a difference of rates that should be small.

    >>> small_rate("0.2%")
    0.002
    """
    number = rate(text)
    if number >= LARGE_MARGIN and not text.endswith("%"):
        points = f"{text} are {100 * number:g} percentage points"
        raise ValueError(f"{points}; write {text}% for {text} points, or {100 * number:g}%")
    return number


def since(text: str) -> str:
    """Read a date, or a number of days such as 30d."""
    if not re.fullmatch(r"\d{1,5}d|\d{4}-\d\d-\d\d", text):
        raise ValueError(f"{text} is neither a date such as 2026-10-01 nor days such as 30d")
    return text


def scale(text: str) -> float | str:
    """Read a number or `auto`."""
    return text if text == "auto" else finite(text)


class Metrics(TypedDict, total=False):
    """Which metrics are computed."""

    metrics: Annotated[
        str | Iterable[str] | None,
        Option(
            f"{METRICS_HELP} (default: {','.join(DEFAULT_METRICS)}); with a preset, metrics beside "
            "its own",
            metavar="LIST",
            common=True,
            registry="metrics",
        ),
    ]


class Scoring(Models, total=False):
    """How texts are compared, and what metrics need."""

    preset: Annotated[
        str | Preset | None,
        Option(
            "options that reproduce another tool: sclite, jiwer, open-asr-leaderboard, ...; "
            "`misword parts presets` describes them",
            metavar="NAME",
            group=COMPARING,
            common=True,
            registry="presets",
        ),
    ]
    normalize: Annotated[
        Steps | None,
        Option(
            "normalizers for references and hypotheses, in order: nfc (default), lower, nopunct, "
            "... or none",
            metavar="LIST",
            group=COMPARING,
            common=True,
            registry="normalizers",
        ),
    ]
    rules: Annotated[
        str | PathLike[str] | Normalizer | None,
        Option(
            "file of your own rules, one a line, applied after the normalizers: pattern => "
            "replacement (regular expressions); [fr] starts rules for French",
            metavar="FILE",
            group=COMPARING,
            is_file=True,
        ),
    ]
    glm: Annotated[
        str | PathLike[str] | None,
        Option(
            "rules of NIST's csrfilt, applied before the normalizers or by --preset sclite: "
            "A => B / C __ D",
            metavar="FILE",
            group=COMPARING,
            is_file=True,
        ),
    ]
    alternatives: Annotated[
        bool,
        Option(
            "read { a / b } in references as plain text, not as alternatives",
            default=True,
            group=COMPARING,
        ),
    ]
    equivalents: Annotated[
        str | PathLike[str] | EquivalentClasses,
        Option(
            "file with words or phrases that count as the same, a group a line: gonna / going to",
            default=(),
            metavar="FILE",
            group=COMPARING,
            is_file=True,
        ),
    ]
    forgive: Annotated[
        str | Iterable[str],
        Option(
            "differences of writing that are not errors: writing (all of them), or some of: "
            "numbers, contractions, compounds, fillers, spelling, abbreviations, case, "
            "punctuation; the texts stay as they are, and the table shows what was forgiven",
            default=(),
            metavar="LIST",
            group=COMPARING,
            common=True,
            registry="families",
        ),
    ]


# The options of a run that scores texts, after a preset was combined with what the user gave.


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

    >>> from misword.core.context import Context
    >>> combine(Context(), preset="kaldi", metrics="cer").metrics
    ('wer:ties=kaldialign', 'cer')
    """
    from misword.asr.forgiving.choice import ForgivenFamilies
    from misword.core.parts.registry import split_specs
    from misword.text.normalizers import DEFAULT, normalizers

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
    from misword.core.parts.registry import split_specs
    from misword.text.normalizers import DEFAULT
    from misword.text.normalizers.sclite import Glm

    file = str(options["glm"])
    if isinstance(preset, Sclite):
        return replace(preset, glm=file), normalize
    if options["preset"] is not None:
        raise OptionError(
            f"--glm cannot be used with --preset {preset.name}",
            fix="use --preset sclite, or no preset",
        )
    steps: Any = (
        split_specs(normalize or DEFAULT) if isinstance(normalize, str | None) else normalize
    )
    return preset, [Glm(file), *(step for step in steps if step != "none")]


def find_preset(preset: str | Preset | None) -> Preset:
    """Return the preset of a spec; one that sets nothing if there is none."""
    from misword.asr.presets import PRESETS, Preset

    return PRESETS.create(preset) if isinstance(preset, str) else preset or Preset()


def metric_specs(
    preset: str | Preset | None, metrics: str | Iterable[str] | None
) -> tuple[str, ...]:
    """Return the metrics of a preset and those beside it; the default if neither names one."""
    from misword.asr.metrics import METRICS
    from misword.core.parts.registry import split_specs

    own = find_preset(preset).metrics
    if own is None and metrics is None:
        return DEFAULT_METRICS
    named = [*split_specs(own or ""), *split_specs(metrics or ())]
    return tuple(dict.fromkeys(map(METRICS.spelled, named)))


def beside_preset(preset: str | None, metrics: str | None) -> str | None:
    """Return the metrics of a command without those that its preset counts with its own options.

    >>> beside_preset("sclite", "wer,cer"), beside_preset("sclite", "wer")
    ('cer', None)
    """
    if preset is None or metrics is None:
        return metrics
    from misword.core.parts.registry import split_specs

    known = {spec.partition(":")[0] for spec in split_specs(find_preset(preset).metrics or "")}
    return ",".join(spec for spec in split_specs(metrics) if spec not in known) or None


def _rules(rules: str | PathLike[str] | Normalizer) -> Normalizer:
    """Return the normalizer of a file of rules."""
    from misword.text.normalizers import Normalizer
    from misword.text.normalizers.rules import Rules

    return rules if isinstance(rules, Normalizer) else Rules(str(rules))


def _spelled(steps: Steps) -> str:
    """Return the names of normalizers, separated by commas."""
    from misword.text.normalizers import normalizers

    return ",".join(part.name for part in normalizers(steps))


def _conflict(option: str, preset: Preset, reason: str) -> OptionError:
    return OptionError(
        f"--{option} cannot be used with --preset {preset.name}: {reason}",
        fix="leave out one of the two; your own rules can be added by --rules FILE",
    )


# Options of single functions.


class Entities(TypedDict, total=False):
    """Words whose errors are also counted by themselves."""

    entities: Annotated[
        str | None,
        Option(
            "also the error rate of entities by class, and how many are found as a whole: tags "
            "(of nlp references, with --tags-from, or of the column entities: spans in characters "
            "or BIO tags), tags:COLUMN, or spacy (finds them in the references; --lang names the "
            "language)",
            metavar="SOURCE",
            group=ENTITIES,
        ),
    ]
    keywords: Annotated[
        KeywordList | None,
        Option(
            "also the error rate, recall and precision of the terms in a file, one a line; a tab "
            "(in .csv files a comma) and a class may follow",
            metavar="FILE",
            group=ENTITIES,
            is_file=True,
        ),
    ]


class CriticalTerms(TypedDict, total=False):
    """Terms whose loss is critical."""

    critical_terms: Annotated[
        KeywordList | None,
        Option(
            "terms that must be right (drugs, commands, product names), one a line: an error in "
            "one of them is critical for the metrics severity and critical",
            metavar="FILE",
            group=ENTITIES,
            is_file=True,
        ),
    ]


class SeverityLabels(CriticalTerms, total=False):
    """How much each error matters."""

    severity: Annotated[
        bool,
        Option(
            "also label each error (number, negation, who does what, name, lost content, ...) and "
            "say how much it matters: adds the metrics severity and critical, and tables by label",
            default=False,
            group=ENTITIES,
            common=True,
        ),
    ]


class ScoreOptions(Scoring, Entities, SeverityLabels, total=False):
    """The options of `misword.score`."""


class Blocks(TypedDict, total=False):
    """Utterances that belong together."""

    block: Annotated[
        str | None,
        Option(
            "metadata column (speaker, document, ...): utterances with the same value are "
            "resampled, tested and divided together",
            metavar="COLUMN",
            read=column_name,
            common=True,
        ),
    ]


class Grouping(TypedDict, total=False):
    """Groups of utterances with rates of their own."""

    by: Annotated[
        str | Sequence[str],
        Option(
            "metadata columns, such as speaker,noise: also a row for each combination of values",
            default=(),
            metavar="COLUMNS",
            read=column_names,
            common=True,
        ),
    ]


class CompareOptions(ScoreOptions, Resampling, Blocks, Grouping, total=False):
    """The options of `misword.compare`."""

    baseline: Annotated[
        str | None,
        Option(
            "system that the others are compared with (default: the first)",
            metavar="NAME",
            common=True,
        ),
    ]
    all_pairs: Annotated[
        bool,
        Option(
            "also test every two systems against each other by each metric, corrected for all of "
            "these tests (Holm); otherwise each is tested against the baseline only",
            default=False,
            common=True,
        ),
    ]
    worst: Annotated[
        int,
        Option(
            "number of worst utterances in the result, of which 5 are printed; the first metric "
            "decides which they are",
            default=20,
            metavar="N",
            read=whole(0),
        ),
    ]


class GateOptions(ScoreOptions, Resampling, Blocks, Grouping, total=False):
    """The options of `misword.gate`."""

    max: Annotated[
        Mapping[str, float] | None,
        Option(
            "the largest rate that is allowed, as a fraction or in percent: wer=0.08 or wer=8%; "
            "may be repeated, or a list: wer=8%,cer=3%; also of a figure: latency.p95=1.5 seconds",
            metavar="METRIC=RATE",
            repeated=True,
            group=CONDITIONS,
            common=True,
            was="max_rates",
        ),
    ]
    min: Annotated[
        Mapping[str, float] | None,
        Option(
            "the least value that is allowed, for figures of which more is better: "
            "word-times.within200=0.9; may be repeated, or a list",
            metavar="FIGURE=VALUE",
            repeated=True,
            group=CONDITIONS,
        ),
    ]
    no_worse: Annotated[
        str | Iterable[str],
        Option(
            "metrics that must not be worse than those of the baseline, the second HYP",
            default=(),
            metavar="LIST",
            group=CONDITIONS,
            common=True,
        ),
    ]
    margin: Annotated[
        float,
        Option(
            "how much worse is allowed by --no-worse, as a fraction or in percentage points: with "
            "0.002 or 0.2%, a rate may rise from 8.0 % to 8.2 %",
            default=0.0,
            metavar="RATE",
            read=small_rate,
            group=CONDITIONS,
            common=True,
        ),
    ]
    strict: Annotated[
        bool,
        Option(
            "also fail if the data are too few to show that a rate is no worse",
            default=False,
            group=CONDITIONS,
            common=True,
        ),
    ]


class SegmentOptions(Resampling, total=False):
    """The options of `misword.segment`."""

    costs: Annotated[
        Literal["words", "spelling"],
        Option(
            "what the alignment minimises: word errors, or the differences of their spelling",
            default="words",
            common=True,
        ),
    ]
    normalize: Annotated[
        Steps | None,
        Option(
            "normalizers for the alignment, such as lower,nopunct (default: nfc); the texts are "
            "cut as they are written",
            metavar="LIST",
            common=True,
            registry="normalizers",
        ),
    ]
    lang: Annotated[
        str | None,
        Option(
            "language of the texts, for normalizers that need it",
            metavar="CODE",
            needs=(Need("normalize", "LIST", lambda steps: steps not in (None, "none")),),
        ),
    ]
    downstream: Annotated[
        str | Iterable[str] | None,
        Option(
            "also score the segments: bleu, chrf, ter, meteor; options after a colon: "
            "bleu:tokenize=none",
            metavar="LIST",
            common=True,
            registry="downstreams",
        ),
    ]


class BenchOptions(ScoreOptions, Resampling, Blocks, Grouping, Reading, total=False):
    """The options of `misword.bench`."""

    systems: Annotated[
        Sequence[str] | None,
        Option(
            "names of the systems, in the order of the tables: those of their files, without "
            "suffix (default: all)",
            metavar="A,B",
            read=listed,
            common=True,
        ),
    ]
    average: Annotated[
        Literal["macro", "micro"],
        Option(
            "the average that decides the ranks: the mean of the rates of the test sets, or the "
            "rate of all their words",
            default="macro",
            group=MATRIX,
            common=True,
        ),
    ]
    incomplete: Annotated[
        Literal["leave-out", "common"],
        Option(
            "systems without hypotheses for some test set: they have no average (leave-out), or "
            "averages are over the sets that all systems have (common)",
            default="leave-out",
            group=MATRIX,
        ),
    ]
    costs: Annotated[
        Any,
        Option(
            "table with a row for each system and columns of numbers, such as latency or price: "
            "they are shown beside the rates; columns NAME_low and NAME_high are intervals",
            metavar="FILE",
            is_file=True,
            group=MATRIX,
            common=True,
        ),
    ]
    checkpoints: Annotated[
        bool,
        Option(
            "the systems are checkpoints of one system, in the order of the numbers in their "
            "names: say whether the last gain is more than chance",
            default=False,
            group=MATRIX,
        ),
    ]
    history: Annotated[
        str | PathLike[str] | None,
        Option(
            "Parquet file to which the run is added, and whose runs are shown; without test "
            "sets, its last run is shown",
            metavar="FILE",
            group=HISTORY,
            common=True,
        ),
    ]
    since: Annotated[
        str | None,
        Option(
            "use only runs of the history from this date on, or of the last days: 2026-10-01, 30d",
            metavar="DATE|DAYS",
            read=since,
            group=HISTORY,
            needs=("history",),
        ),
    ]
    step: Annotated[
        float | None,
        Option(
            "number of this run, such as the training step; charts then have it as their axis",
            metavar="N",
            read=finite,
            group=HISTORY,
            needs=("history",),
        ),
    ]
    version: Annotated[
        str | None,
        Option(
            "name of this run, such as a version or a commit",
            metavar="NAME",
            group=HISTORY,
            needs=("history",),
        ),
    ]
    best_of_last: Annotated[
        int | None,
        Option(
            "fail (exit code 1) if the average of a system is worse than its best in the last N "
            "runs of the history",
            metavar="N",
            read=whole(1),
            group=HISTORY,
            common=True,
            needs=("history",),
        ),
    ]
    margin: Annotated[
        float,
        Option(
            "how much worse --best-of-last allows, as a fraction or in percentage points: 0.002 "
            "or 0.2%",
            default=0.0,
            metavar="RATE",
            read=small_rate,
            group=HISTORY,
            needs=("best_of_last",),
        ),
    ]


class OneMetric(TypedDict, total=False):
    """The metric that aligns or chooses."""

    metric: Annotated[
        str,
        Option(
            "the metric that decides the choice",
            default="wer",
            metavar="METRIC",
            common=True,
            registry="metrics",
            was="by",
        ),
    ]


class AlignMetric(TypedDict, total=False):
    """The metric of `misword.align`."""

    metric: Annotated[
        str | None,
        Option(
            "metric that decides alignment and costs: wer (default; with a preset, its first "
            "metric), wer-e, wer-s, ember, cer, ler, per, ... with options: wer:ties=jiwer",
            metavar="METRIC",
            common=True,
            registry="metrics",
        ),
    ]


class AlignOptions(Scoring, CriticalTerms, total=False):
    """The options of `misword.align`."""


class Downstream(TypedDict, total=False):
    """What translations are scored by."""

    downstream: Annotated[
        str | Iterable[str],
        Option(
            "scores of the translations: bleu, chrf, ter, meteor; options after a colon: "
            "bleu:tokenize=none",
            default="bleu",
            metavar="LIST",
            group=TRANSLATIONS,
            registry="downstreams",
            needs=("translations", "translate"),
            was="scores",
        ),
    ]


class Translating(Downstream, total=False):
    """Where the translations of hypotheses come from.

    `translations` is the name of a column of the lists, or has the form of the hypotheses: a list
    of translations for each list. Or `translate` makes them: a program that reads a text on each
    line and writes its translation on a line, or a function of a list of texts.
    """

    translations: Annotated[
        Any,
        Option(
            "the translation of every hypothesis: a column of the lists, or for each HYP a file "
            "with the same lists, translated, or with a line for each hypothesis",
            metavar="COLUMN|FILE",
            repeated=True,
            is_file=True,
            group=TRANSLATIONS,
        ),
    ]
    translate: Annotated[
        str | Sequence[str] | Translator | None,
        Option(
            "a program that reads a text on each line and writes its translation on a line; it "
            "gets each chosen text once. No shell runs it: 'sh -c \"...\"' does",
            metavar="COMMAND",
            group=TRANSLATIONS,
        ),
    ]
    translate_timeout: Annotated[
        float | None,
        Option(
            "time that the program may take for all texts (default 3600)",
            metavar="SECONDS",
            read=whole(1),
            group=TRANSLATIONS,
            needs=("translate",),
        ),
    ]
    translation_references: Annotated[
        Any,
        Option(
            "reference translations: a column of REF, or a file, matched by id or by line",
            metavar="COLUMN|FILE",
            is_file=True,
            group=TRANSLATIONS,
        ),
    ]


class ListOptions(Scoring, Translating, Resampling, total=False):
    """How hypotheses of N-best lists are compared, and what their translations are."""


class OracleOptions(ListOptions, total=False):
    """The options of `misword.oracle`."""

    depths: Annotated[
        Sequence[int] | None,
        Option(
            "numbers of hypotheses from the start of each list, such as 1,2,5,10,100 (default: 1, "
            "2, 5, 10, 20, ... and the whole lists)",
            metavar="LIST",
            read=listed_of(whole(1)),
            common=True,
            was="depth",
        ),
    ]
    ties: Annotated[
        str,
        Option(
            "which of equally good hypotheses is chosen: the first (rank), or the best by one of "
            "the metrics",
            default="rank",
            metavar="RULE",
            common=True,
        ),
    ]


class Folds(TypedDict, total=False):
    """Cross-validation."""

    folds: Annotated[
        int,
        Option(
            "parts of the data for the held-out rate; 0: none",
            default=5,
            metavar="N",
            read=whole(0),
            group=TUNING,
            needs=(Need("scale", "auto", lambda scale: scale == "auto"),),
        ),
    ]


class FurtherMetrics(TypedDict, total=False):
    """Metrics that judge what another metric chose."""

    metrics: Annotated[
        str | Iterable[str],
        Option(
            "further metrics that judge the choice",
            default=(),
            metavar="LIST",
            common=True,
            registry="metrics",
            needs=("references",),
        ),
    ]


class TuneOptions(ListOptions, Blocks, Folds, FurtherMetrics, total=False):
    """The options of `misword.tune`."""

    features: Annotated[
        str | Sequence[str] | Mapping[str, Any] | None,
        Option(
            "columns of the lists, such as score,lm; words, the number of words, and rank need no "
            "column (default: all columns of numbers, and words)",
            metavar="LIST",
            read=column_names,
            common=True,
        ),
    ]
    start: Annotated[
        Mapping[str, float] | None,
        Option("weights to begin with, such as score=1,lm=0.5", metavar="WEIGHTS", group=TUNING),
    ]
    starts: Annotated[
        int,
        Option("number of starts", default=5, metavar="N", read=whole(1, 10_000), group=TUNING),
    ]
    resamples: Annotated[
        int,
        Option(
            "resamples of the lists on which the weights are tuned again, to see how stable they "
            "are",
            default=100,
            metavar="N",
            read=resamples,
            group=TUNING,
        ),
    ]
    test: Annotated[
        Any,
        Option(
            "references and N-best lists on which nothing is tuned",
            metavar="REF NBEST",
            values=2,
            is_file=True,
            common=True,
        ),
    ]


class TuneSystemsOptions(Scoring, Resampling, Blocks, Folds, total=False):
    """The options of `misword.tune_systems`."""


class MbrOptions(Scoring, Resampling, Folds, FurtherMetrics, total=False):
    """The options of `misword.mbr`."""

    scale: Annotated[
        float | str,
        Option(
            "factor of the scores (0: all hypotheses are equally probable), or auto: chosen by "
            "cross-validation, with --references",
            default=1.0,
            metavar="S",
            read=scale,
            common=True,
        ),
    ]
    cost: Annotated[
        str | None,
        Option(
            "what is expected: the number of errors (default), or the rate of each pair of texts",
            choices=("errors", "rate"),
        ),
    ]
    features: Annotated[
        str | Sequence[str] | None,
        Option(
            "columns of the lists whose weighted sum is the score (default: score)",
            metavar="LIST",
            read=column_names,
            common=True,
        ),
    ]
    weights: Annotated[
        Sequence[float] | None,
        Option(
            "weights of the features (default: 1 each)",
            metavar="LIST",
            read=listed_of(finite),
            common=True,
        ),
    ]
    depth: Annotated[
        int | None,
        Option("use the first N hypotheses of each list", metavar="N", read=whole(1)),
    ]


class CombineOptions(Scoring, Resampling, total=False):
    """The options of `misword.combine`."""

    metrics: Annotated[
        str | Iterable[str],
        Option(
            "metrics that judge, with --references",
            default="wer",
            metavar="LIST",
            common=True,
            registry="metrics",
            needs=("references",),
        ),
    ]
    method: Annotated[
        str,
        Option(
            "confidence of a word: the mean of its occurrences (meth1), the greatest (maxconf), "
            "or their share of the sum of all words in this place (avgconf)",
            default="meth1",
            choices=("meth1", "maxconf", "avgconf"),
            common=True,
            needs=(Need("alpha", "below 1", lambda alpha: alpha < 1),),
        ),
    ]
    alpha: Annotated[
        float,
        Option(
            "weight of the frequency of a word; that of its confidence is 1 - A",
            default=1.0,
            metavar="A",
            read=finite,
            common=True,
        ),
    ]
    null_confidence: Annotated[
        float,
        Option(
            "confidence that there is no word where a system has none",
            default=0.0,
            metavar="C",
            read=finite,
            common=True,
            needs=(Need("alpha", "below 1", lambda alpha: alpha < 1),),
        ),
    ]
    ranks: Annotated[
        int,
        Option(
            "of N-best lists, let the first N hypotheses vote",
            default=1,
            metavar="N",
            read=whole(1),
            common=True,
        ),
    ]


class ReferencesOptions(Threads, Resampling, total=False):
    """The options of `misword.references`."""

    lang: Annotated[
        str | None,
        Option(
            "language of the texts (default: en): how words sound, fillers, numbers",
            metavar="CODE",
            common=True,
            needs=("systems",),
        ),
    ]
    forgive: Annotated[
        str | Iterable[str],
        Option(
            "differences of writing that are no errors: writing (default, all of them), or some of "
            "`misword parts families`",
            default="writing",
            metavar="LIST",
            registry="families",
        ),
    ]
    threshold: Annotated[
        float,
        Option(
            "probability from which a suspect counts as an error in the rates, where there are no "
            "verdicts",
            default=0.5,
            metavar="P",
            read=finite,
            common=True,
            needs=("systems",),
        ),
    ]


class CorrelateOptions(Scoring, Resampling, Downstream, total=False):
    """The options of `misword.correlate`."""

    translations: Annotated[
        Any,
        Option(
            "translations of a system's hypotheses; one option for each HYP, in the same order",
            metavar="FILE",
            repeated=True,
            is_file=True,
            group=TRANSLATIONS,
            common=True,
        ),
    ]
    translation_references: Annotated[
        Any,
        Option(
            "reference translations; matched by id or by line, like transcripts",
            metavar="FILE",
            is_file=True,
            group=TRANSLATIONS,
            common=True,
        ),
    ]
    block: Annotated[
        int | str,
        Option(
            "utterances in a block (the last block may be shorter), or a metadata column such as "
            "speaker, whose values are the blocks",
            default=100,
            metavar="N|COLUMN",
            read=lambda text: int(text) if text.isdecimal() else column_name(text),
            group=TRANSLATIONS,
            needs=("translations",),
        ),
    ]


class Judgements(Scoring, Resampling, total=False):
    """How the judgements of people are read and counted."""

    columns: Annotated[
        Sequence[str] | None,
        Option(
            "names of the columns: five of choices (reference,hypA,nbrA,hypB,nbrB), three of "
            "ratings (reference,hypothesis,score), or six of ratings by several raters "
            "(item,system,rater,rating,reference,hypothesis); usual names are recognised",
            metavar="LIST",
            read=listed,
            common=True,
        ),
    ]
    input_format: Annotated[
        str | None,
        Option("tsv (with quoted fields), csv, jsonl, parquet", metavar="FORMAT", was="format"),
    ]
    consensus: Annotated[
        Sequence[float],
        Option(
            "least shares of votes for the majority; 1: all, 0: any majority",
            default=CONSENSUS,
            metavar="LIST",
            read=shares,
            common=True,
        ),
    ]


class BlendedMetrics(TypedDict, total=False):
    """The metrics of a blend."""

    metrics: Annotated[
        str | Iterable[str] | None,
        Option(
            f"the metrics to blend (default: those of the prior, else {','.join(BLENDED_METRICS)})",
            metavar="LIST",
            common=True,
            registry="metrics",
        ),
    ]


class FitOptions(Judgements, total=False):
    """The options of `misword.fit`."""

    select: Annotated[
        bool,
        Option(
            "blend the smallest set of metrics that is not worse",
            default=False,
            group=LEARNING,
            common=True,
        ),
    ]
    prior: Annotated[
        str | PathLike[str] | None,
        Option(
            "draw weights to those of people, people:size=small or a file of a blend (default: "
            "equal influence of all metrics)",
            metavar="BLEND",
            group=LEARNING,
            common=True,
        ),
    ]
    lower_is_better: Annotated[
        bool, Option("good hypotheses have low ratings", default=False, group=LEARNING)
    ]
    folds: Annotated[
        int,
        Option("parts of the references", default=10, metavar="N", read=whole(2), group=LEARNING),
    ]
    repeats: Annotated[
        int,
        Option("divisions into folds", default=10, metavar="N", read=whole(1), group=LEARNING),
    ]


class SeverityFitting(Blocks, total=False):
    """What `misword fit --severity` reads; the values of `block` are left out in turn."""

    severity: Annotated[
        bool,
        Option(
            "learn how much errors matter from labels: 0 no, 1 minimal, 2 significant impact, in "
            "the columns reference, hypothesis, label (and label_... of further annotators)",
            default=False,
            group=LEARNING,
            common=True,
        ),
    ]
    context: Annotated[
        str | None,
        Option(
            "with --severity: column of the text before the utterance, such as the question; used "
            "if it helps",
            metavar="COLUMN",
            group=LEARNING,
            needs=("severity",),
        ),
    ]


class Judging(TypedDict, total=False):
    """A judge of the severity of errors."""

    judge: Annotated[
        str | None,
        Option(
            "a program that reads lines of JSON and writes a level for each, or the address of an "
            "OpenAI-compatible endpoint (http...; its key is read from MISWORD_JUDGE_KEY): with "
            "--severity, its agreement with our own levels is printed; verdicts are cached",
            metavar="COMMAND|URL",
            group=ENTITIES,
            needs=("severity",),
        ),
    ]
    judge_model: Annotated[
        str | None,
        Option("the model of the endpoint", metavar="NAME", group=ENTITIES, needs=("judge",)),
    ]
    judge_context: Annotated[
        str | None,
        Option(
            "metadata column that the judge also gets, such as the question before",
            metavar="COLUMN",
            group=ENTITIES,
            needs=("judge",),
        ),
    ]


class CheckOptions(TypedDict, total=False):
    """The options of `misword.check`."""

    checks: Annotated[
        str | Iterable[str] | None,
        Option("which checks are made (default: all)", metavar="LIST", common=True,
               registry="checks"),
    ]  # fmt: skip
    lang: Annotated[
        str | None,
        Option("language that references and hypotheses should have", metavar="CODE", common=True),
    ]
    vectors: Annotated[
        Any,
        Option(
            "word vectors of the language, which say what usual words are, for the check "
            "`memorised`",
            metavar="FILE",
            is_file=True,
        ),
    ]
    translations: Annotated[
        Any,
        Option(
            "translations of a system's hypotheses; one option for each HYP, in the same order",
            metavar="FILE",
            repeated=True,
            is_file=True,
            group=FURTHER_FILES,
            common=True,
        ),
    ]
    translation_references: Annotated[
        Any,
        Option(
            "reference translations", metavar="FILE", is_file=True, group=FURTHER_FILES, common=True
        ),
    ]
    training: Annotated[
        Any,
        Option(
            "texts or a lexicon that a system was trained on; may be repeated",
            default=(),
            metavar="FILE",
            flags=("--training", "--lexicon"),
            repeated=True,
            is_file=True,
            group=FURTHER_FILES,
            common=True,
        ),
    ]


class RescoreOptions(Threads, total=False):
    """The options of `misword.rescore`."""

    normalize: Annotated[
        Steps,
        Option(
            "normalizers for the text that the language models see, such as lower,nopunct; the "
            "written text stays as it is",
            default="none",
            metavar="LIST",
            common=True,
            registry="normalizers",
        ),
    ]
    lang: Annotated[
        str | None,
        Option(
            "language of the texts, for normalizers that need it",
            metavar="CODE",
            common=True,
            needs=(Need("normalize", "LIST", lambda steps: steps != "none"),),
        ),
    ]
    cache: Annotated[
        bool,
        Option("neither read nor store the numbers of neural models on disk", default=True),
    ]

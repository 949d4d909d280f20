"""Robustness of sentence encoders: similarities of sentences under the errors of a recogniser.

The study of Voleti et al. 2019: sentences are corrupted at several word error rates, and
encoders are judged by the similarity of noisy and clean sentences (Figure 1) and by the
correlation of the similarities of noisy pairs with human scores (Table 2).

A `Study` has the encoders, the channel and the options. Its `run` normalizes the sentences of the
pairs, corrupts them in several trials of each rate, encodes them, computes similarities and makes
the tables.
"""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Unpack

import numpy as np

from misword.core.context import Context
from misword.core.errors import InputError, OptionError
from misword.core.lazy import pl
from misword.core.options import chosen, takes
from misword.core.parts import Settings, describe
from misword.core.parts.registry import split_specs
from misword.core.progress import progress
from misword.core.signature import Signature
from misword.core.types import DisplayedResult, Result
from misword.core.version import __version__
from misword.embed.encoders import Encoder, SentenceVectors, create_encoder, pair_similarities
from misword.embed.options import Language, Models
from misword.embed.sentence_cache import sentence_vectors
from misword.embed.vectors.words import notes_of
from misword.io.files.sources import PathLike, open_source
from misword.io.judgements import read_sts, shape_pairs
from misword.io.transcripts.columns import in_memory
from misword.noise.arrays import Floats, Ints
from misword.noise.channels import Channel
from misword.noise.channels.specs import AUTO, choose_channel
from misword.noise.corrupt import build_error_model, check_mixes, draw_all
from misword.noise.corrupt import signature as corruption_signature
from misword.noise.corruption.drawer import BlockDrawer
from misword.noise.corruption.result import left_alone_note
from misword.noise.corruption.targets import ErrorCapacity, as_mix, as_target_wers
from misword.noise.error_model import ErrorModel, Mix
from misword.noise.options import ENCODERS, TARGET_WERS, RobustOptions, TaskOptions
from misword.stat.bootstrap import Bootstrap, interval, widened
from misword.stat.correlation import correlation, pearson_resamples
from misword.stat.descriptions.noise import DOWNSTREAM, ROBUSTNESS
from misword.stat.student_t import MeanInterval, line_through, mean_of
from misword.text.normalizers import normalize as normalize_texts
from misword.text.normalizers import normalizers, spell_chain
from misword.text.texts import Texts


@dataclass(frozen=True, slots=True, eq=False)
class Trials:
    """The sentences of pairs in all trials, as numbers of `texts`.

    The first sentences of all pairs come first, then all second ones. `sentences[level, trial]` has
    the sentences as they are in a trial; level 0 is without noise. `target_wers` are the word error
    rates of the levels, `realised` those that were reached (level, trial). `texts` has each
    distinct text once, clean ones first. Of all `words` the channel cannot substitute `left_alone`.
    """

    texts: list[str]
    sentences: Ints
    target_wers: tuple[float, ...]
    realised: Floats
    words: int = 0
    left_alone: int = 0

    @property
    def clean(self) -> Ints:
        """The clean sentences, as numbers of `texts`."""
        numbers: Ints = self.sentences[0, 0]
        return numbers

    @property
    def clean_texts(self) -> list[str]:
        """The texts of the clean sentences; equal sentences are repeated."""
        return self.texts_of(self.clean)

    def texts_of(self, numbers: Ints) -> list[str]:
        """Return the texts with these numbers."""
        return [self.texts[number] for number in numbers.tolist()]


def draw_trials(
    sentences: Sequence[str],
    model: ErrorModel | BlockDrawer,
    target_wers: Sequence[float],
    trials: int,
    *,
    mix: Mix | None,
    seed: int,
    workers: int | None,
) -> Trials:
    """Corrupt all sentences, each occurrence on its own, at each WER (the first one is 0)."""
    numbers: dict[str, int] = {}
    noisy = np.empty((len(target_wers), trials, len(sentences)), np.int64)
    realised = np.zeros((len(target_wers), trials))
    noisy[0] = _number_texts(sentences, numbers)
    capacity = ErrorCapacity()
    if len(target_wers) > 1:
        with progress("corrupting", trials) as step:
            for trial in range(trials):
                levels = draw_all(
                    sentences, model, target_wers[1:], mix=mix, seed=trial_seed(seed, trial),
                    workers=workers,
                )  # fmt: skip
                for number, level in enumerate(levels, start=1):
                    noisy[number, trial] = _number_texts(level.texts, numbers)
                    realised[number, trial] = level.realised.wer or 0.0
                    capacity = level.realised.target.capacity
                step(1)
    counts = capacity.words, capacity.left_alone
    return Trials(list(numbers), noisy, tuple(target_wers), realised, *counts)


def trial_seed(seed: int, trial: int) -> int:
    """Return the seed of a trial; seeds of different trials are far apart."""
    return int(np.random.SeedSequence((seed, trial)).generate_state(1, np.uint64)[0] >> 1)


def _number_texts(texts: Sequence[str], numbers: dict[str, int]) -> list[int]:
    """Return the number of each text; a new text gets the next number."""
    return [numbers.setdefault(" ".join(text.split()), len(numbers)) for text in texts]


# Similarities of noisy sentences under an encoder: with their clean forms, and within pairs.


@dataclass(frozen=True, slots=True, eq=False)
class NoisySimilarities:
    """The similarities of the sentences of all trials under one encoder.

    `with_clean[level, trial]` is the mean similarity of the noisy sentences with their clean forms.
    `within_pairs[level, trial]` has the similarity of the two noisy sentences of each pair.
    `unknown` clean sentences have a zero vector: their similarity to any other sentence is 0.
    `partial` clean sentences are encoded in part only.
    """

    with_clean: Floats
    within_pairs: Floats
    unknown: int
    partial: int


def noisy_similarities(
    encoder: Encoder, trials: Trials, context: Context, *, refit: bool
) -> NoisySimilarities:
    """Compute the similarities of all trials.

    The encoder is fitted on the clean sentences, or with `refit` on the sentences of each trial.
    """
    distinct = np.unique(trials.clean)
    partial = encoder.partial(trials.texts_of(distinct), context)
    levels, times, size = trials.sentences.shape
    with_clean = np.empty((levels, times))
    within_pairs = np.empty((levels, times, size // 2))
    refits = refit and encoder.fitted
    texts = trials.texts[: len(distinct)] if refits else trials.texts
    clean_fit = _encode(encoder, texts, trials, context)
    for level, trial in np.ndindex(with_clean.shape):
        numbers, rows = trials.sentences[level, trial], clean_fit
        if refits and level:
            numbers, rows = _refit(encoder, trials, numbers, clean_fit, context)
        with_clean[level, trial] = _similarities(encoder, rows, trials.clean, numbers).mean()
        within_pairs[level, trial] = _similarities(encoder, rows, *np.split(numbers, 2))
    occurrences = np.bincount(trials.clean, minlength=len(distinct))
    zero = np.count_nonzero(clean_fit[: len(distinct)], axis=1) == 0
    return NoisySimilarities(
        with_clean, within_pairs, int(occurrences[zero].sum()), int(occurrences[partial].sum())
    )


def _encode(
    encoder: Encoder, texts: list[str], trials: Trials, context: Context
) -> SentenceVectors:
    """Return the vectors of texts by the encoder fitted on the clean sentences."""
    return sentence_vectors(encoder, texts, trials.clean_texts, context)


def _refit(
    encoder: Encoder, trials: Trials, numbers: Ints, clean_fit: SentenceVectors, context: Context
) -> tuple[Ints, SentenceVectors]:
    """Return the sentences of a trial encoded by an encoder that is fitted on them.

    Their vectors come after the clean ones; the first result has their row numbers.
    """
    distinct, places = np.unique(numbers, return_inverse=True)
    encode = encoder.fit(trials.texts_of(numbers), context)
    noisy = encode(trials.texts_of(distinct))
    return places + len(clean_fit), np.concatenate([clean_fit, noisy])


def _similarities(encoder: Encoder, rows: SentenceVectors, left: Ints, right: Ints) -> Floats:
    """Return the similarity of each pair of rows; 1 for a row with itself, even if it is zero."""
    similarities = np.ones(len(left))
    differ = np.flatnonzero(left != right)
    values = pair_similarities(encoder.similarity, rows, left[differ], right[differ])
    similarities[differ] = np.minimum(values, 1)
    return similarities


# The tables of a robustness study: each trial, means over trials, regression lines, examples.

EXAMPLES = 8  # sentences that are shown at each WER


def trials_table(
    similarities: Mapping[str, NoisySimilarities], trials: Trials, gold: Floats
) -> pl.DataFrame:
    """Return a row for each encoder, WER and trial; at WER 0 all trials are the same."""
    rows = []
    for label, encoder in similarities.items():
        for level, target_wer in enumerate(trials.target_wers):
            for trial in range(encoder.with_clean.shape[1] if level else 1):
                with_gold = correlation(
                    encoder.within_pairs[level, trial], gold, Bootstrap(times=0)
                )
                rows.append(
                    {
                        **{"encoder": label, "wer": target_wer, "trial": trial + 1},
                        "realised": float(trials.realised[level, trial]),
                        "similarity": float(encoder.with_clean[level, trial]),
                        "pearson": with_gold.pearson.value,
                        "spearman": with_gold.spearman.value,
                    }
                )
    return pl.DataFrame(rows, infer_schema_length=None)


def levels_table(
    trials: pl.DataFrame,
    similarities: Mapping[str, NoisySimilarities],
    gold: Floats,
    signatures: Mapping[str, Signature],
    bootstrap: Bootstrap,
) -> pl.DataFrame:
    """Return a row for each encoder and WER: means, intervals over trials and over pairs."""
    rows = []
    for label, encoder in similarities.items():
        own = trials.filter(encoder=label)
        clean = own.filter(trial=1).row(0, named=True)
        resampled = _pearson_resamples(encoder, gold, bootstrap)
        for level, ((target_wer,), part) in enumerate(own.group_by("wer", maintain_order=True)):
            row: dict[str, Any] = {"encoder": label, "wer": target_wer, "trials": len(part)}
            row["realised"] = part["realised"].mean()
            with np.errstate(divide="ignore", invalid="ignore"):
                ratios = resampled[:, level] / resampled[:, 0]
            over_pairs = {"pearson": resampled[:, level], "ratio": ratios}
            means = {
                name: _mean(part[name], bootstrap.confidence, level)
                for name in ("similarity", "pearson", "spearman")
            }
            means["ratio"] = means["pearson"].divided_by(clean["pearson"])
            means["spearman_ratio"] = means["spearman"].divided_by(clean["spearman"])
            for name, mean in means.items():
                row |= {name: mean.value, f"{name}_low": mean.low, f"{name}_high": mean.high}
                if name in over_pairs:
                    values = over_pairs[name]
                    finite = np.where(np.isfinite(values), values, np.nan)
                    low, high = widened(finite, len(gold), bootstrap.confidence)
                    row |= {f"{name}_pairs_low": low, f"{name}_pairs_high": high}
            rows.append({**row, "pairs": len(gold), "signature": str(signatures[label])})
    return pl.DataFrame(rows, infer_schema_length=None).fill_nan(None)


def lines_table(
    trials: pl.DataFrame, signatures: Mapping[str, Signature], *, confidence: float
) -> pl.DataFrame:
    """Return for each encoder the regression line of mean similarity over realised WER.

    The interval is over the slopes of the trials, each of which has a line of its own.
    """
    rows = []
    for label, signature in signatures.items():
        own = trials.filter(encoder=label)
        means = own.group_by("wer", maintain_order=True).agg(
            pl.col("realised", "similarity").mean()
        )
        line = line_through(means["realised"], means["similarity"])
        clean = own.filter(wer=0.0)
        slopes = []
        for number in range(1, int(own["trial"].max()) + 1):  # type: ignore[arg-type]
            noisy = own.filter((pl.col("trial") == number) & (pl.col("wer") > 0))
            points = pl.concat([clean, noisy])
            slopes.append(line_through(points["realised"], points["similarity"]).slope)
        slope = mean_of(slopes, confidence)
        row: dict[str, Any] = {"encoder": label, "slope": line.slope, "slope_low": slope.low}
        row |= {"slope_high": slope.high, "intercept": line.intercept, "r2": line.r2}
        rows.append({**row, "signature": str(signature)})
    return pl.DataFrame(rows, infer_schema_length=None).fill_nan(None)


def examples_table(trials: Trials) -> pl.DataFrame:
    """Return some clean sentences with their noisy forms in the first trial."""
    some = np.unique(trials.clean, return_index=True)[1][:EXAMPLES]
    rows = [
        {
            "sentence": trials.texts[trials.clean[at]],
            "wer": target_wer,
            "heard": trials.texts[trials.sentences[level, 0, at]],
        }
        for at in some.tolist()
        for level, target_wer in enumerate(trials.target_wers)
        if level
    ]
    schema = {"sentence": pl.String, "wer": pl.Float64, "heard": pl.String}
    return pl.DataFrame(rows, schema)


def _mean(values: pl.Series, confidence: float, level: int) -> MeanInterval:
    """Return the mean over trials; at level 0 all trials are the same and have no spread."""
    if not level:
        return MeanInterval(values[0], values[0], values[0])
    return mean_of(values.to_numpy(), confidence)


def _pearson_resamples(encoder: NoisySimilarities, gold: Floats, bootstrap: Bootstrap) -> Floats:
    """Return Pearson's coefficient in resamples of the pairs, at each level, mean over trials."""
    levels, trials, size = encoder.within_pairs.shape
    columns = encoder.within_pairs.reshape(levels * trials, size).T
    drawn = pearson_resamples(gold, columns, bootstrap)
    return np.asarray(drawn.reshape(bootstrap.times, levels, trials).mean(axis=2))


# The study.


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Robustness(DisplayedResult):
    """The similarities of noisy sentences under encoders.

    `levels` has a row for each encoder and rate: the mean `similarity` of noisy and clean
    sentences, `pearson` and `spearman` of the similarities of noisy pairs with the gold scores, and
    `ratio`, Pearson's coefficient over that of the clean sentences; all are means over trials.
    `_low` and `_high` are Student's intervals over trials, `_pairs_low` and `_pairs_high` bootstrap
    intervals over pairs. `lines` has for each encoder the regression line of similarity over WER;
    `trials` has the numbers of each trial; `examples` has some noisy sentences. `parts` has title,
    family and citations of encoders and channel; `notes` and `vector_notes` are facts that the
    numbers do not show.
    """

    levels: pl.DataFrame
    lines: pl.DataFrame
    trials: pl.DataFrame
    examples: pl.DataFrame
    signatures: Mapping[str, Signature]
    settings: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    vector_notes: tuple[str, ...] = ()
    parts: Mapping[str, Any] = field(default_factory=dict)
    description = ROBUSTNESS

    def main_table(self) -> pl.DataFrame:
        """Return the table `levels`."""
        return self.levels

    def result(self, provenance: Mapping[str, Any] | None = None) -> Result:
        """Return the tables as a result that can be written."""
        tables = {name: getattr(self, name) for name in ("levels", "lines", "trials", "examples")}
        signed = {label: str(signature) for label, signature in self.signatures.items()}
        facts = {"misword": __version__, **(provenance or {}), **self.settings}
        facts |= {"encoders": list(signed), "signatures": signed, "notes": list(self.notes)}
        return Result("robustness", tables, {**facts, "parts": dict(self.parts)})


@takes(RobustOptions)
def robust(
    pairs: Any,
    encoders: str | Iterable[str] = ENCODERS,
    wer: str | float | Iterable[float] = TARGET_WERS,
    **options: Unpack[RobustOptions],
) -> Robustness:
    """Corrupt pairs of sentences at several word error rates and compare encoders under the noise.

    `pairs` is a file (STS-benchmark, SICK, any table; `columns` and `input_format` say how it is
    read), or anything that polars makes a frame of, with two sentences and a score. Sentences are
    normalized before they are corrupted and encoded, because `mat.` usually has no vector, and
    `mat` has one. `channel_vectors` are the vectors of the channel, if they differ from those of
    the encoders. With `refit`, SIF and uSIF learn from each noisy corpus, not from the clean one.

    >>> from misword.embed.vectors.words import WordVectors
    >>> vectors = WordVectors.of(["a", "b", "c"], [[1, 0], [0, 1], [1, 1]])
    >>> rows = {"s1": ["a b", "b c", "c"], "s2": ["b b", "b a", "c"], "score": [1, 2, 3]}
    >>> study = robust(rows, "mean", [0, 0.5], channel="uniform", vectors=vectors, trials=2)
    >>> study.levels["similarity"][0]
    1.0
    """
    settings = StudyOptions(
        tuple(as_target_wers(wer)), options["trials"], as_mix(options["mix"]),
        tuple(split_specs(options["normalize"])), options["refit"], Bootstrap.of(options),
    )  # fmt: skip
    context = channel_context = Context.of(**chosen(options, Models))
    if options["channel_vectors"] is not None:
        channel_context = Context.of(
            context.lang, options["channel_vectors"], workers=context.workers
        )
    study = Study.prepare(encoders, options["channel"], settings, context, channel_context)
    return study.run(_read_pairs(pairs, options["columns"], options["input_format"]))


def _read_pairs(
    pairs: Any, columns: Sequence[str] | None, input_format: str | None
) -> pl.DataFrame:
    """Return the frame of pairs of a file, or of data in memory."""
    if isinstance(pairs, str | os.PathLike):
        return read_sts(pairs, columns=columns, input_format=input_format)
    return shape_pairs(*in_memory(pairs, "pairs"), columns)


@dataclass(frozen=True, slots=True, eq=False)
class StudyOptions:
    """The numbers and switches of a study, checked; WER 0 is added, and the WERs are sorted."""

    target_wers: tuple[float, ...]
    trials: int
    mix: Mix | None
    normalize: tuple[str, ...]
    refit: bool
    bootstrap: Bootstrap

    def __post_init__(self) -> None:
        if self.trials < 1:
            raise OptionError(f"{self.trials} trials", fix="use one or more; intervals need two")
        object.__setattr__(self, "target_wers", tuple(sorted({0.0, *self.target_wers})))
        normalizers(self.normalize)


@dataclass(frozen=True, slots=True, eq=False)
class Study:
    """The checked encoders, channel and options of a study, without its sentences."""

    encoders: Mapping[str, Encoder]
    channel_label: str
    channel: Channel
    options: StudyOptions
    context: Context
    channel_context: Context

    @classmethod
    def prepare(
        cls,
        encoders: str | Iterable[str],
        channel: str | Channel,
        options: StudyOptions,
        context: Context,
        channel_context: Context,
    ) -> Study:
        """Create channel and encoders; raise an error if one of them cannot be used."""
        specs = split_specs(encoders)
        if not specs:
            raise OptionError("no encoder is named", fix=f"name some: {ENCODERS}")
        part = choose_channel(channel, channel_context)
        label = channel if isinstance(channel, str) and channel != AUTO else part.name
        parts = {spec: create_encoder(context.lang, spec) for spec in dict.fromkeys(specs)}
        for encoder in parts.values():
            encoder.check(context)
        return cls(parts, label, part, options, context, channel_context)

    def run(self, pairs: pl.DataFrame) -> Robustness:
        """Corrupt the sentences of all pairs in all trials, encode them, and make the tables."""
        options, bootstrap = self.options, self.options.bootstrap
        chain = normalizers(options.normalize)
        sentences = normalize_texts(Texts.of([*pairs["a"], *pairs["b"]]), chain).split()
        model = build_error_model(sentences, self.channel, self.channel_context)
        mix = options.mix or model.mix
        drawn = draw_trials(
            sentences, model, options.target_wers, options.trials, mix=mix, seed=bootstrap.seed,
            workers=self.context.workers,
        )  # fmt: skip
        corruption = corruption_signature(self.channel, self.channel_context, mix, bootstrap.seed)
        noise_settings = (
            *(setting for setting in corruption.settings if setting[0] != "v"),
            ("normalize", spell_chain(chain)),
        )
        gold = pairs["score"].to_numpy()
        similarities = {
            label: noisy_similarities(encoder, drawn, self.context, refit=options.refit)
            for label, encoder in self.encoders.items()
        }
        signatures = {
            label: self._signature(encoder, drawn, noise_settings)
            for label, encoder in self.encoders.items()
        }
        trials = trials_table(similarities, drawn, gold)
        return Robustness(
            levels_table(trials, similarities, gold, signatures, bootstrap),
            lines_table(trials, signatures, confidence=bootstrap.confidence),
            trials.fill_nan(None),
            examples_table(drawn),
            signatures,
            self._settings(len(pairs), drawn),
            tuple(_notes(similarities, drawn)),
            (*notes_of(self.context), *notes_of(self.channel_context)),
            self._parts(),
        )

    def _settings(self, pairs: int, drawn: Trials) -> dict[str, Any]:
        """Return the numbers that the provenance of a result names."""
        options, bootstrap = self.options, self.options.bootstrap
        return {
            **{"rates": list(options.target_wers), "trials": options.trials, "pairs": pairs},
            **{"refit": options.refit, "channel": self.channel_label},
            **bootstrap.settings,
            **{"words": drawn.words, "left_alone": drawn.left_alone},
        }

    def _parts(self) -> dict[str, Any]:
        """Return title, family and citations of the encoders and of the channel, by label."""
        encoders = {label: describe(encoder) for label, encoder in self.encoders.items()}
        return {**encoders, self.channel_label: self.channel.description()}

    def _signature(self, encoder: Encoder, trials: Trials, noise: Settings) -> Signature:
        """Return the signature of an encoder's rows.

        A setting of the channel that the encoder has too is prefixed with `channel.`.
        """
        options = self.options
        fitted: Settings = ()
        if encoder.fitted:
            digest = sha256("\n".join(sorted(trials.clean_texts)).encode()).hexdigest()[:12]
            fitted = (("fitted", "noisy" if options.refit else f"clean-{digest}"),)
        own = dict(encoder.settings(self.context))
        prefixed = ((f"channel.{key}" if key in own else key, value) for key, value in noise)
        last = ("trials", str(options.trials)), ("v", str(encoder.revision))
        return Signature("robust", (*own.items(), *fitted, *prefixed, *last))


def _notes(similarities: Mapping[str, NoisySimilarities], drawn: Trials) -> Iterable[str]:
    """Yield notes on words that the channel cannot change, and on sentences without vectors."""
    size = len(drawn.clean)
    if drawn.left_alone:
        yield left_alone_note(drawn.left_alone, drawn.words)
    partial = {label: encoder.partial for label, encoder in similarities.items()}
    unknown = {label: encoder.unknown for label, encoder in similarities.items()}
    for counts, reason in (
        (partial, "only partly encoded: words without a vector, or more text than the model takes"),
        (unknown, "none of their words is known; their similarity to any other sentence is 0"),
    ):
        labels: dict[int, list[str]] = {}  # of the encoders with the same count, in one note
        for label, count in counts.items():
            labels.setdefault(count, []).append(label)
        for count, same in labels.items():
            if count:
                yield f"{', '.join(same)}: {count:,} of {size:,} clean sentences: {reason}"


# What noise does to a task: a command of the user scores clean and noisy texts.
#
# The command gets the texts on standard input, one on each line, and writes one score for each
# text (1 for a text that it classifies rightly, else 0; the reciprocal rank of the right document;
# ...), or a single score for all of them. Higher scores are better. It knows the right answers by
# the order of the texts, which is always that of the file. It runs once for the clean texts, and
# once for each channel, word error rate and trial.

ONE_SCORE = "the task gives one score for all texts: there are no intervals over texts"
LINES_OF_ERROR = 5  # of the command's standard error that a message shows


@dataclass(frozen=True, eq=False, repr=False)
class Downstream(DisplayedResult):
    """The scores of a task under noise: `levels` has a row for each channel and word error rate.

    `ratio` is the score divided by that of the clean texts. Its interval is a bootstrap over texts,
    if the command scores single texts.
    """

    levels: pl.DataFrame
    signatures: dict[str, str]
    settings: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    description = DOWNSTREAM

    def main_table(self) -> pl.DataFrame:
        """Return the table `levels`."""
        return self.levels

    def result(self, provenance: dict[str, Any] | None = None) -> Result:
        """Return the table as a result that can be written."""
        facts = {"misword": __version__, **(provenance or {}), **self.settings}
        facts["signatures"] = self.signatures
        return Result("downstream", {"levels": self.levels}, facts)


@takes(TaskOptions)
def task_robustness(
    texts: PathLike | Iterable[str],
    task: str | Sequence[str],
    wer: Any = TARGET_WERS,
    **options: Unpack[TaskOptions],
) -> Downstream:
    """Return how a task's scores fall with the word error rate, for one or more channels.

    `texts` is a file with a text on each line, or the texts. `task` is the command. `channel` may
    name several channels, separated by commas.

    >>> import sys
    >>> count = "import sys; [print(int(len(line.split()) > 2)) for line in sys.stdin]"
    >>> command = [sys.executable, "-c", count]
    >>> found = task_robustness(["a b c", "a b"], command, 0.4, channel="uniform", trials=1)
    >>> found.levels["score"].to_list()
    [0.5, 0.5]
    """
    resampling = Bootstrap.of(options)
    target_wers = sorted({0.0, *as_target_wers(wer)})
    mix, trials = as_mix(options["mix"]), options["trials"]
    context = Context.of(**chosen(options, Language))
    command = shlex.split(task) if isinstance(task, str) else list(task)
    if not command:
        raise OptionError("no task is named", fix="name a command: --task 'python classify.py'")
    if trials < 1:
        raise OptionError(f"{trials} trials", fix="use one or more")
    parts = _task_channels(options["channel"], mix, context)
    lines = read_lines(texts)
    clean, rows, signatures = run_task(command, lines), [], {}
    with progress("scoring", len(parts) * trials * (len(target_wers) - 1)) as step:
        for name, part in parts.items():
            model = build_error_model(lines, part, context)
            used = mix or model.mix
            signatures[name] = str(corruption_signature(part, context, used, resampling.seed))
            scores: dict[float, list[Floats]] = {0.0: [clean]}
            realised: dict[float, list[float]] = {0.0: [0.0]}
            for trial in range(trials if len(target_wers) > 1 else 0):
                seed = trial_seed(resampling.seed, trial)
                drawn = draw_all(lines, model, target_wers[1:], mix=mix, seed=seed)
                for target, level in zip(target_wers[1:], drawn, strict=True):
                    scored = run_task(command, level.texts, len(clean))
                    scores.setdefault(target, []).append(scored)
                    realised.setdefault(target, []).append(level.realised.wer or 0.0)
                    step(1)
            rows += [
                _row(name, target, realised[target], scores[target], clean, resampling)
                for target in target_wers
            ]
    return Downstream(
        pl.DataFrame(rows, infer_schema_length=None).fill_nan(None),
        signatures,
        {"task": shlex.join(command), "texts": len(lines), "trials": trials} | resampling.settings,
        (ONE_SCORE,) if len(clean) == 1 < len(lines) else (),
    )


def _task_channels(named: str | Channel, mix: Mix | None, context: Context) -> dict[str, Channel]:
    """Return the channels that an option names, checked."""
    if isinstance(named, Channel):
        parts = {named.name: named}
    else:
        parts = {spec: choose_channel(spec, context) for spec in split_specs(named)}
    for part in parts.values():
        check_mixes(part, mix)
    return parts


def _row(
    channel: str,
    target: float,
    realised: Sequence[float],
    scores: Sequence[Floats],
    clean: Floats,
    bootstrap: Bootstrap,
) -> dict[str, Any]:
    """Return the row of a channel and a word error rate: means over trials."""
    mean = np.mean(scores, axis=0)
    terms = np.stack([mean, clean], axis=1)

    def ratio(sums: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(sums[..., 0] / sums[..., 1])

    low, high = interval(terms, ratio, bootstrap) if target else (1.0, 1.0)
    totals = [float(one.mean()) for one in scores]
    spread = float(np.std(totals, ddof=1)) if len(totals) > 1 else None
    return {
        "channel": channel,
        "wer": target,
        "realised": float(np.mean(realised)),
        "score": float(mean.mean()),
        "deviation": spread,
        "ratio": float(ratio(terms.sum(axis=0))),
        "ratio_low": low,
        "ratio_high": high,
        "trials": len(scores),
    }


def read_lines(texts: PathLike | Iterable[str]) -> list[str]:
    """Return the texts of a file, one on each line, or texts in memory."""
    if isinstance(texts, str | os.PathLike):
        lines = list(open_source(texts).lines)
    else:
        lines = [" ".join(text.splitlines()) for text in texts]
    if not any(lines):
        raise InputError("there are no texts", fix="give a file with a text on each line")
    return lines


def run_task(command: Sequence[str], texts: Sequence[str], size: int | None = None) -> Floats:
    """Return the scores that a command gives texts: one for each, or one for all.

    `size` is the number of scores of the clean texts, which others must have too.
    """
    shown = shlex.join(command)
    try:
        done = subprocess.run(
            command, input="".join(f"{text}\n" for text in texts), capture_output=True,
            encoding="utf-8", check=False,
        )  # fmt: skip
    except OSError as error:
        raise OptionError(
            f"the task cannot be run: {error.strerror}", where=shown, fix="check --task"
        ) from None
    except UnicodeDecodeError:
        raise InputError("the task's output is not UTF-8", where=shown) from None
    if done.returncode:
        last = " / ".join(done.stderr.strip().splitlines()[-LINES_OF_ERROR:])
        raise InputError(
            f"the task ended with status {done.returncode}: {last}", where=shown,
            fix="run it by hand: it reads texts on standard input and writes scores",
        )  # fmt: skip
    try:
        scores = np.array([float(word) for word in done.stdout.split()], np.float64)
    except ValueError:
        scores = np.zeros(0)
    if (
        len(scores) not in ({1, len(texts)} if size is None else {size})
        or not np.isfinite(scores).all()
    ):
        raise InputError(
            f"the task must write a number for each of {len(texts):,} texts, or one for all; it "
            f"wrote {len(done.stdout.split()):,} words",
            where=shown, fix="write one score on each line, and nothing else",
        )  # fmt: skip
    return scores

"""Robustness of sentence encoders: what happens to sentence similarities under recogniser noise?

The study of Voleti et al. 2019: sentences are corrupted at several word error rates, and encoders
are judged by the similarity of noisy and clean sentences (Figure 1) and by the correlation of the
similarities of noisy pairs with human scores (Table 2).

A `Study` has the encoders, the channel and the options. Its `run` normalizes the sentences of the
pairs, corrupts them (`robustness/trials.py`), encodes them and computes similarities
(`robustness/similarity.py`), and makes the tables (`robustness/tables.py`).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from misword.core import display
from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.parts.contract import Settings, describe
from misword.core.parts.registry import split_specs
from misword.core.signature import Signature
from misword.core.types import DisplayedResult, Result
from misword.core.version import __version__
from misword.embed.encoders import Encoder, create_encoder
from misword.embed.vectors.words import notes_of
from misword.io.sts import read_sts, shape_pairs
from misword.io.transcripts.columns import in_memory
from misword.noise.channels import Channel
from misword.noise.channels.specs import AUTO, choose_channel
from misword.noise.corrupt import build_error_model
from misword.noise.corrupt import signature as corruption_signature
from misword.noise.corruption.options import check_mix, check_target_wers
from misword.noise.error_model import Mix
from misword.noise.robustness.similarity import NoisySimilarities, noisy_similarities
from misword.noise.robustness.tables import (
    examples_table,
    levels_table,
    lines_table,
    trials_table,
)
from misword.noise.robustness.trials import Trials, draw_trials
from misword.stat.bootstrap import Bootstrap
from misword.text.normalizers import normalize as normalize_texts
from misword.text.normalizers import normalizers, spell_chain
from misword.text.texts import Texts

if TYPE_CHECKING:
    import polars as pl

    from misword.embed.vectors.words import WordVectors

ENCODERS = "mean,sif,usif,subspace"
TARGET_WERS = (0.0, 0.1, 0.3, 0.5)
NORMALIZE = "nfc,lower,nopunct"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Robustness(DisplayedResult):
    """The similarities of noisy sentences under encoders.

    `levels` has a row for each encoder and rate: the mean `similarity` of noisy and clean
    sentences, `pearson` and `spearman` of the similarities of noisy pairs with the gold scores, and
    `ratio`, Pearson's coefficient over that of the clean sentences; all are means over trials.
    `_low` and `_high` are Student's intervals over trials, `_pairs_low` and `_pairs_high` bootstrap
    intervals over pairs. `lines` has for each encoder the regression line of similarity over WER;
    `trials` has the numbers of each trial; `examples` has some noisy sentences. `parts` has title,
    family and citations of encoders and channel; `notes` and `vector_notes` say what the numbers do
    not show.
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

    def overview(self) -> display.Overview:
        """Return the similarities and correlations of each encoder and rate."""
        columns = (
            display.text("encoder"),
            display.percent("wer", "WER %"),
            *(display.number(name) for name in ("similarity", "pearson", "spearman", "ratio")),
        )
        title = f"Robustness of {display.names_shown(self.signatures)}"
        return display.Overview.of(title, self.levels, columns)

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


def robust(
    pairs: Any,
    encoders: str | Iterable[str] = ENCODERS,
    wer: Sequence[float] = TARGET_WERS,
    *,
    trials: int = 5,
    channel: str | Channel = AUTO,
    mix: Mix | None = None,
    columns: Sequence[str] | None = None,
    format: str | None = None,
    normalize: str | Iterable[str] = NORMALIZE,
    lang: str | None = None,
    vectors: str | os.PathLike[str] | WordVectors | None = None,
    max_words: int | None = None,
    vector_format: str | None = None,
    channel_vectors: str | os.PathLike[str] | WordVectors | None = None,
    refit: bool = False,
    bootstrap: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
    cache: bool = False,
    workers: int | None = None,
) -> Robustness:
    """Corrupt pairs of sentences at several word error rates and compare encoders under the noise.

    `pairs` is a file (STS-benchmark, SICK, any table; `columns` and `format` say how it is read),
    or anything that polars makes a frame of, with two sentences and a score. Sentences are
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
    options = StudyOptions(
        tuple(wer), trials, mix, tuple(split_specs(normalize)), refit,
        Bootstrap(bootstrap, confidence, seed),
    )  # fmt: skip
    context = Context.of(lang, vectors, max_words, vector_format, cache=cache, workers=workers)
    channel_context = context
    if channel_vectors is not None:
        channel_context = Context.of(lang, channel_vectors, workers=workers)
    study = Study.prepare(encoders, channel, options, context, channel_context)
    return study.run(_read_pairs(pairs, columns, format))


def _read_pairs(pairs: Any, columns: Sequence[str] | None, format: str | None) -> pl.DataFrame:
    """Return the frame of pairs of a file, or of data in memory."""
    if isinstance(pairs, str | os.PathLike):
        return read_sts(pairs, columns=columns, format=format)
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
        if self.mix is not None:
            check_mix(self.mix)
        target_wers = check_target_wers(self.target_wers)
        object.__setattr__(self, "target_wers", tuple(sorted({0.0, *target_wers})))
        normalizers(self.normalize)


@dataclass(frozen=True, slots=True, eq=False)
class Study:
    """Encoders, a channel and options that were checked: everything but the sentences."""

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
    """Yield notes on words that the channel left alone and sentences that encoders do not know."""
    size = len(drawn.clean)
    if drawn.left_alone:
        yield f"{drawn.left_alone:,} of {drawn.words:,} words have no candidate: left as they are"
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

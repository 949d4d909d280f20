"""Similarities of sentences under noise for several encoders, and numbers that follow from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from misword.core.context import Context
from misword.embed.encoders import create_encoder
from misword.noise.arrays import Floats
from misword.noise.channels.specs import create_channel
from misword.noise.corrupt import build_error_model
from misword.noise.error_model import Mix
from misword.noise.options import NORMALIZE
from misword.noise.robust import NoisySimilarities, Trials, draw_trials, noisy_similarities
from misword.stat.bootstrap import Bootstrap, widened
from misword.stat.correlation import pearson_resamples
from misword.stat.student_t import Line, MeanInterval, line_through, mean_of
from misword.text.normalizers import normalize, normalizers
from misword.text.texts import Texts
from studies.common.resampled import Estimate
from studies.voleti2019.materials import encoder_vectors, noise_context, pairs

WERS = (0.0, 0.1, 0.3, 0.5)
TRIALS = 3
RESAMPLES = 1000
# The names of the encoders, and their specs. SIF and uSIF are fitted on each noisy corpus, as in
# the paper; those with `(clean)` on the clean one.
WORD_ENCODERS = {
    "mean": "mean",
    "mean-stop": "mean-stop",
    "sif": "sif",
    "usif": "usif",
    "subspace": "subspace:stop=wordfreq",
}
CLEAN_FITS = {"sif (clean)": "sif", "usif (clean)": "usif"}
MODELS = {"use": "use", "transformer": "transformer"}


@dataclass(frozen=True, eq=False)
class Measured:
    """The noisy sentences of a corpus, and their similarities by encoder.

    All encoders have the same noisy sentences, so that their numbers can be compared trial by trial
    and pair by pair.
    """

    trials: Trials
    gold: Floats
    similarities: Mapping[str, NoisySimilarities]

    @property
    def words(self) -> int:
        """Words of all sentences."""
        return self.trials.words

    def similarity(self, name: str, level: int) -> MeanInterval:
        """Return the mean similarity of noisy and clean sentences, with an interval over trials."""
        return mean_of(self.similarities[name].with_clean[level])

    def lines(self, name: str) -> list[Line]:
        """Return the regression line of similarity over realised WER, of each trial."""
        of_trials = zip(self.trials.realised.T, self.similarities[name].with_clean.T, strict=True)
        return [line_through(wers, similarities) for wers, similarities in of_trials]

    def slopes(self, name: str) -> Floats:
        """Return the slope of each trial: the change of similarity for a WER of 100 %."""
        return np.array([line.slope for line in self.lines(name)])

    def slope_difference(self, name: str, other: str) -> MeanInterval:
        """Return by how much one slope is above another, with an interval over trials."""
        return mean_of(self.slopes(name) - self.slopes(other))

    @cached_property
    def correlations(self) -> dict[str, Floats]:
        """Pearson's coefficient with the scores of people, by encoder: an array of levels.

        It is the mean over trials.
        """
        return {
            name: np.array([
                np.mean([np.corrcoef(trial, self.gold)[0, 1] for trial in level])
                for level in of_encoder.within_pairs
            ])
            for name, of_encoder in self.similarities.items()
        }  # fmt: skip

    @cached_property
    def resampled(self) -> dict[str, Floats]:
        """The same in resamples of the pairs and of the trials: arrays (resamples, levels)."""
        columns = np.concatenate([
            each.within_pairs.reshape(-1, len(self.gold)) for each in self.similarities.values()
        ])  # fmt: skip
        drawn = pearson_resamples(self.gold, columns.T, Bootstrap(RESAMPLES))
        shape = (RESAMPLES, len(self.similarities), *self.trials.realised.shape)
        times = self.trials.realised.shape[1]
        chosen = np.random.default_rng(1).integers(times, size=(RESAMPLES, 1, 1, times))
        means = np.take_along_axis(drawn.reshape(shape), chosen, axis=3).mean(axis=3)
        return {name: means[:, place] for place, name in enumerate(self.similarities)}

    def pearson(self, name: str, level: int) -> Estimate:
        """Return the correlation at a level, with its interval over pairs and trials."""
        return self._estimate(self.correlations[name][level], self.resampled[name][:, level])

    def ratio(self, name: str, level: int) -> Estimate:
        """Return the correlation at a level divided by that of clean sentences."""
        own, resampled = self.correlations[name], self.resampled[name]
        return self._estimate(own[level] / own[0], resampled[:, level] / resampled[:, 0])

    def pearson_difference(self, name: str, other: str, level: int) -> Estimate:
        """Return by how much the correlation of one encoder is above that of another."""
        value = self.correlations[name][level] - self.correlations[other][level]
        resampled = self.resampled[name][:, level] - self.resampled[other][:, level]
        return self._estimate(value, resampled)

    def ratio_difference(self, name: str, other: str, level: int) -> Estimate:
        """Return by how much the ratio of one encoder is above that of another."""
        ratios = [
            self.resampled[each][:, level] / self.resampled[each][:, 0] for each in (name, other)
        ]
        values = [
            self.correlations[each][level] / self.correlations[each][0] for each in (name, other)
        ]
        return self._estimate(values[0] - values[1], ratios[0] - ratios[1])

    def _estimate(self, value: float, resampled: Floats) -> Estimate:
        return Estimate(float(value), *widened(resampled, len(self.gold), 0.95))


def measure(
    corpus: str, encoders: Mapping[str, str], channel: str = "voleti", mix: Mix | None = None
) -> Measured:
    """Corrupt the sentences of a corpus by a channel, and compare them by encoders."""
    table = pairs(corpus)
    texts = Texts.of([*table["a"], *table["b"]])
    sentences = normalize(texts, normalizers(NORMALIZE)).split()
    noise, context = noise_context(), Context.of("en", encoder_vectors())
    model = build_error_model(sentences, create_channel(channel), noise)
    trials = draw_trials(sentences, model, WERS, TRIALS, mix=mix or model.mix, seed=0, workers=None)
    similarities = {
        name: noisy_similarities(
            create_encoder("en", spec), trials, context, refit=name not in CLEAN_FITS
        )
        for name, spec in encoders.items()
    }
    return Measured(trials, table["score"].to_numpy(), similarities)

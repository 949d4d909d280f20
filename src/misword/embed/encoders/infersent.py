"""InferSent: a bidirectional LSTM over word vectors, the largest value of each output over time."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from misword.core.context import Context
from misword.core.errors import InputError, OptionError
from misword.core.progress import progress
from misword.core.requirements import Requirement
from misword.embed.averages import incomplete, words_of
from misword.embed.encoders import Encode
from misword.embed.neural.models import INSTALL
from misword.embed.similarity import ByCosine
from misword.embed.vectors.opened import check_word_vectors, word_vectors
from misword.embed.vectors.words import Case, WordVectors

REQUIREMENT = Requirement(("torch",), INSTALL, "BSD-3-Clause")
ORIGIN = "https://dl.fbaipublicfiles.com/infersent/infersent2.pkl"
LAYER = "enc_lstm."
ENDS = {1: ("<s>", "</s>"), 2: ("<p>", "</p>")}
BATCH = 64
CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class InferSent(ByCosine):
    """A BiLSTM that learnt what sentences mean from pairs that follow from each other or do not.

    `file` has the published weights, `infersent1.pkl` (version 1, for GloVe 840B) or
    `infersent2.pkl` (version 2, for fastText crawl-300d-2M); `--vectors` those word vectors. The
    network's size is read from the file, and nothing in the file is run. `version` decides the
    marks at both ends of a sentence: `<s> </s>` or `<p> </p>`, where the vectors have them.

    Words are cut at white space, and those without a vector left out; the weights were trained on
    tokens of the Moses or NLTK tokenizer, case and punctuation kept.

    Known problems: the published program lets the zeros that fill up a batch take part in the
    largest value (version 1), so a sentence's vector depends on those beside it; here it does not.

    Example: `misword robust sts.csv --encoders infersent:file=infersent2.pkl,version=2
    --vectors crawl-300d-2M.vec`

    Reference: A. Conneau et al., Supervised learning of universal sentence representations from
    natural language inference data, EMNLP 2017.
    """

    name: ClassVar[str] = "infersent"
    slow: ClassVar[bool] = True
    wants: ClassVar[str] = "vectors"
    fitted: ClassVar[bool] = False

    file: str = ""
    version: Literal[1, 2] = 1
    case: Case = "auto"

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """What must be installed, for any language."""
        return REQUIREMENT

    def check(self, context: Context) -> None:
        """There must be weights, and vectors as long as they want them."""
        if not self.file:
            raise OptionError(
                "infersent needs its weights",
                fix=f"name the file: infersent:file=infersent2.pkl,version=2 ({ORIGIN})",
            )
        REQUIREMENT.check(self.name)
        check_word_vectors(context)
        wanted, given = _load(self.file)[0].input_size, word_vectors(context).dimension
        if wanted != given:
            raise OptionError(
                f"the weights are for vectors of {wanted} numbers, these have {given}",
                where=self.file,
                fix="use the vectors that they were trained with: GloVe 840B for infersent1, "
                "fastText crawl-300d-2M for infersent2",
            )

    def settings(self, context: Context) -> tuple[tuple[str, str], ...]:
        """The weights' digest, the marks and the vectors."""
        own = (("weights", _load(self.file)[1]), ("version", str(self.version)))
        return ("encoder", self.name), *own, ("case", self.case), *word_vectors(context).settings

    def fit(self, corpus: Sequence[str], context: Context) -> Encode:
        """Nothing to learn."""
        return lambda texts: self._encode(texts, word_vectors(context))

    def partial(self, texts: Sequence[str], context: Context) -> NDArray[np.bool_]:
        """Those that have a word without a vector."""
        return incomplete(texts, word_vectors(context), self.case)

    def _encode(self, texts: Sequence[str], vectors: WordVectors) -> NDArray[np.float32]:
        """Sentences of one length together: no padding, so none can take part."""
        import torch

        network, _ = _load(self.file)
        rows, said = _sentences(texts, vectors, self.case, ENDS[self.version])
        lengths = np.array([len(words) for words in said], np.int64)
        found = np.zeros((len(texts), 2 * network.hidden_size), np.float32)
        with progress("encoding", len(texts)) as step, torch.inference_mode():
            for length in np.unique(lengths).tolist():
                which = np.flatnonzero(lengths == length)
                for lo in range(0, len(which), BATCH):
                    some = which[lo : lo + BATCH]
                    if length:
                        batch = np.stack([rows[said[at]] for at in some.tolist()], axis=1)
                        found[some] = network(torch.from_numpy(batch))[0].amax(dim=0).numpy()
                    step(len(some))
        return found


def _sentences(
    texts: Sequence[str], vectors: WordVectors, case: Case, ends: tuple[str, str]
) -> tuple[NDArray[np.float32], list[NDArray[np.int64]]]:
    """The vectors of all words, and for each text the numbers of those that it says and has.

    A text without a word that has a vector is nothing, whatever the marks around it.
    """
    ids, sizes, words = words_of(texts)
    rows, known = vectors.raw([*words, *ends], case)
    first, last = ([at] if known[at] else [] for at in (len(words), len(words) + 1))
    cut = np.split(ids, np.cumsum(sizes)[:-1]) if sizes else []
    said = []
    for some in cut:
        kept = some[known[some]].tolist()
        said.append(np.array([*first, *kept, *last] if kept else [], np.int64))
    return rows, said


def _load(file: str) -> tuple[Any, str]:
    """The network of a file, and the first digits of the file's digest."""
    try:
        changed = os.stat(file)
    except OSError as error:
        fix = f"the published weights: {ORIGIN}"
        raise InputError(str(error.strerror), where=file, fix=fix) from None
    return _network(file, changed.st_size, changed.st_mtime_ns)


@lru_cache(maxsize=2)
def _network(file: str, size: int, changed: int) -> tuple[Any, str]:
    """Read once, as long as the file stays the same."""
    import torch

    wrong = InputError(
        "this is not the state of an InferSent encoder",
        where=file,
        fix=f"name a file of weights as published, such as {ORIGIN}",
    )
    try:
        state = torch.load(file, map_location="cpu", weights_only=True)
    except Exception:  # of a damaged or foreign file torch may say anything
        raise wrong from None
    if not (isinstance(state, Mapping) and all(isinstance(name, str) for name in state)):
        raise wrong
    layer = {n.removeprefix(LAYER): value for n, value in state.items() if n.startswith(LAYER)}
    weights: Any = layer.get("weight_ih_l0")
    if getattr(weights, "ndim", 0) != 2 or weights.shape[0] % 4:
        raise wrong
    made = torch.nn.LSTM(weights.shape[1], weights.shape[0] // 4, bidirectional=True)
    try:
        made.load_state_dict(layer)
    except RuntimeError:
        raise wrong from None
    digest = sha256()
    with Path(file).open("rb") as data:
        while part := data.read(CHUNK):
            digest.update(part)
    return made.float().eval(), digest.hexdigest()[:12]

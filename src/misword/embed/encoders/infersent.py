"""InferSent: a bidirectional LSTM over word vectors, followed by max pooling over time."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import file_digest
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from misword.core.context import Context
from misword.core.errors import InputError, OptionError
from misword.core.parts import Requirement, Settings
from misword.core.progress import progress
from misword.embed.encoders import SentenceVectors
from misword.embed.encoders.averages import WordVectorEncoder, index_words
from misword.embed.neural.models import INSTALL
from misword.embed.vectors import Case
from misword.embed.vectors.words import WordVectors, word_vectors

# The network, loaded from a file of published weights.

WEIGHTS_URL = "https://dl.fbaipublicfiles.com/infersent/infersent2.pkl"
LAYER = "enc_lstm."


def load_infersent(file: str) -> tuple[Any, str]:
    """Return the `torch.nn.LSTM` of a file and the first 12 digits of the file's SHA-256.

    The size of the network is read from the file. Only tensors are read: no code in it is run.
    """
    try:
        stat = os.stat(file)
    except OSError as error:
        fix = f"the published weights: {WEIGHTS_URL}"
        raise InputError(str(error.strerror), where=file, fix=fix) from None
    return _load_unchanged(file, stat.st_size, stat.st_mtime_ns)


@lru_cache(maxsize=2)
def _load_unchanged(file: str, size: int, modified: int) -> tuple[Any, str]:
    """Load a file; size and time of modification are arguments so that a changed file is reread."""
    import torch

    wrong = InputError(
        "this is not the state of an InferSent encoder",
        where=file,
        fix=f"name a file of weights as published, such as {WEIGHTS_URL}",
    )
    try:
        state = torch.load(file, map_location="cpu", weights_only=True)
    except Exception:  # torch raises errors of many classes for damaged or foreign files
        raise wrong from None
    if not (isinstance(state, Mapping) and all(isinstance(name, str) for name in state)):
        raise wrong
    layer = {n.removeprefix(LAYER): value for n, value in state.items() if n.startswith(LAYER)}
    weights: Any = layer.get("weight_ih_l0")
    if not isinstance(weights, torch.Tensor) or weights.ndim != 2 or weights.shape[0] % 4:
        raise wrong
    network = torch.nn.LSTM(weights.shape[1], weights.shape[0] // 4, bidirectional=True)
    try:
        network.load_state_dict(layer)
    except RuntimeError:
        raise wrong from None
    with Path(file).open("rb") as stream:
        digest = file_digest(stream, "sha256").hexdigest()[:12]
    return network.float().eval(), digest


# The encoder.

REQUIREMENT = Requirement(("torch",), INSTALL, "BSD-3-Clause")
# Start and end of a sentence, by version.
BOUNDARY_TOKENS = {1: ("<s>", "</s>"), 2: ("<p>", "</p>")}
BATCH = 64


@dataclass(frozen=True, slots=True)
class InferSent(WordVectorEncoder):
    """A BiLSTM over word vectors, trained to recognise which sentences follow from each other.

    `file` is the published file of weights, `infersent1.pkl` (version 1, for GloVe 840B) or
    `infersent2.pkl` (version 2, for fastText crawl-300d-2M); `--vectors` is the file of those word
    vectors. The size of the network is read from the file, and no code in the file is run.
    `version` decides the tokens at the start and the end of a sentence, `<s> </s>` or `<p> </p>`;
    they are added where the vectors have them.

    Words are separated by white space, and words without a vector are left out. The weights were
    trained on tokens of the Moses or NLTK tokenizer, with case and punctuation.

    Known problems: in the published program (version 1) the zeros that pad a batch take part in the
    maximum, so a sentence's vector depends on the other sentences of its batch; here it does not.

    Example: `misword robust sts.csv --encoders infersent:file=infersent2.pkl,version=2
    --vectors crawl-300d-2M.vec`

    Reference: A. Conneau et al., Supervised learning of universal sentence representations from
    natural language inference data, EMNLP 2017.
    """

    name: ClassVar[str] = "infersent"
    title: ClassVar[str] = "InferSent"
    cites: ClassVar[tuple[str, ...]] = ("conneau2017",)
    slow: ClassVar[bool] = True

    file: str = ""
    version: Literal[1, 2] = 1
    case: Case = "auto"

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """PyTorch, for any language."""
        return REQUIREMENT

    def check(self, context: Context) -> None:
        """Raise unless there are weights, and vectors of the dimension that the weights expect."""
        if not self.file:
            raise OptionError(
                "infersent needs its weights",
                fix=f"name the file: infersent:file=infersent2.pkl,version=2 ({WEIGHTS_URL})",
            )
        REQUIREMENT.check(self.name)
        WordVectorEncoder.check(self, context)
        network, _ = load_infersent(self.file)
        dimension = word_vectors(context).dimension
        if network.input_size != dimension:
            raise OptionError(
                f"the weights are for vectors of {network.input_size} numbers, "
                f"these have {dimension}",
                where=self.file,
                fix="use the vectors that they were trained with: GloVe 840B for infersent1, "
                "fastText crawl-300d-2M for infersent2",
            )

    def option_settings(self, context: Context) -> Settings:
        """The digest of the weights, the version and the case."""
        _, digest = load_infersent(self.file)
        return ("weights", digest), ("version", str(self.version)), ("case", self.case)

    def encode(self, texts: Sequence[str], context: Context) -> SentenceVectors:
        """Return one vector for each text.

        The sentences of a batch have the same length, so there is no padding.
        """
        import torch

        network, _ = load_infersent(self.file)
        boundaries = BOUNDARY_TOKENS[self.version]
        rows, sentences = _word_ids(texts, word_vectors(context), self.case, boundaries)
        lengths = np.array([len(words) for words in sentences], np.int64)
        encoded = np.zeros((len(texts), 2 * network.hidden_size), np.float32)
        with progress("encoding", len(texts)) as step, torch.inference_mode():
            for length in np.unique(lengths).tolist():
                same_length = np.flatnonzero(lengths == length)
                for lo in range(0, len(same_length), BATCH):
                    numbers = same_length[lo : lo + BATCH]
                    if length:
                        batch = np.stack([rows[sentences[at]] for at in numbers.tolist()], axis=1)
                        encoded[numbers] = network(torch.from_numpy(batch))[0].amax(dim=0).numpy()
                    step(len(numbers))
        return encoded


def _word_ids(
    texts: Sequence[str], vectors: WordVectors, case: Case, boundaries: tuple[str, str]
) -> tuple[NDArray[np.float32], list[NDArray[np.int64]]]:
    """Return the vectors of all distinct words, and for each text the rows of its known words.

    A text without any known word has no rows, not even those of the boundary tokens.
    """
    ids, sizes, words = index_words(texts)
    rows, known = vectors.raw([*words, *boundaries], case)
    start, end = ([at] if known[at] else [] for at in (len(words), len(words) + 1))
    texts_ids = np.split(ids, np.cumsum(sizes)[:-1]) if sizes else []
    sentences = []
    for text_ids in texts_ids:
        known_ids = text_ids[known[text_ids]].tolist()
        sentences.append(np.array([*start, *known_ids, *end] if known_ids else [], np.int64))
    return rows, sentences

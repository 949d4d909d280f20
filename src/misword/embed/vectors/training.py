"""Word vectors trained on a corpus of the user, by gensim's FastText.

The corpus is text, a sentence or a paragraph in each line. Its words are runs of letters, marks and
digits, with apostrophes and hyphens inside. The vectors are written as text (`.vec`), or as a
fastText model (`.bin`), which has the vectors of character n-grams too, so that words that are not
in the corpus get a vector.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Unpack

from misword.core.errors import InputError, OptionError
from misword.core.formatting import counted
from misword.core.options import takes
from misword.core.parts import Requirement
from misword.core.progress import Step, progress
from misword.embed.options import LetterCase, VectorTraining
from misword.embed.vectors.words import WordVectors
from misword.io.files.sources import PathLike, open_source, shown_path
from misword.io.files.writing import check_path, whole_files

if TYPE_CHECKING:
    from gensim.models import FastText

REQUIREMENT = Requirement(("gensim",), "pip install 'misword[vectors]'", "LGPL-2.1")
SUFFIXES = (".vec", ".bin")
WORD = r"[\p{L}\p{M}\p{N}]+(?:['’ʼ-][\p{L}\p{M}\p{N}]+)*"
LONGEST_SENTENCE = 10_000  # words; gensim leaves out the words beyond
BUCKETS = 500_000  # of n-grams; a fastText model has a vector for each


class Sentences:
    """The words of a corpus, sentence by sentence, each pass anew; passes report their progress."""

    def __init__(self, sentences: Sequence[str]) -> None:
        self.sentences = sentences
        self.step: Step = lambda done: None

    def __iter__(self) -> Iterator[list[str]]:
        for number, sentence in enumerate(self.sentences, 1):
            yield sentence.split(" ")
            if number % 1000 == 0:
                self.step(1000)
        self.step(len(self.sentences) % 1000)


def read_sentences(path: PathLike, case: LetterCase = "lower") -> list[str]:
    """Return the sentences of a corpus: the words of each line, separated by spaces.

    A line of more than `LONGEST_SENTENCE` words makes several sentences. Raises if the file has no
    words.
    """
    import unicodedata

    import regex

    find = regex.compile(WORD).findall
    lines = open_source(path).lines
    sentences = []
    with progress("reading the corpus", len(lines)) as step:
        for line in lines:
            text = unicodedata.normalize("NFC", line)
            words = find(text.lower() if case == "lower" else text)
            sentences += [
                " ".join(words[lo : lo + LONGEST_SENTENCE])
                for lo in range(0, len(words), LONGEST_SENTENCE)
            ]
            step(1)
    if not sentences:
        raise InputError(
            "there are no words in it",
            where=shown_path(os.fspath(path)),
            fix="name a text file, a sentence in each line",
        )
    return sentences


def check_vector_path(path: PathLike) -> None:
    """Raise unless the name of a file says in which format vectors are written."""
    if Path(path).suffix.lower() not in SUFFIXES:
        raise OptionError(
            "its name does not say a format",
            where=os.fspath(path),
            fix="use .vec (text), or .bin (a fastText model with the vectors of n-grams)",
        )


@takes(VectorTraining)
def train_vectors(
    corpus: PathLike, output: PathLike, **options: Unpack[VectorTraining]
) -> WordVectors:
    """Train vectors on a corpus and write them; returns the vectors of the file.

    The method is skip-gram with character n-grams of 3 to 6 characters, and 5 negative samples.
    Raises an error before anything is read if gensim is not installed or `output` cannot be
    written.
    """
    REQUIREMENT.check("misword vectors train")
    check_vector_path(output)
    check_path(output, "en.vec", [corpus])
    model = _train(read_sentences(corpus, options["case"]), corpus, options)
    with whole_files([output]) as (file,):
        if Path(output).suffix.lower() == ".vec":
            _write_text(file, model)
        else:
            _write_model(file, model)
    return WordVectors.open(output)


def _train(sentences: list[str], corpus: PathLike, options: VectorTraining) -> FastText:
    from gensim.models import FastText

    model = FastText(
        vector_size=options["dimension"],
        window=options["window"],
        min_count=options["min_count"],
        epochs=options["epochs"],
        sg=1,
        bucket=BUCKETS,
        seed=options["seed"],
        workers=options["workers"],
    )
    texts = Sentences(sentences)
    with progress("counting words", len(sentences)) as texts.step:
        model.build_vocab(texts)
    if not len(model.wv):
        raise InputError(
            f"no word occurs {counted(options['min_count'], 'time')}",
            where=shown_path(os.fspath(corpus)),
            fix="use a larger corpus, or a smaller --min-count",
        )
    with progress("training", options["epochs"] * len(sentences)) as texts.step:
        model.train(texts, total_examples=len(sentences), epochs=options["epochs"])
    return model


def _write_text(file: Any, model: FastText) -> None:
    words, vectors = model.wv.index_to_key, model.wv.vectors
    file.write(f"{len(words)} {vectors.shape[1]}\n".encode())
    for word, vector in zip(words, vectors.tolist(), strict=True):
        numbers = " ".join(f"{number:.6g}" for number in vector)
        file.write(f"{word} {numbers}\n".encode())


def _write_model(file: Any, model: FastText) -> None:
    from gensim.models.fasttext import save_facebook_model

    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.bin"
        save_facebook_model(model, str(path))
        with path.open("rb") as written:
            while block := written.read(1 << 22):
                file.write(block)

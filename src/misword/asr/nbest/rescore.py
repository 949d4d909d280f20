"""Log-probabilities of language models as features of the hypotheses of N-best lists."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Unpack

import numpy as np

from misword.asr.nbest.lists import make_list_corpus
from misword.asr.options import RescoreOptions
from misword.core.context import Context
from misword.core.errors import InputError, MismatchError, OptionError
from misword.core.lazy import pl
from misword.core.options import takes
from misword.core.parts import describe
from misword.core.types import Corpus, Description, DisplayedResult, Result
from misword.core.version import __version__
from misword.embed import sentence_cache
from misword.embed.language_models import LANGUAGE_MODELS, Features, LanguageModel
from misword.embed.sentence_cache import SentenceCache, encode_missing
from misword.stat.descriptions.hypotheses import RESCORED
from misword.text.normalizers import Chain, normalizers, spell_chain
from misword.text.normalizers import normalize as normalized
from misword.text.texts import Texts

Models = str | LanguageModel | Iterable[str | LanguageModel]
WORDS = "words"
DECIMALS = 4  # of a log-probability


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Rescored(DisplayedResult):
    """Hypotheses of N-best lists with the log-probabilities of language models.

    Attributes:
        hypotheses: all hypotheses in their order, with their columns and the new ones.
        summary: a row for each language model: its `column`, its name (`model`), the number of
            distinct `texts`, of their `words`, of its `tokens` and of words that it does not know
            (`oov`), and the mean log-probability `per_word`.
        signatures: everything that decides the log-probabilities, by column.
        parts: titles and citations of the language models.
        notes: facts about texts and models, in sentences for the user.
    """

    description: ClassVar[Description] = RESCORED

    hypotheses: pl.DataFrame
    summary: pl.DataFrame
    signatures: Mapping[str, str]
    parts: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    _source: Corpus | None = None

    def main_table(self) -> pl.DataFrame:
        """Return the table `hypotheses`."""
        return self.hypotheses

    def corpus(self) -> Corpus:
        """Return the corpus that was rescored; the new columns are features of its hypotheses."""
        if self._source is None:
            raise OptionError(
                "there are no references",
                fix="give misword.rescore a Corpus: misword.read_corpus(ref, nbest, nbest=True)",
            )
        return replace(self._source, hypotheses=self.hypotheses)

    def result(self, provenance: Mapping[str, Any] | None = None) -> Result:
        """Return the tables and their provenance."""
        origin = {
            "misword": __version__,
            **(provenance or {}),
            "signatures": dict(self.signatures),
            "parts": dict(self.parts),
            "notes": list(self.notes),
        }
        return Result("rescored", {"summary": self.summary, "hypotheses": self.hypotheses}, origin)


@takes(RescoreOptions)
def rescore(
    hypotheses: Any, lm: Models, *, ids: Any = None, **options: Unpack[RescoreOptions]
) -> Rescored:
    """Add the log-probabilities of language models to the hypotheses of N-best lists.

    `hypotheses` has a list of texts for each utterance, or is a `Corpus` with N-best lists, a
    table with the columns `utt`, `rank` and `text`, or a function that returns one of these. `lm`
    names language models: `ngram:file.arpa`, `causal:MODEL`, or several. Log-probabilities are
    natural logarithms. Each language model has a column of its name; `column=` names it otherwise.
    The number of `words` is added too, unless there is such a column.

    `normalize` are normalizers for the text that the models see; the hypotheses stay as they are.
    Each distinct text is scored once. With `cache`, the numbers of slow models are stored on disk.

    >>> import misword
    >>> found = misword.rescore([["the cat", "the cats"]], "ngram:4gram.arpa")  # doctest: +SKIP
    >>> found.hypotheses.select("text", "ngram", "ngram_oov")  # doctest: +SKIP
    """
    models = _create(lm)
    lang, cache = options["lang"], options["cache"]
    chain = normalizers(options["normalize"], lang or "")
    context = Context.of(lang, workers=options["workers"])
    for model in models:
        model.check(context)
    if cache and any(model.stored for model in models):
        sentence_cache.check()
    table, source = _read(hypotheses, ids)
    _refuse_columns(table, models)
    texts, rows = _seen_texts(table["text"], chain)
    features = {model.column: _features(model, texts, context, cache) for model in models}
    notes = dict.fromkeys(note for model in models for note in model.notes(texts, context))
    return Rescored(
        _with_columns(table, models, {name: each[rows] for name, each in features.items()}),
        _summary(models, texts, features),
        {model.column: str(model.signature(context, spell_chain(chain))) for model in models},
        {model.name: describe(model) for model in models},
        tuple(notes),
        source,
    )


def _create(lm: Models) -> list[LanguageModel]:
    """Return the language models; raise if two of them would have columns of one name."""
    named = [lm] if isinstance(lm, str | LanguageModel) else list(lm)
    models = [LANGUAGE_MODELS.create(one) if isinstance(one, str) else one for one in named]
    if not models:
        raise OptionError(
            "no language model is named", fix="name one: ngram:file.arpa, or causal:MODEL"
        )
    names = [name for model in models for name in model.columns]
    for name in names:
        if names.count(name) > 1:
            raise OptionError(
                f"two language models have the column {name!r}",
                fix="name the column of one: ngram:file.arpa,column=small",
            )
    return models


def _read(hypotheses: Any, ids: Any) -> tuple[pl.DataFrame, Corpus | None]:
    """Return a table of hypotheses, and the corpus if they are those of one."""

    if callable(hypotheses):
        hypotheses = hypotheses()
    if isinstance(hypotheses, Corpus | pl.DataFrame) and ids is not None:
        raise OptionError("a corpus and a table have ids of their own", fix="leave ids out")
    if isinstance(hypotheses, Corpus):
        return hypotheses.hypotheses, hypotheses
    if isinstance(hypotheses, pl.DataFrame):
        lacking = [name for name in ("utt", "rank", "text") if name not in hypotheses.columns]
        if lacking:
            raise InputError(
                f"no column {lacking[0]!r} in the table of hypotheses",
                fix="give the columns utt, rank and text, or lists of texts",
            )
        return hypotheses, None
    lists = list(hypotheses)
    corpus = make_list_corpus([""] * len(lists), lists, ids=ids)
    return corpus.hypotheses.drop("system", "score"), None


def _refuse_columns(table: pl.DataFrame, models: Sequence[LanguageModel]) -> None:
    """Raise if a new column would replace one that the hypotheses have."""
    for model in models:
        for name in model.columns:
            if name in table.columns:
                raise MismatchError(
                    f"the hypotheses have a column {name!r} already",
                    fix=f"name the new one otherwise, such as {model.name}:column={model.column}2",
                )


def _seen_texts(column: pl.Series, chain: Chain) -> tuple[list[str], Any]:
    """Return the distinct texts that the models see, and the number of the text of each row."""
    seen = normalized(Texts.of(column), chain).split() if len(column) else []
    numbers = {text: number for number, text in enumerate(dict.fromkeys(seen))}
    return list(numbers), np.array([numbers[text] for text in seen], np.int64)


def _features(
    model: LanguageModel, texts: Sequence[str], context: Context, cache: bool
) -> Features:
    """Return the features of distinct texts, from the cache if the model's are stored there."""
    if not (cache and model.stored):
        found = model.features(texts, context)
    else:
        stored = SentenceCache(model.cache_key(context))

        def encode(missing: Sequence[str]) -> list[Features]:
            return list(model.features(missing, context))

        rows = encode_missing(stored, texts, encode, "language model")
        found = np.array(rows, np.float32).reshape(len(texts), len(model.columns))
    finite = np.isfinite(found).all(axis=1)
    if not finite.all():
        raise InputError(
            f"{model.column}: the log-probability is not a finite number",
            where=f"text {texts[int(finite.argmin())][:60]!r}",
            fix="use another model, or dtype=float32; or leave the text out",
        )
    return found


def _with_columns(
    table: pl.DataFrame, models: Sequence[LanguageModel], features: Mapping[str, Features]
) -> pl.DataFrame:
    """Return the hypotheses with the features of each model, and with the numbers of words."""

    columns = []
    for model in models:
        values = features[model.column]
        columns.append(pl.Series(model.column, values[:, 0].astype(np.float64).round(DECIMALS)))
        for place, name in enumerate(model.columns[1:], start=1):
            columns.append(pl.Series(name, values[:, place].astype(np.int64)))
    if WORDS not in table.columns:
        counts = [len(text.split()) for text in table["text"]]
        columns.append(pl.Series(WORDS, counts, pl.Int64))
    return table.with_columns(columns)


def _summary(
    models: Sequence[LanguageModel], texts: Sequence[str], features: Mapping[str, Features]
) -> pl.DataFrame:
    """Return a row for each model."""

    words = sum(len(text.split()) for text in texts)
    rows = []
    for model in models:
        sums = features[model.column].sum(axis=0, dtype=np.float64)
        counts = dict(zip(model.counts, sums[1:].astype(int).tolist(), strict=True))
        rows.append(
            {
                "column": model.column,
                "model": model.name,
                "texts": len(texts),
                "words": words,
                "tokens": counts.get("tokens"),
                "oov": counts.get("oov"),
                "per_word": sums[0] / words if words else None,
            }
        )
    kinds = {"tokens": pl.Int64, "oov": pl.Int64, "per_word": pl.Float64}
    return pl.DataFrame(rows, schema_overrides=kinds)

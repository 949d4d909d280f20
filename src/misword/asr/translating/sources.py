"""Where the translations of hypotheses and their references come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from misword.asr.corpus import text_column
from misword.asr.downstreams import Downstream, create_downstreams
from misword.asr.nbest.lists import make_list_corpus
from misword.asr.options import ListOptions
from misword.asr.translating.program import TranslationProgram, Translator, translate_texts
from misword.core.errors import InputError, MismatchError, OptionError
from misword.core.lazy import pl
from misword.core.types import Corpus
from misword.stat.score_tables import KEYS

GIVE = "an empty translation is an empty string"


@dataclass(frozen=True, slots=True, eq=False)
class TranslationSource:
    """The translations of hypotheses: given ones, or those of a program; and the scores of them.

    `translations` and `references` are the arguments of `misword.oracle`. `translator` makes the
    translations if none are given.
    """

    translations: Any
    references: Any
    translator: Translator | None
    downstreams: Mapping[str, Downstream]

    @classmethod
    def of(cls, options: ListOptions) -> TranslationSource | None:
        """Return the source that the options name, checked; None if they name none."""
        translations, translate = options["translations"], options["translate"]
        references = options["translation_references"]
        if translations is None and translate is None:
            if references is not None:
                raise OptionError(
                    "reference translations need translations",
                    fix="give translations, or a program that makes them (translate)",
                )
            return None
        if translations is not None and translate is not None:
            raise OptionError(
                "translations and a program that makes them are both given",
                fix="leave out one of the two",
            )
        holds_both = isinstance(translations, Corpus) or callable(translations)
        if references is None and not holds_both:
            raise OptionError("translations need references", fix="give translation_references")
        translator = _translator(translate, options["translate_timeout"], options["cache"])
        downstreams = create_downstreams(options["downstream"])
        return cls(translations, references, translator, downstreams)

    def translated(
        self, chosen: pl.DataFrame, hypotheses: pl.DataFrame, references: pl.DataFrame
    ) -> pl.DataFrame:
        """Return `chosen` with the columns `translation` and `reference`.

        `chosen` has `utt`, `system`, `rank` and `text` of hypotheses; `hypotheses` has all
        hypotheses and `references` all utterances, each with the columns that the user may name.
        """
        given = self.translations() if callable(self.translations) else self.translations
        if given is not None and not isinstance(given, str | Corpus):
            given = _corpus_of(given, self.references, references)
        if self.translator is not None:
            texts = chosen["text"].to_list()
            if None in texts:
                raise OptionError("the texts are not known", fix="score with keep_texts=True")
            chosen = chosen.with_columns(
                translation=_strings(translate_texts(texts, self.translator))
            )
        elif isinstance(given, str):
            chosen = _joined(chosen, _column(hypotheses, given, "lists"))
        else:
            chosen = _joined(chosen, _of_corpus(given, chosen))
        if self.references is None:
            expected = given.references.select("utt", reference="text")
        else:
            expected = _reference_column(self.references, references)
        return _with_references(chosen, expected)


def _translator(
    translate: str | Sequence[str] | Translator | None, timeout: float | None, cache: bool
) -> Translator | None:
    if translate is None or callable(translate):
        return translate
    program = TranslationProgram.of(translate, timeout, cache=cache)
    program.check()
    return program


def _corpus_of(translations: Any, references: Any, utterances: pl.DataFrame) -> Corpus:
    """Return columns of lists, parallel to the hypotheses, as a corpus."""
    expected = _reference_column(references, utterances)
    return make_list_corpus(expected["reference"], translations, ids=utterances["utt"])


def _reference_column(references: Any, utterances: pl.DataFrame) -> pl.DataFrame:
    """Return the reference translation of each utterance: a column of theirs, or given texts.

    A table with ids (`utt`, `text`) is matched by id, any other column of texts by position.
    """

    if callable(references):
        references = references()
    if isinstance(references, pl.DataFrame):
        return references.select("utt", reference="text")
    if isinstance(references, str):
        if references not in utterances.columns:
            raise _no_column(references, utterances, "references")
        return utterances.select("utt", reference=references)
    texts = text_column(references, "translation references")
    if len(texts) != len(utterances):
        raise MismatchError(
            f"{len(texts)} reference translations of {len(utterances)} utterances",
            fix="give one for each reference, in the same order",
        )
    return utterances.select("utt", reference=texts)


def _column(hypotheses: pl.DataFrame, name: str, side: str) -> pl.DataFrame:
    if name not in hypotheses.columns:
        raise _no_column(name, hypotheses, side)
    return hypotheses.select(*KEYS, translation=name)


def _no_column(name: str, table: pl.DataFrame, side: str) -> OptionError:
    others = [column for column in table.columns if column not in (*KEYS, "text", "hypothesis")]
    known = ", ".join(others) or "no columns beside the texts"
    return OptionError(
        f"the {side} have no column {name!r}", fix=f"they have: {known}; or name a file that exists"
    )


def _of_corpus(given: Corpus, chosen: pl.DataFrame) -> pl.DataFrame:
    """Return the translations of a corpus; those of a single system need no name."""

    table = given.hypotheses.select(*KEYS, translation="text")
    systems = chosen["system"].unique(maintain_order=True).to_list()
    if len(systems) == len(given.systems) == 1:
        table = table.with_columns(system=pl.lit(systems[0]))
    elif set(systems) != set(given.systems):
        raise MismatchError(
            f"translations of {', '.join(given.systems)}, hypotheses of {', '.join(systems)}",
            fix="give the translations of each system, by its name",
        )
    return table


def _joined(chosen: pl.DataFrame, table: pl.DataFrame) -> pl.DataFrame:
    """Return the chosen hypotheses with their translations; raise if one has none."""

    kept = table.join(chosen.unique(KEYS), on=KEYS, how="semi")
    found = chosen.join(kept, on=KEYS, how="left", maintain_order="left")
    _refuse_missing(found, "translation", [*KEYS])
    if found.schema["translation"] != pl.String:
        raise OptionError("the translations are not text", fix="name the column that has them")
    return found


def _with_references(chosen: pl.DataFrame, expected: pl.DataFrame) -> pl.DataFrame:
    found = chosen.join(expected, on="utt", how="left", maintain_order="left")
    _refuse_missing(found, "reference", ["utt"])
    return found


def _refuse_missing(found: pl.DataFrame, column: str, keys: list[str]) -> None:
    missing = found.filter(found[column].is_null()).unique(keys, maintain_order=True)
    if not missing.height:
        return
    row = missing.row(0, named=True)
    rank = f", rank {row['rank']}" if "rank" in keys else ""
    what = "translation" if column == "translation" else "reference translation"
    raise InputError(
        f"utterance {row['utt']!r}{rank} has no {what} ({missing.height} such)",
        where="translations",
        fix=GIVE,
    )


def _strings(texts: list[str]) -> pl.Series:
    return pl.Series("translation", texts, pl.String)

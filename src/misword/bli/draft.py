"""Drafts of dictionaries: a row for each headword that a person accepts, rejects or corrects.

`draft_lexicon` translates the headwords and adds parts of speech, lemmas and names; verdicts that
a person wrote into an earlier draft are read again. A `Draft` has the rows, tables and files.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import PurePath
from typing import Any, Literal, Unpack

import numpy as np

from misword.bli.inputs import TWO_LETTERS, language_code
from misword.bli.mapping import Mapping as WordMapping
from misword.bli.names.model import name_probabilities
from misword.bli.open_mapping import MappedSide, OpenMapping, check_max_words
from misword.bli.options import DRAFT_CANDIDATES, DraftOptions, FirstWords, MappedVectors
from misword.bli.retrievers import RETRIEVERS, Retriever
from misword.bli.translate import (
    Translations,
    Words,
    check_k,
    named_retriever,
    translate_opened,
)
from misword.bli.word_analysis import Lemmatizer, WordAnalysis
from misword.core.context import code
from misword.core.errors import InputError, MiswordError, OptionError
from misword.core.formatting import counted, number
from misword.core.lazy import pl
from misword.core.options import chosen, takes
from misword.core.progress import progress
from misword.core.signature import Signature
from misword.core.tables import Table
from misword.core.types import DisplayedResult, Result
from misword.core.version import __version__
from misword.io.files.sources import PathLike, shown_path
from misword.io.lexicon_writing import Row, write_lexicon
from misword.io.lexicons import Lexicon
from misword.io.verdicts import check_replaced, plain_cells, read_verdict_table, verdict_of
from misword.stat.descriptions.lexicons import DRAFT
from misword.text.analyzers import Analyzer, analyzer_for

# The rows of a draft: a headword, its candidates, and the verdict of a person.

Verdict = Literal["", "accept", "reject", "other"]
VERDICTS: tuple[Verdict, ...] = ("accept", "reject", "other")
BACK = "csls"  # the retriever of back-translations


@dataclass(frozen=True, slots=True)
class Candidate:
    """A possible translation of a headword.

    `score` is that of the retriever, a probability if the mapping has a reranker; None for a
    translation that was judged earlier and is not a candidate now. `back` is the best translation
    of the candidate in the other direction.
    """

    word: str
    score: float | None
    back: str


@dataclass(frozen=True, slots=True)
class Headword:
    """A row of a draft.

    `rank` is the place of the word in the vectors, from 1, 0 if it is not there; files of vectors
    have the most frequent words first. `pos`, `lemma` and `name` (the probability that the word is
    a proper noun) are empty or None if they are not known. `verdict` is about the first candidate:
    `accept`, `reject`, or `other` if the words in `other` are the translations; with `accept`,
    `other` has further translations.
    """

    word: str
    rank: int
    candidates: tuple[Candidate, ...]
    pos: str = ""
    lemma: str = ""
    name: float | None = None
    verdict: Verdict = ""
    other: tuple[str, ...] = ()

    @property
    def target(self) -> str:
        """The first candidate; empty if there is none."""
        return self.candidates[0].word if self.candidates else ""

    @property
    def is_mutual(self) -> bool:
        """Whether the first candidate is translated back to the headword."""
        return bool(self.candidates) and self.candidates[0].back == self.word

    @property
    def translations(self) -> tuple[str, ...]:
        """The translations that a person accepted, each once."""
        return accepted_translations(self.target, self.verdict, self.other)

    def with_target(self, target: str, backs: Mapping[str, str]) -> Headword:
        """Return the row with another first candidate; the others keep their order."""
        known = [one for one in self.candidates if one.word == target]
        first = known[0] if known else Candidate(target, None, backs.get(target, ""))
        others = [one for one in self.candidates if one.word != target]
        return replace(self, candidates=(first, *others))


def accepted_translations(target: str, verdict: Verdict, other: Words) -> tuple[str, ...]:
    """Return the translations that a verdict accepts, each once."""
    first = (target,) if verdict == "accept" else ()
    accepted = (*first, *other) if verdict in ("accept", "other") else ()
    return tuple(dict.fromkeys(accepted))


def draft_headwords(
    mapping: OpenMapping, found: Translations, workers: int | None = None
) -> list[Headword]:
    """Return a row for each word, in the order of the words."""
    backs = back_translations(mapping, found, workers)
    ranks = (mapping.source.vocabulary.find(found.words) + 1).tolist()
    ids, scores = found.neighbors.ids.tolist(), found.neighbors.scores.tolist()
    rows = []
    for word, row, rank in zip(found.words, found.rows.tolist(), ranks, strict=True):
        candidates = (
            Candidate(found.target[id_], round(score, 6), backs[id_])
            for id_, score in zip(ids[row], scores[row], strict=True)
        )
        rows.append(Headword(word, rank, tuple(candidates) if row >= 0 else ()))
    return rows


def back_translations(
    mapping: OpenMapping, found: Translations, workers: int | None = None
) -> dict[int, str]:
    """Return the best translation of each candidate in the other direction, by its row number."""
    ids = np.unique(found.neighbors.ids)
    best = mapping.swap().nearest(ids, RETRIEVERS.create(BACK), 1, workers).ids[:, 0]
    words = mapping.source.vocabulary
    return {id_: words[row] for id_, row in zip(ids.tolist(), best.tolist(), strict=True)}


def sort_by_reliability(rows: Sequence[Headword], *, probabilities: bool) -> list[Headword]:
    """Return the most reliable rows first; words without a candidate are last.

    Rows are sorted by probability. Scores of other retrievers do not measure reliability alone:
    rows whose back-translation is the headword come first, each group by its scores.
    """

    def unreliability(row: Headword) -> tuple[bool, bool, float]:
        if not row.candidates:
            return True, True, 0.0
        return False, not (probabilities or row.is_mutual), -_best_score(row)

    return sorted(rows, key=unreliability)


def _best_score(row: Headword) -> float:
    return max((one.score for one in row.candidates if one.score is not None), default=0.0)


# Facts about the words of a draft: part of speech, lemma, name.

BLOCK = 2000  # words that are analysed at a time


def draft_languages(
    mapping: OpenMapping, named: tuple[str | None, str | None]
) -> tuple[tuple[str, str], tuple[str, ...]]:
    """Return the languages of the headwords and of the candidates, and notes about them.

    A language that is not named is taken from the name of the file of vectors; it is empty if that
    has no code of a language.
    """
    found, guessed = [], []
    sides = (("source", mapping.source), ("target", mapping.target))
    for (which, side), language in zip(sides, named, strict=True):
        found.append(language_of_file(side) if language is None else language_code(language, which))
        if language is None and found[-1]:
            guessed.append(found[-1])
    notes = []
    if guessed:
        notes.append(f"language by the name of the file of vectors: {', '.join(guessed)}")
    if not all(found):
        notes.append(
            "a language is not known: name it with --source-lang and --target-lang for parts of "
            "speech, lemmas and names"
        )
    return (found[0], found[1]), tuple(notes)


def language_of_file(side: MappedSide) -> str:
    """Return the language in the name of the file of vectors; empty unless it has exactly one."""
    name = "" if side.vectors is None else PurePath(side.vectors.name).name
    return language_in(name)


def language_in(name: str) -> str:
    """Return the only ISO 639-1 code between the dots and dashes of a name.

    >>> language_in("wiki.en.vec"), language_in("cc.fr.300.bin"), language_in("glove.6B.txt")
    ('en', 'fr', '')
    """
    codes = {code(part) for part in re.split(r"[._-]", name.lower()) if part in TWO_LETTERS}
    return codes.pop() if len(codes) == 1 else ""


def add_word_facts(
    rows: Sequence[Headword], languages: tuple[str, str]
) -> tuple[list[Headword], tuple[str, ...]]:
    """Add parts of speech, lemmas and the probabilities of names; also return notes."""
    if not languages[0] or not rows:
        return list(rows), ()
    words = [row.word for row in rows]
    analysis, notes = _analysis(languages[0])
    tags, lemmas = _analyse(analysis, words)
    names = _names(rows, languages)
    facts = zip(rows, tags, lemmas, names, strict=True)
    found = [replace(row, pos=tag, lemma=lemma, name=name) for row, tag, lemma, name in facts]
    return found, notes


def _analysis(lang: str) -> tuple[WordAnalysis, tuple[str, ...]]:
    """Return the lemmatizer and the tagger of a language; notes say which of them is missing."""
    lemmatizers, notes = {}, []
    tagger: Analyzer | None = None
    try:
        lemmatizers["source"] = Lemmatizer.of(lang)
    except MiswordError as error:
        notes.append(f"no lemmas: {error.what}; {error.fix}")
    try:
        tagger = analyzer_for(lang, "tag")
    except MiswordError as error:
        notes.append(f"no parts of speech: {error.what}; {error.fix}")
    return WordAnalysis(lemmatizers, tagger), tuple(notes)


def _analyse(analysis: WordAnalysis, words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the part of speech and the lemma of each word; empty where none is known."""
    tags: list[str] = []
    lemmas: list[str] = []
    with progress("analysing words", len(words)) as step:
        for start in range(0, len(words), BLOCK):
            block = words[start : start + BLOCK]
            tags += analysis.tags(block)
            has_lemmas = "source" in analysis.lemmatizers
            lemmas += analysis.base_forms("source", block) if has_lemmas else [""] * len(block)
            step(len(block))
    return tags, lemmas


def _names(rows: Sequence[Headword], languages: tuple[str, str]) -> list[float | None]:
    """Return the probability that each headword with its first candidate is a proper noun.

    Known problems: the spelling of a wrong candidate is evidence, too.
    """
    if not all(languages) or languages[0] == languages[1]:
        return [None] * len(rows)
    places = [place for place, row in enumerate(rows) if row.candidates]
    pairs = [(rows[place].word, rows[place].target) for place in places]
    found: list[float | None] = [None] * len(rows)
    if pairs:
        for place, value in zip(
            places, name_probabilities(pairs, languages).probabilities.tolist(), strict=True
        ):
            found[place] = round(value, 6)
    return found


# Verdicts of people on a draft: `accept`, `reject` or `other` in the column `verdict`.
#
# The column `other` has the translations that are right instead (`other`) or as well (`accept`),
# separated by semicolons. A verdict is about the pair of its row: the headword and its first
# candidate.

# What people write for each verdict.
SPELLINGS: dict[str, Verdict] = {
    "": "",
    **dict.fromkeys(("accept", "accepted", "a", "yes", "y"), VERDICTS[0]),
    **dict.fromkeys(("reject", "rejected", "r", "no", "n"), VERDICTS[1]),
    **dict.fromkeys(("other", "o"), VERDICTS[2]),
}
SEPARATOR = ";"
SHOWN = 5  # words that an error names


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a person decided about a headword and the translation `target`; `where` is its line."""

    target: str
    verdict: Verdict
    other: tuple[str, ...]
    where: str


def read_judgements(path: PathLike) -> dict[str, Judgement]:
    """Read the rows with a verdict of a draft (`.xlsx`, `.csv`, `.tsv`), by headword.

    Raises if a verdict is not one of `VERDICTS`, if it contradicts the column `other`, or if a
    headword has two verdicts.
    """
    fix = "name a draft of `misword translate --draft -o FILE`, or the file that its page saves"
    table = read_verdict_table(path, ("source", "target"), fix)

    def plain(text: str) -> str:
        return plain_cells(path, [text])[0]

    found: dict[str, Judgement] = {}
    for place, judgement in enumerate(_judgements(table)):
        if not judgement.verdict:
            continue
        word = plain(table.source[place])
        if word in found:
            raise InputError(
                f"a second verdict on {word!r}, after {found[word].where}",
                where=judgement.where,
                fix="keep one of them; further translations belong in the column 'other'",
            )
        if judgement.verdict == "other" and "other" not in table.columns:
            raise InputError(
                "verdict 'other', and no column 'other'",
                where=judgement.where,
                fix="the column of people's own translations is called other",
            )
        other = tuple(map(plain, judgement.other))
        found[word] = replace(judgement, target=plain(judgement.target), other=other)
    return found


def _judgements(table: Lexicon) -> list[Judgement]:
    """Return what each row of a table says."""
    others = table.columns.get("other", ("",) * len(table))
    rows = zip(table.target, table.columns["verdict"], others, table.lines, strict=True)
    return [_judgement(*row[:3], where=f"{table.name}:{row[3]}") for row in rows]


def _judgement(target: str, text: str, other: str, *, where: str) -> Judgement:
    verdict = verdict_of(text, SPELLINGS, VERDICTS, where)
    words = split_words(other)
    if verdict == "reject" and words:
        raise InputError(
            f"verdict 'reject', and another translation: {other!r}",
            where=where,
            fix="write other as the verdict, or empty the column 'other'",
        )
    if verdict == "accept" and not target:
        raise InputError(
            "verdict 'accept' without a translation in the column 'target'",
            where=where,
            fix="write other as the verdict, and the translation into the column 'other'",
        )
    return Judgement(target, "other" if words and not verdict else verdict, words, where)


def split_words(text: str) -> tuple[str, ...]:
    """Return the words between semicolons.

    >>> split_words("chien; chienne"), split_words(";")
    (('chien', 'chienne'), (';',))
    """
    words = tuple(word.strip() for word in text.split(SEPARATOR) if word.strip())
    return words or ((text.strip(),) if text.strip() else ())


def join_words(words: Sequence[str]) -> str:
    """Return words as one text that `split_words` divides again."""
    return f"{SEPARATOR} ".join(words)


def apply_judgements(
    rows: Sequence[Headword], judgements: Mapping[str, Judgement], name: str
) -> tuple[list[Headword], tuple[str, ...]]:
    """Return the rows with their verdicts, and notes.

    A judged row keeps the translation that was judged in the first place, although another may be
    the best candidate now. Raises if there are verdicts on words that the draft does not have.
    """
    words = {row.word for row in rows}
    missing = [word for word in judgements if word not in words]
    if missing:
        raise _unknown_words_error(missing, judgements, name)
    backs = {one.word: one.back for row in rows for one in row.candidates}
    found, moved = [], 0
    for row in rows:
        judged = judgements.get(row.word)
        if judged is None:
            found.append(row)
            continue
        if judged.target and judged.target != row.target:
            row, moved = row.with_target(judged.target, backs), moved + 1
        found.append(replace(row, verdict=judged.verdict, other=judged.other))
    notes = [f"{counted(len(judgements), 'verdict')} read from {name}"]
    if moved:
        judged_words = counted(moved, "judged translation")
        notes.append(f"{judged_words} kept in the first place, where the best candidate is another")
    return found, tuple(notes)


def _unknown_words_error(
    words: Sequence[str], judgements: Mapping[str, Judgement], name: str
) -> InputError:
    """Return the error about verdicts on words that are not in the draft."""
    examples = ", ".join(f"{word!r} ({judgements[word].where})" for word in words[:SHOWN])
    examples += ", ..." if len(words) > SHOWN else ""
    return InputError(
        f"{counted(len(words), 'verdict')} on words that are not in this draft: {examples}",
        where=name,
        fix="translate these words too (--words, --max-words, --reverse), or remove their lines; "
        "nothing was written",
    )


# A draft with its verdicts, its tables and its files.

NAME = 0.5  # the probability from which the column `name` says yes
DIGITS = 4  # of scores in files


@dataclass(frozen=True, eq=False, repr=False)
class Draft(DisplayedResult):
    """The draft of a dictionary: a row for each headword, the most reliable first.

    Attributes:
        headwords: the rows.
        probabilities: whether scores are probabilities that the candidate is right.
        languages: the codes of the two languages; empty where they are not known.
        signature: what the candidates were made with.
        judged: the file that the verdicts were read from; None without verdicts.
        notes: what a reader should know beside the rows.
        parts: descriptions of the mapping method and the retriever.
    """

    headwords: tuple[Headword, ...]
    probabilities: bool
    languages: tuple[str, str]
    signature: Signature
    judged: PathLike | None = None
    notes: tuple[str, ...] = ()
    parts: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    description = DRAFT

    @property
    def score_name(self) -> str:
        """The name of the column of scores: `probability` or `score`."""
        return "probability" if self.probabilities else "score"

    @cached_property
    def verdicts(self) -> dict[str, int]:
        """The number of headwords with each verdict."""
        counts = Counter(row.verdict for row in self.headwords)
        return {verdict: counts[verdict] for verdict in VERDICTS}

    @property
    def accepted(self) -> list[tuple[str, str]]:
        """The pairs that a person accepted or wrote."""
        return [(row.word, word) for row in self.headwords for word in row.translations]

    def write(self, path: PathLike, *, formulas: bool = False) -> None:
        """Write the draft as a table that people fill in: `.xlsx`, `.csv`, `.tsv` or `.html`.

        A file with verdicts is replaced only if these were read for this draft. With `formulas`,
        words in CSV that a spreadsheet program could calculate stay as they are.
        """
        check_replaced(path, self.judged)
        write_lexicon(self.file_rows(), path, formulas=formulas, choices={"verdict": VERDICTS})

    def write_accepted(self, path: PathLike, *, formulas: bool = False) -> None:
        """Write the accepted pairs as a lexicon."""
        _write_accepted(self.accepted, path, formulas=formulas)

    def file_rows(self) -> Iterator[Row]:
        """Yield the header and the rows of the table for people."""
        yield (
            "source", "target", self.score_name, "back", "verdict", "other", "pos", "lemma",
            "name", "rank", "further",
        )  # fmt: skip
        for row in self.headwords:
            first = row.candidates[0] if row.candidates else Candidate("", None, "")
            yield (
                row.word,
                first.word,
                "" if first.score is None else round(first.score, DIGITS),
                first.back,
                row.verdict,
                join_words(row.other),
                row.pos,
                row.lemma,
                "yes" if row.name is not None and row.name >= NAME else "",
                row.rank or "",
                _further(row),
            )

    def shown(self) -> Result:
        """Return the headwords without their further candidates."""
        facts = {"probabilities": self.probabilities}
        return Result("draft", {"headwords": self.table()}, facts)

    def rows_in_all(self, table: Table) -> int:
        """Return the number of headwords."""
        return len(self.headwords)

    def main_table(self) -> pl.DataFrame:
        """Return the table `headwords`."""
        return self.table()

    def table(self) -> pl.DataFrame:
        """Return a row for each headword, with its first candidate and its verdict.

        `name` is the probability that the headword is a proper noun, `rank` its place in the
        vectors (0: not there).
        """
        rows = [
            (row.word, row.target or None, row.candidates[0].score if row.candidates else None,
             row.candidates[0].back if row.candidates else None, row.verdict,
             join_words(row.other), row.pos, row.lemma, row.name, row.rank)
            for row in self.headwords
        ]  # fmt: skip
        schema = {
            "source": pl.String, "target": pl.String, "score": pl.Float64, "back": pl.String,
            "verdict": pl.String, "other": pl.String, "pos": pl.String, "lemma": pl.String,
            "name": pl.Float64, "rank": pl.Int64,
        }  # fmt: skip
        return pl.DataFrame(rows, schema=schema, orient="row")

    def candidates(self) -> pl.DataFrame:
        """Return a row for each candidate of each headword, in the order of the draft."""
        rows = [
            (row.word, place, one.word, one.score, one.back)
            for row in self.headwords
            for place, one in enumerate(row.candidates, 1)
        ]
        schema = {
            "word": pl.String, "rank": pl.Int64, "candidate": pl.String, "score": pl.Float64,
            "back": pl.String,
        }  # fmt: skip
        return pl.DataFrame(rows, schema=schema, orient="row")

    def result(self, provenance: Mapping[str, Any] | None = None) -> Result:
        """Return the tables with their provenance, for a result folder or a report."""
        facts = {
            "misword": __version__,
            **(provenance or {}),
            "signature": str(self.signature),
            "probabilities": self.probabilities,
            "languages": list(self.languages),
            "verdicts": self.verdicts,
            "notes": list(self.notes),
            "parts": dict(self.parts),
        }
        return Result("draft", {"headwords": self.table(), "candidates": self.candidates()}, facts)


def _further(row: Headword) -> str:
    """Return the candidates after the first with their scores, as text."""
    return ", ".join(
        one.word if one.score is None else f"{one.word} ({number(one.score, 2)})"
        for one in row.candidates[1:]
    )


def _write_accepted(pairs: Sequence[tuple[str, str]], path: PathLike, *, formulas: bool) -> None:
    if not pairs:
        raise OptionError(
            "no pair is accepted yet",
            fix="write accept into the column 'verdict', and read it with --judged FILE",
        )
    write_lexicon([("source", "target"), *pairs], path, formulas=formulas)


def write_judged(judged: PathLike, path: PathLike, *, formulas: bool = False) -> dict[str, int]:
    """Write the accepted pairs of a file with verdicts, without a mapping.

    Returns the number of accepted pairs and of each verdict.
    """
    judgements = read_judgements(judged)
    pairs = [
        (word, translation)
        for word, one in judgements.items()
        for translation in accepted_translations(one.target, one.verdict, one.other)
    ]
    _write_accepted(pairs, path, formulas=formulas)
    counts = Counter(one.verdict for one in judgements.values())
    return {"accepted pairs": len(pairs), **{verdict: counts[verdict] for verdict in VERDICTS}}


@takes(DraftOptions)
def draft_lexicon(
    mapping: WordMapping | PathLike,
    words: Words | Callable[[], Words] | None = None,
    k: int = DRAFT_CANDIDATES,
    **options: Unpack[DraftOptions],
) -> Draft:
    """Draft a dictionary: a row for each word with its `k` best candidates, reliable rows first.

    A row has the part of speech, the lemma, the probability of a proper noun, the rank in the
    vectors, the candidates with their probability or score, and the back-translation of each. The
    retriever is `reranked` if the mapping has a reranker, else `csls`. `judged` is a draft that a
    person filled in, or the file that the page of a draft saves: its verdicts are kept.
    `source_lang` and `target_lang` are the languages of the mapping's vectors; without them, the
    names of the files of vectors are searched for their codes. The other arguments are those of
    `translate`.

    Known problems: words are analysed without a sentence, so that a form that can be a noun or a
    verb has one part of speech.

    >>> draft = draft_lexicon("en-fr.map", judged="draft.xlsx")  # doctest: +SKIP
    >>> draft.write_accepted("accepted.tsv")  # doctest: +SKIP
    """
    judged, workers = options["judged"], options["workers"]
    part = named_retriever(options["retriever"], workers)
    check_k([k])
    check_max_words(options["max_words"])
    judgements = {} if judged is None else read_judgements(judged)
    if callable(words):
        words = words()
    opened = OpenMapping.of(mapping, **chosen(options, MappedVectors, FirstWords))
    if words is None:
        opened.check_training(force=options["force"])
    named = options["source_lang"], options["target_lang"]
    languages, notes = draft_languages(opened, named[::-1] if options["reverse"] else named)
    part = part or opened.default_retriever()
    found = translate_opened(opened, words, k, part, workers)
    rows, more = _rows(opened, found, judgements, judged, languages, workers)
    return Draft(
        tuple(sort_by_reliability(rows, probabilities=part.gives_probabilities)),
        part.gives_probabilities,
        languages,
        found.signature,
        judged,
        (*found.notes, *_about_scores(part, opened), *notes, *more),
        found.parts,
    )


def _rows(
    mapping: OpenMapping,
    found: Translations,
    judgements: Mapping[str, Judgement],
    judged: PathLike | None,
    languages: tuple[str, str],
    workers: int | None,
) -> tuple[list[Headword], tuple[str, ...]]:
    """Return the rows with their verdicts and what is known about the words, and notes."""
    rows = draft_headwords(mapping, found, workers)
    notes: tuple[str, ...] = ()
    if judged is not None:
        rows, notes = apply_judgements(rows, judgements, shown_path(judged))
    rows, missing = add_word_facts(rows, languages)
    return rows, (*notes, *missing)


def _about_scores(part: Retriever, mapping: OpenMapping) -> tuple[str, ...]:
    """Return a note if scores are not probabilities, with the way to get probabilities."""
    if part.gives_probabilities:
        return ()
    fix = (
        "a reranker gives them: misword map ... --rerank LEXICON"
        if mapping.reranker is None
        else "the retriever reranked gives them"
    )
    return (f"scores are those of {part.name}, not probabilities; {fix}",)

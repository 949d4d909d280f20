"""Drafts of dictionaries: a row for each headword that a person accepts, rejects or corrects.

`draft_lexicon` translates the headwords and adds parts of speech, lemmas and names; verdicts that
a person wrote into an earlier draft are read again. A `Draft` has the rows, tables and files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Unpack

from misword.bli.drafting.examples import add_examples, rank_phrases
from misword.bli.drafting.headwords import (
    Selection,
    add_names,
    draft_headwords,
    draft_languages,
    select_headwords,
    sort_by_gain,
)
from misword.bli.drafting.phrases import add_phrases
from misword.bli.drafting.rows import (
    VERDICTS,
    Candidate,
    Headword,
    Verdict,
    accepted_translations,
)
from misword.bli.drafting.senses import add_senses
from misword.bli.mapping import Mapping as WordMapping
from misword.bli.open_mapping import OpenMapping, check_max_words
from misword.bli.options import (
    DRAFT_CANDIDATES,
    INCLUDED,
    DraftOptions,
    FirstWords,
    MappedVectors,
)
from misword.bli.retrievers import Retriever
from misword.bli.translate import (
    Translations,
    Words,
    check_k,
    named_retriever,
    translate_opened,
)
from misword.core.errors import InputError, OptionError
from misword.core.formatting import counted, number
from misword.core.lazy import pl
from misword.core.options import chosen, takes
from misword.core.signature import Signature
from misword.core.tables import Table
from misword.core.types import DisplayedResult, Result
from misword.core.version import __version__
from misword.io.dictionaries.entries import Entry, Equivalent, Example, Sense
from misword.io.dictionaries.writing import is_dictionary_file, write_dictionary
from misword.io.files.sources import PathLike, shown_path
from misword.io.lexicon_writing import Row, write_lexicon
from misword.io.lexicons import Lexicon
from misword.io.verdicts import check_replaced, plain_cells, read_verdict_table, verdict_of
from misword.stat.descriptions.lexicons import DRAFT

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
    reviewer: str = ""


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
        target, reviewer = map(plain, (judgement.target, judgement.reviewer))
        found[word] = replace(judgement, target=target, other=other, reviewer=reviewer)
    return found


def _judgements(table: Lexicon) -> list[Judgement]:
    """Return what each row of a table says."""
    nothing = ("",) * len(table)
    others, reviewers = (table.columns.get(name, nothing) for name in ("other", "reviewer"))
    rows = zip(table.target, table.columns["verdict"], others, table.lines, strict=True)
    found = (_judgement(*row[:3], where=f"{table.name}:{row[3]}") for row in rows)
    return [
        replace(one, reviewer=reviewer.strip())
        for one, reviewer in zip(found, reviewers, strict=True)
    ]


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
        verdict, other = judged.verdict, judged.other
        found.append(replace(row, verdict=verdict, other=other, reviewer=judged.reviewer))
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

DIGITS = 4  # of scores in files
# So many times more candidates are found if forms of one lemma are grouped.
LARGER = 3


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
        """Write the accepted pairs as a lexicon, or as a dictionary by the suffix of the file."""
        if is_dictionary_file(path):
            self.write_dictionary(path, only_accepted=True)
        else:
            _write_accepted(self.accepted, path, formulas=formulas)

    def entries(self, *, only_accepted: bool = False) -> list[Entry]:
        """Return the rows as entries of a dictionary, or only what a person accepted.

        Translations that a person wrote belong to the first sense.
        """
        found = (_entry(row, self.probabilities) for row in self.headwords)
        return [one for one in map(_accepted_part, found) if one] if only_accepted else list(found)

    def write_dictionary(self, path: PathLike, *, only_accepted: bool = False) -> None:
        """Write the entries as a dictionary; the suffix is one of `.tei`, `.ttl`, `.ifo`, `.lift`,
        `.tsv`, `.csv`, `.xlsx`.
        """
        entries = self.entries(only_accepted=only_accepted)
        if not entries:
            raise _nothing_accepted()
        write_dictionary(entries, path, self.languages)

    def file_rows(self) -> Iterator[Row]:
        """Yield the header and the rows of the table for people."""
        yield (
            "source", "target", self.score_name, "back", "verdict", "other", "pos", "lemma",
            "name", "rank", "further", "forms", "known", "frequency", "example", "reviewer",
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
                "yes" if row.is_name else "",
                row.rank or "",
                _further(row),
                join_words(row.forms),
                "yes" if row.known else "",
                row.frequency or "",
                next((one.text for _, one in row.examples), ""),
                row.reviewer,
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
        vectors (0: not there), `known` whether it is in the training lexicon, `forms` the forms it
        stands for, `frequency` its occurrences in the corpus of the examples.
        """
        rows = [
            (row.word, row.target or None, row.candidates[0].score if row.candidates else None,
             row.candidates[0].back if row.candidates else None, row.verdict,
             join_words(row.other), row.pos, row.lemma, row.name, row.rank, row.known,
             join_words(row.forms), row.frequency, row.reviewer)
            for row in self.headwords
        ]  # fmt: skip
        schema = {
            "source": pl.String, "target": pl.String, "score": pl.Float64, "back": pl.String,
            "verdict": pl.String, "other": pl.String, "pos": pl.String, "lemma": pl.String,
            "name": pl.Float64, "rank": pl.Int64, "known": pl.Boolean, "forms": pl.String,
            "frequency": pl.Int64, "reviewer": pl.String,
        }  # fmt: skip
        return pl.DataFrame(rows, schema=schema, orient="row")

    def candidates(self) -> pl.DataFrame:
        """Return a row for each candidate of each headword, in the order of the draft."""
        rows = [
            (row.word, place, one.word, one.score, one.back, one.sense, one.pos)
            for row in self.headwords
            for place, one in enumerate(row.candidates, 1)
        ]
        schema = {
            "word": pl.String, "rank": pl.Int64, "candidate": pl.String, "score": pl.Float64,
            "back": pl.String, "sense": pl.Int64, "pos": pl.String,
        }  # fmt: skip
        return pl.DataFrame(rows, schema=schema, orient="row")

    def examples(self) -> pl.DataFrame:
        """Return a row for each example of each sense of each headword."""
        rows = [
            (row.word, sense, one.text, one.translation, one.source)
            for row in self.headwords
            for sense, one in row.examples
        ]
        schema = {
            "word": pl.String, "sense": pl.Int64, "text": pl.String, "translation": pl.String,
            "source": pl.String,
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
        tables = {
            "headwords": self.table(),
            "candidates": self.candidates(),
            "examples": self.examples(),
        }
        return Result("draft", tables, facts)


def _further(row: Headword) -> str:
    """Return the candidates after the first with their scores, as text.

    A semicolon stands between candidates of different senses, a comma between those of one sense.
    """
    text, before = "", row.candidates[0].sense if row.candidates else 1
    for one in row.candidates[1:]:
        shown = one.word if one.score is None else f"{one.word} ({number(one.score, 2)})"
        text += ("; " if one.sense != before else ", ") * bool(text) + shown
        before = one.sense
    return text


def _entry(row: Headword, probabilities: bool) -> Entry:
    """Return a row as the entry of a dictionary."""
    accepted = dict.fromkeys(row.translations)
    senses: dict[int, list[Equivalent]] = {}
    for place, one in enumerate(row.candidates):
        refused = place == 0 and row.verdict in ("reject", "other")
        verdict = "accept" if one.word in accepted else "reject" if refused else ""
        accepted.pop(one.word, None)
        probability = one.score if probabilities else None
        equivalent = Equivalent(one.word, one.pos, probability, verdict)
        senses.setdefault(one.sense, []).append(equivalent)
    for word in accepted:  # a person wrote them
        senses.setdefault(1, []).append(Equivalent(word, verdict="accept"))
    examples: dict[int, list[Example]] = {}
    for number_, example in row.examples:
        examples.setdefault(number_, []).append(example)
    made = tuple(
        Sense(number_, tuple(equivalents), examples=tuple(examples.get(number_, ())))
        for number_, equivalents in sorted(senses.items())
    )
    facts = (row.frequency, row.rank, row.verdict, row.reviewer)
    return Entry(row.word, made, row.pos, row.forms, *facts)


def _accepted_part(entry: Entry) -> Entry | None:
    """Return an entry with the accepted equivalents alone and its senses numbered anew."""
    senses: list[Sense] = []
    for sense in entry.senses:
        kept = tuple(one for one in sense.equivalents if one.verdict == "accept")
        if kept:
            senses.append(replace(sense, number=len(senses) + 1, equivalents=kept))
    return replace(entry, senses=tuple(senses)) if senses else None


def _nothing_accepted() -> OptionError:
    return OptionError(
        "no pair is accepted yet",
        fix="write accept into the column 'verdict', and read it with --judged FILE",
    )


def _write_accepted(pairs: Sequence[tuple[str, str]], path: PathLike, *, formulas: bool) -> None:
    if not pairs:
        raise _nothing_accepted()
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
    """Draft a dictionary: a row for each headword with its `k` best candidates.

    Of a whole vocabulary, lemmas have a row that are not in the training lexicon and are neither
    names nor function words; `include` names what has rows as well (`forms`, `known`, `names`,
    `function-words`, `symbols`). Words that are named all have one, unless `include` says
    otherwise. Frequent words whose candidate is probably right come first.

    A row has the part of speech, the lemma, the probability of a proper noun, the rank in the
    vectors, the candidates by sense with their probability or score, and the back-translation of
    each. The retriever is `reranked` if the mapping has a reranker, else `csls`. `judged` is a
    draft that a person filled in, or the file that the page of a draft saves: its verdicts are
    kept. `examples` are one or two files with a sentence on each line: of the source language, and
    of the target language; `phrases` are lists of multi-word expressions of both, and with
    `find_phrases` those of the examples are found. `source_lang` and `target_lang` are the
    languages of the mapping's vectors; without them, the names of the files of vectors are searched
    for their codes. The other arguments are those of `translate`.

    Known problems: words are analysed without a sentence, so that a form that can be a noun or a
    verb has one part of speech.

    >>> draft = draft_lexicon("en-fr.map", judged="draft.xlsx")  # doctest: +SKIP
    >>> draft.write_accepted("accepted.tsv")  # doctest: +SKIP
    """
    part = named_retriever(options["retriever"], options["workers"])
    check_k([k])
    check_max_words(options["max_words"])
    judgements = {} if options["judged"] is None else read_judgements(options["judged"])
    if callable(words):
        words = words()
    opened = OpenMapping.of(mapping, **chosen(options, MappedVectors, FirstWords))
    if words is None:
        opened.check_training(force=options["force"])
    return _draft_opened(opened, words, judgements, k, part or opened.default_retriever(), options)


def _draft_opened(
    opened: OpenMapping,
    words: Words | None,
    judgements: Mapping[str, Judgement],
    k: int,
    part: Retriever,
    options: DraftOptions,
) -> Draft:
    """Return the draft of an open mapping, by a retriever."""
    judged, workers = options["judged"], options["workers"]
    named = options["source_lang"], options["target_lang"]
    languages, notes = draft_languages(opened, named[::-1] if options["reverse"] else named)
    include = _included(options["include"], words)
    opened, phrases, about = add_phrases(
        opened,
        options["phrases"] or (),
        options["examples"] or (),
        languages,
        find=options["find_phrases"],
    )
    selection = select_headwords(
        opened.source.vocabulary if words is None else [*words, *phrases],
        languages[0],
        opened.training_pairs,
        include,
        judgements,
    )
    found, rows = _translated(opened, selection, languages, include, k, part, workers)
    rows = [replace(row, rank=0) if row.word in set(phrases) else row for row in rows]
    if judged is not None:
        rows, more = apply_judgements(rows, judgements, shown_path(judged))
        about = (*about, *more)
    rows, names = _described(rows, opened, languages, include, options["examples"])
    return Draft(
        tuple(sort_by_gain(rows, probabilities=part.gives_probabilities)),
        part.gives_probabilities,
        languages,
        _with_settings(found.signature, k=str(k), include="+".join(include) or "none"),
        judged,
        (
            *found.notes,
            *_about_scores(part, opened),
            *notes,
            *selection.note(names),
            *about,
            *selection.facts.notes,
        ),
        found.parts,
    )


def _translated(
    mapping: OpenMapping,
    selection: Selection,
    languages: tuple[str, str],
    include: Sequence[str],
    k: int,
    part: Retriever,
    workers: int | None,
) -> tuple[Translations, list[Headword]]:
    """Return the candidates of the headwords, and a row for each headword."""
    grouped = languages[1] if "forms" not in include else ""
    wanted = LARGER * k if grouped else k
    found = translate_opened(mapping, selection.words, wanted, part, workers)
    rows = draft_headwords(mapping, found, workers, k, grouped)
    return found, list(map(selection.describe, rows))


def _described(
    rows: Sequence[Headword],
    mapping: OpenMapping,
    languages: tuple[str, str],
    include: Sequence[str],
    corpora: Sequence[PathLike] | None,
) -> tuple[list[Headword], int]:
    """Return the rows with names, senses and examples, and how many names were left out."""
    named = add_names(rows, languages)
    kept = [row for row in named if "names" in include or row.verdict or not row.is_name]
    made = add_senses(kept, mapping.target, languages[1])
    if corpora:
        made = rank_phrases(add_examples(made, mapping, corpora))
    return made, len(named) - len(kept)


def _included(names: Sequence[str] | None, words: Words | None) -> tuple[str, ...]:
    """Return what has rows of its own: by default nothing of a vocabulary, all of named words."""
    if names is None:
        return () if words is None else tuple(INCLUDED)
    if unknown := [name for name in names if name not in INCLUDED]:
        raise OptionError(f"include {unknown[0]!r}", fix=f"use some of {', '.join(INCLUDED)}")
    return tuple(name for name in INCLUDED if name in names)


def _with_settings(signature: Signature, **settings: str) -> Signature:
    """Return a signature with other values of some settings; new ones come last but the version."""
    kept = {name: settings.pop(name, value) for name, value in signature.settings}
    version = kept.pop("v")
    return replace(signature, settings=(*kept.items(), *settings.items(), ("v", version)))


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

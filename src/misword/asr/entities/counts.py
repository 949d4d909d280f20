"""Errors in entities and keywords: the options, the places of the spans, counts and their table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.asr.compared_texts import ComparedTexts, map_tokens
from misword.asr.entities.spans import (
    KeywordList,
    Numbers,
    RowSpans,
    WordSpans,
    check_nesting,
    count_spans,
    find_terms,
    terms_of,
)
from misword.asr.entities.tags import tagged_words, take_tags
from misword.asr.forgiving.blocks import Blocks, WordClasses
from misword.asr.forgiving.readings import Readings
from misword.asr.metrics.edit_rate import EditRate
from misword.asr.options import ScoringOptions
from misword.asr.pairs import Pairs
from misword.core.context import Context
from misword.core.display import names_shown
from misword.core.errors import InputError, OptionError
from misword.core.formatting import counted
from misword.core.lazy import pl
from misword.core.types import Alignment, Corpus, Offsets, Op, Sides, Tokens
from misword.stat.tallies.class_rates import ENTITY_COUNTS
from misword.text.normalizers import normalize
from misword.text.texts import Texts
from misword.text.tokens import decode_words, encode_words

if TYPE_CHECKING:
    from misword.asr.entities.recognised import EntityRecogniser

# Spans of written words, mapped to the words that are compared.
#
# Normalizers may change, remove or divide a word. A reference with alternatives is compared in the
# reading that was chosen for a pair. Its tags are those of the written reading: the first
# alternative of each group that has words (`2020` in `{ 2020 / twenty twenty }`).

# The alternatives of a group, or the words between two groups as one alternative. Each has the
# number of its segment.
Choices = list[list[int]]


def place_spans(
    spans: WordSpans, texts: ComparedTexts, readings: Readings, index: Numbers
) -> WordSpans:
    """Return the spans in the rows of `readings`; spans that have no word there are left out.

    `index` has the reference of each pair; the rows of spans are references.
    """
    several = np.diff(texts.signs.offsets) > 0
    if not several.any() and not texts.changed:
        return spans
    words = WrittenWords.of(texts)
    plain = spans.take(~several[spans.row])
    first = words.tokens.offsets[plain.row]
    start, end = (words.places[first + at] - words.places[first] for at in (plain.start, plain.end))
    parts = [np.stack([plain.row, start, end, plain.class_of])]
    pairs = np.flatnonzero(several[index])
    compared = readings.utterances.words[0]
    known = {}
    for pair in pairs.tolist():
        reading, row = int(readings.index[pair, 0]), int(index[pair])
        if reading not in known:
            chosen = compared.ids[compared.offsets[reading] : compared.offsets[reading + 1]]
            begins, ends = words.places_in_reading(row, chosen.tolist())
            own = spans.take(spans.row == row)
            if own.end.max(initial=0) > len(begins):
                raise InputError(
                    f"tags beyond the {len(begins)} words of a reference with alternatives",
                    fix="alternatives beside tags need nlp references with --alternatives-from",
                )
            known[reading] = np.stack(
                [np.full(len(own), reading), begins[own.start], ends[own.end - 1], own.class_of]
            )
    columns = np.concatenate([*parts, *known.values()], axis=1)
    kept = columns[:, columns[1] < columns[2]]
    return WordSpans.of(list(kept), spans.classes)


@dataclass(frozen=True, slots=True, eq=False)
class WrittenWords:
    """The words of references and their segments, before and after normalisation.

    `tokens` are the written words. Written word `k` of all rows begins at `places[k]` of the
    normalised words `normal`; the last of the places is the end of all words.
    """

    texts: ComparedTexts
    tokens: Tokens
    normal: Tokens
    places: Numbers

    @classmethod
    def of(cls, texts: ComparedTexts) -> WrittenWords:
        """Find the places; raise if the normalizers do not work word by word."""
        written, normal = texts.as_written(), texts.words[0]
        tokens = written.sides[0]
        if written.places is not None:
            return cls(texts, tokens, normal, written.places[0])
        if texts.changed:
            raise OptionError(
                "these normalizers join, divide or move words, so tags cannot be mapped to words",
                fix="use normalizers that change each word alone, such as lower,nopunct, and "
                "--forgive writing; or --keywords",
            )
        return cls(texts, tokens, normal, np.arange(len(tokens.ids) + 1))

    def places_in_reading(self, row: int, reading: Sequence[int]) -> tuple[Numbers, Numbers]:
        """Return where each written word of a reference begins and ends in one of its readings.

        If the reading has another alternative than the written one, each word of the written one
        gets the place of the whole alternative.
        """
        begins: list[int] = []
        ends: list[int] = []
        items = self._items(row)
        for at, alternatives, chosen in _matched(items, self._segment, reading):
            own = next((segment for segment in alternatives if self.tokens.lengths[segment]), None)
            if own is None:
                continue
            first = int(self.tokens.offsets[own])
            places = self.places[first : first + int(self.tokens.lengths[own]) + 1]
            if chosen == own:
                begins += (at + places[:-1] - places[0]).tolist()
                ends += (at + places[1:] - places[0]).tolist()
            else:
                begins += [at] * (len(places) - 1)
                ends += [at + len(self._segment(chosen))] * (len(places) - 1)
        return np.array(begins, np.int64), np.array(ends, np.int64)

    def _segment(self, row: int) -> list[int]:
        """Return the normalised words of a segment."""
        at = self.normal.offsets
        ids: list[int] = self.normal.ids[at[row] : at[row + 1]].tolist()
        return ids

    def _items(self, row: int) -> Choices:
        """Return the segments of a reference: a list of alternatives for each group."""
        signs = self.texts.signs
        segment = int(self.texts.written.first_segment[row])
        items: Choices = [[segment]]
        depth = 0
        for kind in signs.kinds[signs.offsets[row] : signs.offsets[row + 1]].tolist():
            segment += 1
            depth += (kind == ord("{")) - (kind == ord("}"))
            if depth > 1:
                raise OptionError(
                    "tags cannot be used with nested alternatives",
                    fix="write each group of alternatives without groups in it",
                )
            if kind == ord("/"):
                items[-1].append(segment)
            else:
                items.append([segment])
        return items


def _matched(
    items: Choices, segment: Callable[[int], list[int]], reading: Sequence[int]
) -> list[tuple[int, list[int], int]]:
    """Return for each group its place in the reading, its alternatives and the one in the reading.

    If several alternatives fit the reading, the first one is taken.
    """
    words = [[(number, segment(number)) for number in item] for item in items]
    # The places that can be reached before each group, each with the step that leads to it.
    ways: list[dict[int, tuple[int, int]]] = [{0: (0, -1)}]
    for alternatives in words:
        reached: dict[int, tuple[int, int]] = {}
        for place in ways[-1]:
            for number, ids in alternatives:
                if list(reading[place : place + len(ids)]) == ids:
                    reached.setdefault(place + len(ids), (place, number))
        ways.append(reached)
    place, found = len(reading), []
    for item, way in zip(reversed(items), reversed(ways[1:]), strict=True):
        place, number = way[place]
        found.append((place, item, number))
    return found[::-1]


# Counts of errors in spans of words, from alignments.

FIELDS = ("class", "words", "substitutions", "missed", "added", "terms", "found")


class SpanCounts(NamedTuple):
    """Counts of each pair and class that has spans, ordered by pair and class.

    Pair `p` has the rows `at[p]` to `at[p + 1] - 1` of `table`, whose columns are `FIELDS`. `words`
    are the words of the spans; words of nested spans of one class count once. `substitutions` and
    `missed` count the words that are substituted, and those that the other side lacks. `added` are
    words of the other side between two words of one span. `terms` is the number of spans, `found`
    the number of spans without an error.
    """

    table: NDArray[np.int32]
    at: Offsets

    def column(self, name: str) -> Numbers:
        """Return one of the columns."""
        return self.table[:, FIELDS.index(name)].astype(np.int64)

    @property
    def pair(self) -> Numbers:
        """The number of the pair of each row."""
        return np.repeat(np.arange(len(self.at) - 1), np.diff(self.at))


def count_errors(
    alignment: Alignment, blocks: Blocks, side: int, spans: RowSpans, rows: Numbers
) -> SpanCounts:
    """Count the errors in spans of the references (`side` 0) or hypotheses (1) of all pairs.

    `rows` has the row of each pair in the spans. The words of forgiven blocks are correct.
    """
    starts, ends = blocks.side(side)
    other = Op.DELETION if side else Op.INSERTION
    # Some metrics align the words without the blocks: then no step is forgiven.
    forgiven = alignment.forgiven, (ends - starts)[: len(alignment.forgiven)]
    steps = alignment.all_operations, alignment.all_offsets
    return SpanCounts(*count_spans(steps, forgiven, other, rows, spans))


# The table `entity_counts`, made from counts of spans when it is asked for.

OF_REFERENCES = ("words", "substitutions", "missed", "added", "terms", "found")
OF_HYPOTHESES = ("terms", "found")


@dataclass(frozen=True, slots=True, eq=False)
class CountedSource:
    """The counts of one source of entities: tags, a recogniser or keywords.

    Hypotheses have counts for keywords only.
    """

    source: str
    classes: tuple[str, ...]
    references: SpanCounts
    hypotheses: SpanCounts | None = None

    @property
    def sides(self) -> list[SpanCounts]:
        """The counts of the references, and of the hypotheses if there are some."""
        return [self.references] if self.hypotheses is None else [self.references, self.hypotheses]

    def found_classes(self) -> set[str]:
        """Return the classes that a text has spans of."""
        numbers = np.concatenate([np.unique(side.table[:, 0]) for side in self.sides])
        return {self.classes[number] for number in numbers.tolist()}

    def table(self, keys: pl.DataFrame) -> pl.DataFrame:
        """Return a row for each pair and class that has spans on either side."""

        width = len(self.classes)
        own_keys = [side.pair * width + side.column("class") for side in self.sides]
        every = np.sort(np.concatenate(own_keys), kind="stable")  # a merge of two sorted arrays
        every = every[np.diff(every, prepend=-1) != 0]
        columns: dict[str, pl.Series] = {}
        names = [ENTITY_COUNTS[:6], ENTITY_COUNTS[6:]]
        fields = [OF_REFERENCES, OF_HYPOTHESES]
        for side, own, read, named in zip(self.sides, own_keys, fields, names, strict=False):
            places = np.searchsorted(every, own)
            for name, field in zip(named, read, strict=True):
                values = np.zeros(len(every), np.int64)
                values[places] = side.column(field)
                columns[name] = pl.Series(name, values)
        for name in ENTITY_COUNTS[6:]:
            columns.setdefault(
                name, pl.Series(name, [None], pl.Int64).new_from_index(0, len(every))
            )
        pair, kind = np.divmod(every, max(width, 1))
        named_class = pl.Series("class", self.classes, pl.String).gather(kind)
        identified: pl.DataFrame = keys.select("utt", "system", "rank")[pair]
        return identified.with_columns(pl.lit(self.source).alias("source"), named_class).hstack(
            list(columns.values())
        )


@dataclass(frozen=True, slots=True, eq=False)
class CountsTable:
    """Makes the table `entity_counts` of several sources; `keys` identifies the pairs."""

    keys: pl.DataFrame
    sources: Sequence[CountedSource]

    def __call__(self) -> pl.DataFrame:
        """Make the table."""

        return pl.concat([source.table(self.keys) for source in self.sources])


# The options `entities` and `keywords`, their checks, and the counts of all pairs.

TAGS, SPACY, KEYWORDS = "tags", "spacy", "keywords"


@dataclass(frozen=True, slots=True, eq=False)
class EntityRequest:
    """The options `--entities` and `--keywords`, checked before any text is read.

    `column` names the column of tags; `recogniser` finds entities in the references. `spans` are
    the entities of the references, after `read`.
    """

    source: str = ""
    column: str = ""
    recogniser: EntityRecogniser | None = None
    keywords: KeywordList | None = None
    spans: WordSpans | None = None

    @classmethod
    def of(
        cls,
        entities: str | None,
        keywords: KeywordList | None,
        options: ScoringOptions,
        context: Context,
    ) -> EntityRequest:
        """Check the options."""
        source, _, column = (entities or "").partition(":")
        if source not in ("", TAGS, SPACY):
            raise OptionError(
                f"unknown source of entities {entities!r}",
                fix="use tags, tags:COLUMN or spacy[:model=NAME]",
            )
        if source:
            _refuse_moved_words(options, context)
        recogniser = None
        if source == SPACY:
            from misword.asr.entities.recognised import EntityRecogniser

            recogniser, column = EntityRecogniser.of(entities or "", context), ""
        return cls(source, column, recogniser, keywords)

    def read(self, corpus: Corpus) -> tuple[Corpus, EntityRequest]:
        """Find the entities of the references; return the corpus without its column of tags."""
        if not self.source:
            return corpus, self
        if self.recogniser is not None:
            texts = corpus.references["text"]
            spans = self.recogniser.spans(texts.to_list())
            check_nesting(spans, corpus.references["utt"], texts)
        else:
            corpus, spans = take_tags(corpus, self.column)
        return corpus, replace(self, spans=spans)

    def count(self, rate: EditRate, pairs: Pairs) -> EntityCounts:
        """Count the errors in entities and keywords, in the alignment of `rate`."""
        alignment = rate.alignment(pairs, operations=True)
        readings = rate.readings(pairs)
        counted, notes, absent = [], list[str](), list[str]()
        if self.spans is not None:
            self._refuse_alternatives(self.spans, pairs)
            index = pairs.reader.index[:, 0]
            placed = place_spans(self.spans, pairs.reader.texts, readings, index)
            spans = placed.by_row(len(readings.utterances.words[0]))
            found = count_errors(alignment, readings.blocks, 0, spans, readings.index[:, 0])
            counted.append(CountedSource(self.source, placed.classes, found))
            notes += _note_on_lost(self.spans, index, int(found.column("terms").sum()))
        if self.keywords is not None:
            terms = terms_of(self.keywords)
            counted.append(_count_keywords(terms, alignment, readings, pairs))
            known = counted[-1].found_classes()
            absent = [kind for kind in dict.fromkeys(terms.values()) if kind not in known]
        return EntityCounts(CountsTable(pairs.keys, counted), tuple(notes), tuple(absent))

    def _refuse_alternatives(self, spans: WordSpans, pairs: Pairs) -> None:
        """Raise if a tagged reference has alternatives, unless it is read from an nlp file."""
        if self.source == TAGS and not self.column and tagged_words(pairs.source) is not None:
            return
        several = np.diff(pairs.reader.texts.signs.offsets) > 0
        if (rows := spans.row[several[spans.row]]).size:
            utt = pairs.source.references["utt"][int(rows[0])]
            raise OptionError(
                f"the reference of {utt!r} has alternatives, so its tags cannot be mapped to words",
                fix="leave the alternatives out and use --forgive writing; --no-alternatives if "
                "{ } is text",
            )


class EntityCounts(NamedTuple):
    """The function that makes the table `entity_counts` (None without a request), and notes.

    `absent` are the classes of keywords that no text has.
    """

    table: CountsTable | None
    notes: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()

    def all_notes(self) -> list[str]:
        """Return the notes, and one on absent keywords."""
        names = names_shown(self.absent)
        return [*self.notes, *([f"no text has a keyword of {names}"] if self.absent else [])]


def _note_on_lost(spans: WordSpans, rows: Numbers, found: int) -> list[str]:
    """Return a note on tagged spans that have no word left after normalisation."""
    lost = int(np.bincount(spans.row, minlength=int(rows.max()) + 1)[rows].sum()) - found
    what = counted(lost, "tagged span")
    return [f"{what} left out: the compared text has no word of them"] if lost else []


def _count_keywords(
    terms: Mapping[str, str], alignment: Alignment, readings: Readings, pairs: Pairs
) -> CountedSource:
    """Count the errors of keywords in references and hypotheses."""
    number_of = {kind: number for number, kind in enumerate(dict.fromkeys(terms.values()))}
    numbers = [number_of[kind] for kind in terms.values()]
    *sides, phrases = _with_terms(list(terms), readings.utterances.words, pairs)
    _refuse_two_classes(terms, phrases)
    counts = []
    for side, tokens in enumerate(sides):
        spans = find_terms(tokens, phrases, numbers, tuple(number_of))
        rows = readings.index[:, side]
        counts.append(count_errors(alignment, readings.blocks, side, spans, rows))
    return CountedSource(KEYWORDS, tuple(number_of), *counts)


def _refuse_two_classes(terms: Mapping[str, str], phrases: Tokens) -> None:
    """Raise if terms of two classes are the same words after normalisation, or if case is forgiven.

    In that case one of the classes would have no terms.
    """
    known: dict[bytes, str] = {}
    for term, lo, hi in zip(terms, phrases.offsets[:-1], phrases.offsets[1:], strict=True):
        first = known.setdefault(phrases.ids[lo:hi].tobytes(), term)
        if terms[first] != terms[term]:
            raise OptionError(
                f"the keywords {first!r} of class {terms[first]!r} and {term!r} of class "
                f"{terms[term]!r} are the same words in the texts that are compared",
                fix="give them one class, or leave one of them out",
            )


def _refuse_moved_words(options: ScoringOptions, context: Context) -> None:
    """Raise if options move or rewrite the words of a text, so that tags cannot be mapped."""
    preset = options.preset
    if preset.changes_rows or preset.rewrites(context):
        raise OptionError(
            f"--entities cannot be used with --preset {preset.name}, which joins or rewrites texts",
            fix="leave one of them out; --keywords can be used with every preset",
        )
    if any(part.before_alternatives for part in options.chain):
        raise OptionError(
            "--entities cannot be used with --glm", fix="leave one of them out, or use --keywords"
        )


def _with_terms(terms: list[str], sides: Sides, pairs: Pairs) -> tuple[Tokens, Tokens, Tokens]:
    """Return the words of both sides and of the normalised terms, over one vocabulary.

    Words that a forgiven family treats as the same, such as `Paris` and `paris`, have the same id.
    """
    vocabulary = sides[0].vocabulary
    known = np.arange(len(vocabulary), dtype=np.int32)
    words = decode_words(Tokens(known, np.array([0, len(known)]), vocabulary))
    # The words of the vocabulary come first, so that they keep their ids.
    _, phrases = encode_words([words, normalize(Texts.of(terms), pairs.reader.texts.chain)])
    for at in np.flatnonzero(phrases.lengths == 0).tolist():
        raise OptionError(
            f"the keyword {terms[at]!r} has no word after normalisation", fix="leave it out"
        )
    all_tokens: tuple[Tokens, ...] = (*sides, phrases)
    if pairs.choice:
        classes = WordClasses.of(phrases.vocabulary[:], pairs.choice).class_of
        all_tokens = tuple(map_tokens(tokens, classes) for tokens in all_tokens)
    left, right, found = (Tokens(t.ids, t.offsets, phrases.vocabulary) for t in all_tokens)
    return left, right, found

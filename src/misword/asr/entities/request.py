"""Which words matter to the user: options, their checks, and the counts of all pairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from misword.asr.entities.counts import AlignedWords, SpanCounts
from misword.asr.entities.keywords import KeywordList, find_terms, terms_of
from misword.asr.entities.placement import place_spans
from misword.asr.entities.spans import Numbers, Spans, check_spans
from misword.asr.entities.tags import tagged_words, take_tags
from misword.asr.forgiving.texts import map_tokens
from misword.asr.forgiving.words import WordClasses
from misword.asr.metrics.edit_rate import EditRate
from misword.asr.pairs import Pairs
from misword.asr.readings import Readings
from misword.asr.scoring_options import ScoringOptions
from misword.core.context import Context
from misword.core.display import names_shown
from misword.core.errors import OptionError
from misword.core.formatting import counted
from misword.core.types import Alignment, Corpus, Sides, Tokens
from misword.stat.entity_rates import ENTITY_COUNTS
from misword.text.normalizers import normalize
from misword.text.texts import Texts

if TYPE_CHECKING:
    import polars as pl

    from misword.asr.entities.recognised import EntityRecogniser

TAGS, SPACY, KEYWORDS = "tags", "spacy", "keywords"


@dataclass(frozen=True, slots=True, eq=False)
class EntityRequest:
    """What `--entities` and `--keywords` ask for, checked before any text is read.

    `column` names the column of tags; `recogniser` finds entities in the references. `spans` are
    the entities of a corpus, once it was read.
    """

    source: str = ""
    column: str = ""
    recogniser: EntityRecogniser | None = None
    keywords: KeywordList | None = None
    spans: Spans | None = None

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
                f"entities from {entities!r}", fix="use tags, tags:COLUMN or spacy[:model=NAME]"
            )
        if source:
            _refuse_moved_words(options, context)
        recogniser = None
        if source == SPACY:
            from misword.asr.entities.recognised import EntityRecogniser

            recogniser, column = EntityRecogniser.of(entities or "", context), ""
        return cls(source, column, recogniser, keywords)

    def __bool__(self) -> bool:
        return bool(self.source) or self.keywords is not None

    def read(self, corpus: Corpus) -> tuple[Corpus, EntityRequest]:
        """Find the entities of the references; return the corpus without its column of tags."""
        if not self.source:
            return corpus, self
        texts, ids = corpus.references["text"].to_list(), corpus.references["utt"]
        if self.recogniser is not None:
            spans = self.recogniser.spans(texts)
        else:
            corpus, spans = take_tags(corpus, self.column)
        lengths = np.fromiter((len(text.split()) for text in texts), np.int64, len(texts))
        check_spans(spans, lengths, ids, texts)
        return corpus, replace(self, spans=spans)

    def count(self, rate: EditRate, pairs: Pairs) -> EntityCounts:
        """Count the errors in the words that the request names; the words are as `rate` aligns."""
        import polars as pl

        if not self:
            return EntityCounts(None, ())
        alignment = rate.alignment(pairs, operations=True)
        readings = pairs.readings(rate.merged)
        frames, notes = [], []
        if self.spans is not None:
            self._refuse_alternatives(self.spans, pairs)
            reader, rows = pairs.reader, readings.index[:, 0]
            placed = place_spans(self.spans, reader.texts, readings, reader.index[:, 0])
            words = AlignedWords.of(alignment, readings.blocks, 0)
            found = words.count(placed, rows, len(readings.utterances.words[0]))
            frames.append(_table(pairs.keys, self.source, placed.classes, found, None))
            notes += _note_on_lost(self.spans, reader.index[:, 0], int(found.terms.sum()))
        if self.keywords is not None:
            terms = terms_of(self.keywords)
            frames.append(_count_keywords(terms, alignment, readings, pairs))
            known = set(frames[-1]["class"].unique().to_list())
            if absent := [kind for kind in dict.fromkeys(terms.values()) if kind not in known]:
                notes.append(f"no text has a keyword of {names_shown(absent)}")
        return EntityCounts(pl.concat(frames), tuple(notes))

    def _refuse_alternatives(self, spans: Spans, pairs: Pairs) -> None:
        """Raise if a tagged reference has alternatives, unless it is read from an nlp file."""
        if self.source == TAGS and not self.column and tagged_words(pairs.source) is not None:
            return
        several = np.diff(pairs.reader.texts.signs.offsets) > 0
        if (rows := spans.row[several[spans.row]]).size:
            utt = pairs.source.references["utt"][int(rows[0])]
            raise OptionError(
                f"the reference of {utt!r} has alternatives, in which its tags have no place",
                fix="leave the alternatives out and use --forgive writing; --no-alternatives if "
                "{ } is text",
            )


NO_ENTITIES = EntityRequest()


class EntityCounts(NamedTuple):
    """The table `entity_counts` of all pairs (None: nothing was asked for), and notes."""

    table: pl.DataFrame | None
    notes: tuple[str, ...]


def _note_on_lost(spans: Spans, rows: Numbers, found: int) -> list[str]:
    """Return a note on spans without words, in all pairs."""
    lost = int(np.bincount(spans.row, minlength=int(rows.max()) + 1)[rows].sum()) - found
    what = counted(lost, "tagged span")
    return [f"{what} left out: the compared text has no word of them"] if lost else []


def _count_keywords(
    terms: Mapping[str, str], alignment: Alignment, readings: Readings, pairs: Pairs
) -> pl.DataFrame:
    """Count the errors of keywords in references and hypotheses."""
    classes = list(dict.fromkeys(terms.values()))
    numbers = [classes.index(kind) for kind in terms.values()]
    *sides, phrases = _with_terms(list(terms), readings.utterances.words, pairs)
    counts = []
    for side, tokens in enumerate(sides):
        spans = find_terms(tokens, phrases, numbers, classes)
        words = AlignedWords.of(alignment, readings.blocks, side)
        counts.append(words.count(spans, readings.index[:, side], len(tokens)))
    return _table(pairs.keys, KEYWORDS, classes, counts[0], counts[1])


def _refuse_moved_words(options: ScoringOptions, context: Context) -> None:
    """Raise if options change the words of a text so that tags have no place in it."""
    preset = options.preset
    if preset.changes_rows or preset.rewrites(context):
        raise OptionError(
            f"--entities beside --preset {preset.name}, which joins or rewrites texts",
            fix="leave one of them out; --keywords can be used with every preset",
        )
    if any(part.before_alternatives for part in options.chain):
        raise OptionError("--entities beside --glm", fix="leave one of them out, or use --keywords")


def _with_terms(terms: list[str], sides: Sides, pairs: Pairs) -> tuple[Tokens, Tokens, Tokens]:
    """Return the words of both sides and of the normalised terms, over one vocabulary.

    Words that a family of differences of writing reads as the same, such as `Paris` and `paris`,
    are one word there.
    """
    spelled = [
        text.split() for text in normalize(Texts.of(terms), pairs.reader.texts.chain).split()
    ]
    for term, words in zip(terms, spelled, strict=True):
        if not words:
            raise OptionError(
                f"the keyword {term!r} has no word after normalisation", fix="leave it out"
            )
    words_of_terms = dict.fromkeys(word for words in spelled for word in words)
    vocabulary = [*sides[0].vocabulary[:]]
    numbers = {word: at for at, word in enumerate(vocabulary) if word in words_of_terms}
    for word in words_of_terms:
        if word not in numbers:
            numbers[word] = len(vocabulary)
            vocabulary.append(word)
    ids = np.array([numbers[word] for words in spelled for word in words], np.int32)
    offsets = np.concatenate([[0], np.cumsum([len(words) for words in spelled])])
    all_tokens: tuple[Tokens, ...] = (*sides, Tokens(ids, offsets, vocabulary))
    if pairs.choice:
        classes = WordClasses.of(vocabulary, pairs.choice).class_of
        all_tokens = tuple(map_tokens(tokens, classes) for tokens in all_tokens)
    left, right, phrases = (Tokens(t.ids, t.offsets, vocabulary) for t in all_tokens)
    return left, right, phrases


def _table(
    keys: pl.DataFrame,
    source: str,
    classes: list[str] | tuple[str, ...],
    references: SpanCounts,
    hypotheses: SpanCounts | None,
) -> pl.DataFrame:
    """Return a row for each pair and class that has spans on either side."""
    import polars as pl

    width = len(classes)
    parts = [references] if hypotheses is None else [references, hypotheses]
    own_keys = [part.pair * width + part.class_of for part in parts]
    every = np.sort(np.concatenate(own_keys), kind="stable")  # a merge of two sorted arrays
    every = every[np.diff(every, prepend=-1) != 0]
    columns: dict[str, pl.Series] = {}
    fields = [SpanCounts._fields[2:], ("terms", "found")]
    names = [ENTITY_COUNTS[:6], ENTITY_COUNTS[6:]]
    for part, own, read, named in zip(parts, own_keys, fields, names, strict=False):
        places = np.searchsorted(every, own)
        for name, column in zip(named, read, strict=True):
            values = np.zeros(len(every), np.int64)
            values[places] = getattr(part, column)
            columns[name] = pl.Series(name, values)
    for name in ENTITY_COUNTS[6:]:
        columns.setdefault(name, pl.Series(name, [None] * len(every), pl.Int64))
    pair, kind = np.divmod(every, max(width, 1))
    named_class = pl.Series("class", list(classes), pl.String).gather(kind)
    identified: pl.DataFrame = keys.select("utt", "system", "rank")[pair]
    return identified.with_columns(pl.lit(source).alias("source"), named_class).hstack(
        list(columns.values())
    )

"""Which words matter to the user: options, their checks, and the counts of all pairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from misword.asr.entities.counts import count_errors
from misword.asr.entities.keywords import KeywordList, find_terms, terms_of
from misword.asr.entities.placement import place_spans
from misword.asr.entities.spans import Numbers, Spans, check_nesting
from misword.asr.entities.tables import CountedSource, CountsTable
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
from misword.text.normalizers import normalize
from misword.text.texts import Texts
from misword.text.tokens import decode_words, encode_words

if TYPE_CHECKING:
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
        if self.recogniser is not None:
            texts = corpus.references["text"]
            spans = self.recogniser.spans(texts.to_list())
            check_nesting(spans, corpus.references["utt"], texts)
        else:
            corpus, spans = take_tags(corpus, self.column)
        return corpus, replace(self, spans=spans)

    def count(self, rate: EditRate, pairs: Pairs) -> EntityCounts:
        """Count the errors in the words that the request names; the words are as `rate` aligns."""
        if not self:
            return EntityCounts(None, ())
        alignment = rate.alignment(pairs, operations=True)
        readings = pairs.readings(rate.merged)
        counted, notes = [], []
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
            if absent := [kind for kind in dict.fromkeys(terms.values()) if kind not in known]:
                notes.append(f"no text has a keyword of {names_shown(absent)}")
        return EntityCounts(CountsTable(pairs.keys, counted), tuple(notes))

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
    """What makes the table `entity_counts` (None: nothing was asked for), and notes."""

    table: CountsTable | None
    notes: tuple[str, ...]


def _note_on_lost(spans: Spans, rows: Numbers, found: int) -> list[str]:
    """Return a note on spans without words, in all pairs."""
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

    Otherwise one of the classes would have no terms.
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

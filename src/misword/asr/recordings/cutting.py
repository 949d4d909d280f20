"""Recordings whose references and hypotheses were divided differently: hypotheses are cut.

Each recording is aligned once, as the scorer aligns it, and its hypothesis is cut at the segments
of the reference (`alignment/segments.py`). The cut texts are scored like all others, and their
errors add up to those of the recordings (`asr/forgiving/contexts.py`).

Normalizers are applied word by word for the cut, so that each normalised word belongs to a word of
the text. Known problems: of normalizers that change several words together (`whisper`), rules of a
GLM file and presets that rewrite pairs, the cut may not be the best one, and errors of segments may
differ a little from those of recordings; so may those of forgiven words in references with
alternatives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.alignment.costs import Costs
from misword.alignment.engine import align
from misword.alignment.segments import AlignedRecording, Times, cut_hypothesis
from misword.asr.compared_texts import find_signs
from misword.asr.forgiving.readings import list_readings
from misword.asr.options import ScoringOptions
from misword.asr.pairs import EquivalentClasses, Pairs, prepare
from misword.asr.views.surface import Word
from misword.core.context import Context
from misword.core.lazy import pl
from misword.core.types import (
    OF_REFERENCES,
    Alignment,
    Corpus,
    Offsets,
    Op,
    Segments,
    Tokens,
    offsets_of,
)
from misword.io.transcripts.columns import typed
from misword.text.normalizers import Chain, Normalizer, normalize
from misword.text.texts import SEPARATOR, Texts
from misword.text.tokens import decode_words, encode_words

RECORDING = "recording"


# Makes the costs of an alignment from the words of its vocabulary.
WordCosts = Callable[[Sequence[str]], Costs]


def settle_segments(
    corpus: Corpus,
    options: ScoringOptions,
    equivalents: EquivalentClasses,
    context: Context,
    costs: WordCosts | None = None,
    *,
    on_path: bool = False,
) -> Corpus:
    """Return the corpus with its hypotheses cut or its references joined, if it needs either.

    With `costs`, recordings are aligned by them, and not by what the options forgive. `on_path` is
    that of `cut_hypothesis`.
    """
    segments = corpus.segments
    if segments is None or segments.settled:
        return corpus
    if segments.mode == "recording":
        return joined(corpus)
    return _Cutting.of(corpus, options, equivalents, context, costs, on_path).corpus()


def joined(corpus: Corpus) -> Corpus:
    """Return a corpus of recordings: the texts and words of their segments joined.

    Metadata are kept if all segments of a recording have the same.
    """
    frame = corpus.references
    own = [name for name in corpus.metadata if name != RECORDING]
    groups = frame.group_by(RECORDING, maintain_order=True)
    same = groups.agg(pl.col(own).n_unique())
    kept = [name for name in own if same[name].max() == 1]
    stripped = pl.col("text").str.strip_chars()
    text = stripped.filter(stripped != "").str.join(" ").alias("text")
    references = groups.agg(text, pl.col(kept).first()).rename({RECORDING: "utt"})
    references = references.select("utt", "text", *kept)
    done = Segments("recording", True, frame.select(RECORDING, "text"))
    hypotheses = corpus.hypotheses.filter(pl.col("utt").is_in(references["utt"].implode()))
    return Corpus(references, hypotheses, _joined_words(corpus), done)


def _joined_words(corpus: Corpus) -> pl.DataFrame | None:
    """Return the table of words with the words of references numbered by recording."""
    words = corpus.words
    if words is None:
        return None
    is_own = pl.col("system") == OF_REFERENCES
    sizes = encode_words([Texts.of(corpus.references["text"])])[0].lengths
    starts = corpus.references.select("utt", RECORDING).with_columns(pl.Series("n", sizes))
    before = (pl.col("n").cum_sum() - pl.col("n")).over(RECORDING).alias("before")
    starts = starts.select("utt", pl.col(RECORDING).alias("whole"), before)
    ours = words.filter(is_own).join(starts, on="utt", how="inner", maintain_order="left")
    ours = ours.with_columns(pl.col("whole").alias("utt"), pl.col("place") + pl.col("before"))
    return pl.concat([ours.select(words.columns), words.filter(~is_own)])


@dataclass(frozen=True, slots=True)
class WordByWord(Normalizer):
    """Normalizers that are applied to each distinct word by itself."""

    name: ClassVar[str] = "word-by-word"

    chain: Chain

    def apply(self, joined: str) -> str:
        """Return the rows with each word changed."""
        texts = Texts.of_joined(joined, joined.count(SEPARATOR) + 1)
        if all(part.keeps_ascii for part in self.chain) and texts.data.isascii():
            return joined
        words = encode_words([texts])[0]
        numbers = np.arange(len(words.vocabulary) + 1)
        distinct = decode_words(Tokens(numbers[:-1].astype(np.int32), numbers, words.vocabulary))
        changed = np.array(normalize(distinct, self.chain).split(), np.object_)[words.ids]
        pieces = np.split(changed, words.offsets[1:-1])
        return SEPARATOR.join(" ".join(filter(None, piece)) for piece in pieces)


@dataclass(frozen=True, slots=True, eq=False)
class _Cutting:
    """The alignment of all recordings, from which the hypotheses of segments are cut.

    `divided` has references by segment, `whole` by recording. Row `p` of `pairs` is a recording and
    a system. `written` are the words of the hypotheses, and `places` the numbers of the normalised
    words at which they begin.
    """

    divided: Corpus
    whole: Corpus
    pairs: Pairs
    written: Tokens
    places: Offsets
    costs: WordCosts | None
    on_path: bool

    @classmethod
    def of(
        cls,
        corpus: Corpus,
        options: ScoringOptions,
        equivalents: EquivalentClasses,
        context: Context,
        costs: WordCosts | None,
        on_path: bool,
    ) -> _Cutting:
        """Prepare the recordings by the options of the scorer."""
        whole = joined(corpus)
        chain = tuple(part for part in options.chain if not part.before_alternatives)
        pairs = prepare(
            whole,
            normalize_with=WordByWord(chain) if chain else "none",
            alternatives=options.alternatives,
            equivalents=equivalents,
            forgive=options.forgive,
            context=context,
        )
        pairs = replace(pairs, reader=replace(pairs.reader, ties=options.preset.ties))
        words = pairs.reader.texts.as_written()
        written = words.sides[1].first(len(pairs))
        places = np.arange(len(written.ids) + 1) if words.places is None else words.places[1]
        places = places[: len(written.ids) + 1]
        return cls(corpus, whole, pairs, written, places, costs, on_path)

    def corpus(self) -> Corpus:
        """Return the corpus of segments."""
        frame = self.divided.references
        recordings = self.whole.references["utt"]
        first = offsets_of(frame.group_by(RECORDING, maintain_order=True).len()["len"].to_numpy())
        keys = self.pairs.keys.select("utt", "system")
        rows = self.pairs.reader.index[:, 0]
        cuts, splits = self._cuts(first, rows)
        texts = decode_words(Tokens(self.written.ids, cuts, self.written.vocabulary)).split()
        for row, (before, after) in splits.items():
            texts[row] = f"{texts[row]} {before}".strip()
            texts[row + 1] = " ".join([after, *texts[row + 1].split()[1:]])
        utts = frame["utt"].to_list()
        ids = [utt for row in rows.tolist() for utt in utts[first[row] : first[row + 1]]]
        sizes = np.diff(first)[rows]
        systems = np.repeat(keys["system"].to_numpy(), sizes)
        cut = pl.DataFrame({"utt": ids, "system": systems, "text": texts})
        assert recordings.len() == len(first) - 1
        hypotheses = cut.select(
            "utt",
            "system",
            pl.lit(1, pl.Int64).alias("rank"),
            "text",
            pl.lit(None, pl.Float64).alias("score"),
        )
        words = self._words(hypotheses, cuts, sizes)
        return Corpus(frame, hypotheses, words, Segments("transfer", settled=True))

    def _cuts(
        self, first: Offsets, rows: NDArray[np.int64]
    ) -> tuple[Offsets, dict[int, tuple[str, str]]]:
        """Return where the text of each segment begins in all written words of hypotheses.

        Where a cut is within a written word, because normalisation divides it, the word belongs to
        the second text; the dictionary has its two parts by the number of the first text.
        """
        alignment = self._alignment()
        blocks, forgiven = self.pairs.readings().blocks, alignment.forgiven
        said = (alignment.all_operations != Op.INSERTION).astype(np.int64)
        heard = (alignment.all_operations != Op.DELETION).astype(np.int64)
        said[forgiven] = blocks.reference_end - blocks.reference_start
        heard[forgiven] = blocks.hypothesis_end - blocks.hypothesis_start
        at, starts = alignment.all_offsets, self.places[self.written.offsets]
        lengths, times = self._lengths(first), self._segment_times()
        # Only for unit costs is it known which other cuts are equally good.
        spoken = self._word_times() if self.costs is None else None
        found, splits, row = [], {}, 0
        for pair, recording in enumerate(rows.tolist()):
            ops = slice(at[pair], at[pair + 1])
            path = AlignedRecording(alignment.all_operations[ops], said[ops], heard[ops])
            lo, hi = first[recording], first[recording + 1]
            borders = np.cumsum(lengths(pair, recording))[:-1]
            inside = slice(starts[pair], starts[pair + 1])
            own = None if spoken is None else Times(*(side[inside] for side in spoken))
            spans = None if times is None else Times(*(side[lo:hi] for side in times))
            on_path = self.on_path or self.costs is not None
            places = starts[pair] + cut_hypothesis(path, borders, own, spans, on_path=on_path)
            # Words without a normalised word, such as dashes, stay with the word before them.
            end = self.written.offsets[pair + 1]
            words = np.minimum(np.searchsorted(self.places, places, "right") - 1, end)
            for number in np.flatnonzero(self.places[words] != places).tolist():
                splits[row + number] = self._parts(int(words[number]), int(places[number]))
            found.append(np.concatenate([[self.written.offsets[pair]], words]))
            row += hi - lo
        ends = [np.array([len(self.written.ids)])]
        return np.concatenate([*found, *ends]).astype(np.int64), splits

    def _alignment(self) -> Alignment:
        """Align the recordings."""
        pairs, view = self.pairs, Word()
        if self.costs is None:
            return pairs.alignment(view, pairs.reader.ties, operations=True)
        sides, rows = pairs.tokens(view), pairs.rows(view)
        guide = pairs.alignment(view, "misword", operations=True)
        costs = self.costs(sides[0].vocabulary[:])
        return align(*sides, pairs=rows, costs=costs, guide=guide, workers=pairs.context.workers)

    def _parts(self, word: int, place: int) -> tuple[str, str]:
        """Return the normalised words of a written word before and after a place."""
        normal = self.pairs.reader.texts.words[1]
        lo, hi = self.places[word], self.places[word + 1]
        before, after = (
            " ".join(normal.vocabulary[number] for number in normal.ids[a:b].tolist())
            for a, b in ((lo, place), (place, hi))
        )
        return before, after

    def _lengths(self, first: Offsets) -> _Lengths:
        """Return the function that gives the words of segments in the reading of a pair."""
        texts = Texts.of(self.divided.references["text"])
        chain, signs = self.pairs.reader.texts.chain, self.pairs.reader.texts.signs
        plain = encode_words([normalize(texts, chain)])[0].lengths
        return _Lengths(self.pairs, first, plain, texts.split() if len(signs) else [], chain)

    def _word_times(self) -> Times | None:
        """Return the times of all normalised words of hypotheses; None if no word has times."""
        words = self.divided.words
        if words is None:
            return None
        keys = self.pairs.keys.select("utt", "system").with_columns(
            pl.Series("at", self.written.offsets[:-1]), pl.Series("n", self.written.lengths)
        )
        timed = words.filter(pl.col("begin").is_not_null() & pl.col("end").is_not_null())
        rows = timed.select("utt", "system", "place", "begin", "end").join(
            keys, on=["utt", "system"], how="inner"
        )
        rows = rows.filter(pl.col("place") < pl.col("n"))
        if rows.is_empty():
            return None
        at = (rows["at"] + rows["place"]).to_numpy()
        sides = []
        for name in ("begin", "end"):
            written = np.full(len(self.written.ids), np.nan)
            written[at] = rows[name].to_numpy()
            sides.append(np.repeat(written, np.diff(self.places)))
        return Times(*sides)

    def _segment_times(self) -> Times | None:
        """Return the times of all segments of references; None if they have none."""
        frame = self.divided.references
        if not {"begin", "end"} <= set(frame.columns):
            return None
        columns = [typed(frame[name]) for name in ("begin", "end")]
        if not all(column.dtype.is_numeric() for column in columns):
            return None
        return Times(*(column.cast(pl.Float64).fill_null(np.nan).to_numpy() for column in columns))

    def _words(
        self, hypotheses: pl.DataFrame, cuts: Offsets, sizes: NDArray[np.int64]
    ) -> pl.DataFrame | None:
        """Return the table of words with those of hypotheses numbered by segment."""
        words = self.divided.words
        if words is None:
            return None
        is_own = pl.col("system") == OF_REFERENCES
        keys = self.pairs.keys.select("utt", "system").with_columns(
            pl.Series("at", self.written.offsets[:-1]), pl.Series("n", self.written.lengths)
        )
        theirs = words.filter(~is_own).join(
            keys, on=["utt", "system"], how="inner", maintain_order="left"
        )
        theirs = theirs.filter(pl.col("place") < pl.col("n"))
        flat = (theirs["at"] + theirs["place"]).to_numpy()
        row = np.searchsorted(cuts, flat, "right") - 1
        theirs = theirs.with_columns(
            hypotheses["utt"].gather(row).alias("utt"), pl.Series("place", flat - cuts[row])
        )
        return pl.concat([words.filter(is_own), theirs.select(words.columns)])


@dataclass(frozen=True, slots=True, eq=False)
class _Lengths:
    """The numbers of words of the segments of a recording, in the reading chosen for a pair.

    `texts` are those of all segments if references have alternatives: a segment then has as many
    words as the alternatives that were chosen.
    """

    pairs: Pairs
    first: Offsets
    plain: NDArray[np.int64]
    texts: Sequence[str]
    chain: Chain

    def __call__(self, pair: int, recording: int) -> NDArray[np.int64]:
        """Return the numbers of words of the segments."""
        lo, hi = self.first[recording : recording + 2].tolist()
        texts = self.texts[lo:hi]
        if not any("{" in text for text in texts):
            return self.plain[lo:hi]
        readings = self.pairs.readings()
        chosen = readings.utterances.words[0][int(readings.index[pair, 0])]
        return np.array(_lengths_in_reading(self._items(texts), chosen), np.int64)

    def _items(self, texts: Sequence[str]) -> list[list[Item]]:
        """Return the items of segments: text, or the readings of a group, as normalised words."""
        signs = find_signs(Texts.of(texts), pl.Series([""] * len(texts)))
        pieces = signs.segments.split()
        listed = []
        for row in range(len(texts)):
            lo, hi = signs.offsets[row : row + 2].tolist()
            kinds = signs.kinds[lo:hi].tobytes().decode()
            listed.append(list(_items_of(pieces[lo + row : hi + row + 1], kinds)))
        flat = [text for items in listed for item in items for text in item]
        words = iter(normalize(Texts.of(flat), self.chain).split())
        return [[[tuple(next(words).split()) for _ in item] for item in items] for items in listed]


# The readings of a part of a text, as words.
Item = list[tuple[str, ...]]


def _items_of(pieces: Sequence[str], kinds: str) -> Iterator[list[str]]:
    """Yield the texts outside of alternatives, and the readings of each group of alternatives.

    `kinds` are the signs between the pieces of a text: `{`, `/` and `}`.

    >>> list(_items_of(["so", "um", "@", "we"], "{/}"))
    [['so'], ['um', ''], ['we']]
    """
    depth = begin = 0
    yield [pieces[0]]
    for at, kind in enumerate(kinds):
        if kind == "{":
            begin = begin if depth else at
            depth += 1
        elif kind == "}":
            depth -= 1
            if not depth:
                inside = ["", *pieces[begin + 1 : at + 1], ""]
                yield list_readings(inside, kinds[begin : at + 1], "")
                yield [pieces[at + 1]]


def _lengths_in_reading(segments: Sequence[Sequence[Item]], chosen: Sequence[str]) -> list[int]:
    """Return how many words each segment has in the words chosen for all of them.

    >>> segments = [[[("a",)], [("b",), ()]], [[("b",), ()], [("c",)]]]
    >>> _lengths_in_reading(segments, ["a", "b", "c"])
    [1, 2]
    """
    begins: list[dict[int, int]] = []  # of each segment: where it begins if it ends at a place
    places = [0]
    for items in segments:
        began = {place: place for place in places}
        for item in items:
            following: dict[int, int] = {}
            for place, begin in sorted(began.items()):
                for words in item:
                    end = place + len(words)
                    if end not in following and tuple(chosen[place:end]) == words:
                        following[end] = begin
            began = following
        begins.append(began)
        places = list(began)
    if len(chosen) not in places:
        raise ValueError("the chosen words are no reading of the segments")
    lengths, place = [], len(chosen)
    for began in reversed(begins):
        lengths.append(place - began[place])
        place = began[place]
    return lengths[::-1]

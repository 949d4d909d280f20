"""A corpus ready to be measured: normalised texts, with tokens and alignments computed once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from misword.alignment.costs import Costs
from misword.alignment.engine import UNIT_TIES, Ties, align, substitutions
from misword.asr.compared_texts import ComparedTexts, Signs, find_signs
from misword.asr.corpus import check_complete
from misword.asr.costs import Cost, Substituted, ViewVocabulary
from misword.asr.forgiving.choice import ForgivenFamilies, without_forgiving
from misword.asr.forgiving.equivalents import Equivalents, equivalent_classes
from misword.asr.forgiving.readings import Reader, Readings, choose_hypotheses, note_on_alternatives
from misword.asr.presets import Preset
from misword.asr.views import Utterances, View
from misword.asr.views.surface import Word
from misword.core.context import Context
from misword.core.lazy import pl
from misword.core.parts import Settings
from misword.core.types import Alignment, Corpus, Sides, Tokens, offsets_of
from misword.text.normalizers import (
    DEFAULT,
    Chain,
    Steps,
    normalize,
    normalizers,
    rewrite,
    spell_chain,
)
from misword.text.texts import Texts
from misword.text.tokens import encode_words

if TYPE_CHECKING:
    from misword.asr.forgiving.contexts import Contexts
    from misword.text.writing.compounds import Compounds

# Presets that change the rows of a corpus: utterances are left out, pairs are rewritten.


def leave_out(preset: Preset, corpus: Corpus, chain: Chain) -> tuple[Corpus, tuple[str, ...]]:
    """Return the corpus without the utterances that a preset leaves out, and a note on them.

    The preset decides by the references after normalisation.
    """

    texts = normalize(Texts.of(corpus.references["text"]), chain).split()
    keeps = pl.Series(preset.keeps(texts), dtype=pl.Boolean)
    if keeps.all():
        return corpus, ()
    kept = corpus.references.filter(keeps)
    hypotheses = corpus.hypotheses.filter(pl.col("utt").is_in(kept["utt"].implode()))
    count = len(texts) - len(kept)
    note = f"{count:,} of {len(texts):,} utterances are left out, as by {preset.title}"
    return Corpus(kept, hypotheses, corpus.words, corpus.segments), (note,)


def rewrite_pairs(
    preset: Preset,
    references: Texts,
    hypotheses: Texts,
    index: NDArray[np.int64],
    context: Context,
) -> tuple[Texts, Texts, NDArray[np.int64]]:
    """Return a reference and a hypothesis for each pair of `index`, as the preset compares them."""
    said, heard = references.split(), hypotheses.split()
    pairs = [preset.rewrite(said[row], heard[column], context) for row, column in index.tolist()]
    rows = np.arange(len(index))
    said, heard = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    return Texts.of(said), Texts.of(heard), np.stack([rows, rows], axis=1)


# Pairs of texts with everything that is derived from them.


T = TypeVar("T")

NOTHING_FORGIVEN = ForgivenFamilies()

# Classes of words or phrases that count as the same, or a function that reads them.
EquivalentClasses = (
    str | PathLike[str] | Iterable[Iterable[str]] | Callable[[], Iterable[Iterable[str]]]
)


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Pairs of references and hypotheses, with everything that metrics derive from them.

    Pair `p` is the reference in row `index[p, 0]` and the hypothesis in row `index[p, 1]` of
    `utterances`; row `p` of `keys` identifies it. `source` is the corpus as it was read.
    `settings` are the settings of signatures that normalisation and forgiveness decide. `notes` are
    sentences for the user about the rows.

    Where differences of writing are forgiven, `utterances` has each forgiven block of a reference
    as its hypothesis writes it: metrics of characters, lemmas, phonemes and sentences compare only
    what was not forgiven. Words are compared as they are written, around the blocks.

    Tokens, tables of costs and alignments are computed on first use and shared by all metrics.
    """

    source: Corpus
    keys: pl.DataFrame
    reader: Reader
    choice: ForgivenFamilies
    settings: Settings
    notes: tuple[str, ...] = ()
    context: Context = field(default_factory=Context)
    _prepare: Callable[[Corpus, NDArray[np.int64]], Pairs] | None = None
    _cache: dict[Hashable, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.reader.index)

    def like(self, corpus: Corpus, index: NDArray[np.int64]) -> Pairs:
        """Return pairs of other texts, prepared as these: row `p` of `index` has both rows of `p`.

        Utterances of both sides need no ids in common.
        """
        if self._prepare is None:
            raise ValueError("these pairs were not made by `prepare`")
        return self._prepare(corpus, index)

    @property
    def utterances(self) -> Utterances:
        """The texts that metrics compare, except those of words."""
        return self._rewritten().utterances

    @property
    def index(self) -> NDArray[np.int64]:
        """The rows of both texts of each pair in `utterances`."""
        return self._rewritten().index

    def _rewritten(self) -> Readings:
        """Return the readings with each forgiven block as the hypothesis writes it."""
        readings = self.readings()
        return self.once("rewritten", readings.rewritten) if len(readings.blocks.pair) else readings

    def readings(self, compounds: Compounds | None = None, ties: Ties = "misword") -> Readings:
        """Return the words as they are written, with the forgiven blocks.

        `compounds` is a family that one metric forgives beside the chosen ones. The tie rule
        `sclite` has costs of its own: a metric that aligns by them also chooses readings by them,
        unless differences are forgiven, since all metrics have the same forgiven blocks.
        """
        forgiving = bool(self.choice.families or compounds or self.reader.equivalents.classes)
        rule = ties if ties == "sclite" and not forgiving else self.reader.ties
        return self.once(("readings", compounds, rule), lambda: self._readings(compounds, rule))

    def _readings(self, compounds: Compounds | None, ties: Ties) -> Readings:
        texts, choice = self.reader.texts, self.choice
        if compounds is not None:
            choice = choice.with_family(compounds)
        if choice.families or self.reader.equivalents.classes or len(texts.signs.positions):
            return replace(self.reader, ties=ties).read(choice)
        return Readings(Utterances(*texts.normal, texts.known_words), self.reader.index)

    def without_forgiving(self) -> Pairs:
        """Return the pairs as if nothing were forgiven."""
        settings = without_forgiving(self.settings)
        reader = replace(self.reader, equivalents=Equivalents(()))
        return replace(self, reader=reader, choice=ForgivenFamilies(), settings=settings, _cache={})

    def canonical(self, view: View) -> View:
        """Return the simplest view that has the same tokens here as `view`."""
        over_words = isinstance(view, Word)
        return view.canonical(self.readings().utterances if over_words else self.utterances)

    def tokens(
        self, view: View, compounds: Compounds | None = None, ties: Ties = "misword"
    ) -> Sides:
        """Return the tokens of references and hypotheses under a view, over one vocabulary.

        Where words have forgiven blocks, row `p` of both sides is pair `p`, with each block as one
        token; otherwise `rows` says which rows belong to a pair.
        """
        view = self.canonical(view)
        if not isinstance(view, Word):
            return self.once(("tokens", view), lambda: view.tokens(self.utterances))
        readings = self.readings(compounds, ties)
        return self.once(("tokens", view, readings), lambda: self._word_tokens(view, readings))

    def _word_tokens(self, view: View, readings: Readings) -> Sides:
        if not len(readings.blocks.pair):
            return view.tokens(readings.utterances)
        return readings.block_segments.collapsed(view.tokens(readings.utterances))

    def rows(
        self, view: View, compounds: Compounds | None = None, ties: Ties = "misword"
    ) -> NDArray[np.int64]:
        """Return the rows of both sides of each pair in the tokens of a view."""
        if not isinstance(view, Word):
            return self.index
        readings = self.readings(compounds, ties)
        if not len(readings.blocks.pair):
            return readings.index
        numbers = np.arange(len(self))
        return np.stack([numbers, numbers], axis=1)

    def vocabulary(self, view: View) -> ViewVocabulary:
        """Return the vocabulary of a view."""
        view = self.canonical(view)

        def vocabulary() -> ViewVocabulary:
            return ViewVocabulary(list(self.tokens(view)[0].vocabulary[:]), self.context)

        return self.once(("vocabulary", view), vocabulary)

    def costs(self, view: View, cost: Cost) -> Costs:
        """Return the table of a cost over the vocabulary of a view."""
        view = self.canonical(view)
        return self.once(("costs", view, cost), lambda: cost.table(self.vocabulary(view)))

    def alignment(
        self,
        view: View,
        ties: Ties,
        *,
        cost: Cost | None = None,
        compounds: Compounds | None = None,
        operations: bool = False,
    ) -> Alignment:
        """Align all pairs by unit costs (under a tie rule) or by the costs of `cost`."""
        key = "alignment", (view := self.canonical(view)), cost or ties, compounds
        alignment: Alignment | None = self._cache.get(key)
        if alignment is None or (operations and alignment.ops is None):
            rule: dict[str, Any] = {"ties": ties}
            if cost is not None:
                rule, ties = {"costs": self.costs(view, cost)}, "misword"
            rule |= {"operations": operations, "workers": self.context.workers}
            alignment = self._aligned(view, compounds, ties, rule)
            self._cache[key] = alignment
        return alignment

    def aligned_words(self) -> Alignment | None:
        """Return an alignment of the words that was computed before; None if there is none.

        It is one with unit costs, and by the rule `misword`, if there are several.
        """
        rules = [rule for view, rule in self._computed() if view == Word()]
        if not rules:
            return None
        usual = (rule for rule in UNIT_TIES if rule in rules)
        found: Alignment = self._cache["alignment", Word(), next(usual, rules[0]), None]
        return found

    def aligned_tokens(self) -> Alignment | None:
        """Return an alignment that was computed before: of words, or else under another view."""
        if (words := self.aligned_words()) is not None or not (computed := self._computed()):
            return words
        found: Alignment = self._cache["alignment", *computed[0], None]
        return found

    def _computed(self) -> list[tuple[View, Cost | Ties]]:
        """Return the views and rules of the alignments that were computed before."""
        keys = (key for key in self._cache if isinstance(key, tuple) and key[0] == "alignment")
        return [(view, rule) for _, view, rule, compounds in keys if compounds is None]

    def _aligned(
        self, view: View, compounds: Compounds | None, ties: Ties, rule: dict[str, Any]
    ) -> Alignment:
        """Align all pairs by a rule of `align`; `ties` chooses the readings."""
        readings = self.readings(compounds, ties) if isinstance(view, Word) else None
        if readings is None or not len(readings.blocks.pair):
            sides = self.tokens(view, compounds, ties)
            if "costs" in rule:
                rule["guide"] = self.alignment(view, "misword", operations=True)
            return align(*sides, pairs=self.rows(view, compounds, ties), **rule)
        sides = view.tokens(readings.utterances)
        if "costs" in rule:  # the costs also cover the words of blocks
            vocabulary = self.tokens(view, compounds, ties)[0].vocabulary
            reference, hypothesis = (Tokens(s.ids, s.offsets, vocabulary) for s in sides)
            sides = reference, hypothesis
        return readings.align(sides, **rule)

    def substituted(self, view: View, ties: Ties, *, cost: Cost | None = None) -> Substituted:
        """Return the substitutions of the alignment that the same arguments give."""
        view = self.canonical(view)

        def substituted() -> Substituted:
            alignment = self.alignment(view, ties, cost=cost, operations=True)
            rule: Ties = ties if cost is None else "misword"
            sides, rows = self.tokens(view, None, rule), self.rows(view, None, rule)
            listed = substitutions(alignment, *sides, rows, self.context.workers)
            return Substituted(self.vocabulary(view), *listed)

        return self.once(("substituted", view, cost or ties), substituted)

    @property
    def reference_texts(self) -> list[str]:
        """A text of each reference, with single spaces, for metrics that are fitted.

        Of a reference with alternatives it is the reading that is chosen for an empty hypothesis,
        so that it does not depend on any hypothesis.
        """

        def texts() -> list[str]:
            return [" ".join(text.split()) for text in self.reader.originals()]

        return self.once("reference texts", texts)

    def forget_alignments(self) -> None:
        """Free the memory of tokens and alignments; they are computed again if they are needed."""
        for key in list(self._cache):
            if isinstance(key, tuple) and key[0] in ("tokens", "alignment", "substituted"):
                del self._cache[key]

    def once(self, key: Hashable, compute: Callable[[], T]) -> T:
        """Return what `compute` returns, computed on first use."""
        if key not in self._cache:
            self._cache[key] = compute()
        value: T = self._cache[key]
        return value


def prepare(
    corpus: Corpus,
    *,
    normalize_with: Steps = DEFAULT,
    alternatives: bool = True,
    equivalents: EquivalentClasses = (),
    forgive: ForgivenFamilies = NOTHING_FORGIVEN,
    preset: Preset | None = None,
    context: Context | None = None,
    index: NDArray[np.int64] | None = None,
) -> Pairs:
    """Normalise a corpus; readings and forgiven blocks are chosen when they are first needed.

    `preset` may join rows, leave out utterances and rewrite pairs. `index` has the rows of both
    texts of each pair, if ids do not say which belong together.
    """
    context, preset = context or Context(), preset or Preset()
    again = partial(
        _prepare_others, normalize_with=normalize_with, alternatives=alternatives,
        equivalents=equivalents, forgive=forgive, context=context,
    )  # fmt: skip
    whole_chain = normalizers(normalize_with, context.lang)
    chain = tuple(part for part in whole_chain if not part.before_alternatives)
    equivalence = _equivalence(equivalents, chain)
    several = corpus.several
    corpus, notes = preset.join(corpus)
    notes += several.notes if several else ()
    if preset.changes_rows:
        corpus, left_out = leave_out(preset, corpus, chain)
        notes += left_out
    chosen = index is not None
    index = _index(corpus) if index is None else index
    references = rewrite(Texts.of(corpus.references["text"]), whole_chain, "reference")
    hypotheses = rewrite(Texts.of(corpus.hypotheses["text"]), whole_chain, "hypothesis")
    signs = Signs.none(references)
    if alternatives:
        ids = corpus.references["utt"]
        signs = find_signs(references, ids)
        heard = find_signs(hypotheses, corpus.hypotheses["utt"], "hypothesis of")
        if len(heard):
            rule = preset.ties, context.workers
            hypotheses = choose_hypotheses(index, (signs, heard), chain, ids, *rule)
            notes += (note_on_alternatives(heard),)
    texts = ComparedTexts.of(references, hypotheses, signs, chain)
    keys = corpus.hypotheses[index[:, 1]] if chosen else _keys(corpus, index)
    if preset.rewrites(context):
        rewritten = rewrite_pairs(preset, *texts.normal, index, context)
        references, hypotheses, index = rewritten
        texts = ComparedTexts.of(references, hypotheses, Signs.none(references), ())
    settings = (
        ("norm", spell_chain(whole_chain)),
        ("words", "whitespace"),
        ("alternatives", "sclite" if alternatives else "off"),
        ("equivalents", equivalence.name),
        *((("references", f"{len(several.texts)}-{several.rule}"),) if several else ()),
        *_division_and_forgiving(corpus, forgive, preset),
    )
    in_context = forgive.families or equivalence.classes
    contexts = _contexts(corpus, texts, index) if in_context else None
    reader = Reader(texts, index, equivalence, context.workers, preset.ties, contexts)
    return Pairs(corpus, keys, reader, forgive, settings, notes, context, again)


def _equivalence(equivalents: EquivalentClasses, chain: Chain) -> Equivalents:
    """Return the classes of words that count as the same, normalised as the texts are."""
    classes = equivalent_classes(equivalents) if equivalents else []
    if not classes:
        return Equivalents(())
    return Equivalents.of(classes, lambda forms: _normalized(forms, chain))


def _division_and_forgiving(corpus: Corpus, forgive: ForgivenFamilies, preset: Preset) -> Settings:
    """Return the settings of forgiven differences, of a preset, and of the division into rows."""
    divided = () if corpus.segments is None else (("segments", corpus.segments.mode),)
    return *(forgive.settings if forgive.families else ()), *preset.signed, *divided


def _prepare_others(corpus: Corpus, index: NDArray[np.int64], **options: Any) -> Pairs:
    return prepare(corpus, index=index, **options)


def _contexts(corpus: Corpus, texts: ComparedTexts, index: NDArray[np.int64]) -> Contexts | None:
    """Return the texts in which families read: references by segment, hypotheses by recording."""
    divided = corpus.segments
    references = texts.raw[0]
    if (
        divided is None
        or len(index) != len(corpus.hypotheses)
        or references.rows != len(corpus.references)
    ):
        return None
    from misword.asr.forgiving.contexts import Contexts, JoinedSegments

    if divided.joined is None:
        recordings = (
            corpus.references["recording"].rle_id().to_numpy().astype(np.int64)[index[:, 0]]
        )
        return Contexts(recordings=np.flatnonzero(np.diff(recordings, prepend=-1) != 0))
    parts = Texts.of(divided.joined["text"])
    written, normal = encode_words([parts, normalize(parts, texts.chain)])
    whole = encode_words([references, texts.normal[0]])
    counts = divided.joined.group_by("recording", maintain_order=True).len()
    same = counts["recording"].equals(corpus.references["utt"]) and all(
        len(part.ids) == len(row.ids) for part, row in zip((written, normal), whole, strict=True)
    )
    first = offsets_of(counts["len"].to_numpy())
    segments = JoinedSegments(first, written.offsets, normal.offsets)
    return Contexts(segments=segments) if same else None


def _index(corpus: Corpus) -> NDArray[np.int64]:
    """Return the rows of the reference and of the hypothesis of each pair, by hypothesis."""

    ids, hypothesis_ids = corpus.references["utt"], corpus.hypotheses["utt"]
    rows = np.arange(len(hypothesis_ids))
    check_complete(corpus)
    if len(ids) and len(hypothesis_ids) % len(ids) == 0:
        times = len(hypothesis_ids) // len(ids)
        if (hypothesis_ids == pl.concat([ids] * times)).all():
            return np.stack([rows % len(ids), rows], axis=1)
    numbered = corpus.references.select("utt").with_row_index("row")
    joined = corpus.hypotheses.select("utt").join(
        numbered, on="utt", how="left", maintain_order="left"
    )
    return np.stack([joined["row"].to_numpy().astype(np.int64), rows], axis=1)


def _keys(corpus: Corpus, index: NDArray[np.int64]) -> pl.DataFrame:
    """Return the id, system, rank, features and metadata of each pair."""
    keys = corpus.hypotheses.select(corpus.keys)
    if not corpus.metadata:
        return keys
    return keys.hstack(corpus.references.select(corpus.metadata)[index[:, 0]])


def _normalized(forms: list[str], chain: Chain) -> list[str]:
    """Return each form after normalisation."""
    return normalize(Texts.of(forms), chain).split()

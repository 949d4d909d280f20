"""Evidence that a span of a reference is wrong, and of which kind the difference is.

The evidence on a candidate: how many systems support it, counted by how independent they are; how
many have the words of the reference; how alike both texts sound; which of them is more likely in
the language of the references; how often systems have the words of the reference elsewhere, and how
often they write the other words where no reference has them; how often the same difference occurs
elsewhere; how many errors stand around it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations
from math import log, log1p, sqrt

import numpy as np
from numpy.typing import NDArray

from misword.alignment.several_references import word_key
from misword.alignment.similar_words import similarities
from misword.asr.references.candidates import Candidate, Heard
from misword.text.disfluencies import filler_patterns
from misword.text.writing.words import word_set

Vector = NDArray[np.float64]

# Independence of systems, measured from the errors that they share.


def shared_errors(heard: Heard) -> Vector:
    """Return how alike the errors of each two systems are, from 0 to 1.

    It is the number of equal errors divided by the geometric mean of their numbers. With three
    systems or more, only errors count that another system does not make: where all systems differ
    from the reference, the reference may be wrong.
    """
    size = len(heard.systems)
    made: dict[tuple[int, int, int, str], set[int]] = {}
    for step in heard.steps:
        if not step.is_part:
            key = " ".join(map(word_key, step.text.split()))
            made.setdefault((step.row, step.start, step.end, key), set()).add(step.system)
    own, both = np.zeros(size), np.zeros((size, size))
    for (row, start, end, _), systems in made.items():
        if size > 2:
            at = int(heard.first[row])
            span = heard.hits[at + start : at + max(end, start)]
            if not any(bool(span[:, s].all()) for s in range(size) if s not in systems):
                continue
        for one in systems:
            own[one] += 1
        for one, other in combinations(sorted(systems), 2):
            both[one, other] += 1
            both[other, one] += 1
    alike = both / np.sqrt(np.maximum(1, np.outer(own, own)))
    np.fill_diagonal(alike, 1)
    return np.minimum(alike, 1)


def effective_number(systems: Sequence[int], alike: Vector) -> float:
    """Return how many independent systems these systems are worth.

    >>> effective_number([0, 1], np.ones((2, 2))), effective_number([0, 1], np.eye(2))
    (1.0, 2.0)
    """
    if not systems:
        return 0.0
    return len(systems) ** 2 / float(alike[np.ix_(systems, systems)].sum())


# The language of the references: probabilities of words by the two words before them.

WEIGHTS = (0.5, 0.3, 0.2)  # of trigrams, bigrams and single words
NGram = tuple[str, ...]


class Language:
    """Counts of sequences of one to three words in the references."""

    def __init__(self, texts: Iterable[Sequence[str]]) -> None:
        self.counts: Counter[NGram] = Counter()
        for words in texts:
            padded = ["", "", *words, ""]
            for size in (1, 2, 3):
                self.counts.update(zip(*(padded[at:] for at in range(size)), strict=False))
        self.total = max(1, sum(n for gram, n in self.counts.items() if len(gram) == 1))
        self.kinds = sum(len(gram) == 1 for gram in self.counts)

    def log_odds(
        self, before: Sequence[str], after: Sequence[str], old: Sequence[str], new: Sequence[str]
    ) -> float:
        """Return the logarithm of P(new) / P(old) between two words before and after.

        The sequences of the old text are not counted: they are in the references because of it.
        """
        own: Counter[NGram] = Counter()
        window = [*before, *old, *after]
        for size in (1, 2, 3):
            own.update(zip(*(window[at:] for at in range(size)), strict=False))
        texts = ([*before, *words, *after] for words in (new, old))
        likely, unlikely = (self._log(text, len(before), own) for text in texts)
        return likely - unlikely

    def _log(self, words: Sequence[str], start: int, own: Counter[NGram]) -> float:
        total = 0.0
        for at in range(start, len(words)):
            probability = WEIGHTS[2] * (self._count((words[at],), own) + 0.5)
            probability /= self.total + 0.5 * self.kinds
            for size, weight in ((3, WEIGHTS[0]), (2, WEIGHTS[1])):
                gram = tuple(words[max(0, at - size + 1) : at + 1])
                if len(gram) == size and (context := self._count(gram[:-1], own)) > 0:
                    probability += weight * self._count(gram, own) / context
            total += log(probability)
        return total

    def _count(self, gram: NGram, own: Counter[NGram]) -> int:
        return max(0, self.counts[gram] - own[gram])


# How alike two texts sound.


def letters(text: str) -> list[str]:
    """Return the letters of a text without spaces."""
    return list(text.replace(" ", ""))


def sounds(lang: str) -> Callable[[str], list[str]]:
    """Return a function that returns the sounds of a text: phonemes of English, else letters."""
    if lang != "en":
        return letters
    from misword.text.phonemizers.cmudict import pronounce

    def phonemes(text: str) -> list[str]:
        return [sound for word in text.split() for sound in pronounce(word)]

    return phonemes


# Kinds of differences.

KINDS = ("name", "number", "missing word", "extra word", "word", "boundary", "style", "line")
STYLE, LINE = "style", "line"
# Words that transcripts of one style have and others leave out, in English.
LOOSE = word_set(
    """
    uh um er ah eh oh hm hmm mm mhm mmm huh ha yeah yes yep okay ok so well and like right you know
    i mean just now but
    """
)
REDUCED = (
    ("'cause", "because"), ("cause", "because"), ("gonna", "going to"), ("wanna", "want to"),
    ("gotta", "got to"), ("kinda", "kind of"), ("sorta", "sort of"), ("'em", "them"),
    ("til", "until"), ("till", "until"), ("yeah", "yes"), ("mom", "mum"), ("ya", "you"),
)  # fmt: skip
SAME = {frozenset(pair) for pair in REDUCED}
NUMBERS = word_set(
    """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety
    hundred thousand million billion trillion
    """
)
UNITS = word_set("cent cents dollar dollars euro euros pound pounds percent")
CUT_OFF = re.compile(r"\w+[-–—~]+[,.?!]?$|^[-–—~]+\w+")
TAG = re.compile(r"^[<\[(].*[>\])]$")


@dataclass(frozen=True, slots=True)
class Spans:
    """The two texts of a candidate as words without case and outer punctuation, and the context."""

    old: tuple[str, ...]
    new: tuple[str, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]


def kind_of(
    candidate: Candidate,
    spans: Spans,
    heard: Heard,
    is_filler: re.Pattern[str],
    small: frozenset[str],
) -> str:
    """Return the kind of a difference; `small` are the words with a small letter in references."""
    written = heard.texts[candidate.row].words
    ours = written[candidate.start : candidate.end]
    if _is_style(spans, ours, is_filler):
        return STYLE
    if any(char.isdigit() for char in " ".join((*spans.old, *spans.new))) or (
        NUMBERS.intersection(spans.old) and NUMBERS.intersection(spans.new)
    ):
        return "number"
    at_edge = candidate.start == 0 or candidate.end == len(written)
    if at_edge and not (spans.old and spans.new):
        return "boundary"
    if not spans.old:
        return "missing word"
    if not spans.new:
        return "extra word"
    if any(word[:1].isupper() and word_key(word) not in small for word in ours):
        return "name"
    return "word"


def _is_style(spans: Spans, ours: Sequence[str], is_filler: re.Pattern[str]) -> bool:
    """Whether both texts are what was said, written in the style of different transcribers."""
    if any(TAG.match(word) for word in ours):
        return True
    old = [w for w in spans.old if not is_filler.fullmatch(w)]
    new = [w for w in spans.new if not is_filler.fullmatch(w)]
    cut = [word_key(word) for word in ours if CUT_OFF.search(word)]
    old = [word for word in old if word not in cut]
    if old == new or "".join(old) == "".join(new):
        return True
    if frozenset((" ".join(old), " ".join(new))) in SAME:
        return True
    # Words that are said twice, and loose words that only one side has.
    if set(old) <= LOOSE and set(new) <= LOOSE:
        return True
    has_digits = any(char.isdigit() for word in ours for char in word)
    if has_digits and new and set(new) <= UNITS:
        return True
    around = (*spans.before[-2:], *spans.after[:2])
    if not new:
        return all(word in around for word in old)
    if not old:
        return all(word in around for word in new)
    return _once(old) == _once(new) or _once([*old, *spans.after[:1]]) == [*new, *spans.after[:1]]


def _once(words: Sequence[str]) -> list[str]:
    """Return words without immediate repetitions."""
    return [word for at, word in enumerate(words) if not at or word != words[at - 1]]


# All evidence as numbers.

FEATURES = (
    "support", "independent", "against", "others", "sound", "letters", "missing", "extra",
    "language", "known", "spurious", "repeated", "repeated share", "old elsewhere",
    "new elsewhere", "trouble", "length", "number", "style", "unanimous",
)  # fmt: skip
AROUND = 4  # words on each side of a span whose errors are counted
PRIOR = 2.0  # occurrences by which shares are drawn to the mean


@dataclass(frozen=True, eq=False)
class Evidence:
    """The evidence on candidates: `features` has a row for each, `kinds` their kinds."""

    candidates: Sequence[Candidate]
    heard: Heard
    lang: str
    left_out: int | None = None

    @cached_property
    def voters(self) -> list[int]:
        """The numbers of the systems that have a vote."""
        return [n for n in range(len(self.heard.systems)) if n != self.left_out]

    @cached_property
    def alike(self) -> Vector:
        """How alike the errors of each two systems are."""
        return shared_errors(self.heard)

    @cached_property
    def keys(self) -> list[list[str]]:
        """The words of each reference without case and outer punctuation."""
        return [[word_key(word) for word in text.words] for text in self.heard.texts]

    @cached_property
    def spans(self) -> list[Spans]:
        """The two texts of each candidate and the two words around them."""
        found = []
        for one in self.candidates:
            words = ["", "", *self.keys[one.row], ""]
            start, end = one.start + 2, one.end + 2
            found.append(
                Spans(
                    tuple(words[start:end]),
                    tuple(map(word_key, one.text.split())),
                    tuple(words[max(0, start - 2) : start]),
                    tuple(words[end : end + 2]),
                )
            )
        return found

    @cached_property
    def kinds(self) -> list[str]:
        """The kind of each candidate."""
        is_filler = re.compile("|".join(filler_patterns(self.lang)), re.IGNORECASE)
        words = (word for text in self.heard.texts for word in text.words)
        small = frozenset(word_key(word) for word in words if not word[:1].isupper())
        pairs = zip(self.candidates, self.spans, strict=True)
        return [kind_of(one, spans, self.heard, is_filler, small) for one, spans in pairs]

    @cached_property
    def features(self) -> Vector:
        """The numbers of each candidate, in the order of `FEATURES`."""
        columns = [
            *self._votes(), *self._sounds(), *self._language(), *self._habits(),
            *self._repetitions(), *self._places(),
        ]  # fmt: skip
        named = dict(columns)
        return np.array([named[name] for name in FEATURES], np.float64).T.reshape(-1, len(FEATURES))

    def _votes(self) -> list[tuple[str, Sequence[float]]]:
        size, whole = len(self.voters), effective_number(self.voters, self.alike)
        support = [effective_number(one.support, self.alike) for one in self.candidates]
        against = [effective_number(one.against, self.alike) for one in self.candidates]
        counts = [(len(one.support), len(one.against)) for one in self.candidates]
        return [
            ("support", [number / size for number, _ in counts]),
            ("independent", [log(max(number, 0.5)) for number in support]),
            ("against", [number / whole for number in against]),
            ("others", [1 - (sum(both)) / size for both in counts]),
            ("unanimous", [float(number == size) for number, _ in counts]),
        ]

    def _sounds(self) -> list[tuple[str, Sequence[float]]]:
        pairs = [(" ".join(s.old), " ".join(s.new)) for s in self.spans]
        both = np.array([bool(old) and bool(new) for old, new in pairs])
        return [
            ("sound", (similarities(pairs, sounds(self.lang)) * both).tolist()),
            ("letters", (similarities(pairs, letters) * both).tolist()),
            ("missing", [float(not old) for old, _ in pairs]),
            ("extra", [float(not new) for _, new in pairs]),
            ("length", [log(max(len(s.old), len(s.new), 1)) for s in self.spans]),
        ]

    def _language(self) -> list[tuple[str, Sequence[float]]]:
        language = Language(self.keys)
        odds = [language.log_odds(s.before, s.after, s.old, s.new) for s in self.spans]
        counts = language.counts
        old = [min((counts[(w,)] - 1 for w in s.old), default=0) for s in self.spans]
        new = [min((counts[(w,)] for w in s.new), default=0) for s in self.spans]
        return [
            ("language", [min(max(value, -15.0), 15.0) for value in odds]),
            ("old elsewhere", [log1p(max(0, number)) for number in old]),
            ("new elsewhere", [log1p(number) for number in new]),
        ]

    def _habits(self) -> list[tuple[str, Sequence[float]]]:
        """How often systems have the words of references, and words that references lack."""
        hits = self.heard.hits[:, self.voters]
        said: Counter[str] = Counter()
        right: Counter[str] = Counter()
        for word, number in zip(chain(*self.keys), hits.sum(axis=1).tolist(), strict=True):
            said[word] += len(self.voters)
            right[word] += number
        mean = float(hits.mean()) if hits.size else 1.0
        heard: Counter[str] = Counter()
        for system in self.voters:
            for text in self.heard.hypotheses[system]:
                heard.update(map(word_key, text))
        spurious: Counter[str] = Counter()
        for step in self.heard.steps:
            if not step.is_part and step.system != self.left_out:
                spurious.update(map(word_key, step.text.split()))

        def known(one: Candidate, spans: Spans) -> float:
            size, own = len(self.voters), len(one.against)
            shares = [(right[w] - own + PRIOR * mean) / (said[w] - size + PRIOR) for w in spans.old]
            return min(shares, default=mean)

        def extra(one: Candidate, spans: Spans) -> float:
            own = len(one.support)
            shares = [
                (spurious[w] - own + PRIOR * (1 - mean)) / (max(heard[w] - own, 0) + PRIOR)
                for w in spans.new
            ]
            return min(max(shares, default=1 - mean), 1.0)

        pairs = list(zip(self.candidates, self.spans, strict=True))
        return [
            ("known", [known(*pair) for pair in pairs]),
            ("spurious", [extra(*pair) for pair in pairs]),
        ]

    def _repetitions(self) -> list[tuple[str, Sequence[float]]]:
        counts = Counter((s.old, s.new) for s in self.spans)
        words = Counter(chain(*self.keys))
        again = [counts[s.old, s.new] - 1 for s in self.spans]
        rare = [min((words[w] for w in (s.old or s.new)), default=1) for s in self.spans]
        return [
            ("repeated", [log1p(number) for number in again]),
            ("repeated share", [
                number / (number + max(0, size - number - 1) + PRIOR)
                for number, size in zip(again, rare, strict=True)
            ]),
        ]  # fmt: skip

    def _places(self) -> list[tuple[str, Sequence[float]]]:
        wrong = 1 - self.heard.hits[:, self.voters].mean(axis=1)
        total = np.concatenate([[0.0], np.cumsum(wrong)])
        trouble = []
        for one in self.candidates:
            first, last = self.heard.first[one.row : one.row + 2].tolist()
            start, end = first + one.start, first + one.end
            low, high = max(first, start - AROUND), min(last, end + AROUND)
            around = total[high] - total[end] + total[start] - total[low]
            trouble.append(around / max(1, (high - end) + (start - low)))
        return [
            ("trouble", [sqrt(value) for value in np.maximum(0, trouble)]),
            *((name, [float(kind == name) for kind in self.kinds])
              for name in ("number", "style")),
        ]  # fmt: skip


def without_overlaps(candidates: Sequence[Candidate], scores: Vector) -> list[int]:
    """Return the numbers of candidates that do not overlap, those with higher scores first."""
    taken: dict[int, list[tuple[int, int]]] = {}
    kept = []
    order = sorted(range(len(candidates)), key=lambda at: (-scores[at], at))
    for at in order:
        one = candidates[at]
        spans = taken.setdefault(one.row, [])
        low, high = 2 * one.start, 2 * one.end
        # Words have odd numbers, the borders between them even ones.
        own = (low, high) if one.start == one.end else (low + 1, high - 1)
        if all(own[1] < other[0] or own[0] > other[1] for other in spans):
            spans.append(own)
            kept.append(at)
    return kept

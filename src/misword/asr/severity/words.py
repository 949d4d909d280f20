"""What is known of single words and of pairs of words: computed once for each distinct one."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib.util import find_spec
from typing import Any, NamedTuple

from misword.asr.severity.language import Language, Relations, language, names, relations
from misword.core.parts import Settings, version_of
from misword.text.writing.words import base

# English contractions, and French words that are written with an apostrophe, in pieces.
PIECES = {
    "en": re.compile(r"(.+?)(n't|'s|'ll|'re|'ve|'d|'m)$"),
    "fr": re.compile(r"((?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu)')(.+)$"),
    "it": re.compile(r"((?:[cdlmnst]|un|all|dell|nell|dall|sull|quest|quell)')(.+)$"),
}
WHOLE = {"can't": ("can", "n't"), "won't": ("will", "n't"), "cannot": ("can", "not"),
         "shan't": ("shall", "n't"), "let's": ("let", "'s"), "ain't": ("is", "n't"),
         "gonna": ("going", "to"), "wanna": ("want", "to"), "gotta": ("got", "to"),
         "aujourd'hui": ("aujourd'hui",), "d'accord": ("d'accord",)}  # fmt: skip
VOWEL = re.compile(r"[aeiouyœæ]")
DIGIT = re.compile(r"\d")
# Endings of English words whose stems are the same: inflections and derivations.
ENGLISH_ENDINGS = frozenset(
    [
        "",
        "s",
        "es",
        "ies",
        "ed",
        "d",
        "ing",
        "er",
        "ers",
        "est",
        "r",
        "rs",
        "ly",
        "th",
        "ally",
        "ically",
        "y",
        "ion",
        "ions",
        "al",
        "ment",
        "ments",
        "ness",
        "ity",
        "ities",
        "able",
        "ive",
        "ation",
        "ations",
        "or",
        "ors",
        "ance",
        "ence",
        "ant",
        "ent",
        "ful",
        "ic",
        "ical",
        "ous",
        "ist",
        "ists",
        "ism",
        "en",
        "ery",
        "ry",
    ]
)
SHORTEST_STEM, LONGEST_ENDING = 4, 3
# Words with a frequency of at least this (wordfreq, Zipf scale) say little by themselves.
COMMON = 5.9
VERY_COMMON = 6.4
USUAL = 4.6
RARE = 1e-6  # frequency of a word that hardly occurs
NOTHING: frozenset[str] = frozenset()


class Facts(NamedTuple):
    """What the lists say of one piece of a word.

    `weight` is how much it says, `head` the key of a word that may take part in an exchange
    (pronouns by class, numbers, content words by lemma; empty for other words), `longest` the
    length of the longest listed phrase that begins with it, `agent` whether it is a word like `by`.
    Of two opposites, at least one is `opposed`.
    """

    weight: float
    number: bool
    name: bool
    agent: bool
    opposed: bool
    longest: int
    head: str


Parts = tuple[tuple[str, Facts], ...]


class Relatives(NamedTuple):
    """What decides how a word is related to others.

    `plain` is the word without accents, `forms` are the word and its lemma, `meanings` the classes
    of words that mean the same; `synonyms` and `above` are synonyms and more general words.
    """

    lemma: str
    plain: str
    known: bool
    forms: frozenset[str]
    meanings: frozenset[str]
    synonyms: frozenset[str]
    above: frozenset[str]


@dataclass(slots=True, eq=False)
class WordKnowledge:
    """What is known of the words of a language; every answer is computed once."""

    language: Language
    relations: Relations
    lemmatize: Any = None
    frequency: Any = None
    read_numbers: bool = False
    _lemmas: dict[str, str] = field(default_factory=dict)
    values: dict[tuple[str, ...], frozenset[str]] = field(default_factory=dict)  # of numbers
    facts: Callable[[str], Facts] = field(init=False)
    parts: Callable[[str], Parts] = field(init=False)
    kind: Callable[[str, str], str] = field(init=False)
    sounds: Callable[[str], str] = field(init=False)
    _relatives_of: Callable[[str], Relatives] = field(init=False)

    def __post_init__(self) -> None:
        """Keep what was computed for each word and pair of words."""
        self.facts, self.parts = cache(self._facts), cache(self._parts)
        self.kind, self._relatives_of = cache(self._kind), cache(self._relatives)
        self.sounds = cache(self._sounds)

    _weights: dict[str, float] = field(default_factory=dict)
    _pieces: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _numbers: dict[str, bool] = field(default_factory=dict)

    @classmethod
    def of(cls, code: str) -> WordKnowledge:
        """Return what is known of a language, with the packages that are installed."""
        lemmatize = frequency = None
        if code != "en" and find_spec("simplemma") is not None:
            from misword.text.analyzers.lemmatizers import Simplemma

            if code in Simplemma.languages():
                import simplemma

                lemmatize = lru_cache(None)(lambda word: simplemma.lemmatize(word, lang=code))
        if find_spec("wordfreq") is not None:
            import wordfreq

            if code in wordfreq.available_languages():
                frequency = wordfreq.get_frequency_dict(code)
        numbers = code == "en" or find_spec("num2words") is not None
        return cls(language(code), relations(code), lemmatize, frequency, numbers)

    @property
    def settings(self) -> Settings:
        """What decides the labels beside the rules: the language and the packages used."""
        lemmas = f"simplemma-{version_of('simplemma')}" if self.lemmatize else "endings"
        rarity = f"wordfreq-{version_of('wordfreq')}" if self.frequency else "lists"
        classes = self.language.code if self.language.known else "none"
        return (("classes", classes), ("lemmas", lemmas), ("frequencies", rarity))

    def pieces(self, word: str) -> tuple[str, ...]:
        """Return the base forms of the parts of a word: `don't` has the parts `do` and `n't`."""
        found = self._pieces.get(word)
        if found is None:
            found = self._pieces[word] = tuple(self._split(word))
        return found

    def _split(self, word: str) -> list[str]:
        parts: list[str] = []
        for part in word.split():
            form = base(part)
            if form in WHOLE:
                parts += WHOLE[form]
            elif (pattern := PIECES.get(self.language.code)) and (match := pattern.match(form)):
                parts += match.groups()
            elif "-" in form and all(map(self.is_number, filter(None, form.split("-")))):
                parts += filter(None, form.split("-"))
            elif form:
                parts.append(form)
        return parts

    def is_number(self, word: str) -> bool:
        """Whether a word is part of a number, in words or in digits."""
        found = self._numbers.get(word)
        if found is None:
            found = bool(DIGIT.search(word)) or word in self.language.numbers
            if not found and self.read_numbers and len(word) > 2:
                found = self._reads_number(word)
            self._numbers[word] = found
        return found

    def _reads_number(self, word: str) -> bool:
        from misword.text.writing.numbers.family import Numbers

        if self.language.of_section(word, "unit") or word in self.language.function:
            return False
        if self.language.cues.get((word,)) or (word,) in self.language.same:
            return False
        flags = Numbers().run_words([word], self.language.code)
        if not flags or flags[0] != 1:
            return False
        return any(
            reading.key[:2] in ("n:", "o:")
            for reading in Numbers().readings((word,), self.language.code)
        )

    def lemma(self, word: str) -> str:
        """Return the lemma of a word, or the word itself."""
        found = self._lemmas.get(word)
        if found is None:
            found = self._lemmas[word] = self._lemma(word)
        return found

    def _lemma(self, word: str) -> str:
        if word in self.language.irregular:
            return self.language.irregular[word]
        if self.lemmatize is not None:
            return str(self.lemmatize(word)).lower()
        if self.language.code == "en":
            return english_lemma(word, self.relations.lines)
        return word

    def weight(self, word: str) -> float:
        """Return how much a word says: 0 for a function word, 1 for a rare word."""
        found = self._weights.get(word)
        if found is None:
            found = self._weights[word] = self._weight(word)
        return found

    def _weight(self, word: str) -> float:
        if word in self.language.function or not word or not any(map(str.isalnum, word)):
            return 0.0
        if (
            word in self.language.irregular
            and self.language.irregular[word] in self.language.function
        ):
            return 0.0
        if len(word) == 1 and not word.isdigit():
            return 0.2
        if self.frequency is None:
            return 0.8 if self.language.known or len(word) > 3 else 0.0
        from math import log10

        share = self.frequency.get(word, 0.0)
        zipf = log10(share) + 9 if share else 0.0
        if not self.language.known and zipf >= COMMON:
            return 0.0
        if zipf >= VERY_COMMON:
            return 0.2
        if zipf >= COMMON:
            return 0.4
        if zipf >= 5.3:
            return 0.65
        return 0.85 if zipf >= USUAL else 1.0

    def is_known(self, word: str) -> bool:
        """Whether a word occurs in the lists of frequent words or of relations."""
        if self.frequency is not None:
            return word in self.frequency
        return word in self.relations.lines or not self.relations.lines

    def is_rare(self, word: str) -> bool:
        """Whether a word hardly occurs, as names of people and places do that no list has."""
        if self.frequency is not None:
            return bool(self.frequency.get(word, 0.0) < RARE)
        return not self.is_known(word)

    def sounds_like(self, left: str, right: str) -> bool:
        """Whether two words, or two runs of words, are spoken alike.

        English words are looked up in the CMU dictionary; other languages have rules that write
        letters with the same sound alike.
        """
        if " " not in left and " " not in right:
            return bool(self.sounds(left)) and self.sounds(left) == self.sounds(right)
        spoken = [[self.sounds(word) for word in text.split()] for text in (left, right)]
        one, other = ("".join(words) for words in spoken)
        return one == other and all(map(all, spoken)) and bool(one)

    def _sounds(self, word: str) -> str:
        """Return how a word is spoken; empty if it is not known."""
        if self.language.code == "en":
            from misword.text.phonemizers.cmudict import pronounce

            return "".join(f"{phoneme} " for phoneme in pronounce(word))
        spoken = word if self.language.sounds else ""
        for pattern, sound in self.language.sounds:
            spoken = re.sub(pattern, sound, spoken)
        return spoken

    def is_cased(self, words: Sequence[str]) -> bool:
        """Whether capitals within a text mark its names: not in German, nor where all have some."""
        if self.language.code == "de" or not any(map(str.islower, words)):
            return False
        return any(word[:1].isupper() for word in words[1:])

    def seems_name(self, word: str) -> bool:
        """Whether a word is probably a name or an initialism that no list has."""
        if len(word) > 1 and word.isalpha() and not VOWEL.search(plain(word)):
            return True
        known = self.relations.lines
        return self.is_rare(word) and word not in known and self.lemma(word) not in known

    def is_name(self, word: str) -> bool:
        """Whether a word in small letters is a name."""
        if word in self.language.names:
            return True
        if word in self.language.function or word not in names():
            return False
        if self.language.code == "en":
            return True
        return self.frequency is not None and self.frequency.get(word, 0) < 1e-4

    def _facts(self, piece: str) -> Facts:
        """Return what the lists say of a piece of a word."""
        return Facts(
            self.weight(piece),
            self.is_number(piece),
            self.is_name(piece),
            piece in self.language.agents,
            self._is_opposed(piece),
            self.language.starts.get(piece, 0),
            self._head(piece),
        )

    def _is_opposed(self, piece: str) -> bool:
        """Whether a list of opposites has a word, or it has a part that has an opposite."""
        known = self.language
        before = (*known.negative_before, *(one for one, _ in known.parts))
        return any(
            form in known.opposed or form.startswith(before) or form.endswith(known.negative_after)
            for form in (piece, self.lemma(piece))
        )

    def _head(self, piece: str) -> str:
        if pronoun := self.language.of_section(piece, "pronoun"):
            return f"pronoun {pronoun}"
        if self.is_number(piece):
            return f"number {piece}"
        return self.lemma(piece) if self.weight(piece) > 0 else ""

    def _parts(self, word: str) -> Parts:
        """Return the pieces of a word with what the lists say of them."""
        return tuple((piece, self.facts(piece)) for piece in self.pieces(word))

    def likeness(self, left: str, right: str) -> float:
        """Return the share of equal letters; accents are no difference between spellings."""
        one, other = self._relatives_of(left), self._relatives_of(right)
        if one.plain == other.plain and self.kind(left, right) == "spelling":
            return 1.0
        return similarity(left, right)

    def _relatives(self, word: str) -> Relatives:
        lemma, same = self.lemma(word), self.language.same
        forms = frozenset((word, lemma))
        return Relatives(
            lemma,
            plain(word),
            self.is_known(word),
            forms,
            same.get((word,), NOTHING) | same.get((lemma,), NOTHING),
            NOTHING.union(*map(self.relations.synonyms, forms)),
            NOTHING.union(*map(self.relations.above, forms)),
        )

    def _kind(self, left: str, right: str) -> str:
        """Return how two words are related.

        `same` (one lemma), `synonym`, `broader` (one is more general), `opposite`, `sound` (the
        same phonemes), `spelling` (nearly the same letters), or empty.
        """
        if left == right:
            return "same"
        one, other = self._relatives_of(left), self._relatives_of(right)
        may_oppose = self.facts(left).opposed or self.facts(right).opposed
        if may_oppose and self._opposite(left, right, (one.lemma, other.lemma)):
            return "opposite"
        if one.lemma == other.lemma:
            return "same"
        if one.meanings & other.meanings:
            return "synonym"
        if one.synonyms & other.forms or other.synonyms & one.forms:
            return "synonym"
        if self._one_stem(left, right) or self._one_stem(one.lemma, other.lemma):
            return "same"
        if one.above & other.forms or other.above & one.forms:
            return "broader"
        if self.sounds_like(left, right) and similarity(left, right) > 0.3:
            return "sound"
        if one.plain == other.plain:
            return "spelling"
        long = min(len(left), len(right)) >= 5
        if long and not (one.known and other.known) and similarity(left, right) >= 0.75:
            return "spelling"
        return ""

    def _opposite(self, left: str, right: str, lemmas: tuple[str, str]) -> bool:
        """Whether two words are opposites: by the lists, or by their first or last parts."""
        known = self.language.opposites
        plain = left in self.language.function or right in self.language.function
        if (left, right) in known or (
            not plain
            and lemmas[0] != lemmas[1]
            and (lemmas in known or (lemmas[0], right) in known or (left, lemmas[1]) in known)
        ):
            return True
        if plain:
            return False
        return any(
            self._negated(one, other) or self._negated(other, one)
            for one, other in ((left, right), lemmas)
        ) or any(
            left.startswith(one)
            and right.startswith(other)
            and len(left) - len(one) >= 4
            and left[len(one) :] == right[len(other) :]
            for one, other in self.language.parts
        )

    def _negated(self, word: str, other: str) -> bool:
        """Whether `other` is `word` with a part that negates it: `unsafe`, `painless`."""
        if len(word) < 4:
            return False
        for part in self.language.negative_before:
            if other.startswith(part) and len(other) - len(part) >= 4:
                rest = other[len(part) :].lstrip("-")
                if rest == word or self.lemma(rest) == word:
                    return part not in ("a", "de", "in", "im", "des") or self._is_word(word)
        for part in self.language.negative_after:
            if other.endswith(part) and len(other) - len(part) >= 3:
                stem = other[: -len(part)]
                if word.startswith(stem) and len(word) - len(stem) <= 3:
                    return True
        return False

    def _is_word(self, word: str) -> bool:
        return not self.relations.lines or word in self.relations.lines

    def _one_stem(self, left: str, right: str) -> bool:
        """Whether two words differ only in their endings."""
        if left[:SHORTEST_STEM] != right[:SHORTEST_STEM]:
            return False
        shared = 0
        for one, other in zip(left, right, strict=False):
            if one != other:
                break
            shared += 1
        endings = left[shared:], right[shared:]
        if self.language.code == "en":
            if shared < SHORTEST_STEM or shared < 0.55 * max(len(left), len(right)):
                return False
            for back in (0, 1):
                moved = [left[shared - back :], right[shared - back :]]
                if all(
                    e in ENGLISH_ENDINGS or e.removeprefix("e") in ENGLISH_ENDINGS for e in moved
                ):
                    return True
            return False
        if self.lemmatize is not None and self.is_known(left) and self.is_known(right):
            longest = 2
        else:
            longest = LONGEST_ENDING
        return shared >= SHORTEST_STEM and max(map(len, endings)) <= longest


def english_lemma(word: str, known: Mapping[str, Any]) -> str:
    """Return the first word without a usual ending that is known; else the word.

    >>> words = dict.fromkeys(["stop", "bake", "party", "sale"])
    >>> [english_lemma(form, words) for form in ("stopped", "baking", "parties", "sales", "bus")]
    ['stop', 'bake', 'party', 'sale', 'bus']
    """
    for ending, others in (
        ("ies", ("y",)), ("es", ("", "e")), ("s", ("",)), ("ied", ("y",)), ("ed", ("", "e")),
        ("ing", ("", "e")), ("ier", ("y",)), ("er", ("", "e")), ("iest", ("y",)),
        ("est", ("", "e")), ("'s", ("",)),
    ):  # fmt: skip
        stem = word.removesuffix(ending)
        if stem == word or len(stem) < 2:
            continue
        if ending in ("er", "est", "ier", "iest") and word in known:
            continue
        candidates = [stem + other for other in others]
        if len(stem) > 3 and stem[-1] == stem[-2]:
            candidates.append(stem[:-1])
        for candidate in candidates:
            if candidate in known:
                return candidate
    return word


def plain(word: str) -> str:
    """Return a word without accents.

    >>> plain("lâches")
    'laches'
    """
    return "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))


@lru_cache(1 << 16)
def similarity(left: str, right: str) -> float:
    """Return one minus the edit distance divided by the longer length.

    The distance is computed with the bits of one number for each row (Myers 1999).

    >>> similarity("boston", "austin")
    0.5
    """
    longest = max(len(left), len(right))
    if left == right or not left or not right:
        return 1.0 if left == right else 1 - longest / max(longest, 1)
    places: dict[str, int] = {}
    for at, letter in enumerate(left):
        places[letter] = places.get(letter, 0) | 1 << at
    whole, last = (1 << len(left)) - 1, 1 << len(left) - 1
    up, down, distance = whole, 0, len(left)
    for letter in right:
        match = places.get(letter, 0)
        same = (((match & up) + up) ^ up) | match | down
        rise, fall = down | ~(same | up) & whole, up & same
        if rise & last:
            distance += 1
        elif fall & last:
            distance -= 1
        rise = rise << 1 | 1
        up, down = (fall << 1 | ~(same | rise)) & whole, rise & same & whole
    return 1 - distance / longest

"""The family `numbers`: the same number in words and in digits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from misword.core.parts import Requirement
from misword.text.writing import Family, Phrase, Reading
from misword.text.writing.numbers import english, other_languages
from misword.text.writing.numbers.english import run_words
from misword.text.writing.numbers.language_tables import CODES

# As many runs keep their readings, for the next system, shard or call with the same numbers.
MOST_KNOWN_RUNS = 1 << 14


@dataclass(frozen=True, slots=True)
class Numbers(Family):
    """The same number in words and in digits: `twenty one` and `21`.

    Each longest sequence of number words and digits is read into values with units, and nothing
    begins or ends inside a number. English has cardinals, decimals, ordinals, fractions, percent,
    money, years, times, decades, ranges, telephone numbers, and names with numbers such as `q3`
    and `covid-19`. In other languages, num2words knows the words; de, es, fr, it, nl and pt have
    most of these kinds. A language that num2words does not know has only digits: `1.000` and
    `1000`.

    Known problems: a currency that only one text names is an error (`$20` and `twenty`); so is
    another way to say a number if both texts have words (`fifteen hundred` and `one thousand five
    hundred`). A span is read without its context, so `may 3rd` is a day also where `may` is a verb.

    Example: `misword score ref.txt hyp.txt --forgive numbers --lang en`
    """

    name: ClassVar[str] = "numbers"
    revision: ClassVar[int] = 2
    title: ClassVar[str] = "numbers"

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """num2words, for the languages that it spells numbers in; none for English."""
        if lang not in CODES:
            return Requirement()
        return Requirement(("num2words",), "pip install 'misword[numbers]'", "LGPL-2.1")

    def run_words(self, words: Sequence[str], lang: str) -> Sequence[int] | None:
        """Number words and words with digits make runs; `and`, `dollars`, `june` are within."""
        return run_words(words) if lang == "en" else other_languages.run_words(words, lang)

    def readings(self, run: Phrase, lang: str) -> Iterable[Reading]:
        """Yield the numbers that the spans of a run can be read as."""
        return _readings(run, lang)


@lru_cache(maxsize=MOST_KNOWN_RUNS)
def _readings(run: Phrase, lang: str) -> tuple[Reading, ...]:
    return tuple(english.read(run) if lang == "en" else other_languages.read(run, lang))

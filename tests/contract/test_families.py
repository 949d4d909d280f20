"""Laws for every family of differences of writing."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from misword.text.writing import FAMILIES, Family
from misword.text.writing.words import base, base_forms, word_set

# Words that at least one family has a rule for, and others.
LISTED = word_set("""
    we're we are don't do n't gonna going to 're café colour Organised, U.S. US us u s a i CEO's c e
    o R&D r & and d e-mail mail in-house Mr. mister uh Um, ER [noise] <unk> - ... 5 .5 -5 60% $1.3
    billion twenty-one june 3rd 10:30 'em 'hello' dogs' œuvre Straße z.B. l' homme
""")
WORDS = st.one_of(
    st.sampled_from(sorted(LISTED)),
    st.text(st.sampled_from("aeisouS'’-.,&5%ßé"), min_size=1, max_size=7),
)
LANGUAGES = ("en", "de", "fr", "")


def languages(part: Family) -> tuple[str, ...]:
    """Languages that need no package."""
    return tuple(lang for lang in LANGUAGES if not part.requirement(lang).modules)


@pytest.mark.parametrize("name", FAMILIES.names())
@settings(max_examples=50)
@given(words=st.lists(WORDS, max_size=12))
def test_a_family_judges_each_word(name: str, words: list[str]) -> None:
    part = FAMILIES.create(name)
    for lang in languages(part):
        forms = part.same_words(words, lang)
        assert len(forms) == len(words)
        assert list(part.same_words(forms, lang)) == list(forms)
        optional = part.optional(words, lang)
        assert optional is None or len(optional) == len(words)
        values = part.run_words(words, lang)
        assert values is None or (len(values) == len(words) and set(values) <= {0, 1, 2, 3})


@pytest.mark.parametrize("name", FAMILIES.names())
@settings(max_examples=50)
@given(words=st.lists(WORDS, max_size=12))
def test_classes_consist_of_base_forms(name: str, words: list[str]) -> None:
    part = FAMILIES.create(name)
    known = sorted(set(base_forms(words)))
    for lang in languages(part):
        for found in part.classes(known, lang):
            phrases = list(found)
            assert len(set(phrases)) == len(phrases) > 1
            assert all(base(word) == word for phrase in phrases for word in phrase)


@pytest.mark.parametrize("name", FAMILIES.names())
@settings(max_examples=50)
@given(run=st.lists(WORDS, min_size=1, max_size=8).map(tuple))
def test_readings_lie_within_a_run(name: str, run: tuple[str, ...]) -> None:
    part = FAMILIES.create(name)
    for lang in languages(part):
        for start, end, key in part.readings(run, lang):
            assert 0 <= start < end <= len(run)
            assert key

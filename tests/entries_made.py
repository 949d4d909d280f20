"""Entries of dictionaries for tests: any, and hostile ones with every field filled."""

from __future__ import annotations

from hypothesis import strategies as st

from misword.io.dictionaries.entries import Entry, Equivalent, Example, Sense

texts = st.text(max_size=8)
verdicts = st.sampled_from(("", "accept", "reject"))
numbers = st.integers(0, 10**9)
equivalents = st.builds(
    Equivalent, texts, texts, st.none() | st.floats(0, 1, allow_nan=False), verdicts
)
examples = st.builds(Example, texts, texts, texts)
senses = st.builds(
    Sense,
    st.integers(1, 9),
    st.lists(equivalents, max_size=3).map(tuple),
    texts,
    st.lists(examples, max_size=2).map(tuple),
)
entries = st.builds(
    Entry,
    texts,
    st.lists(senses, max_size=3).map(tuple),
    texts,
    st.lists(texts, max_size=2).map(tuple),
    numbers,
    numbers,
    verdicts,
    texts,
    texts,
)

HOSTILE = (
    "", " ", "\\", "\\u0041", "\\-", "<b>&amp;\"'", "]]>", "a\tb\nc\r\nd", "=1+1", "'=1", "@x", "-",
    "; ", "a; b", "\x00\x1f\x85\u2028\ufeff\uffff", "\ud800", "\U0001f600 שלום", "_x0041_", "1e5",
    "é e\u0301", "true", "0012", '"""', "#c", "a|b", "{\\rtf}", "<!-- x -->", "&#10;", "%s",
)  # fmt: skip


def entry_of(texts: tuple[str, ...], number: int) -> Entry:
    """An entry with every field filled, of texts in turn."""
    word = [texts[(number + at) % len(texts)] for at in range(12)]
    senses = tuple(
        Sense(
            place + 2,
            (
                Equivalent(word[place], word[2], (number % 7) / 7, "accept"),
                Equivalent(word[place + 3], word[4]),
            ),
            word[place + 5],
            (Example(word[6], word[place + 7], word[8]), Example(word[place + 9])),
        )
        for place in range(2)
    )
    forms = (word[10], word[11])
    return Entry(
        f"{word[0]}{number}", senses, word[1], forms, number, number + 1, word[2], word[3], word[5]
    )

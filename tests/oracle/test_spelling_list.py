"""The spellings of Whisper's English normalizer are variants for the family `spelling`, too."""

from __future__ import annotations

import json
from importlib.resources import files

from extras import needs
from misword.text.writing.spelling import Spelling
from misword.text.writing.words import word_set

# Entries that are not accepted: different words, different forms of a word, sounds and slips.
NOT_VARIANTS = word_set("""
    bevvies bevvy cheque chequebook chequebooks cheques flautist flautists groyne groynes mhm
    misspelt mmm philtre philtres pummelled pummelling snowploughs storey storeys tonne tonnes
    tranquilly
""")


@needs("whisper_normalizer")
def test_variants_of_whisper() -> None:
    file = files("whisper_normalizer") / "normalizers" / "english.json"
    entries = json.loads(file.read_text("utf-8"))
    single = {word: form for word, form in entries.items() if word.isalpha() and form.isalpha()}
    variants = {word: form for word, form in single.items() if word not in NOT_VARIANTS}
    part = Spelling()
    assert len(variants) > 1700
    assert part.same_words(list(variants), "en") == part.same_words(list(variants.values()), "en")
    for word in NOT_VARIANTS & single.keys():
        spelt = part.same_words([word, single[word]], "en")
        assert spelt[0] != spelt[1], word

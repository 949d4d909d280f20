"""From text to tokens: normalizers, words, characters, lemmas, tags and phonemes."""

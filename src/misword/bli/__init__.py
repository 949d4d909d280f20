"""Two languages in one space: mappings of word vectors, translations, and how good they are."""

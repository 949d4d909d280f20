"""Commands for mappings of word vectors and bilingual lexicons."""

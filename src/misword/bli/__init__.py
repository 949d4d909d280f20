"""Bilingual lexicon induction (BLI): mappings of word vectors, translations, their evaluation.

`map_vectors` normalises the vectors of two languages (`spaces.py`), finds the pairs of words to
start from (`seeds.py`), and a mapping method (`methods/`) learns a matrix for each language; the
result is a `Mapping`, which can be written to a file. `translate` and `evaluate` open a mapping
with its vectors (`open_mapping.py`); a retriever (`retrievers/`, with the search in `search/`)
ranks the words of the target language for each source word. `evaluate` compares these candidates
with a gold lexicon (`evaluation/`).
"""

"""Proper nouns in bilingual lexicons: a logistic model, and what the lexicon itself tells.

`model.name_probabilities` gives the probability of each pair. `tools/make_names.py` makes the data.
"""

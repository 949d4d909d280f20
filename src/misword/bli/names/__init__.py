"""Proper nouns in bilingual lexicons: a logistic model, adapted to the lexicon.

`model.name_probabilities` gives the probability of each pair. `tools/make_names.py` makes the data.
"""

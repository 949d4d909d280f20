"""The errors of a real recogniser: alignment, counts of each kind of error, smoothing.

References and hypotheses are aligned (`aligned_corpus.py`), errors are counted (`learnt_noise.py`,
which also has the formulas and the file format), and `confusion_model.py` fits the smoothing and
computes the `ErrorModel` of a list of words.
"""

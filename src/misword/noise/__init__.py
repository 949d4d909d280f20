"""Noise: models of recogniser errors, corruption of texts, robustness of sentence encoders.

A channel (`channels/`) is a model of a speech recogniser. For a list of words it returns an
`ErrorModel`: the candidate substitutes of each word, and how likely each error is. Four public
functions use channels: `learn_noise` counts the errors of a real recogniser, from which the channel
`confusion` is made; `corrupt` draws errors into texts; `realism` computes how likely real errors
are under channels; `robust` encodes corrupted sentences and compares sentence encoders.
"""

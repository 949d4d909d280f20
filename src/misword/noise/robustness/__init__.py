"""Sentence encoders under noise: what `misword robust` is made of."""

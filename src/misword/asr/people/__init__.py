"""Judgements of people: do metrics agree with them, and blends of metrics learnt from them."""

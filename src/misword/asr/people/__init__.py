"""Judgements of people: the agreement of metrics with them, and blends learnt from them."""

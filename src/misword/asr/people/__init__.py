"""Blends: weighted means of metrics, with weights learnt from the judgements of people."""

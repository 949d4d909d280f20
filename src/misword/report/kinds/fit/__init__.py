"""Blends of metrics that were learnt from people's judgements."""

"""Translations of chosen hypotheses: where they come from, and what the choice does to them."""

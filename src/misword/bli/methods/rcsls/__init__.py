"""RCSLS (Joulin et al. 2018)."""

"""MUSE (Lample et al. 2018): from a lexicon, from identical words, without supervision."""

"""MUSE (Conneau et al. 2018): from a lexicon, from identical words, or unsupervised."""

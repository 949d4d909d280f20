"""The steps of `build`: from dictionaries to a training lexicon and an evaluation set."""

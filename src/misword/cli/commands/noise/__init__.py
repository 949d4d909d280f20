"""Commands for noise like a recogniser's."""

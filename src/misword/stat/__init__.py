"""Statistics over utterances: the table of scores, and what chance would do to it."""

"""Statistics over utterances: the table of scores, intervals, tests and correlations."""

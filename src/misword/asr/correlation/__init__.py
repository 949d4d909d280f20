"""Steps of `misword.correlate`: blocks of utterances, and the texts of translations."""

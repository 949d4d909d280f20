"""The steps of `misword.realism`: halves of a corpus, fallback distribution, ranks, tables."""

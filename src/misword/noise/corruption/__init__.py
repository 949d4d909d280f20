"""The parts of `misword.corrupt`: text blocks, sampling of errors, files."""

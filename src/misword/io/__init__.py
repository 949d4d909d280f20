"""Reading and writing of files: transcripts, lexicons, word vectors and results."""

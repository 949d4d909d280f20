"""Drafts of dictionaries: a row for each headword that a person accepts, rejects or corrects.

`headwords` makes the rows, `word_facts` the parts of speech, lemmas and names, `verdicts` reads
what people decided, and `result` is the draft with its tables and files.
"""

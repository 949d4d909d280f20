"""Studies: the tables of papers, computed again and written as pages in docs/studies.

Each paper has a package with a function `write(folder)`, which computes the tables and writes the
page of the paper into the folder. `python -m studies` runs all of them (`make studies`).
"""

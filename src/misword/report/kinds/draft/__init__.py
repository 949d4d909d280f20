"""The page of a draft: `kind` is its place in the report, `data` what the script `draft.js` reads.

`verdicts.js` keeps the verdicts in the browser and saves them as a file.
"""

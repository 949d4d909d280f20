"""The utterance explorer: search, filters, and each utterance with its aligned words.

`section` is its place on the page, `data` collects what it shows, `alignments`, `lists` and
`metadata` make the larger parts of that data, and `packing` makes arrays small. The scripts
`corpus.js`, `filter.js`, `list.js`, `alignment.js`, `nbest.js` and `explorer.js` read the data and
draw the explorer.
"""

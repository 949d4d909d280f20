# %% [markdown]
# # From word vectors to the draft of a dictionary
#
# Word vectors of two languages can be mapped into one space, where the nearest word is often a
# translation. This notebook learns such a mapping, measures how good it is, looks for mistakes in
# the lexicon that measured it, makes an evaluation set from a dictionary, and ends with a draft
# that a person judges.
#
# It needs `pip install 'misword[all,copyleft]' pandas`.

# %% [markdown]
# ## Words and vectors
#
# Vectors of fastText are too large for a notebook, so it makes small ones. The words are real:
# about a hundred English words with their French translations, in groups by topic. The vectors are
# made up: those of a topic lie near each other, and the French space is the English space, rotated,
# with noise. With real vectors, give the names of their files: `"cc.en.300.vec"`.

# %%
from pathlib import Path

import numpy as np

import misword

TOPICS = """
dog chien, cat chat, horse cheval, bird oiseau, fish poisson, cow vache, mouse souris, sheep mouton
bread pain, water eau, milk lait, cheese fromage, wine vin, salt sel, apple pomme, meat viande
house maison, door porte, window fenêtre, room chambre, kitchen cuisine, roof toit, wall mur
mother mère, father père, brother frère, sister soeur, daughter fille, son fils, child enfant
hand main, foot pied, head tête, eye oeil, mouth bouche, nose nez, heart coeur, arm bras
day jour, night nuit, week semaine, month mois, year an, morning matin, hour heure
red rouge, blue bleu, green vert, white blanc, black noir, yellow jaune, grey gris
eat manger, drink boire, sleep dormir, run courir, read lire, write écrire, speak parler
big grand, small petit, old vieux, young jeune, new neuf, good bon, bad mauvais, beautiful beau
river rivière, mountain montagne, forest forêt, sea mer, island île, sky ciel, sun soleil, moon lune
book livre, letter lettre, word mot, school école, pen stylo, paper papier, language langue
one un, two deux, three trois, four quatre, five cinq, six six, seven sept, eight huit
train train, ship bateau, plane avion, street rue, bridge pont, road route, wheel roue
paris paris, london londres, germany allemagne, spain espagne, italy italie
"""
topics = [[tuple(pair.split()) for pair in line.split(", ")] for line in TOPICS.split("\n") if line]
pairs = [pair for topic in topics for pair in topic]

# %%
rng = np.random.default_rng(7)
centres = [row for topic in topics for row in [rng.normal(size=20)] * len(topic)]
english_rows = np.array(centres) + 0.8 * rng.normal(size=(len(pairs), 20))
rotation, _ = np.linalg.qr(rng.normal(size=(20, 20)))
french_rows = (english_rows + 0.85 * rng.normal(size=english_rows.shape)) @ rotation
for place, (name, rows) in enumerate({"en.vec": english_rows, "fr.vec": french_rows}.items()):
    numbers = [" ".join(f"{number:.5f}" for number in row) for row in rows]
    lines = [f"{pair[place]} {row}" for pair, row in zip(pairs, numbers, strict=True)]
    Path(name).write_text("\n".join([f"{len(pairs)} 20", *lines, ""]), "utf-8")
len(pairs)

# %% [markdown]
# ## Learn a mapping
#
# Two thirds of the pairs are the training lexicon; the others are kept to measure.

# %%
train = [pair for place, pair in enumerate(pairs) if place % 3]
gold = [pair for place, pair in enumerate(pairs) if place % 3 == 0]
mapping = misword.map_vectors("en.vec", "fr.vec", "vecmap-s", lexicon=train)
print(mapping.signature)

# %%
misword.translate(mapping, ["dog", "river", "month"], k=3).table().to_pandas().round(3)

# %% [markdown]
# The nearest word need not be the translation: *gris* (grey) comes before *chien* (dog). How often
# does that happen?
#
# ## How good is it?
#
# `hit@k`: one of the first k candidates is a gold translation. A second mapping, learnt from fewer
# pairs, shows what the lexicon is worth: the difference has an interval and a p-value, by a paired
# test on the same headwords.

# %%
few = misword.map_vectors("en.vec", "fr.vec", "vecmap-s", lexicon=train[:30])
found = misword.evaluate({"all pairs": mapping, "30 pairs": few}, gold, k=(1, 5))
found

# %%
columns = ["metric", "rate", "difference", "low", "high", "p"]
found.differences.select(columns).to_pandas().round(3)

# %% [markdown]
# ## Is the gold lexicon what you think it is?
#
# Names, numbers and words that are written alike in both languages make a lexicon easy, and pairs
# that were in training make it worthless. `audit` flags them, with a probability and its evidence.

# %%
flags = "proper-noun,identical,training-pair"
audit = misword.audit(pairs, "en", "fr", training=train, flags=flags)
audit

# %%
table = audit.flag_table().filter(flag="proper-noun").sort("probability", descending=True)
table.select("source", "target", "probability").head(7).to_pandas().round(2)

# %% [markdown]
# ## An evaluation set from a dictionary
#
# `build` makes a training lexicon and an evaluation set from dictionaries (FreeDict, Wiktionary,
# apertium, StarDict, dictd, tables), by stated criteria. Here the dictionary is a table of our own.

# %%
Path("en-fr.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in pairs), "utf-8")
made = misword.build("en", "fr", "en-fr.tsv", "en.vec", "fr.vec", size=30)
made

# %%
{row["reason"]: row["pairs"] for row in made.datasheet["left_out"] if row["pairs"]}

# %% [markdown]
# ## A draft to judge
#
# The draft has a row for each word: its candidates, the surest first, their back-translations, and
# an empty column for a verdict. `draft.write("draft.xlsx")` makes a spreadsheet of it, and the
# report a page on which one accepts and rejects with the keyboard.

# %%
draft = misword.draft_lexicon(mapping, k=3, source_lang="en", target_lang="fr")
draft

# %%
from misword.report import write_report

draft.write("draft.csv")
write_report([draft.result()], "draft.html")
Path("draft.html").exists()

# %% [markdown]
# ## Next
#
# - [Mappings](../mapping.md): which method for which data, and figures with real vectors.
# - [Lexicons](../lexicons.md): the two measures called P@k, words out of the vocabulary.
# - [Gold sets](../gold-sets.md), [audit](../audit.md), [drafts](../draft.md).

# %% [markdown]
# # Two recognisers before a release
#
# A team wants to replace its recogniser. Is the new one better, for whom, and is anything worse?
# This notebook answers with the corpus that comes with misword: 210 English sentences, spoken by
# speech synthesisers, with noise in half of them. The old system is PocketSphinx, the new one is
# Whisper tiny.
#
# It needs `pip install misword` and nothing else; `to_pandas()` also needs pandas.

# %% [markdown]
# ## At a glance
#
# A call has references in turns, and each recogniser wrote one text for the whole call. The texts
# are cut where they align, so that each turn and each speaker has a rate.

# %%
from importlib.resources import files

import misword

corpus_folder = files("misword") / "demo"
folder = corpus_folder / "call"
hypotheses = [folder / "whisper-tiny.txt", folder / "pocketsphinx.txt"]
call, notes = misword.read_corpus(folder / "ref.csv", hypotheses, segments="transfer")
turns = misword.score(call, metrics="wer")
turns.summary(by="speaker")["system", "speaker", "rate", "low", "high"].to_pandas()

# %% [markdown]
# Which errors change what was said? Fifty for fifteen and a lost "not" are critical.

# %%
errors = misword.align(call).labels().filter(level="critical")
errors["utt", "system", "label", "reference", "hypothesis"].to_pandas()

# %% [markdown]
# Both recognisers heard "five" in turn 4, where the reference has "nine". Is the reference wrong?
# (It is: one word was changed on purpose.)

# %%
texts = turns.texts()
heard = {name: texts.filter(system=name)["hypothesis"] for name in turns.systems}
doubts = misword.references(texts.filter(system="whisper-tiny")["reference"], heard, bootstrap=0)
first = doubts.suspects[0]
print(f"reference {first.reference!r}, heard by {' and '.join(first.systems)}: {first.consensus!r}")

# %% [markdown]
# Two test sets and two systems as a matrix, with ranks by their macro average.

# %%
benchmark = misword.bench(corpus_folder / "bench.toml", "wer")
benchmark.result().tables["cells"].pivot("system", index="set", values="rate").to_pandas()

# %%
benchmark

# %% [markdown]
# ## Read the files
#
# The files are those that `misword demo --copy demo` writes. The references have columns for the
# speaker, the noise and the domain of each sentence; misword keeps them.

# %%
demo = corpus_folder / "en"
systems = [demo / "pocketsphinx.csv", demo / "whisper-tiny.csv"]
corpus, notes = misword.read_corpus(demo / "ref.csv", systems)
corpus.references.select(corpus.metadata).head(3).to_pandas()

# %% [markdown]
# ## Check the data first
#
# A wrong number is often caused by wrong files: lines that slipped, duplicate utterances, texts in
# another language. `check` looks for them before they cost time.

# %%
misword.check(demo / "ref.csv", systems, lang="en")

# %% [markdown]
# ## A first score
#
# Each rate has a 95 % confidence interval. The signature says everything that decides the number;
# write it beside a number that you publish.

# %%
scores = misword.score(corpus, metrics="wer,cer")
scores

# %%
print(scores.columns[0].signature)

# %% [markdown]
# One rate is a number:

# %%
round(scores["wer", "whisper-tiny"], 4)

# %% [markdown]
# ## What is not an error
#
# Some differences are only differences of writing: `we're` and `we are`, `uh` that one transcriber
# writes and another does not. With `forgive="writing"` they do not count, and the texts stay as
# they are. Errors are orange, forgiven differences are blue.

# %%
misword.align(
    ["We are going to the market.", "She paid $30 for two tickets."],
    ["we're going to the market", "she paid thirty dollars for tickets"],
    forgive="writing",
)

# %%
forgiving = misword.score(corpus, metrics="wer,cer", forgive="writing", lang="en")
columns = ["system", "metric", "rate", "without", "forgiven"]
forgiving.summary(bootstrap=0).select(columns).to_pandas().round(4)

# %% [markdown]
# `without` is the rate as if nothing were forgiven. Look at what was forgiven before you trust the
# rate:

# %%
for row in forgiving.words("wer").filter(family="contractions").head(4).to_dicts():
    print(row["system"], "|", row["reference"], "|", row["hypothesis"])

# %% [markdown]
# ## Is the new system better?
#
# The change is relative to the old system, and negative is better. The p-value comes from a paired
# permutation test and is corrected for several metrics.

# %%
found = misword.compare(forgiving, baseline="pocketsphinx", by="noise")
found

# %% [markdown]
# ## For all users?
#
# A better mean can hide a loss. `by="noise"` compared each group as well:

# %%
columns = ["noise", "baseline_rate", "rate", "relative"]
found.groups.filter(metric="wer").select(columns).to_pandas().round(3)

# %% [markdown]
# These are the utterances with the most added errors:

# %%
for row in found.worst.filter(metric="wer").head(3).to_dicts():
    print(row["utt"], f"{row['errors']:.0f} more errors:", row["reference"], "|", row["text"])

# %% [markdown]
# ## Words that matter
#
# An error in a name costs more than an error in `the`. Give the names and terms of your product as
# keywords, by class, and misword computes their own error rates. With so few words, a rate is only
# an example.

# %%
terms = {
    "PLACE": "rome vienna berlin chicago dublin edinburgh airport station",
    "MEDICINE": "doctor patient nurse fever",
    "TIME": "march september wednesday thursday friday",
}
keywords = {word: kind for kind, words in terms.items() for word in words.split()}
named = misword.score(corpus, metrics="wer", keywords=keywords)
columns = ["system", "class", "words", "rate", "recall"]
named.entities(bootstrap=0).select(columns).to_pandas().round(3)

# %% [markdown]
# ## A gate for the release
#
# The conditions are written once and checked for each candidate, also in CI (`misword gate`). The
# new system comes first.

# %%
gate = misword.gate(
    forgiving.filter(system="whisper-tiny") + forgiving.filter(system="pocketsphinx"),
    max={"wer": 0.10},
    no_worse=["wer", "cer"],
    margin=0.002,
)
print(gate.line.replace("; ", "\n"))
assert gate.passed

# %% [markdown]
# ## A page for the team
#
# One HTML file has the tables, charts and a list of all utterances that can be searched and
# filtered. It opens without a network.

# %%
from pathlib import Path

from misword.report import write_report

write_report([found.result()], "compare.html", title="Whisper tiny against PocketSphinx")
Path("compare.html").exists()

# %% [markdown]
# ## Next
#
# - [Scoring](../scoring.md) has the exact rules, [comparing](../compare.md) the statistics.
# - [The gate](../gate.md) shows the same conditions in a GitHub workflow.
# - [In Python](../python.md) has training loops, MLflow and Weights & Biases.

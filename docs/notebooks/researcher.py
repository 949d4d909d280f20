# %% [markdown]
# # Noise like that of a recogniser
#
# A text classifier or a translation system was trained on clean text. What happens when a
# recogniser writes its input? This notebook learns the errors of a real recogniser, writes them
# into clean text at any word error rate, asks how realistic they are, and measures what they do to
# sentence vectors.
#
# It needs `pip install 'misword[stopwords]' pandas`. The data are the corpus that comes with
# misword.

# %%
from importlib.resources import files

import misword

demo = files("misword") / "demo" / "en"
corpus, notes = misword.read_corpus(demo / "ref.csv", [demo / "pocketsphinx.csv"])
texts = corpus.references["text"].to_list()
print(*texts[:2], sep="\n")

# %% [markdown]
# ## At a glance
#
# Recognition errors are not equal. Of the errors of this recogniser, those that change what was
# said are critical; noise for an experiment should have such errors too.

# %%
errors = misword.align(corpus).labels()
errors.filter(level="critical")["label"].value_counts(sort=True).to_pandas()

# %% [markdown]
# ## Learn the errors
#
# `learn_noise` aligns references and hypotheses and counts which words were substituted by which.
# It also says how often words were deleted and inserted.

# %%
noise = misword.learn_noise(corpus, lang="en", vocabulary="cmudict")
for word in ("to", "and", "i"):
    print(word, noise.confused[word])

# %%
from pathlib import Path

Path("noise.json").write_text(noise.to_json(), "utf-8")
Path("noise.json").exists()

# %% [markdown]
# ## Write them into clean text
#
# A channel decides which words are substituted. `confusion` draws from what was learnt, `phonetic`
# takes words that sound alike, `uniform` takes any word. The word error rate is exactly the one
# that was asked for.

# %%
clean = ["the patient has no fever", "we will meet at the station at nine"] * 20
noisy = misword.corrupt(clean, [0.1, 0.3], channel="confusion:file=noise.json", seed=1)
noisy.summary.select("system", "wer", "substitutions", "deletions", "insertions").to_pandas()

# %%
print(*noisy.levels["wer-0.30"].texts[:4], sep="\n")

# %% [markdown]
# The same seed gives the same bytes, on any number of threads.

# %% [markdown]
# ## Which channel is realistic?
#
# A channel is realistic if real errors are probable under it. `realism` learns from one half of the
# sentences and computes the bits per error of the other half. Fewer bits are better. `fallback
# alone` is the channel that knows nothing.

# %%
real = misword.realism(corpus, None, "confusion,phonetic,uniform", lang="en", bootstrap=200)
real

# %% [markdown]
# ## What noise does to sentence vectors
#
# `robust` corrupts pairs of sentences and asks whether the similarities of an encoder still agree
# with a score of each pair. Benchmarks such as STS have scores by people. The demo corpus has none,
# so this notebook takes a score that can be measured: a reference and the recogniser's hypothesis,
# and how many of the words are right.

# %%
rates = misword.score(corpus, metrics="wer").result().tables["utterances"]["wer.rate"]
pairs = {
    "sentence1": texts,
    "sentence2": corpus.hypotheses["text"].to_list(),
    "score": (1 - rates).to_list(),
}
[round(score, 2) for score in pairs["score"][:6]]

# %% [markdown]
# The word vectors are learnt from the same texts, by a singular value decomposition of which words
# share a sentence. They are far too small for real use: take vectors of fastText or GloVe, by the
# name of their file.

# %%
import numpy as np

both = [*texts, *pairs["sentence2"]]
words = sorted({word for text in both for word in text.split()})
counts = np.array([[text.split().count(word) for text in both] for word in words], float)
weights = counts * np.log(counts.shape[1] / (counts > 0).sum(1))[:, None]
left, size, _ = np.linalg.svd(weights, full_matrices=False)
vectors = misword.WordVectors.of(words, (left * size)[:, :50])

# %%
study = misword.robust(
    pairs, "mean,sif", [0.0, 0.1, 0.3, 0.5], vectors=vectors, channel="phonetic", lang="en"
)
columns = ["encoder", "wer", "similarity", "pearson"]
study.levels.select(columns).to_pandas().round(3)

# %% [markdown]
# `similarity` is the cosine of a noisy sentence and the clean one; `pearson` is the correlation of
# similarities with the scores. The slope of a line over the word error rate summarises each
# encoder:

# %%
study.lines.select("encoder", "slope", "r2").to_pandas().round(3)

# %% [markdown]
# ## Next
#
# - [Noise](../noise.md) and [channels](../channels.md): all options, and how errors are drawn.
# - [Robustness](../robust.md): results for STS with real vectors and neural encoders.
# - [Studies](../studies/README.md): tables of papers computed again.

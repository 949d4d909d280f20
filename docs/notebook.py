# %% [markdown]
# # misword in a notebook
#
# `pip install misword` is all that this page needs; `to_pandas()` also needs pandas. The data are
# the corpus that is part of misword: two recognisers of English on synthesised speech.

# %% [markdown]
# ## One number
#
# `misword.wer` and `misword.cer` take two texts, or two columns of texts: lists, columns of polars
# and pandas, columns of a Hugging Face `Dataset`. The rate is that of all texts together, as a
# fraction.

# %%
import misword

references = ["We are going to the market.", "She paid $30 for two tickets.", "The colour is grey."]
hypotheses = ["we're going to the market", "she paid thirty dollars for tickets", "color is gray"]
misword.wer(references, hypotheses)

# %% [markdown]
# Most of these errors are differences of writing. They can be normalised, or forgiven where they
# occur.

# %%
misword.wer(references, hypotheses, normalize="lower,nopunct")

# %%
misword.wer(references, hypotheses, forgive="writing")

# %% [markdown]
# ## Alignments
#
# Errors are orange, forgiven differences are blue. The name of an error or of a family of
# differences appears when the mouse is over it.

# %%
misword.align(references, hypotheses, forgive="writing")

# %% [markdown]
# ## Scores of several systems
#
# A result shows its main table. It is limited in size, also for millions of rows.

# %%
from importlib.resources import files

demo = files("misword") / "demo" / "en"
systems = [demo / "whisper-tiny.csv", demo / "pocketsphinx.csv"]
corpus, notes = misword.read_corpus(demo / "ref.csv", systems)
scores = misword.score(corpus, metrics="wer,cer", forgive="writing")
scores

# %% [markdown]
# The rate of one metric is a number; with several systems, the system has to be named.

# %%
scores["wer", "whisper-tiny"]

# %% [markdown]
# Rows can be selected and grouped by the metadata of the references.

# %%
{noise: round(part["wer", "whisper-tiny"], 4) for (noise,), part in scores.group("noise")}

# %% [markdown]
# ## Is one system better?

# %%
misword.compare(scores, baseline="pocketsphinx")

# %% [markdown]
# ## pandas
#
# `to_pandas()` returns the main table, `to_pandas(name)` any other table of the result.

# %%
utterances = scores.to_pandas("utterances")
worst = utterances.sort_values("wer.rate", ascending=False, kind="stable")
worst[["utt", "system", "wer.rate"]].head(3).to_dict("records")

# %% [markdown]
# ## In a training loop
#
# `ErrorRates` has the interface of a metric of Hugging Face's `evaluate`.

# %%
from misword.integrations import ErrorRates

rates = ErrorRates("wer,cer", normalize="lower,nopunct")
rates.add_batch(predictions=hypotheses[:2], references=references[:2])
rates.add_batch(predictions=hypotheses[2:], references=references[2:])
rates.compute()

# %% [markdown]
# A result is logged to MLflow or to Weights & Biases in three lines, with its signatures and
# tables:
#
# ```python
# import mlflow
# from misword.integrations import log_to_mlflow
#
# with mlflow.start_run():
#     log_to_mlflow(scores)
# ```
#
# ```python
# import wandb
# from misword.integrations import log_to_wandb
#
# with wandb.init(project="speech"):
#     log_to_wandb(scores)
# ```

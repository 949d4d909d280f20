"""Scores of two systems in a run of Weights & Biases: pip install wandb.

Run it with `python docs/examples/wandb_run.py`. The run is offline, in the folder wandb; leave out
`mode` to send it to the server.
"""

import wandb

import misword
from misword.integrations import log_to_wandb

references = ["the cat sat", "so we go", "on the mat"]
systems = {"old": ["a cat", "so we go", "mat"], "new": ["the cat sat", "so he goes", "on the mat"]}

with wandb.init(project="asr", mode="offline") as run:
    log_to_wandb(misword.score(references, systems, "wer,cer"), prefix="dev/")
    print({name: run.summary[name] for name in ("dev/old/wer", "dev/new/wer")})
    print(run.config["misword"]["signatures"]["wer"])

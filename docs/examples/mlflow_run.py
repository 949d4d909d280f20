"""Scores of two systems in a run of MLflow: pip install mlflow (or mlflow-skinny).

Run it with `python docs/examples/mlflow_run.py`. Without a server, the run is in the folder mlruns.
"""

import os

import misword
from misword.integrations import log_to_mlflow

os.environ.setdefault("MLFLOW_ALLOW_FILE_STORE", "true")  # a folder in place of a server
import mlflow

references = ["the cat sat", "so we go", "on the mat"]
systems = {"old": ["a cat", "so we go", "mat"], "new": ["the cat sat", "so he goes", "on the mat"]}

mlflow.set_tracking_uri(os.environ.get("MLFLOW_TRACKING_URI", "file:mlruns"))
with mlflow.start_run() as run:
    log_to_mlflow(misword.score(references, systems, "wer,cer"), prefix="dev/", step=100)
    log_to_mlflow(misword.compare(references, systems, "wer"), prefix="change/")

logged = mlflow.get_run(run.info.run_id).data
print({name: round(value, 4) for name, value in sorted(logged.metrics.items())})
print(logged.tags["misword.signature.wer"])

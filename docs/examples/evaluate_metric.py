"""misword as a metric of Hugging Face's `evaluate`: pip install evaluate.

Run it with `python docs/examples/evaluate_metric.py`; nothing is downloaded.
"""

import evaluate

from misword.integrations import evaluate_metric

references = ["the cat sat", "so we go", "on the mat"]
predictions = ["the bat sat", "so we go", "on mat"]

rates = evaluate_metric("wer,cer", normalize="lower,nopunct")
for prediction, reference in zip(predictions, references, strict=True):  # as in a training loop
    rates.add(prediction=prediction, reference=reference)
print(rates.compute())

# Beside other metrics of `evaluate`: here one that forgives differences of writing.
both = evaluate.combine({"plain": rates, "forgiving": evaluate_metric("wer", forgive="numbers")})
print(both.compute(predictions=["I have 2 cats"], references=["I have two cats"]))

"""Neural models: found on disk or on the Hugging Face hub, and run in batches on all cores."""

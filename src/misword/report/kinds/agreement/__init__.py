"""Agreement with people: the chart of the metrics, and what each metric says of each triplet."""

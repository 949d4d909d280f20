"""Speech recognition: views, metrics, and what is asked of them (`score`, `align`)."""

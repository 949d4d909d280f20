"""Speech recognition: views, costs, metrics, and the functions that apply them to transcripts."""

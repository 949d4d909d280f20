"""The normalizer of the Open ASR Leaderboard: English, and five other languages."""

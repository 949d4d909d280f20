"""Scoring of shards by workers: what they do, what they return, and how it is added up."""

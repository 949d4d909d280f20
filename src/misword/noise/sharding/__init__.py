"""Corruption of shards: each row has random numbers of its own, whatever shard it is in."""

"""Error rates of one or more systems that were not tested against each other."""

"""What every other folder builds on: data types, parts, registry, signatures, errors, workers."""

"""The simulated listener: stretches of words become phonemes, and a decoder hears other words."""

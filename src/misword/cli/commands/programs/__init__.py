"""Commands for programs and agents."""

"""The function `check`, texts and findings of all checks, and quick checks of other commands."""

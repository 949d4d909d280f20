"""What the checks of data share: the texts, their matched lines, findings, and commands."""

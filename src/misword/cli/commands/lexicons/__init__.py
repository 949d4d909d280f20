"""TODO misword.cli.commands.lexicons."""

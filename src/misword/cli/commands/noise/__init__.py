"""TODO misword.cli.commands.noise."""

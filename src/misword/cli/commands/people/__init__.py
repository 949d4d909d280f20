"""TODO misword.cli.commands.people."""

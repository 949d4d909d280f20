"""TODO misword.cli.commands.files."""

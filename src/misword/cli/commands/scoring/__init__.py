"""TODO misword.cli.commands.scoring."""

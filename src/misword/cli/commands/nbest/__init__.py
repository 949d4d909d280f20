"""TODO misword.cli.commands.nbest."""

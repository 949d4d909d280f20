"""One module for each command; imported when the command is called."""

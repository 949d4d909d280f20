"""Text as a recogniser would have heard it, and what that does to whoever reads it."""

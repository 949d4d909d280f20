"""The conditions of `misword.gate`: what they are, and how they are decided."""

"""References that may be wrong: several references, suspects, and corrections by people."""

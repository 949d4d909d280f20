"""`python -m misword`."""

from misword.cli.main import main

if __name__ == "__main__":
    raise SystemExit(main())

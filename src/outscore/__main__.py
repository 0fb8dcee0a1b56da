"""Lets `python -m outscore` do what the `outscore` command does."""

from __future__ import annotations

from outscore.cli import main

if __name__ == "__main__":
    main()

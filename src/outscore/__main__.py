"""What the installed `outscore` command and `python -m outscore` start."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line; an interrupt while it is still being imported is told like any other."""
    try:
        from outscore.cli.app import main as run
    except KeyboardInterrupt:
        # There is nobody yet who could handle an interrupt.
        sys.stderr.write("outscore: interrupted.\n")
        raise SystemExit(130) from None
    run()


if __name__ == "__main__":
    main()

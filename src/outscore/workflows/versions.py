"""What a result was made with, so that it can be made again."""

from __future__ import annotations

__all__ = ["versions"]


def versions() -> dict[str, str]:
    """Versions of outscore, of what computes its numbers, and of Python."""
    import platform

    import numpy as np
    import scipy

    from outscore._version import __version__

    return {
        "outscore": __version__,
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "python": platform.python_version(),
    }

"""The version, in a file of its own so that reading it costs nothing."""

from __future__ import annotations

__version__ = "0.2.0"

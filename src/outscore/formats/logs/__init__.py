"""Logs of evaluation harnesses: which harness wrote a file, and the scores it recorded."""

"""Verdicts and paper sentences, one module for each kind of result."""

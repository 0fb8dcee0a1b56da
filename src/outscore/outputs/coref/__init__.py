"""Coreference: mentions, chains, and what a system did with each of them."""

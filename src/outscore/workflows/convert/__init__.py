"""Logs in the common format."""

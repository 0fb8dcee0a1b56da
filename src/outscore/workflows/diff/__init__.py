"""Outputs of one to many systems against gold."""

"""Whom to cite, and the works themselves."""

"""Routes, guards and answers."""

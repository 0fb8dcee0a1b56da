"""Several tests at once: corrections, max-T and partial conjunction."""

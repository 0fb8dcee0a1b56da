"""Two systems' scores, one verdict."""

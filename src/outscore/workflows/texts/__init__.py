"""Two systems' texts against references."""

"""Many systems on one or more datasets."""

"""What all readers share: an open file, a peek at its beginning, and the entry that declares a format."""

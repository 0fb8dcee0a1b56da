"""One declaration per command: what may be asked, checked and written down in one place."""

"""One reader for each format of logs: what its files look like, and the rows they hold."""

"""Tables of scores and labels: CSV, TSV, JSON lines, Parquet and bare numbers."""

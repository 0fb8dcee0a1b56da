"""System outputs: what one file answers, how files are aligned, and what changed between them. Counting only, no p-values."""

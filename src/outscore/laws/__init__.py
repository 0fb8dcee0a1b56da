"""Normal, Student's and beta laws of single numbers: to import those of scipy takes longer than a small comparison."""

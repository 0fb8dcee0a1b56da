"""What readers of logs are made of: files as bytes, what a reader declares, and what it yields."""

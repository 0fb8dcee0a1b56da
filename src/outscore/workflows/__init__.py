"""Where metrics, outputs, inference and words meet: one folder for each command."""

"""What everything else builds on: the one exception, declared options, numbers, metrics and paired rows."""

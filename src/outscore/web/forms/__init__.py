"""What may be asked of each command, as the fields of a form."""

"""Results as records of plain values with all digits, for spreadsheets and further computing: one module per kind."""

"""One file for each table of the report."""

"""What the tables share: runs, scores, operators, pages."""

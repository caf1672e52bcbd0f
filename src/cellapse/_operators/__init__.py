"""Other operators on the cells, and operators out of what users have."""

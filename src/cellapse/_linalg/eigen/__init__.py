"""Eigensolvers, and what holds them to their promise."""

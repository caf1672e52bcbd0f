"""Small networks with known groups, bundled with where they come from and under which licence."""

from cellapse.datasets.bundled import Dataset, available, load

__all__ = ["Dataset", "available", "load"]

"""The complex itself: cells, labels, weights and attributes."""

"""From a complex to its incidence matrices."""

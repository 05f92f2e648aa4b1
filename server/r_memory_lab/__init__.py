"""The laboratory: `r-memory eval`, `bench`, `demo`, `explain` and `knowledge`.

Imports the product and is never imported by it.
"""

"""The laboratory: `r-memory eval`, `bench` and `demo`. Imports the product and is never imported by it."""

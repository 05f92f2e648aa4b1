"""Moving everything that a space holds to another store, as a file."""

"""Administration of a whole space: erase a person, export the space to a file, import it from a file."""

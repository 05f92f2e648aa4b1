"""Reading files: which kind they are by their content, and their words with the place where each stands."""

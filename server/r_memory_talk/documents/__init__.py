"""Documents: from a file to parts, facts and levels of summaries."""

"""SCM's controller: whether memory is needed, in which form, and the summaries of turns."""

"""Two gates around every model: what must be known before it, what stands against its answer after it."""

"""CIM's structured summary: what a turn changes in it, and the keeping of its versions."""

"""Values and pure rules of the memory. Uses the standard library only, and does no input or output."""

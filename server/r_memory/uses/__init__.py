"""The use cases of the memory, one module for each kind of use; `memory.py` puts them together."""

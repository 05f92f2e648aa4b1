"""Reads facts in what people say: the rules, the taught reader, the linker and the one validator."""

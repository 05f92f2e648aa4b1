"""Reads facts in what people say: the rule route, the linker, the second opinion and the one validator."""

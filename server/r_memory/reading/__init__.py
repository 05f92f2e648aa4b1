"""Reads facts in what people say: closed rules, the taught reader, and the table of agreement between them."""

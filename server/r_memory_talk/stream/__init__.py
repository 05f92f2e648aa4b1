"""The conversational memory: scoring profiles, word and vector search over the stream. Ranked, never safety."""

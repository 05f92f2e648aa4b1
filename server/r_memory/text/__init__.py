"""Functions that all readers share: sentences, words, token counts, and inert text. They know no meaning."""

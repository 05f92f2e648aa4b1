"""The ground that all readers share: sentences, words, tokens counted, text made inert. Knows no meaning."""

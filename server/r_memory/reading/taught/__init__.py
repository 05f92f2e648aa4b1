"""The taught reader: a small encoder and its heads, taught from the corpus; it knows no domain by itself."""

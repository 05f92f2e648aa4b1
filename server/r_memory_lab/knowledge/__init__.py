"""Readers of vocabularies that users own copies of, and the files that their names become; no vocabulary is shipped."""

"""Doubles of the protocols: small, honest, and part of what is shipped, for tests of whoever builds on r-memory."""

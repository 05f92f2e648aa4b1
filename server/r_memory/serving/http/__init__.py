"""Streamable HTTP: who may come in, and the process behind one address.

Knows HTTP and tokens; what is served is `tools/`.
"""

"""Streamable HTTP: who may come in, how much and how long, and the processes behind one address.

Knows HTTP and tokens; what is served is `tools/`.
"""

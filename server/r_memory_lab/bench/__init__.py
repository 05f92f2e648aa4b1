"""Speed and losses of the whole system: what `r-memory bench` measures, as percentiles, ratios and counts.

Each part is a module that gives an `Outcome`; `core.py` puts them together. Nothing here is imported by the server.
"""

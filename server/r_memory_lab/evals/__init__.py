"""Quality on data: the suites of `r-memory eval`, each named after the folder of data that it reads.

A suite is a module with `rows` (reads the data), `run` (asks the whole system), `score` (compares) and `outcome`
(figures); `suites.py` lists them. Nothing here is imported by the server.
"""

"""The command line: typer commands over the use cases, one module for each small family.

What is wrong with what they were given, commands raise; `app.py` makes messages and exit codes of it.
"""

from r_memory.cli.app import main

__all__ = ["main"]

"""The command line: typer commands over the use cases, one module for each small family."""

from r_memory.cli.program import main

__all__ = ["main"]

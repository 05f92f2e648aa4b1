"""`serve`: the MCP server, for clients that start it."""

from r_memory import server
from r_memory.cli.options import Home, Space, settings_of


def serve(home: Home = None, space: Space = None) -> None:
    """Answers MCP clients over standard input and output.

    Clients such as Claude Code start it themselves: `claude mcp add r-memory -- r-memory serve`. Standard output
    belongs to the protocol; the log is on standard error. Files that are wrong end it at once, with exit code 2.
    """
    server.serve(settings_of(home, space))

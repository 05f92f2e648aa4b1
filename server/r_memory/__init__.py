"""r-memory: an MCP server that keeps the facts an assistant must never forget."""

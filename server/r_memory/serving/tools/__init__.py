"""The MCP tools: thin doors that check what comes in, call one use case, and shape what goes out."""

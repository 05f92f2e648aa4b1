"""The MCP surface: tools, resources and prompts over standard input and output or HTTP. Thin: it decides nothing."""

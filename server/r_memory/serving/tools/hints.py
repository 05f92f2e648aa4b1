"""What a host is told about a tool beside its text: whether it writes, and whether it is shown from the start."""

from mcp.types import ToolAnnotations

READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
WRITES = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
CHANGES = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False)
ALWAYS_LOADED = {"anthropic/alwaysLoad": True}
"""Claude Code shows other tools by name only until somebody looks for them."""

"""How a conversation is held. No behaviour."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How a conversation is held."""

    conversation: str = "chat"
    profile: str = ""
    """Profile; empty is the usual one."""
    old: bool = False
    """Replays every turn as messages of their own instead of remembering."""
    instruction: str = ""
    """For the model, behind the safety block."""
    speaker: str = ""
    """Who types; empty names the role."""
    scene: str = ""
    """Surroundings, as the person describes them."""

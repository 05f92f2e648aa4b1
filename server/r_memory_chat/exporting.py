"""A conversation as it can be taken away (SCM 31): as JSON of pairs, memories and summaries, or as plain text."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from r_memory.cli.printing import as_json
from r_memory.domain.instants import iso_seconds
from r_memory.domain.memories import MemoryItem, Tier
from r_memory.domain.summaries import ConversationSummary, KeptSummary
from r_memory.errors import InvalidInput
from r_memory.text.inert import inert
from r_memory_talk.summary.rendering import LINES, entries_of
from r_memory_talk.talk import Talk


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """All stored data of a conversation."""

    turns: tuple[MemoryItem, ...]
    memories: tuple[MemoryItem, ...]
    """Memories made of turns."""
    summaries: tuple[KeptSummary, ...]

    @property
    def text(self) -> str:
        """The turns as plain text."""
        return "\n\n".join(f"[Turn {item.index}]\n{item.raw}" for item in self.turns)

    @property
    def data(self) -> dict[str, Any]:
        """All data as JSON values; `pairs` are of user and system."""
        return {
            "pairs": [{"user": item.observation, "system": item.answer} for item in self.turns],
            "turns": [item_data(item) for item in self.turns],
            "memories": [item_data(item) for item in self.memories],
            "summaries": [summary_data(kept) for kept in self.summaries],
        }


async def exported(talk: Talk, conversation: str, subject_uid: str) -> Export:
    """Returns the stored data of a conversation.

    Raises:
        StoreUnavailable: it could not be read.
    """
    items = await talk.stream.items(conversation, subject_uid=subject_uid)
    return Export(
        turns=tuple(item for item in items if item.tier is Tier.TURN),
        memories=tuple(item for item in items if item.tier is not Tier.TURN),
        summaries=await talk.conversations.summaries(conversation, subject_uid=subject_uid),
    )


def write_export(export: Export, file: Path) -> None:
    """Writes a conversation, as plain text if the name ends in .txt, else as JSON.

    Raises:
        InvalidInput: the file cannot be written.
    """
    text = export.text if file.suffix == ".txt" else as_json(export.data, ascii_only=False)
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidInput(f"cannot write {file}: {error.strerror}; choose another place") from None


def item_data(item: MemoryItem) -> dict[str, Any]:
    """Returns a turn, or a memory made of turns, as the commands print it."""
    return {
        "id": item.id,
        "conversation": item.conversation,
        "kind": item.tier,
        "turn": item.index,
        "said_at": iso_seconds(item.created_at),
        "speaker": item.speaker,
        "observation": item.observation,
        "response": item.response,
        "objections": item.objections,
        "summary": item.summary,
        "importance": item.importance,
        "sources": item.sources,
    }


def summary_data(kept: KeptSummary) -> dict[str, Any]:
    """Returns a version of a structured summary, as the commands print it."""
    return {**asdict(kept), "version": kept.version}


def screen(content: ConversationSummary) -> str:
    """Returns the complete summary as text, with every heading, also empty ones (CIM 12)."""
    lines: list[str] = []
    for line in LINES:
        lines += [f"{line.heading}:", *(f"- {inert(entry)}" for entry in entries_of(line, content))]
    return "\n".join(lines)

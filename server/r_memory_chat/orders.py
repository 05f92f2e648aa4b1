"""What a person orders of the conversation itself: taking turns back, starting anew, exporting, another conversation.

An order is no message: it is neither stored nor shown to the model. Facts that were said stay, whatever is taken back.
"""

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path

from r_memory.errors import InvalidInput
from r_memory_chat.exporting import exported, write_export
from r_memory_chat.rolling_back import roll_back
from r_memory_talk.conversations import Conversations
from r_memory_talk.talk import Talk

ORDERS = {
    "/rollback": "/rollback", "/撤回": "/rollback",
    "/reset": "/reset", "/重置": "/reset",
    "/export": "/export", "/导出": "/export",
    "/conversation": "/conversation", "/对话": "/conversation",
    "/scene": "/scene", "/场景": "/scene",
}  # fmt: skip
"""Typed command to its name; SCM has each in English and in Chinese."""
_NAMES_SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """The settings of a conversation."""

    conversation: str = "chat"
    profile: str = ""
    """Name of the profile; empty: the usual one."""
    old: bool = False
    """Whether every turn is sent again as messages, without memory."""
    instruction: str = ""
    """Instruction to the model, after the safety block."""
    speaker: str = ""
    """Name of the typing person; empty: the role."""
    scene: str = ""
    """The person's surroundings in their own words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Obeyed:
    """The result of a command."""

    told: str
    manner: Manner
    """The settings from here on."""


def is_order(text: str) -> bool:
    """Whether a text is a command about the conversation."""
    return text.split(maxsplit=1)[:1] != [] and text.split(maxsplit=1)[0] in ORDERS


async def obey(text: str, talk: Talk, manner: Manner, uid: str) -> Obeyed:
    """Carries out a command; `uid` is the key of the conversation's subject.

    Raises:
        InvalidInput: the command is incomplete; says how it is written.
        StoreUnavailable: it could not be carried out.
    """
    word, _, rest = text.strip().partition(" ")
    order, rest, talks = ORDERS[word], rest.strip(), talk.conversations
    if order == "/rollback":
        return Obeyed(told=await _rolled_back(rest, talks, manner.conversation, uid), manner=manner)
    if order == "/reset":
        return Obeyed(told=await _reset(rest, talks, manner.conversation, uid), manner=manner)
    if order == "/export":
        return Obeyed(told=await _exported(rest, talk, manner.conversation, uid), manner=manner)
    if order == "/scene":
        told = f"The scene is now: {rest}" if rest else "There is no scene any more."
        return Obeyed(told=told, manner=replace(manner, scene=rest))
    if rest:
        return Obeyed(told=f"This is the conversation '{rest}'.", manner=replace(manner, conversation=rest))
    names = await talks.names(subject_uid=uid, limit=_NAMES_SHOWN)
    return Obeyed(told=f"Conversations, newest first: {', '.join(names) or 'none yet'}.", manner=manner)


async def _rolled_back(rest: str, talks: Conversations, conversation: str, uid: str) -> str:
    last = await talks.turns(conversation, subject_uid=uid, last=1)
    if not last:
        raise InvalidInput("there is no turn to take back")
    if rest and not rest.isdecimal():
        raise InvalidInput("write /rollback, or /rollback and the number of the last turn that stays")
    to = int(rest) if rest else last[0].index - 1
    if to >= last[0].index:
        raise InvalidInput(f"turn {last[0].index} is the last; there is none after turn {to} to take back")
    removed = await roll_back(talks, conversation, to=to, subject_uid=uid)
    return f"{removed} erased, up to turn {to} is left. Facts that were said stay."


async def _reset(rest: str, talks: Conversations, conversation: str, uid: str) -> str:
    if rest not in {"yes", "是"}:
        raise InvalidInput("this erases the whole conversation; write /reset yes if that is meant")
    return f"{await roll_back(talks, conversation, to=0, subject_uid=uid)} erased. Facts that were said stay."


async def _exported(rest: str, talk: Talk, conversation: str, uid: str) -> str:
    if not rest:
        raise InvalidInput("write /export and a file name; one in .txt gives plain text, any other JSON")
    export = await exported(talk, conversation, uid)
    await asyncio.to_thread(write_export, export, Path(rest))
    return f"{len(export.turns)} turns written to {rest}."

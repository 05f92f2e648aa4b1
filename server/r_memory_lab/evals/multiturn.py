"""What is lost when an instruction comes in pieces (T-21): the measures of arXiv 2505.06120, and its settings.

The measures are pure. `attempt` plays one conversation with any chat model; the pieces are told as they are written, so
that no second model plays the user, and the last number of the last reply is the answer.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from r_memory.protocols import ChatMessage, ChatModel
from r_memory_lab.evals.rows import DataRow
from r_memory_talk.conversations import Conversations
from r_memory_talk.stream.values import NewTurn

SETS = "sharded.jsonl"
_NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")
_TASK = "Solve the task. Say the result as a number at the end of your answer."


class Setting(StrEnum):
    """How the pieces of an instruction reach the model."""

    FULL = "full"
    """In one turn, as one text."""
    CONCAT = "concat"
    """In one turn, as a list of pieces."""
    SHARDED = "sharded"
    """One piece in each turn."""
    RECAP = "recap"
    """As `sharded`, with a last turn of all pieces."""
    SNOWBALL = "snowball"
    """Each turn repeats all pieces so far."""
    OURS = "ours"
    """One piece in each turn, with the memory in place of the transcript."""


class Sharded(DataRow):
    """An instruction whole and in pieces."""

    full: str
    shards: tuple[str, ...]
    answer: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Aptitude:
    """Measures of several runs of one instruction, or means over several instructions; from 0 to 100."""

    performance: float
    """P: the mean."""
    aptitude: float
    """A90: the 90th percentile."""
    unreliability: float
    """U: the difference of the 90th and the 10th percentile."""


def aptitude(scores: Sequence[float]) -> Aptitude:
    """Returns P, A90 and U of the scores of one instruction (memory-systems 5); percentiles are interpolated.

    >>> aptitude([0, 0, 100, 100, 100])
    Aptitude(performance=60.0, aptitude=100.0, unreliability=100.0)
    """
    if not scores:
        return Aptitude(performance=0.0, aptitude=0.0, unreliability=0.0)
    high, low = _percentile(scores, 0.9), _percentile(scores, 0.1)
    return Aptitude(performance=sum(scores) / len(scores), aptitude=high, unreliability=high - low)


def averaged(each: Sequence[Aptitude]) -> Aptitude:
    """Returns the means over instructions, as in the paper."""
    n = max(len(each), 1)
    return Aptitude(
        performance=sum(item.performance for item in each) / n,
        aptitude=sum(item.aptitude for item in each) / n,
        unreliability=sum(item.unreliability for item in each) / n,
    )


def recovered(*, full: float, sharded: float, other: float) -> float | None:
    """Returns the share of the loss through pieces that another setting recovers; `None` without a loss.

    >>> round(recovered(full=93.0, sharded=59.1, other=65.3), 3)
    0.183
    """
    lost = full - sharded
    return (other - sharded) / lost if lost > 0 else None


async def attempt(chat: ChatModel, task: Sharded, setting: Setting, talks: Conversations, *, name: str) -> float:
    """Returns 100 if the last reply ends with the right number, else 0; `ours` uses the conversation `name`.

    Raises:
        ModelError: the model gave no answer.
    """
    return 100.0 if ends_with(await last_reply(chat, task, setting, talks, name=name), task.answer) else 0.0


async def last_reply(chat: ChatModel, task: Sharded, setting: Setting, talks: Conversations, *, name: str) -> str:
    """Returns the last reply of one conversation, as in `attempt`.

    Raises:
        ModelError: the model gave no answer.
    """
    if setting is Setting.OURS:
        return await _remembered(chat, task, talks, name)
    return await _transcript(chat, _messages(task, setting))


def _messages(task: Sharded, setting: Setting) -> tuple[str, ...]:
    """Returns the user's turns."""
    if setting is Setting.FULL:
        return (task.full,)
    if setting is Setting.CONCAT:
        return (_listed(task.shards),)
    if setting is Setting.SNOWBALL:
        return tuple(_listed(task.shards[: number + 1]) for number in range(len(task.shards)))
    return task.shards if setting is Setting.SHARDED else (*task.shards, _listed(task.shards))


def _listed(shards: Sequence[str]) -> str:
    return "\n".join(f"- {shard}" for shard in shards)


async def _transcript(chat: ChatModel, said: Sequence[str]) -> str:
    """Returns the last reply; each request holds the whole transcript in one message."""
    lines, reply = list[str](), ""
    for text in said:
        lines.append(f"User: {text}" if len(said) > 1 else text)
        reply = await _reply(chat, "\n".join(lines))
        lines.append(f"Assistant: {reply}")
    return reply


async def _remembered(chat: ChatModel, task: Sharded, talks: Conversations, name: str) -> str:
    """Returns the last reply; each turn is one request with the memory's context, without a transcript."""
    reply = ""
    for shard in task.shards:
        before = (await talks.prepare(shard, name)).text
        told = "\n".join(filter(None, (before, f"[QUERY]:\n{shard}")))
        reply = await _reply(chat, told)
        await talks.finish(NewTurn(conversation=name, observation=shard, response=reply))
    return reply


async def _reply(chat: ChatModel, text: str) -> str:
    messages = [ChatMessage(role="system", text=_TASK), ChatMessage(role="user", text=text)]
    return (await chat.reply(messages)).text


def ends_with(reply: str, answer: float) -> bool:
    """Whether the last number of a reply is the answer."""
    numbers = list(_numbers(reply))
    return bool(numbers) and math.isclose(numbers[-1], answer)


def _numbers(reply: str) -> Iterator[float]:
    return (float(found.group().replace(",", "")) for found in _NUMBER.finditer(reply))


def _percentile(values: Sequence[float], fraction: float) -> float:
    ordered = sorted(values)
    place = fraction * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)

"""The tool that a host's hook calls before every prompt, so that recall does not wait for a model to think of it.

A hook that fails lets the prompt go on with nothing: so this tool always succeeds, within a time of its own, and says
SAFETY MEMORY UNAVAILABLE where a context would stand. It says nothing (`{}`) where the prompt concerns nobody known.
"""

import asyncio
from collections.abc import Sequence
from itertools import accumulate
from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypedDict

from r_memory.domain.blocks import Recall
from r_memory.domain.facts import Entity
from r_memory.errors import RMemoryError
from r_memory.facts.recall.rendering import called, lines_within, shortened
from r_memory.memory import Memory
from r_memory.serving.tools.calls import Call, client_of, shared_by
from r_memory.text.markers import END, START
from r_memory.text.unavailable import unavailable_block

LIMIT_S = 2.0
"""Seconds that a prompt may be held up."""
STARTING_S = 10.0
"""The same for the first prompt, which may come before the memory is open; the plugin allows a minute."""
LONGEST = 9_000
"""Characters; above 10 000 Claude Code writes the text to a file that the model may not open."""
_MOST_SUBJECTS = 3
_NAMES_ROOM = 3_000
"""Characters for the names of those who are not shown: the facts of the others need the rest."""
_ASK_EACH = "call memory_build_context before acting"


class HookOutput(TypedDict):
    """What goes in front of the prompt."""

    hookEventName: Literal["UserPromptSubmit"]
    additionalContext: str


class ClaudeHookAnswer(TypedDict, total=False):
    """The form that Claude Code reads; empty: nothing is added."""

    hookSpecificOutput: HookOutput


async def memory_hook_context(
    ctx: Call,
    *,
    prompt: Annotated[str, Field(max_length=200_000, description="What the person is about to send.")],
    session_id: Annotated[str, Field(max_length=200, description="The host's session; kept with the receipt.")] = "",
) -> ClaudeHookAnswer:
    """Recall for a host's hook: the facts about whoever the prompt names, as Claude Code's hooks read them.

    Hosts call it, models need not. It always succeeds, within two seconds once the memory is open.
    """
    try:
        async with asyncio.timeout(STARTING_S if shared_by(ctx).starting else LIMIT_S):
            memory = await shared_by(ctx).of_caller()
            told = await _contexts(memory, prompt[: memory.limits.message], f"{client_of(ctx)} {session_id}".strip())
    except TimeoutError:
        told = unavailable_block("it did not answer in time", shared_by(ctx).ask)
    except RMemoryError as error:
        told = unavailable_block(str(error), shared_by(ctx).ask)
    if not told:
        return {}
    return {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": told}}


async def _contexts(memory: Memory, prompt: str, reader: str) -> str:
    """Contexts of those the prompt names, or a word that it names nobody known; empty where it asks for nothing."""
    if not prompt.strip():
        return ""
    # In a single-subject installation, that one, by its key: everybody who is known takes long to read.
    subjects = memory.facts.subjects
    named = await subjects.meant(subjects.single) if subjects.single else await _named(memory, prompt)
    if not named:
        return _nobody(memory) if await memory.recognise(prompt) else ""
    shown, others = named[:_MOST_SUBJECTS], named[_MOST_SUBJECTS:]
    recalls = [await memory.build_context(prompt, subject=item, shown_to=reader) for item in shown]
    rest = [f"NOT SHOWN, and named as well: {_listed(others)}: {_ASK_EACH}"] if others else []
    room = (LONGEST - sum(len(line) + 1 for line in rest)) // len(recalls)
    return "\n".join([*(_block(recall, room - 1) for recall in recalls), *rest])


async def _named(memory: Memory, prompt: str) -> Sequence[Entity]:
    """Whoever the prompt names, by the longest words first: somebody called `please` takes nobody's place."""
    found = await memory.subjects_named(prompt)
    return [item for item, _ in sorted(found, key=lambda pair: len(pair[1]), reverse=True)]


def _listed(others: Sequence[Entity]) -> str:
    """As many as there is room for beside the facts of those who are shown, and how many more."""
    names = [called(other) for other in others]
    ends = accumulate(len(name) + 2 for name in names)
    kept = [name for name, end in zip(names, ends, strict=True) if end <= _NAMES_ROOM]
    return ", ".join([*kept, *([f"and {len(names) - len(kept)} more"] if len(kept) < len(names) else [])])


def _block(recall: Recall, room: int) -> str:
    """The block in so much room: shorter lines before fewer, whole lines only, and how many more there are."""
    if recall.unavailable:
        return unavailable_block(recall.unavailable, recall.ask)
    block = shortened(recall, room)
    if len(block) <= room:
        return block
    return lines_within(block, room, f"more lines of {called(recall.subject)}: {_ASK_EACH}")


def _nobody(memory: Memory) -> str:
    kind, elsewhere = memory.schema.subject, memory.facts.subjects.elsewhere
    return (
        f"{START}\nThe request names no {kind} that this memory knows, so nothing was looked up{elsewhere}. "
        f"Call memory_build_context with the {kind}'s id or exact name before acting.\n{END}"
    )

"""What a person decides in the chat about what waits: words that gave no fact, and changes that an assistant asked for.

Who types here is the person, so what is critical may be approved; everything stays in the ledger, with who and why.
"""

from r_memory.cli.reviewing import actor_of
from r_memory.domain.changes import Waiting
from r_memory.errors import InvalidInput
from r_memory.facts.reviewing import described
from r_memory.memory import Memory
from r_memory.text.inert import inert

SETTLING = {
    "/waits": "/waits", "/待定": "/waits",
    "/approve": "/approve", "/批准": "/approve",
    "/dismiss": "/dismiss", "/驳回": "/dismiss",
}  # fmt: skip
"""By what is typed, as the other orders have it."""
_SHORTEST = 8
"""Characters of an id."""
_SHOWN = 20
_WHY = "decided in the chat"


def is_settling(text: str) -> bool:
    """Whether a text decides about what waits, or asks for it."""
    return text.split(maxsplit=1)[:1] != [] and text.split(maxsplit=1)[0] in SETTLING


async def settle(text: str, memory: Memory, subject: str, *, speaker: str = "") -> str:
    """What came of it, about one subject: `/waits`, `/approve ID WHY` or `/dismiss ID WHY`.

    Raises:
        InvalidInput: nothing that waits has this id; words cannot be approved, only read.
        StoreUnavailable: it could not be read, or done.
    """
    word, _, rest = text.strip().partition(" ")
    order, (id_, _, why) = SETTLING[word], rest.strip().partition(" ")
    found = await memory.review(subject=subject)
    items = [item for item in found.items if item.episode is not None]
    if order == "/waits":
        lines = [f"{item.id[:_SHORTEST]}  {_told(item)}" for item in items[:_SHOWN]]
        lines += [f"COULD NOT CHECK {place}: {inert(reason)}" for place, reason in found.failed.items()]
        more = [f"{len(items) - _SHOWN} more; `r-memory review` lists them"] if len(items) > _SHOWN else []
        how = ["Write /approve ID, or /dismiss ID and why."] if items else ["Nothing waits for a decision."]
        return "\n".join([*lines, *more, *how])
    meant = [item for item in items if len(id_) >= _SHORTEST and item.id.startswith(id_)]
    if len(meant) != 1:
        raise InvalidInput(f"no one thing that waits has the id '{id_[:36]}'; /waits lists them")
    actor, reason = actor_of(speaker), why.strip() or _WHY
    if order == "/dismiss":
        await memory.dismiss(meant[0].id, actor=actor, reason=reason)
        return "Settled; the words stay in the ledger, with who decided and why."
    done = await memory.approve(meant[0].id, actor=actor, reason=reason if why.strip() else "")
    return f"Done: {described(done.after, done.subject)}."


def _told(item: Waiting) -> str:
    """A request by what it asks for, words as they were said."""
    if item.decision is not None and item.fact is not None:
        asked = item.decision.change.value.replace("_", " ")
        return f"asked to {asked}: {described(item.fact, item.subject)} ({inert(item.decision.reason, 120)})"
    words = item.episode.review or (item.episode.text,) if item.episode is not None else ()
    return f'not understood: "{inert(" ".join(words), 200)}"'

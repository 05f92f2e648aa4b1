"""r-memory: an MCP server that keeps the facts an assistant must never forget.

    from r_memory import Settings, open_memory

    async with open_memory(Settings.from_environment()) as memory:
        await memory.remember("I am severely allergic to penicillin.", subject="JD001", subject_name="John Doe")
        recall = await memory.build_context("Recommend an antibiotic.", subject="JD001")

Importing does nothing but define names; what is heavy is imported when `open_memory` is first asked for.
"""

TYPE_CHECKING = False  # as `typing` has it, which takes a third of the time of a hook to load
if TYPE_CHECKING:  # at run time these come through `__getattr__`, so that `import r_memory` stays quick
    from typing import Any

    from r_memory.config.settings import Settings
    from r_memory.domain.blocks import Judgement, Recall
    from r_memory.domain.changes import Change, Review, Waiting
    from r_memory.domain.facts import Fact, Status
    from r_memory.errors import (
        AlreadyDecided,
        ConfigurationError,
        FactMoved,
        GateClosed,
        InvalidInput,
        KeyUsed,
        ModelError,
        NotStored,
        RMemoryError,
        StoreError,
        StoreUnavailable,
        SubjectAmbiguous,
        SubjectMismatch,
        SubjectRequired,
        SubjectTaken,
        SubjectUnknown,
        UnknownName,
        WriteConflict,
    )
    from r_memory.facts.listing import FactPage
    from r_memory.facts.recall.rendering import render
    from r_memory.facts.remember.results import Claim, Remembered
    from r_memory.facts.reviewing import Changed
    from r_memory.memory import Memory
    from r_memory.wiring import open_gates, open_memory

__all__ = [
    "AlreadyDecided",
    "Change",
    "Changed",
    "Claim",
    "ConfigurationError",
    "Fact",
    "FactMoved",
    "FactPage",
    "GateClosed",
    "InvalidInput",
    "Judgement",
    "KeyUsed",
    "Memory",
    "ModelError",
    "NotStored",
    "RMemoryError",
    "Recall",
    "Remembered",
    "Review",
    "Settings",
    "Status",
    "StoreError",
    "StoreUnavailable",
    "SubjectAmbiguous",
    "SubjectMismatch",
    "SubjectRequired",
    "SubjectTaken",
    "SubjectUnknown",
    "UnknownName",
    "Waiting",
    "WriteConflict",
    "open_gates",
    "open_memory",
    "render",
]

# Where the others are than in `errors`.
_HOMES = {
    "Change": "domain.changes",
    "Changed": "facts.reviewing",
    "Claim": "facts.remember.results",
    "Fact": "domain.facts",
    "FactPage": "facts.listing",
    "Judgement": "domain.blocks",
    "Memory": "memory",
    "Recall": "domain.blocks",
    "Remembered": "facts.remember.results",
    "Review": "domain.changes",
    "Settings": "config.settings",
    "Status": "domain.facts",
    "Waiting": "domain.changes",
    "open_gates": "wiring",
    "open_memory": "wiring",
    "render": "facts.recall.rendering",
}


def __getattr__(name: str) -> "Any":  # noqa: ANN401 - whatever the module holds under that name
    """The public name, from the module that defines it."""
    from importlib import import_module  # noqa: PLC0415 - as above

    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES.get(name, 'errors')}"), name)

"""Loads one whole domain: schema, knowledge pack and table of action types."""

from dataclasses import dataclass
from functools import lru_cache

from r_memory.config.files import Files
from r_memory.config.intents_file import CheckTraversal, load_intents
from r_memory.config.knowledge_file import load_knowledge
from r_memory.config.schema_file import load_schema
from r_memory.domain.intents import IntentTable
from r_memory.domain.knowledge import Knowledge
from r_memory.domain.schema import Schema


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A domain whose files fit together."""

    schema: Schema
    knowledge: Knowledge
    intents: IntentTable


def load_domain(files: Files, name: str, *, check_traversal: CheckTraversal | None = None) -> Loaded:
    """Returns the domain with this name; schema and knowledge of a shipped one are read once in a process.

    Raises:
        ConfigurationError: a file is wrong; with file and line.
    """
    schema = load_schema(files, name)
    knowledge = _shipped_knowledge(files, name) if files.are_shipped else load_knowledge(files, schema)
    return Loaded(
        schema=schema,
        knowledge=knowledge,
        intents=load_intents(files, schema, knowledge, check_traversal=check_traversal),
    )


@lru_cache(maxsize=4)
def _shipped_knowledge(files: Files, name: str) -> Knowledge:
    return load_knowledge(files, load_schema(files, name))

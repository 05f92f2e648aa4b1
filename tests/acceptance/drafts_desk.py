"""Somebody new for each check of a draft, and what a caller read of their words."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from uuid import uuid4

from r_memory import Memory, open_memory
from r_memory.config.settings import load_settings
from r_memory.domain.blocks import DraftCheck
from r_memory.domain.facts import MEANS, Attribute
from r_memory.facts.remember.results import Claim
from tests.acceptance.conftest import Installation


@dataclass(frozen=True, slots=True)
class Told:
    """A sentence, and one fact that a caller reads in it."""

    words: str
    relation: str
    thing: str
    status: str = "active"
    attrs: Mapping[str, Attribute] = field(default_factory=dict)
    means: str = ""
    speaker: str = "patient"


class Desk:
    """Somebody new for each test, in the memory of a schema."""

    def __init__(self, memories: Mapping[str, Memory]) -> None:
        self.memories = memories

    async def told(self, schema: str, said: Sequence[Told]) -> str:
        """The id of somebody of whom this was said."""
        who = f"H{uuid4().hex[:8]}"
        for at, line in enumerate(said):
            means = {MEANS: line.means} if line.means else {}
            claim = Claim(
                relation=line.relation,
                object=line.thing,
                evidence=line.words,
                status=line.status,
                attrs={**line.attrs, **means},
            )
            name = "" if at else f"Robin {who}"
            await self.memories[schema].remember(
                line.words, subject=who, subject_name=name, speaker=line.speaker, claims=[claim]
            )
        return who

    async def checked(self, schema: str, draft: str, *said: Told, about: Sequence[str] = ()) -> DraftCheck:
        """What a check says of a draft about somebody of whom this was said."""
        who = await self.told(schema, said)
        return await self.memories[schema].check_text(draft, subject=who, about=about)


@asynccontextmanager
async def opened_desk(standing: Installation) -> AsyncIterator[Desk]:
    """A desk in each of the domains."""
    async with AsyncExitStack() as stack:
        memories = {}
        for schema in ("clinical", "law", "finance"):
            folder = str(standing.folder / f"held-{schema}")
            one = standing.with_settings(schema=schema, space="held", data_dir=folder)
            memories[schema] = await stack.enter_async_context(open_memory(load_settings(one.environment)))
        yield Desk(memories)


NO_ALLERGY = Told("No allergies at all, none to medicines.", "HAS_ALLERGY_TO", "any", "negated")


def ended(words: str, thing: str, until: str = "", means: str = "") -> Told:
    return Told(words, "TAKES", thing, "resolved", {"until": until} if until else {}, means)

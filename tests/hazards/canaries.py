"""Two spaces on one store, and questions of the one that reach for the other.

Every text field of the other space holds a word that stands nowhere else and is never sent. Its ids, cursors and some
of its names are sent, in every argument that takes one: none of the answers may hold a word of it.
Knows tools and their arguments, not what they should answer.
"""

import itertools
import random
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcp import Client, MCPError
from mcp.types import PromptReference, ResourceTemplateReference

from tests.acceptance.conftest import text_of

AUDITS = tuple(sorted(file.stem for file in (Path(__file__).parents[2] / "cypher" / "audit").glob("*.cypher")))
DRUGS = ("penicillin", "codeine", "ibuprofen", "latex", "warfarin")
SUBJECTS = 6
"""Of each space; the names of the first half are sent by the other."""
_ORDER = "Recommend an antibiotic for strep throat."


@dataclass(kw_only=True)
class Space:
    """What one space holds, as an attacker in the other knows it."""

    name: str
    words: set[str] = field(default_factory=set)
    """Canaries: in its texts, and never sent from elsewhere."""
    subjects: list[str] = field(default_factory=list)
    called: list[str] = field(default_factory=list)
    """Names that others may know."""
    nearly_called: list[str] = field(default_factory=list)
    """Names that they do not know, all but a letter."""
    conversations: list[str] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)
    episodes: list[str] = field(default_factory=list)
    receipts: list[str] = field(default_factory=list)
    documents: list[str] = field(default_factory=list)
    cursors: list[str] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def word(self) -> str:
        """A canary."""
        made = f"{self.name}quorv{next(self._numbers):04d}x"
        self.words.add(made)
        return made

    def found_in(self, answer: str) -> list[str]:
        """Canaries of this space that stand there."""
        folded = answer.casefold()
        return sorted(word for word in self.words if word in folded) if f"{self.name}quorv" in folded else []


async def fill(client: Client, space: Space) -> None:
    """Says, writes, shows and decides something of every kind, with a canary in each text."""
    for number in range(SUBJECTS):
        await _fill_one(client, space, number)


async def _fill_one(client: Client, space: Space, number: int) -> None:
    hidden = number >= SUBJECTS // 2
    id_, name = (
        f"{space.name}-id-{number}",
        f"Zara {space.word().title()}" if hidden else f"Zara {space.name}known{number}",
    )
    conversation = f"talk {space.word()}" if hidden else f"{space.name}-talk-{number}"
    about = {"subject": id_, "subject_name": name}
    space.subjects.append(id_)
    (space.nearly_called if hidden else space.called).append(name[:-1] if hidden else name)
    space.conversations += [] if hidden else [conversation]
    for drug in DRUGS[: 2 + number % 3]:
        space.keys.append(f"{space.name}-key-{number}-{drug}")
        told = await called(
            client,
            "memory_remember",
            text=f"I am severely allergic to {drug}, says {space.word()}.",
            speaker=f"nurse {space.word()}",
            conversation_id=conversation,
            reply=f"Noted, {space.word()}.",
            idempotency_key=space.keys[-1],
            **about,
        )
        space.episodes.append(told["episode_id"])
        space.facts += [item["fact_id"] for item in told["results"] if item.get("fact_id")]
    taken = f"I take codeine, {space.word()} says"
    told = await called(
        client,
        "memory_remember",
        text=f"{taken}.",
        facts=[{"relation": "TAKES", "object": "codeine", "evidence": taken}],
        **about,
    )
    space.facts += [item["fact_id"] for item in told["results"] if item.get("fact_id")]
    await called(client, "memory_remember", text=f"My {space.word()} swelled after that green thing.", **about)
    read = await called(
        client,
        "memory_ingest_document",
        name=f"{space.word()}.txt",
        text=f"She is {space.word()}. It rained.",
        subject=id_,
    )
    space.documents.append(read["document_id"])
    shown = await called(
        client, "memory_build_context", query=f"{_ORDER} {space.word()}", subject=id_, conversation_id=conversation
    )
    space.receipts.append(shown["receipt_id"])
    listed = await called(client, "memory_list_facts", subject=id_, limit=1)
    space.cursors += [listed[name] for name in ("next_cursor", "cursor") if listed.get(name)]
    fact = listed["facts"][0]
    await client.call_tool(
        "memory_change_fact",
        {"fact_id": fact["fact_id"], "change": "confirm", "reason": space.word(), "version": fact["version"]},
    )
    await client.call_tool("memory_hook_context", {"prompt": f"{_ORDER} {name}", "session_id": space.word()})


async def called(client: Client, tool: str, **arguments: object) -> Mapping[str, Any]:
    result = await client.call_tool(tool, dict(arguments))
    assert not result.is_error, text_of(result)
    assert result.structured_content is not None
    content: Mapping[str, Any] = result.structured_content
    return content


# --- probes ----------------------------------------------------------------------------------------------------------

Probe = tuple[str, Callable[[Client], Awaitable[object]]]
"""What is asked, in words, and the asking."""


@dataclass(frozen=True, kw_only=True)
class Prober:
    """Makes up probes of one space that reach for another; the same seed gives the same ones."""

    own: Space
    other: Space
    chance: random.Random

    def probes(self, number: int) -> Iterator[Probe]:
        """So many, every way in turn."""
        ways = [
            *(self._tool(name) for name in _ARGUMENTS),
            self._resource,
            self._prompt,
            self._completion,
            self._listing,
        ]
        for way in itertools.islice(itertools.cycle(ways), number):
            yield way()

    def _tool(self, name: str) -> Callable[[], Probe]:
        def made() -> Probe:
            needed, may = _ARGUMENTS[name]
            chosen = [*needed, *(item for item in may if self.chance.random() < _OPTIONAL)]
            arguments = {argument: self._value(argument) for argument in chosen}
            if name == "memory_change_fact" and arguments["fact_id"] in self.own.facts:
                arguments["version"] = 0  # refused: what is one's own stays as it is
            return f"{name} {arguments}", lambda client: client.call_tool(name, arguments)

        return made

    def _resource(self) -> Probe:
        kind, id_ = self.chance.choice(
            [
                ("subject/{}/context", self._who()),
                ("subject/{}/facts", self._who()),
                ("subject/{}/reconcile", self._who()),
                ("fact/{}", self._one_of("facts")),
                ("conversation/{}/decisions", self._one_of("conversations")),
                ("document/{}", self._one_of("documents")),
            ]
        )
        address = f"rmemory://{kind.format(id_.replace(' ', '%20'))}"
        return address, lambda client: client.read_resource(address)

    def _prompt(self) -> Probe:
        name = self.chance.choice(["safety_briefing", "answer_with_memory", "intake", "review_conflicts"])
        arguments = {"subject": self._who()} | ({"query": self._text()} if name == "answer_with_memory" else {})
        return f"{name} {arguments}", lambda client: client.get_prompt(name, arguments)

    def _completion(self) -> Probe:
        ref, argument = self.chance.choice(
            [
                (PromptReference(name="intake"), "subject"),
                (ResourceTemplateReference(uri="rmemory://subject/{id}/facts"), "id"),
                (ResourceTemplateReference(uri="rmemory://fact/{id}"), "id"),
                (ResourceTemplateReference(uri="rmemory://conversation/{id}/decisions"), "id"),
            ]
        )
        typed = self._who()[: self.chance.randrange(6)] if self.chance.random() < _OPTIONAL else ""
        about = {"subject": self._who()}
        asked = {"name": argument, "value": typed}
        return f"completion {ref} {asked}", lambda client: client.complete(ref, asked, about)

    def _listing(self) -> Probe:
        way = self.chance.choice(["list_tools", "list_resources", "list_resource_templates", "list_prompts"])
        return way, lambda client: getattr(client, way)()

    def parameters(self, names: Iterable[str], asked: int) -> Mapping[str, object]:
        """Of a query: this space, and of the other what the query takes beside it; at first one's own."""
        about = self.own if asked == 0 else self.other
        uid = f"{about.name}/Patient/{self.chance.choice(about.subjects)}"
        ids = [*about.episodes, *about.facts, *about.receipts, *about.documents]
        talk = self.chance.choice(about.conversations)
        values: Mapping[str, object] = {
            "space": self.own.name,
            "subject_uid": uid,
            "uid": uid,
            "first": f"{uid}#1",
            "talk": f"{uid}/",
            "key": self.chance.choice(ids).casefold(),
            "prefix": f"{about.name}/",
            "conversation": talk,
            "conversation_uid": f"{uid}/{talk}",
            "limit": 100,
            "id": self.chance.choice(ids),
            "ids": ids,
            "fact_id": self.chance.choice(about.facts),
            "episode_id": self.chance.choice(about.episodes),
            "type": "Patient",
            "log": f"space/{about.name}",
            "logs": [{"name": f"space/{about.name}", "size": 50}],
            "statuses": ["pending", "needs_review", "failed", "extracted"],
            "keys": [*(name.casefold() for name in about.called), *about.subjects],
            "until": self.chance.choice(about.episodes),
            "words": [*(name.casefold() for name in about.called), *about.subjects],
            "after": 0,
            "upto": 1_000,
            "holding": self.chance.choice(["", about.subjects[0].casefold()]),
            "trace": "erased-",
            "trace_size": 1,
            "start": 0,
            "since": 0,
            "most": 50,
            "aliases": [name.casefold() for name in about.called],
            "alias_types": ["Alias", "Drug", "Patient"],
        }
        return {name: values[name] for name in names}

    def _value(self, argument: str) -> object:
        if argument in _POOLS:
            return self.chance.choice(_POOLS[argument])
        if argument in ("text", "query", "prompt", "scene", "reply", "reason"):
            return self._text()
        if argument in ("subject", "subjects"):
            return self._who() if argument == "subject" else [self._who(), self._who()]
        if argument == "name":
            return self.chance.choice([*AUDITS, self._who()])
        if argument == "facts":
            return [
                {"relation": "TAKES", "object": "codeine", "evidence": self.chance.choice(["codeine", self._who()])}
            ]
        pool = {"fact_id": "facts", "conversation_id": "conversations", "cursor": "cursors", "idempotency_key": "keys"}
        return self._one_of(pool.get(argument, "subjects"))

    def _who(self) -> str:
        return self.chance.choice([self._one_of("subjects"), self._one_of("called"), self._one_of("nearly_called")])

    def _one_of(self, pool: str) -> str:
        """Mostly the other's; now and then one's own, so that something is found."""
        space = self.own if self.chance.random() < _OWN else self.other
        several: list[str] = getattr(space, pool)
        if pool == "subjects" and self.chance.random() < _OWN:
            return f"{space.name}/Patient/{self.chance.choice(several)}"
        return self.chance.choice(several or ["nothing"])

    def _text(self) -> str:
        return self.chance.choice(
            [
                f"{_ORDER} It is for {self._who()}.",
                f"What is recorded about {self._who()}? See {self._one_of('receipts')}.",
                f"I am allergic to codeine, as {self._who()} is.",
                f"Fact {self._one_of('facts')} and statement {self._one_of('episodes')} hold.",
                f"I take codeine. Document {self._one_of('documents')}.",
            ]
        )


def commands(other: Space, *, often: int) -> Iterator[tuple[str, ...]]:
    """Command lines that read, with ids and names of another space; the last ones find something of one's own."""
    uid = f"{other.name}/Patient/{other.subjects[0]}"
    for number in range(max(1, often)):
        who = ("--subject", (other.subjects[0], other.called[0], other.nearly_called[0], uid)[number % 4])
        yield ("recall", _ORDER, *who)
        yield ("facts", *who)
        yield ("history", other.facts[number % len(other.facts)])
        yield ("search", "allergic", *who)
        yield ("conversation", "show", other.conversations[0], *who)
        yield ("change", other.facts[number % len(other.facts)], "--to", "refuted", "--reason", "mistaken")
        yield ("verify", *who)
        yield ("verify", "--receipt", other.receipts[0])
        yield ("audit", AUDITS[number % len(AUDITS)], "--json")
        yield ("cypher", f"MATCH (e:Episode) WHERE e.space = '{other.name}' RETURN e.space AS space, e.text AS text")
    yield ("review", "--json")
    yield ("subjects", "--json")
    yield ("cypher", "MATCH (e:Episode) RETURN e.space AS space, e.text AS text", "--json")


_OPTIONAL, _OWN = 0.4, 0.3
_POOLS: dict[str, Sequence[object]] = {
    "role": ("user", "assistant", "document"),
    "speaker": ("nurse", "wife"),
    "said_at": ("2026-11-20T10:00:00Z", "2020-01-01"),
    "dry_run": (True, False),
    "intents": (["MED_ORDER"], ["IMAGING_MRI"], []),
    "sections": (["scene", "summary", "memory", "previous"], []),
    "profile": ("default", "scm", "cim", "mimir"),
    "max_tokens": (0, 200, 4000),
    "kinds": (["fact"], ["turn", "document"], []),
    "limit": (1, 5, 50),
    "relations": (["HAS_ALLERGY_TO"], ["TAKES"], []),
    "statuses": (["active"], ["active", "refuted", "entered_in_error"], []),
    "as_of": ("2026-11-20T10:00:00Z", "2027-06-01"),
    "change": ("confirm", "refute", "entered_in_error", "reinstate"),
    "version": (0, 1, 2),
    "exclude_turns": ([1], []),
    "start_part": (1, 2),
    "waiting": (True, False),
    "part": ("all", "relations", "intents", "limits", "audits", "health"),
}
_ARGUMENTS: Mapping[str, tuple[Iterable[str], Iterable[str]]] = {
    "memory_remember": (
        ("text", "subject"),
        ("facts", "conversation_id", "reply", "speaker", "role", "said_at", "idempotency_key", "dry_run"),
    ),
    "memory_build_context": (
        ("query", "subject"),
        ("subjects", "intents", "conversation_id", "sections", "scene", "profile", "max_tokens"),
    ),
    "memory_check_text": (("text", "subject"), ("subjects",)),
    "memory_search": (("query",), ("subject", "kinds", "profile", "limit", "cursor")),
    "memory_list_facts": (("subject",), ("relations", "statuses", "fact_id", "as_of", "limit", "cursor")),
    "memory_subjects": ((), ("query", "waiting", "cursor")),
    "memory_change_fact": (("fact_id", "change", "reason", "version"), ()),
    "memory_get_summary": (("conversation_id",), ("subject", "exclude_turns")),
    "memory_ingest_document": (("name", "text", "subject"), ("start_part",)),
    "memory_describe": ((), ("part",)),
    "memory_run_audit": (("name",), ("limit",)),
    "memory_hook_context": (("prompt",), ()),
}
"""Tool to its arguments: those that it needs, and those that it may have."""


async def answer_of(client: Client, probe: Probe) -> str:
    """Everything that comes back, errors included."""
    _, ask = probe
    try:
        return str(await ask(client))
    except MCPError as error:
        return f"{error!r} {error}"

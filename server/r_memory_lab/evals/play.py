"""Suite `play`: whole conversations of our own with the calls that a client made in them, through the server's tools.

A file is YAML, one conversation: `schema`, `kind`, `people` (nobody in it is known at first), `turns`. A turn has what
was said (`says`), the recorded `calls` (tool to arguments; `@fact(WORDS)` in them stands for the id of the newest fact
of such an object, `@waits` for that of the newest statement that waits), and what a person expects of it:

* `filed`: what must stand afterwards, each {about, relation, object, status, attrs?}; nothing else may be new. `kept`:
  words that may wait instead. A turn without `filed` is not counted as a statement.
* `has`, `misses`: forms (regular expressions, any case) of which all must, or none may, stand in the results of these
  calls; `risk: true` says that a result without them misleads. A turn without `has` needed no answer.
* `block: true`: a remember of this turn promises a block. `small_talk`: the block of this request is measured before
  (`first`) and after (`last`).
"""

import json
import re
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, Literal

from mcp import Client
from pydantic import BaseModel, ConfigDict, Field

from r_memory.config.files import Source
from r_memory.config.settings import Settings
from r_memory.config.yaml_lines import FileModel, load, parsed
from r_memory.domain.facts import MEANS, RISK, Fact
from r_memory.memory import Memory
from r_memory.serving.tools.offer import Offer
from r_memory.serving.tools.surface import build
from r_memory.text.tokens import count as tokens_of
from r_memory_lab.evals.measures import Figure, count, percentile, share
from r_memory_lab.evals.outcomes import CaseOutcome
from r_memory_lab.evals.rows import DataRow, checked, read_text

CONTEXT, REMEMBER = "memory_build_context", "memory_remember"
_EVERY = ("active", "unconfirmed", "negated", "refuted", "resolved", "entered_in_error")
_DISPUTED = "disputed"
_PLACE = re.compile(r"@fact\(([^)]+)\)|@waits")

Filing = Literal["right", "part", "wrong", "lost"]
Help = Literal["helped", "no better", "misled"]


class Filed(BaseModel):
    """A fact that must be recorded."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    about: str
    relation: str
    object: str
    status: str = "active"
    attrs: dict[str, Any] = {}


class ScriptedTurn(BaseModel):
    """What was said, what the client called, and what is expected."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    says: str
    calls: list[dict[str, dict[str, Any]]]
    filed: list[Filed] | None = None
    kept: bool = False
    has: list[str] = []
    misses: list[str] = []
    risk: bool = False
    block: bool = False
    small_talk: Literal["", "first", "last"] = ""


class Conversation(FileModel):
    """One file."""

    schema_name: str = Field(alias="schema")
    kind: str
    turns: list[ScriptedTurn] = Field(min_length=1)


class Script(DataRow):
    """One conversation."""

    schema_name: str
    kind: str
    turns: tuple[ScriptedTurn, ...]


class Played(BaseModel):
    """The result of a turn."""

    filing: Filing | None = None
    help: Help | None = None
    why: str = ""
    contexts: list[int] = []
    """Tokens of each result."""
    remembers: list[int] = []
    blocks: int = 0
    """Number of blocks that came with a remember."""
    characters: int = 0
    """Characters of a context's block."""
    failed: int = 0
    """Number of refused calls."""


class Play(DataRow):
    """The result of one conversation."""

    turns: list[Played]


def rows(path: Path) -> tuple[Script, ...]:
    """Returns the conversations of a file, or of all files in a folder.

    Raises:
        InvalidInput: the file is missing or empty.
        ConfigurationError: a file has another form; names line and remedy.
    """
    files = sorted(path.glob("*.yaml")) if path.is_dir() else [path]
    return checked(tuple(map(_script, files)), path)


def _script(file: Path) -> Script:
    told = parsed(load(Source(path=file, content=read_text(file).encode())), Conversation)
    return Script(id=file.stem, schema_name=told.schema_name, kind=told.kind, turns=tuple(told.turns))


async def run(
    memory: Memory,
    scripts: Sequence[Script],
    done: Callable[[], None],
    *,
    opened: Callable[[str], AbstractAsyncContextManager[Memory]],
) -> tuple[Play, ...]:
    """Plays each conversation in its own space through a server's tools; `opened` opens a memory of a schema."""
    plays: dict[str, Play] = {}
    for schema in dict.fromkeys(script.schema_name for script in scripts):
        async with memory_of(memory, schema, opened) as whole:
            for script in (item for item in scripts if item.schema_name == schema):
                plays[script.id] = await _played(whole.in_space(f"play-{script.id}"), script)
                done()
    return tuple(plays[script.id] for script in scripts)


@asynccontextmanager
async def memory_of(
    memory: Memory, schema: str, opened: Callable[[str], AbstractAsyncContextManager[Memory]]
) -> AsyncIterator[Memory]:
    """Yields the memory if it is of this schema, else one that `opened` opens."""
    if schema == memory.schema.name:
        yield memory
        return
    async with opened(schema) as other:
        yield other


async def _played(memory: Memory, script: Script) -> Play:
    @asynccontextmanager
    async def opened() -> AsyncIterator[Memory]:
        yield memory

    turns = []
    async with Client(build(opened, Offer().of(Settings(schema=script.schema_name)))) as client:
        table = _PlayTable(client, memory)
        turns = [await table.play(turn) for turn in script.turns]
    return Play(id=script.id, turns=turns)


class _PlayTable:
    """The server and memory of one conversation."""

    def __init__(self, client: Client, memory: Memory) -> None:
        self._client = client
        self._memory = memory
        self._facts: list[tuple[str, str]] = []
        """Object and id of each fact that a result named, oldest first."""
        self._waits = ""
        self._stood: dict[str, tuple[str, Fact]] = {}
        self._waiting: dict[str, int] = {}

    async def play(self, turn: ScriptedTurn) -> Played:
        """Makes the calls of a turn and compares them with the expectations."""
        played = Played()
        texts: list[str] = []
        for name, arguments in (item for call in turn.calls for item in call.items()):
            texts.append(await self._call(name, arguments, played))
        filing, told = await self._filing(turn)
        played.filing, played.why = filing, told
        if turn.has or turn.misses:
            played.help, missing = _help(turn, "\n".join(texts))
            played.why = "; ".join(filter(None, (played.why, missing)))
        return played

    async def _call(self, name: str, arguments: Mapping[str, Any], played: Played) -> str:
        result = await self._client.call_tool(name, self._filled(arguments))
        text = "".join(getattr(part, "text", "") for part in result.content)
        played.failed += bool(result.is_error)
        content = result.structured_content or {}
        if name == CONTEXT:
            played.contexts.append(tokens_of(text))
            played.characters = len(str(content.get("block", "")))
        if name == REMEMBER:
            self._waits = str(content["episode_id"]) if content.get("pending") else self._waits
            # A block is counted as a context: it is what a client would have called for.
            block = str(content.get("block", ""))
            played.blocks += bool(block)
            bare = {key: value for key, value in content.items() if key != "block"}
            played.remembers.append(tokens_of(json.dumps(bare, ensure_ascii=False, separators=(",", ":"))))
        told = (*content.get("results", ()), *content.get("facts", ()))
        self._facts += [(str(item.get("object", "")), str(item["fact_id"])) for item in told if item.get("fact_id")]
        return text

    def _filled(self, value: Any) -> Any:  # noqa: ANN401 - as JSON is
        """Returns arguments with the ids that a client would copy from results."""
        if isinstance(value, str):
            return _PLACE.sub(lambda place: self._id(place[1]) if place[1] else self._waits, value)
        if isinstance(value, list):
            return [self._filled(item) for item in value]
        if isinstance(value, dict):
            return {key: self._filled(each) for key, each in value.items()}
        return value

    def _id(self, words: str) -> str:
        named = (id_ for object_, id_ in reversed(self._facts) if words.casefold() in object_.casefold())
        return next(named, words)

    async def _filing(self, turn: ScriptedTurn) -> tuple[Filing | None, str]:
        """Returns how a turn's statement was filed; checks all subjects, as words may reach another one."""
        stood, waiting = dict(self._stood), dict(self._waiting)
        self._stood, self._waiting = {}, {}
        for subject in await self._memory.subjects():
            page = await self._memory.list_facts(subject=subject.id, statuses=_EVERY)
            self._stood |= {fact.fact_id: (subject.id, fact) for fact in page.facts}
            self._waiting[subject.id] = len(page.pending)
        if turn.filed is None:
            return None, ""
        waits = any(more > waiting.get(id_, 0) for id_, more in self._waiting.items())
        naming = self._memory.schema.naming
        new = [
            (about, fact)
            for id_, (about, fact) in self._stood.items()
            if id_ not in stood or _state(stood[id_][1]) != _state(fact)
            # What somebody is called is learned beside what is told.
            if naming is None or fact.relation != naming.name
        ]
        return self._judged(turn, new, waits=waits)

    def _judged(self, turn: ScriptedTurn, new: Sequence[tuple[str, Fact]], *, waits: bool) -> tuple[Filing, str]:
        """Compares the new facts, and all present facts, with the expectations."""
        wanted, standing = turn.filed or [], list(self._stood.values())
        missing = [item for item in wanted if not any(self._is(item, *held) for held in standing)]
        strange = [
            f"{about} {fact.relation} {fact.status.value}"
            for about, fact in new
            if fact.status in RISK and not any(self._is(item, about, fact) for item in wanted)
        ]
        told = "; ".join([*(f"missing {item.about} {item.relation} {item.status}" for item in missing), *strange])
        told += "; waits" if waits else ""
        if strange:
            return "wrong", told
        if not missing:
            return ("part" if waits and not turn.kept else "right"), told
        return ("right" if turn.kept and waits else "part" if waits or len(missing) < len(wanted) else "lost"), told

    def _is(self, wanted: Filed, about: str, fact: Fact) -> bool:
        status = _DISPUTED if fact.contradicted and fact.status in RISK else fact.status.value
        return (
            (about, fact.relation, status) == (wanted.about, wanted.relation, wanted.status)
            and self._names(wanted.object, fact)
            and all(fact.attrs.get(name) == value for name, value in wanted.attrs.items())
        )

    def _names(self, words: str, fact: Fact) -> bool:
        """Whether the words name the object of a fact: its name, its meaning, or a synonym."""
        named = {fact.object.name.casefold(), fact.object.id, str(fact.attrs.get(MEANS, "")).casefold()}
        known = {mention.name.casefold() for mention in self._memory.facts.reader.linker.mentions(words)}
        return words.casefold() in named or not known.isdisjoint(named)


def _state(fact: Fact) -> tuple[str, bool]:
    return fact.status.value, fact.contradicted


def _help(turn: ScriptedTurn, text: str) -> tuple[Help, str]:
    """Returns whether the results contain everything that the answer needs, and nothing misleading."""
    found = [form for form in turn.misses if re.search(form, text, re.IGNORECASE)]
    missing = [form for form in turn.has if not re.search(form, text, re.IGNORECASE)]
    told = "; ".join([*(f"has /{form}/" for form in found), *(f"lacks /{form}/" for form in missing)])
    if found or (missing and turn.risk):
        return "misled", told
    return ("no better" if missing else "helped"), told


def outcome(scripts: Sequence[Script], plays: Sequence[Play]) -> CaseOutcome:
    """Returns turns helped and misled, statements filed, and tokens, by kind."""
    by_id = {play.id: play for play in plays}
    pairs = [
        (script, turn, played, f"{script.id}#{place}")
        for script in scripts
        for place, (turn, played) in enumerate(zip(script.turns, by_id[script.id].turns, strict=True), start=1)
    ]
    answered = [played.help for _, _, played, _ in pairs if played.help]
    filed = [played.filing for _, _, played, _ in pairs if played.filing]
    contexts = [tokens for _, _, played, _ in pairs for tokens in played.contexts]
    remembers = [tokens for _, _, played, _ in pairs for tokens in played.remembers]
    promised = [played.blocks > 0 for _, turn, played, _ in pairs if turn.block]
    figures = (
        share("turns helped", answered.count("helped"), len(answered), aim=">= 60 of 69"),
        count("turns no better", answered.count("no better"), len(answered)),
        count("turns misled", answered.count("misled"), len(answered), aim="<= 3"),
        share("statements right", filed.count("right"), len(filed), aim=">= 55 of 63"),
        count("statements in part", filed.count("part"), len(filed)),
        count("statements wrong", filed.count("wrong"), len(filed), aim="wrong and lost <= 2"),
        count("statements lost", filed.count("lost"), len(filed)),
        share("blocks where a text tells and asks", sum(promised), len(promised), aim="all"),
        *_spent("context", contexts, aims=("<= 450", "<= 1200")),
        *_spent("remember", remembers, aims=("<= 120", "")),
        *_talk(pairs),
        count("calls refused", sum(played.failed for _, _, played, _ in pairs), len(contexts) + len(remembers)),
    )
    kinds = dict.fromkeys(script.kind for script in scripts)
    return CaseOutcome(
        figures=figures,
        groups={
            "Helped by kind": [_by_kind(pairs, kind, "help", "helped") for kind in kinds],
            "Right by kind": [_by_kind(pairs, kind, "filing", "right") for kind in kinds],
        },
        details={
            title: [f"{id_}: {played.why}" for _, _, played, id_ in pairs if title in {played.help, played.filing}]
            for title in ("misled", "no better", "wrong", "lost", "part")
        },
    )


_Pair = tuple[Script, ScriptedTurn, Played, str]


def _by_kind(pairs: Sequence[_Pair], kind: str, field: str, good: str) -> Figure:
    found = [getattr(played, field) for script, _, played, _ in pairs if script.kind == kind and getattr(played, field)]
    return share(kind, found.count(good), len(found))


def _spent(name: str, tokens: Sequence[int], *, aims: tuple[str, str]) -> Iterable[Figure]:
    median = int(percentile(tokens, 0.5))
    yield count(f"tokens of a {name}, median", median, len(tokens), aim=aims[0])
    yield count(f"tokens of a {name}, worst", max(tokens, default=0), len(tokens), aim=aims[1])


def _talk(pairs: Sequence[_Pair]) -> Iterable[Figure]:
    for place in ("first", "last"):
        when = "before" if place == "first" else "after"
        sizes = [played.characters for _, turn, played, _ in pairs if turn.small_talk == place]
        yield count(f"characters of a block {when} small talk", max(sizes, default=0), len(sizes))

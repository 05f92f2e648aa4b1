"""Plays stories: through Python, the command line and MCP, each in a space of its own, with real restarts.

All stories of a schema share one memory (or one server); a restart of theirs is a restart of it, and each command is a
life of its own. Knows nothing of what is right but `complaints`, which holds an answer against what the story expects.
"""

import asyncio
import datetime as dt
import json
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

from mcp.client import ClientRequestContext
from mcp.types import ElicitRequestFormParams, ElicitRequestParams, ElicitResult
from pydantic import TypeAdapter

from r_memory import Change, Judgement, Memory, RMemoryError, Settings, open_memory, render
from r_memory.config.access_tokens import SCOPES, add_token
from r_memory.serving.tools.calls import answer, shortened
from r_memory.serving.tools.models import CheckOut
from r_memory.serving.tools.remembering import FactIn
from tests.acceptance.conftest import Assistant, Installation, text_of
from tests.acceptance.http.server import HttpServer
from tests.acceptance.shell import Done, Shell
from tests.acceptance.story_form import DECISIONS, NOBODY, Expect, Step, Story

START = dt.datetime(2026, 3, 2, 9, 0, tzinfo=dt.UTC)
"""When every story begins; statements carry their day, and requests are of today."""
_FACTS = TypeAdapter(list[FactIn])


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the caller got, in whatever way it asked."""

    text: str
    """The block without the request, everything that a check says, or the error."""
    states: Mapping[str, str] = field(default_factory=dict)
    verdict: str = ""
    refused: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """What goes with a statement."""

    subject: str
    name: str = ""
    """Only of a new subject."""
    namesakes: tuple[str, ...] = ()
    """Ids of others who have the name of a new one."""
    at: dt.datetime
    key: str


class Surface(Protocol):
    """One way to reach a memory, in one space."""

    async def say(self, step: Step, spoken: "Spoken") -> None:
        """Remembers a statement."""

    async def ask(self, step: Step, subject: str) -> Answer:
        """Builds the context of a request."""

    async def check(self, step: Step, subject: str) -> Answer:
        """Checks a draft."""

    async def change(self, step: Step, subject: str) -> None:
        """Records a person's decision."""


Life = Callable[[], AbstractAsyncContextManager[Callable[[str], AbstractAsyncContextManager[Surface]]]]
"""Opens the memory or the server; inside it, a surface for each space."""


@dataclass(slots=True)
class Running:
    """One story on its way."""

    story: Story
    space: str
    day: dt.datetime = START
    said: list[str] = field(default_factory=list)
    """About whom, for each statement so far."""
    complaints: list[str] = field(default_factory=list)
    broken: bool = False


async def play(stories: Sequence[Story], life: Life, *, prefix: str, ends_now: bool = False) -> dict[str, list[str]]:
    """What is wrong with each story, by name; nothing where it came out as it should.

    `ends_now`: a story begins so many days ago as it waits; requests are of today.
    """
    running = [
        Running(story, f"{prefix}-{number}", day=_begins(story) if ends_now else START)
        for number, story in enumerate(stories)
    ]
    for number in range(max(len(story.lives) for story in stories)):
        async with life() as space:
            for item in running:
                if number < len(item.story.lives) and not item.broken:
                    async with space(item.space) as surface:
                        await _live(item, item.story.lives[number], surface)
    return {item.story.name: item.complaints for item in running}


def _begins(story: Story) -> dt.datetime:
    return dt.datetime.now(dt.UTC) - dt.timedelta(days=sum(step.days for life in story.lives for step in life), hours=1)


async def _live(one: Running, steps: Iterable[Step], surface: Surface) -> None:
    for step in steps:
        try:
            one.complaints.extend(await _step(one, step, surface))
        except (RMemoryError, AssertionError) as error:
            one.complaints.append(f"{step.model_dump(exclude_defaults=True)}\n  failed: {error}")
            one.broken = True
            return


async def _step(one: Running, step: Step, surface: Surface) -> list[str]:
    subject = "" if step.about == NOBODY else step.about or next(iter(one.story.people))
    if step.wait:
        one.day += dt.timedelta(days=step.days)
    elif step.say:
        await surface.say(step, _spoken(one, step, subject))
        one.said.append(subject)
    elif step.change:
        await surface.change(step, subject)
    elif step.expect is not None:
        call, words = (surface.ask, step.ask) if step.ask else (surface.check, step.check)
        answer = await call(step, subject)
        if wrong := list(complaints(step.expect, answer)):
            return ["\n  ".join([f"{words.strip()!r}", *wrong, *answer.text.splitlines()])]
    return []


def _spoken(one: Running, step: Step, subject: str) -> Spoken:
    people, known = one.story.people, dict.fromkeys(one.said)
    name = "" if subject in known else people[subject]
    return Spoken(
        subject=subject,
        name=name,
        namesakes=tuple(other for other in known if people[other] == name),
        at=dt.datetime.now(dt.UTC) if step.today else one.day + dt.timedelta(minutes=len(one.said)),
        key=f"say-{len(one.said)}",
    )


def complaints(expect: Expect, answer: Answer) -> Iterator[str]:
    """Where the answer is not what the story expects."""
    text = answer.text.casefold()
    if answer.refused != bool(expect.refused):
        yield "was refused" if answer.refused else "was not refused"
    if expect.verdict and answer.verdict not in expect.verdicts:
        yield f"verdict {answer.verdict or 'none'} instead of {' or '.join(expect.verdicts)}"
    first = _first_finding(text)
    yield from (f"does not show {word!r}" for word in (*expect.shows, *expect.refused) if word.casefold() not in text)
    yield from (f"first is not {word!r}" for word in expect.first if word.casefold() not in first)
    yield from (f"shows {word!r}" for word in expect.never if word.casefold() in text)
    yield from (f"shows {word!r} {n} times" for word in expect.once if (n := text.count(word.casefold())) != 1)
    places = [text.find(word.casefold()) for word in expect.order]
    if -1 in places or places != sorted(places):
        yield f"not in the order {' … '.join(expect.order)}"
    for relation, state in expect.states.items():
        if answer.states.get(relation) != state:
            yield f"{relation} is {answer.states.get(relation, 'nothing')} instead of {state}"
    if expect.lines is not None and len(text.splitlines()) > expect.lines:
        yield f"{len(text.splitlines())} lines instead of {expect.lines} at most"


def _first_finding(block: str) -> str:
    """The first line about the subject, with what is indented below it; what the caller named is no finding."""
    lines = [line for line in block.splitlines() if not line.startswith("as the caller says, it involves:")]
    start = next((n for n, line in enumerate(lines) if line.startswith("subject:")), -1) + 1
    end = next((n for n in range(start + 1, len(lines)) if not lines[n].startswith(" ")), len(lines))
    return "\n".join(lines[start:end])


@dataclass(frozen=True, slots=True)
class ByPython:
    """An opened memory, called as its own interface."""

    memory: Memory
    shown: list[Mapping[str, Any]] | None = None
    """Where each check is added as a client of the server gets it."""

    async def say(self, step: Step, spoken: Spoken) -> None:
        await self.memory.remember(
            step.say,
            subject=spoken.subject,
            subject_name=spoken.name,
            another_than=spoken.namesakes,
            role=step.role,
            speaker=step.by,
            said_at=int(spoken.at.timestamp() * 1000),
            idempotency_key=spoken.key,
            claims=None if step.facts is None else [fact.claim() for fact in _FACTS.validate_python(step.facts)],
        )

    async def ask(self, step: Step, subject: str) -> Answer:
        try:
            recall = await self.memory.build_context(step.ask, subject=subject, about=step.involves)
        except RMemoryError as error:
            return Answer(text=str(error), refused=True)
        return Answer(
            text=_without_query(render(recall)), states={outcome.relation: outcome.state for outcome in recall.outcomes}
        )

    async def check(self, step: Step, subject: str) -> Answer:
        try:
            judged = [Judgement(**item) for item in step.judged]  # type: ignore[arg-type]  # as the file has them
            checked = await self.memory.check_text(step.check, subject=subject, about=step.involves, judged=judged)
        except RMemoryError as error:
            return Answer(text=str(error), refused=True)
        if self.shown is not None:
            self.shown.append(answer(shortened(CheckOut.of(checked), "findings")).structured_content or {})
        said = {name: value for name, value in asdict(checked).items() if name not in {"recall", "judged"}}
        states = {outcome.relation: outcome.state for outcome in checked.recall.outcomes}
        return Answer(text=json.dumps(said, indent=1, default=str), states=states, verdict=checked.verdict)

    async def change(self, step: Step, subject: str) -> None:
        page = await self.memory.list_facts(subject=subject)
        [fact] = [item for item in page.facts if step.fact.casefold() in item.object.name.casefold()]
        await self.memory.change_fact(fact.fact_id, Change(step.change), reason=step.reason, actor="Dr Kent")


@dataclass(frozen=True, slots=True)
class ByMcp:
    """A client of a running server."""

    assistant: Assistant

    async def say(self, step: Step, spoken: Spoken) -> None:
        await self.assistant.call(
            "memory_remember",
            text=step.say,
            subject=spoken.subject,
            role=step.role,
            speaker=step.by,
            said_at=spoken.at.isoformat(),
            idempotency_key=spoken.key,
            **({} if step.facts is None else {"facts": step.facts}),
            **({"subject_name": spoken.name} if spoken.name else {}),
            **({"another_than": spoken.namesakes} if spoken.namesakes else {}),
        )

    async def ask(self, step: Step, subject: str) -> Answer:
        words = {"query": step.ask, "about": step.involves, "detail": True}
        return await self._answer("memory_build_context", words, subject)

    async def check(self, step: Step, subject: str) -> Answer:
        words = {"text": step.check, "about": step.involves, "judged": step.judged}
        return await self._answer("memory_check_text", words, subject)

    async def change(self, step: Step, subject: str) -> None:
        listed = await self.assistant.call("memory_list_facts", subject=subject)
        [fact] = [item for item in listed["facts"] if step.fact.casefold() in item["object"].casefold()]
        decided = {"fact_id": fact["fact_id"], "version": fact["version"], "change": step.change, "confirm": True}
        changed = await self.assistant.call("memory_change_fact", **decided, reason=step.reason)
        assert changed["outcome"] == "changed", changed

    async def _answer(self, tool: str, words: Mapping[str, object], subject: str) -> Answer:
        result = await self.assistant.client.call_tool(tool, {**words, **({"subject": subject} if subject else {})})
        if result.is_error:
            return Answer(text=text_of(result), refused=True)
        return _answered(result.structured_content or {})


@dataclass(frozen=True, slots=True)
class ByCommands:
    """Commands in a pipe, each of which opens the memory and closes it."""

    shell: Shell
    space: str

    async def say(self, step: Step, spoken: Spoken) -> None:
        new = ("--subject-name", spoken.name) if spoken.name else ()
        others = [word for other in spoken.namesakes for word in ("--another-than", other)]
        said = ("--role", step.role, "--speaker", step.by, "--said-at", spoken.at.isoformat(), "--key", spoken.key)
        done = await self._ran("remember", step.say, "--subject", spoken.subject, *new, *others, *said)
        assert done.returncode == 0, done.stderr

    async def ask(self, step: Step, subject: str) -> Answer:
        return await self._answer("recall", step.ask, step, subject)

    async def check(self, step: Step, subject: str) -> Answer:
        judged = ("--judged", json.dumps(step.judged)) if step.judged else ()
        return await self._answer("check-text", step.check, step, subject, *judged)

    async def change(self, step: Step, subject: str) -> None:
        listed = (await self._ran("facts", "--subject", subject)).json
        [fact] = [found for found in listed["facts"] if step.fact.casefold() in found["object"].casefold()]
        decided = ("--to", DECISIONS[step.change], "--reason", step.reason, "--actor", "Dr Kent")
        done = await self._ran("change", fact["fact_id"], *decided)
        assert done.returncode == 0, done.stderr

    async def _answer(self, command: str, words: str, step: Step, subject: str, *more: str) -> Answer:
        named = ("--subject", subject) if subject else ()
        done = await self._ran(
            command, words, *named, *more, *(word for about in step.involves for word in ("--about", about))
        )
        return _answered(done.json) if done.stdout else Answer(text=done.stderr, refused=True)

    async def _ran(self, *arguments: str) -> Done:
        return await asyncio.to_thread(self.shell.run, *arguments, "--space", self.space, "--json")


def _answered(content: Mapping[str, Any]) -> Answer:
    """What a structured result says: of a request its block, of a draft everything."""
    is_block = "block" in content
    states = {outcome["relation"]: outcome["state"] for outcome in content["outcomes" if is_block else "checked"]}
    states |= dict.fromkeys(filter(None, content.get("not_asked", "").split(", ")), "NOT-ASKED")
    if is_block:
        return Answer(text=_without_query(content["block"]), states=states)
    said = {name: value for name, value in content.items() if name not in {"checked", "not_asked"}}
    return Answer(text=json.dumps(said, indent=1, ensure_ascii=False), states=states, verdict=content["verdict"])


def _without_query(block: str) -> str:
    """What the memory says; what was asked is the caller's."""
    return block.partition("\n[QUERY]:")[0]


def python_life(settings: Settings, shown: list[Mapping[str, Any]] | None = None) -> Life:
    """The memory, opened in this process; what checks say is added to `shown` as a client of the server gets it."""

    @asynccontextmanager
    async def life() -> AsyncIterator[Callable[[str], AbstractAsyncContextManager[Surface]]]:
        async with open_memory(settings) as memory:

            @asynccontextmanager
            async def space(name: str) -> AsyncIterator[Surface]:
                yield ByPython(memory.in_space(name), shown)

            yield space

    return life


def commands_life(installation: Installation) -> Life:
    """Commands of the installation."""

    @asynccontextmanager
    async def life() -> AsyncIterator[Callable[[str], AbstractAsyncContextManager[Surface]]]:
        @asynccontextmanager
        async def space(name: str) -> AsyncIterator[Surface]:
            yield ByCommands(Shell(installation=installation), name)

        yield space

    return life


def mcp_life(installation: Installation, spaces: Iterable[str]) -> Life:
    """A server process over HTTP, where each story has a token for a space of its own."""
    file = installation.folder / "tokens.yaml"
    tokens = {name: add_token(file, name, space=name, scopes=SCOPES[:3]) for name in spaces}
    shared = installation.with_settings(http_token_file=str(file))

    @asynccontextmanager
    async def life() -> AsyncIterator[Callable[[str], AbstractAsyncContextManager[Surface]]]:
        async with AsyncExitStack() as stack:
            server = stack.enter_context(HttpServer(shared.environment, log=shared.log))
            await asyncio.to_thread(server.opened, authorization=f"Bearer {next(iter(tokens.values()))}")

            @asynccontextmanager
            async def space(name: str) -> AsyncIterator[Surface]:
                async with server.client(token=tokens[name], person=_agree) as assistant:
                    yield ByMcp(assistant)

            yield space

    return life


async def _agree(context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:  # noqa: ARG001 - the names are the SDK's
    """Yes to a change; of whose facts are needed the stories say enough."""
    asks_for_a_yes = isinstance(params, ElicitRequestFormParams) and "ok" in params.requested_schema["properties"]
    return ElicitResult(action="accept", content={"ok": True}) if asks_for_a_yes else ElicitResult(action="decline")

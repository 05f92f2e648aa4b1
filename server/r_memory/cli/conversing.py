"""`conversation`: what is remembered of conversations, why a turn was given what it was given, and the way back.

Facts are no part of it: none of these commands reads or changes one.
"""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from r_memory.cli.app import COMMANDS
from r_memory.cli.options import AsJson, Home, Space, Subject, settings_of
from r_memory.cli.printing import counted, print_json, print_line, print_table
from r_memory.cli.running import with_memory
from r_memory.config.settings import Settings
from r_memory.domain.decisions import Form, TurnDecision
from r_memory.domain.instants import iso_seconds
from r_memory.domain.memories import MemoryItem
from r_memory.domain.summaries import KeptSummary
from r_memory.errors import InvalidInput
from r_memory.memory import Memory
from r_memory.talk.conversations import Exported
from r_memory.talk.detectors import Sign
from r_memory.talk.stream.values import Hit
from r_memory.talk.summary.rendering import screen
from r_memory.talk.tiers.values import Outlook, Tiered, TierReport

conversation = typer.Typer(help=COMMANDS["conversation"][1], no_args_is_help=True, rich_markup_mode=None)
# The list of commands is compared with what each says of itself.
conversation.__doc__ = COMMANDS["conversation"][1]

Name = Annotated[str, typer.Argument(metavar="NAME", help="The conversation, as its turns were stored under.")]
Profile = Annotated[str, typer.Option("--profile", metavar="NAME", help="default, scm, cim, mimir or by_kind.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
Limit = Annotated[int, typer.Option("--limit", metavar="N", min=1, max=1000, help="At most so many, newest first.")]


@conversation.command("list")
def list_names(subject: Subject = "", home: Home = None, space: Space = None, as_json: AsJson = False) -> None:
    """Lists conversations by name, newest first; with a subject, those about it."""

    async def read(memory: Memory) -> tuple[str, ...]:
        return await memory.talk.conversations.names(subject_uid=await _uid(memory, subject) if subject else "")

    names = with_memory(settings_of(home, space), read)
    if as_json:
        print_json(list(names))
        return
    print_line("\n".join(names) if names else "No conversation is stored here.")


@conversation.command()
def show(
    name: Name,
    subject: Subject = "",
    last: Annotated[
        int | None, typer.Option("--last", metavar="N", min=1, help="Only the newest so many turns.")
    ] = None,
    home: Home = None,
    space: Space = None,
    as_json: AsJson = False,
) -> None:
    """Prints the turns of a conversation, oldest first."""

    async def read(memory: Memory) -> list[MemoryItem]:
        return list(await memory.talk.conversations.turns(name, subject_uid=await _uid(memory, subject), last=last))

    turns = with_memory(settings_of(home, space), read)
    if as_json:
        print_json([_turn(item) for item in turns])
        return
    if not turns:
        print_line("No turn of this conversation is stored; `r-memory conversation list` names those that are.")
        return
    print_table(("turn", "said", "by", "words"), [row for item in turns for row in _rows(item)])


@conversation.command()
def summary(
    name: Name,
    subject: Subject = "",
    lift: Annotated[str, typer.Option("--lift", metavar="OPTION", help="Allow an excluded option again.")] = "",
    actor: Annotated[str, typer.Option("--actor", metavar="NAME", help="Who allows it.")] = "",
    home: Home = None,
    space: Space = None,
    as_json: AsJson = False,
) -> None:
    """Prints the structured summary of a conversation; no source of safety facts."""
    if lift and not actor:
        raise InvalidInput("say who allows the option again, with --actor")

    async def read(memory: Memory) -> KeptSummary | None:
        uid = await _uid(memory, subject)
        if lift:
            return await memory.talk.conversations.lift(name, lift, subject_uid=uid, actor=actor)
        return await memory.talk.conversations.summary(name, subject_uid=uid)

    kept = with_memory(settings_of(home, space), read)
    if as_json:
        print_json(None if kept is None else {**asdict(kept), "version": kept.version})
    elif kept is None:
        print_line("There is no summary yet: no turn of this conversation was stored.")
    else:
        print_line(f"Version {kept.version} · up to turn {kept.upto} · {iso_seconds(kept.made_at)} · {kept.made_by}")
        print_line(screen(kept.content))


@conversation.command()
def decisions(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The conversation; without it, all of them.")] = "",
    subject: Subject = "",
    limit: Limit = 20,
    home: Home = None,
    space: Space = None,
    as_json: AsJson = False,
) -> None:
    """Prints why each turn was given what it was given: gate, candidates, choices, tokens, times."""

    async def read(memory: Memory) -> list[TurnDecision]:
        uid = await _uid(memory, subject) if name else ""
        return list(await memory.talk.conversations.decisions(name, subject_uid=uid, limit=limit))

    decided = with_memory(settings_of(home, space), read)
    if as_json:
        print_json([asdict(one) for one in decided])
        return
    columns = (
        "conversation",
        "turn",
        "at",
        "profile",
        "gate",
        "used",
        "dropped",
        "tokens",
        "full history",
        "ms",
        "notes",
    )
    print_table(columns, [_decision(one) for one in decided])


@conversation.command()
def signs(
    name: Annotated[str, typer.Argument(metavar="[NAME]", help="The conversation; without it, totals of all.")] = "",
    subject: Subject = "",
    home: Home = None,
    space: Space = None,
    as_json: AsJson = False,
) -> None:
    """Prints signs of failure: memory asked for in vain or not asked for, slow turns, repeated or contrary answers."""
    if not name:
        _totals(with_memory(settings_of(home, space), lambda memory: memory.talk.conversations.sign_totals()), as_json)
        return

    async def read(memory: Memory) -> list[dict[str, Any]]:
        found = await memory.talk.conversations.signatures(name, subject_uid=await _uid(memory, subject))
        return [asdict(one) for one in found]

    found = with_memory(settings_of(home, space), read)
    if as_json:
        print_json(found)
    elif found:
        print_table(("turn", "sign", "because"), [(one["turn"], one["sign"], one["because"]) for one in found])
    else:
        print_line("No sign of failure.")


@conversation.command()
def tiers(
    name: Name,
    subject: Subject = "",
    consolidate: Annotated[bool, typer.Option("--consolidate", help="Make everything that is due, first.")] = False,
    home: Home = None,
    space: Space = None,
    as_json: AsJson = False,
) -> None:
    """Prints the memories made of windows of turns, and what consolidating would make of them."""

    async def read(memory: Memory) -> tuple[Tiered, Outlook, TierReport]:
        kept, uid = memory.talk.conversations.tiers, await _uid(memory, subject)
        done = await kept.consolidate(name, subject_uid=uid) if consolidate else TierReport()
        return await kept.tiered(name, subject_uid=uid), await kept.outlook(name, subject_uid=uid), done

    tiered, outlook, done = with_memory(settings_of(home, space), read)
    if done.trouble:
        print_line(f"Not all was made: {done.trouble}", style="bold")
    if as_json:
        print_json({**_tiered(tiered), "due": asdict(outlook), "made": list(done.made)})
        return
    print_line(
        f"{counted(len(tiered.short), 'turn')} as said, {counted(len(tiered.waiting), 'turn')} waiting; due: "
        f"{counted(len(outlook.windows), 'window')}, {counted(len(outlook.pairs), 'consolidation')}"
    )
    rows = [(item.tier.value, item.importance, _part_of(item, tiered), item.summary) for item in _memories(tiered)]
    print_table(("kind", "importance", "part of", "memory"), rows)


@conversation.command()
def search(
    query: Annotated[str, typer.Argument(help="What is looked for.")],
    name: Annotated[str, typer.Option("--in", metavar="NAME", help="Only in this conversation.")] = "",
    subject: Subject = "",
    profile: Profile = "",
    number: Annotated[int, typer.Option("--top", "-k", metavar="N", min=1, max=50, help="At most so many.")] = 6,
    home: Home = None,
    space: Space = None,
    as_json: AsJson = False,
) -> None:
    """Searches what was said, ranked. It can miss: for what must not be missed there is `r-memory recall`."""

    async def read(memory: Memory) -> list[Hit]:
        uid = await _uid(memory, subject) if subject or name else ""
        found = await memory.talk.conversations.search(
            query, conversation=name or None, subject_uid=uid, profile=profile, k=number
        )
        return list(found.chosen)

    hits = with_memory(settings_of(home, space), read)
    if as_json:
        print_json([{**_turn(hit.item), "score": hit.score, "components": dict(hit.components)} for hit in hits])
        return
    if not hits:
        print_line("Nothing was found; `r-memory search` looks through facts and statements as well.")
        return
    rows = [(f"{hit.score:.3f}", hit.item.conversation, hit.item.tier.value, hit.item.gist) for hit in hits]
    print_table(("score", "conversation", "kind", "words"), rows)


@conversation.command()
def rollback(
    name: Name,
    to: Annotated[int, typer.Option("--to", min=0, metavar="TURN", help="The last turn that stays.")],
    subject: Subject = "",
    yes: Yes = False,
    home: Home = None,
    space: Space = None,
) -> None:
    """Erases the turns after one, with everything made of them. Facts that were said in them stay."""
    _erase(settings_of(home, space), name, subject, to=to, yes=yes)


@conversation.command()
def reset(name: Name, subject: Subject = "", yes: Yes = False, home: Home = None, space: Space = None) -> None:
    """Erases a conversation, with everything made of it. Facts that were said in it stay."""
    _erase(settings_of(home, space), name, subject, to=0, yes=yes)


@conversation.command()
def export(
    name: Name,
    subject: Subject = "",
    file: Annotated[
        Path | None, typer.Option("--to", metavar="FILE", help="Write there; a name in .txt gives plain text.")
    ] = None,
    home: Home = None,
    space: Space = None,
) -> None:
    """Writes a conversation as JSON (pairs of user and system, memories, summaries) or as plain text."""

    async def read(memory: Memory) -> Exported:
        return await memory.talk.conversations.export(name, subject_uid=await _uid(memory, subject))

    exported = with_memory(settings_of(home, space), read)
    if file is None:
        print_json(_exported(exported))
        return
    write_export(exported, file)
    print_line(f"{counted(len(exported.turns), 'turn')} written.")


def write_export(exported: Exported, file: Path) -> None:
    """Writes a conversation as plain text where the name ends in .txt, else as JSON.

    Raises:
        InvalidInput: it cannot be written there.
    """
    as_text = file.suffix == ".txt"
    try:
        file.write_text(
            exported.text if as_text else json.dumps(_exported(exported), indent=2, ensure_ascii=False, default=str),
            encoding="utf-8",
        )
    except OSError as error:
        raise InvalidInput(f"cannot write {file}: {error.strerror}; choose another place") from None


def _totals(counted_by_name: Mapping[str, Counter[str]], as_json: bool) -> None:
    space = sum(counted_by_name.values(), Counter())
    if as_json:
        print_json({"conversations": counted_by_name, "space": space})
        return
    rows = [(name, *(counts[sign] for sign in Sign)) for name, counts in counted_by_name.items() if counts]
    print_table(("conversation", *Sign), [*rows, ("whole space", *(space[sign] for sign in Sign))])


def _erase(settings: Settings, name: str, subject: str, *, to: int, yes: bool) -> None:
    if not yes:
        typer.confirm(f"Erase everything after turn {to} of this conversation?", abort=True, err=True)

    async def erase(memory: Memory) -> int:
        return await memory.talk.conversations.roll_back(name, to=to, subject_uid=await _uid(memory, subject))

    print_line(f"{counted(with_memory(settings, erase), 'item')} erased.")


async def _uid(memory: Memory, subject: str) -> str:
    """Key of whom the conversation is about."""
    return (await memory.find_subject(subject)).uid


def _turn(item: MemoryItem) -> dict[str, Any]:
    return {
        "id": item.id,
        "conversation": item.conversation,
        "kind": item.tier.value,
        "turn": item.index,
        "said_at": iso_seconds(item.created_at),
        "speaker": item.speaker,
        "observation": item.observation,
        "response": item.response,
        "summary": item.summary,
        "importance": item.importance,
        "sources": list(item.sources),
    }


def _memories(tiered: Tiered) -> list[MemoryItem]:
    return sorted((*tiered.medium, *tiered.long), key=lambda item: item.seq)


def _part_of(item: MemoryItem, tiered: Tiered) -> str:
    return "a long one" if item.id in tiered.consolidated else ""


def _tiered(tiered: Tiered) -> dict[str, Any]:
    return {
        "short": [item.id for item in tiered.short],
        "waiting": [item.id for item in tiered.waiting],
        "medium": [_turn(item) for item in tiered.medium],
        "long": [_turn(item) for item in tiered.long],
        "consolidated": {id_: list(into) for id_, into in tiered.consolidated.items()},
    }


def _rows(item: MemoryItem) -> list[tuple[object, ...]]:
    said = ((item.speaker or "user", item.observation), (item.responder or "assistant", item.response))
    return [(item.index, iso_seconds(item.created_at), who, words) for who, words in said if words]


def _decision(one: TurnDecision) -> tuple[object, ...]:
    forms = [candidate.form for candidate in one.candidates]
    gate = {True: "yes", False: "no", None: "unsure: yes"}[one.gate.yes]
    notes = [*one.flags, *(f"missing: {part}" for part in one.failed)]
    return (
        one.conversation,
        one.turn,
        iso_seconds(one.at),
        one.profile,
        f"{gate} ({one.gate.by})",
        sum(form in {Form.RAW, Form.SUMMARY} for form in forms),
        forms.count(Form.DROPPED),
        sum(one.tokens.values()),
        one.full_history_tokens,
        round(sum(one.steps_ms.values()), 1),
        ", ".join(notes),
    )


def _exported(exported: Exported) -> Mapping[str, Any]:
    return {
        "pairs": list(exported.pairs),
        "turns": [_turn(item) for item in exported.turns],
        "memories": [_turn(item) for item in exported.others],
        "summaries": [{**asdict(kept), "version": kept.version} for kept in exported.summaries],
    }

"""`conversation`: what is remembered of conversations, why a turn was given what it was given, and the way back.

Facts are no part of it: none of these commands reads or changes one.
"""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from r_memory.cli.app import COMMANDS
from r_memory.cli.options import Subject
from r_memory.cli.printing import Answer, Grid, Part, as_json, counted, on_settings
from r_memory.cli.running import on_memory, with_memory
from r_memory.config.settings import Settings
from r_memory.domain.instants import iso_seconds
from r_memory.domain.summaries import KeptSummary
from r_memory.domain.turns import Form, TurnDecision
from r_memory.errors import InvalidInput
from r_memory.memory import Memory
from r_memory_chat.exporting import exported, item_data, screen, summary_data, write_export
from r_memory_chat.rolling_back import roll_back
from r_memory_chat.signs import Sign, sign_totals, signs_of
from r_memory_chat.tiering import tiered
from r_memory_talk.tiers.tiers import TierReport

conversation = typer.Typer(help=COMMANDS["conversation"][1], no_args_is_help=True, rich_markup_mode=None)
# The list of commands is compared with what each says of itself.
conversation.__doc__ = COMMANDS["conversation"][1]

Name = Annotated[str, typer.Argument(metavar="NAME", help="The conversation, as its turns were stored under.")]
Profile = Annotated[str, typer.Option("--profile", metavar="NAME", help="default, scm, cim or mimir.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
Limit = Annotated[int, typer.Option("--limit", metavar="N", min=1, max=1000, help="At most so many, newest first.")]
_DECIDED = ("conversation", "turn", "at", "profile", "gate", "used", "dropped", "tokens", "full history", "ms", "notes")


@conversation.command("list")
@on_memory()
async def list_names(memory: Memory, subject: Subject = "") -> Answer:
    """Lists conversations by name, newest first; with a subject, those about it."""
    names = await memory.talk.conversations.names(subject_uid=await _uid(memory, subject) if subject else "")
    return Answer(data=names, shown=names or ["No conversation is stored here."])


@conversation.command()
@on_memory()
async def show(
    memory: Memory,
    name: Name,
    subject: Subject = "",
    last: Annotated[
        int | None, typer.Option("--last", metavar="N", min=1, help="Only the newest so many turns.")
    ] = None,
) -> Answer:
    """Prints the turns of a conversation, oldest first."""
    turns = await memory.talk.conversations.turns(name, subject_uid=await _uid(memory, subject), last=last)
    rows = [
        (item.index, iso_seconds(item.created_at), who, words)
        for item in turns
        for who, words in ((item.speaker or "user", item.observation), (item.responder or "assistant", item.answer))
        if words
    ]
    nothing = "No turn of this conversation is stored; `r-memory conversation list` names those that are."
    table = Grid(("turn", "said", "by", "words"), rows)
    return Answer(data=[item_data(item) for item in turns], shown=[table if turns else nothing])


@conversation.command()
@on_settings
def summary(
    settings: Settings,
    name: Name,
    subject: Subject = "",
    lift: Annotated[str, typer.Option("--lift", metavar="OPTION", help="Allow an excluded option again.")] = "",
    actor: Annotated[str, typer.Option("--actor", metavar="NAME", help="Who allows it.")] = "",
) -> Answer:
    """Prints the structured summary of a conversation; no source of safety facts."""
    if lift and not actor:
        raise InvalidInput("say who allows the option again, with --actor")

    async def read(memory: Memory) -> KeptSummary | None:
        talks, uid = memory.talk.conversations, await _uid(memory, subject)
        return await (
            talks.lift(name, lift, subject_uid=uid, actor=actor) if lift else talks.summary(name, subject_uid=uid)
        )

    kept = with_memory(settings, read)
    if kept is None:
        return Answer(data=None, shown=["There is no summary yet: no turn of this conversation was stored."])
    made = f"Version {kept.version} · up to turn {kept.upto} · {iso_seconds(kept.made_at)} · {kept.made_by}"
    return Answer(data=summary_data(kept), shown=[made, screen(kept.content)])


@conversation.command()
@on_memory()
async def decisions(
    memory: Memory,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The conversation; without it, all of them.")] = "",
    subject: Subject = "",
    limit: Limit = 20,
) -> Answer:
    """Prints why each turn was given what it was given: gate, candidates, choices, tokens, times."""
    uid = await _uid(memory, subject) if name else ""
    decided = await memory.talk.conversations.decisions(name, subject_uid=uid, limit=limit)
    return Answer(data=decided, shown=[Grid(_DECIDED, map(_decision, decided))])


@conversation.command()
@on_memory()
async def signs(
    memory: Memory,
    name: Annotated[str, typer.Argument(metavar="[NAME]", help="The conversation; without it, totals of all.")] = "",
    subject: Subject = "",
) -> Answer:
    """Prints signs of failure: memory asked for in vain or not asked for, slow turns, repeated or contrary answers."""
    if not name:
        return _totals(await sign_totals(memory.talk))
    found = await signs_of(memory.talk, name, await _uid(memory, subject))
    rows = [(signature.turn, signature.sign, signature.because) for signature in found]
    return Answer(data=found, shown=[Grid(("turn", "sign", "because"), rows) if rows else "No sign of failure."])


@conversation.command()
@on_memory()
async def tiers(
    memory: Memory,
    name: Name,
    subject: Subject = "",
    consolidate: Annotated[bool, typer.Option("--consolidate", help="Make everything that is due, first.")] = False,
) -> Answer:
    """Prints the memories made of windows of turns, and what consolidating would make of them."""
    kept, uid = memory.talk.conversations.tiers, await _uid(memory, subject)
    done = await kept.consolidate(name, subject_uid=uid) if consolidate else TierReport()
    found = await tiered(memory.talk.stream, kept, name, subject_uid=uid)
    memories = sorted((*found.medium, *found.long), key=lambda item: item.seq)
    rows = [
        (item.tier.value, item.importance, "a long one" if item.id in found.consolidated else "", item.summary)
        for item in memories
    ]
    asked = f"{counted(len(found.windows), 'window')}, {counted(len(found.pairs), 'consolidation')}"
    shown: list[Part] = [
        f"{counted(len(found.short), 'turn')} as said, {counted(len(found.waiting), 'turn')} waiting; due: {asked}",
        Grid(("kind", "importance", "part of", "memory"), rows),
    ]
    if done.trouble:
        shown.insert(0, Text(f"Not all was made: {done.trouble}", style="bold"))
    data = {
        "short": [item.id for item in found.short],
        "waiting": [item.id for item in found.waiting],
        "medium": [item_data(item) for item in found.medium],
        "long": [item_data(item) for item in found.long],
        "consolidated": found.consolidated,
        "due": {"windows": found.windows, "pairs": found.pairs},
        "made": done.made,
        "trouble": done.trouble,
    }
    return Answer(data=data, shown=shown)


@conversation.command()
@on_memory()
async def search(
    memory: Memory,
    query: Annotated[str, typer.Argument(help="What is looked for.")],
    name: Annotated[str, typer.Option("--in", metavar="NAME", help="Only in this conversation.")] = "",
    subject: Subject = "",
    profile: Profile = "",
    number: Annotated[int, typer.Option("--top", "-k", metavar="N", min=1, max=50, help="At most so many.")] = 6,
) -> Answer:
    """Searches what was said, ranked. It can miss: for what must not be missed there is `r-memory recall`."""
    uid = await _uid(memory, subject) if subject or name else ""
    switches = memory.talk.conversations.profile(profile)
    found = await memory.talk.stream.search(
        query,
        conversation=name or None,
        subject_uid=uid,
        scoring=switches.scoring,
        k=number,
        layer=switches.layer,
    )
    hits = found.chosen
    rows = [(f"{hit.score:.3f}", hit.item.conversation, hit.item.tier.value, hit.item.gist) for hit in hits]
    nothing = "Nothing was found; `r-memory search` looks through facts and statements as well."
    return Answer(
        data=[{**item_data(hit.item), "score": hit.score, "components": hit.components} for hit in hits],
        shown=[Grid(("score", "conversation", "kind", "words"), rows) if rows else nothing],
    )


@conversation.command()
@on_settings
def rollback(
    settings: Settings,
    name: Name,
    to: Annotated[int, typer.Option("--to", min=0, metavar="TURN", help="The last turn that stays.")],
    subject: Subject = "",
    yes: Yes = False,
) -> Answer:
    """Erases the turns after one, with everything made of them. Facts that were said in them stay."""
    return _erased(settings, name, subject, to=to, yes=yes)


@conversation.command()
@on_settings
def reset(settings: Settings, name: Name, subject: Subject = "", yes: Yes = False) -> Answer:
    """Erases a conversation, with everything made of it. Facts that were said in it stay."""
    return _erased(settings, name, subject, to=0, yes=yes)


@conversation.command()
@on_memory()
async def export(
    memory: Memory,
    name: Name,
    subject: Subject = "",
    file: Annotated[
        Path | None, typer.Option("--to", metavar="FILE", help="Write there; a name in .txt gives plain text.")
    ] = None,
) -> Answer:
    """Writes a conversation as JSON (pairs of user and system, memories, summaries) or as plain text."""
    whole = await exported(memory.talk, name, await _uid(memory, subject))
    if file is None:
        return Answer(data=whole.data, shown=[as_json(whole.data)])
    write_export(whole, file)
    return Answer(data={"turns": len(whole.turns)}, shown=[f"{counted(len(whole.turns), 'turn')} written."])


def _totals(by_name: Mapping[str, Counter[str]]) -> Answer:
    space = sum(by_name.values(), Counter())
    rows = [(name, *(counts[sign] for sign in Sign)) for name, counts in by_name.items() if counts]
    table = Grid(("conversation", *Sign), [*rows, ("whole space", *(space[sign] for sign in Sign))])
    return Answer(data={"conversations": by_name, "space": space}, shown=[table])


def _erased(settings: Settings, name: str, subject: str, *, to: int, yes: bool) -> Answer:
    if not yes:
        typer.confirm(f"Erase everything after turn {to} of this conversation?", abort=True, err=True)

    async def erase(memory: Memory) -> int:
        return await roll_back(memory.talk.conversations, name, to=to, subject_uid=await _uid(memory, subject))

    number = with_memory(settings, erase)
    return Answer(data={"erased": number}, shown=[f"{counted(number, 'item')} erased."])


async def _uid(memory: Memory, subject: str) -> str:
    """Returns the key of the conversation's subject; empty without a subject."""
    if not (subject or memory.facts.subjects.single):
        return ""
    return (await memory.find_subject(subject)).uid


def _decision(one: TurnDecision) -> tuple[object, ...]:
    forms = [candidate.form for candidate in one.candidates]
    gate = {True: "yes", False: "no", None: "unsure: yes"}[one.gate.yes]
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
        ", ".join([*one.flags, *(f"missing: {part}" for part in one.failed)]),
    )

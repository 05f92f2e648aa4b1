"""`change`: a person's decision about one fact, with who and why; nothing is deleted."""

import getpass
import sys
from collections.abc import Iterator
from typing import Annotated, Literal

import typer

from r_memory.cli.printing import Answer, on_settings
from r_memory.cli.running import with_memory
from r_memory.config.settings import Settings
from r_memory.domain.changes import Change, towards
from r_memory.domain.facts import Fact, Status
from r_memory.errors import InvalidInput
from r_memory.facts.review.changes import Changed, described
from r_memory.memory import Memory
from r_memory.serving.tools.models import FactOut
from r_memory.text.inert import inert, inert_name

To = Literal["active", "refuted", "resolved", "entered_in_error", "settled"]
Actor = Annotated[
    str,
    typer.Option("--actor", metavar="WHO", help="Who decides. [default: the user of this machine, and it is printed]"),
]


@on_settings
def change(
    settings: Settings,
    fact: Annotated[str, typer.Argument(metavar="FACT", help="Id of a fact; its first eight characters suffice.")],
    reason: Annotated[str, typer.Option("--reason", metavar="WHY", help="Why, for the record: 3 to 500 characters.")],
    to: Annotated[
        To | None,
        typer.Option(
            "--to", help="The status that it has from now on; settled: what stands is right, the conflict ends."
        ),
    ] = None,
    subject_to: Annotated[
        str, typer.Option("--subject-to", metavar="ID", help="It was said of this subject: move it there.")
    ] = "",
    map_to: Annotated[
        str, typer.Option("--map-to", metavar="TERM", help="Its unknown word means this term of the lexicon.")
    ] = "",
    actor: Actor = "",
    version: Annotated[
        int | None, typer.Option("--version", metavar="N", help="Only if this is still its newest event.")
    ] = None,
) -> Answer:
    """Decides about a fact: confirmed, refuted, resolved, an error, somebody else's.

    Give one of --to, --subject-to and --map-to. The words stay, and `history` shows every decision with who made it and
    why. Exit code 2 means that the fact does not allow it, or has moved on since --version.
    """
    who = actor_of(actor)
    if sum(map(bool, (to, subject_to, map_to))) != 1:
        raise InvalidInput("say what was decided: exactly one of --to, --subject-to and --map-to")

    async def decided(memory: Memory) -> Changed:
        _, found = await memory.find_fact(fact)
        if to:
            wanted = Change.SETTLE_CONFLICT if to == "settled" else towards(Status(to), found)
        else:
            wanted = Change.REATTRIBUTE if subject_to else Change.MAP_WORD
        return await memory.change_fact(
            found.fact_id,
            wanted,
            reason=reason,
            actor=who,
            version=version or found.last_seq,
            to=subject_to or map_to,
        )

    return changed(with_memory(settings, decided), who)


def actor_of(given: str) -> str:
    """Who decides: the one named, or the user of this machine.

    Raises:
        InvalidInput: neither is known.
    """
    if given.strip():
        return given.strip()
    try:
        return getpass.getuser()
    except (OSError, KeyError) as error:
        raise InvalidInput(
            "nobody is named and this machine does not know its user; name who decides with --actor"
        ) from error


def changed(done: Changed, actor: str) -> Answer:
    """What became of a decision."""
    return Answer(
        data={
            "outcome": done.outcome,
            "actor": actor,
            "subject_id": done.subject.id,
            "event_id": done.event_id,
            "before": FactOut.of(done.before),
            "after": FactOut.of(done.after),
            "elsewhere": None if done.elsewhere is None else FactOut.of(done.elsewhere),
        },
        shown=_shown(done, actor),
    )


def _shown(done: Changed, actor: str) -> Iterator[str]:
    fact = f"fact {done.after.short_id}"
    if done.outcome == "already":
        yield f"Nothing to change: {described(done.after, done.subject)} · {fact}"
        return
    yield f"{described(done.before, done.subject)} · {fact}"
    moved = f"{_standing(done.before)} -> {_standing(done.after)}"
    yield f'  {moved}, by {inert_name(actor)}: "{inert(done.after.changed_because)}"'
    if (there := done.elsewhere) is not None:
        whose = inert_name(there.subject_uid.rsplit("/", maxsplit=1)[-1])
        yield f"  recorded as {there.relation} {inert_name(there.object.name)} of {whose} · fact {there.short_id}"


def on_terminal() -> bool:
    """Whether somebody sits there to be asked."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def _standing(fact: Fact) -> str:
    return f"{fact.status}, contradicted" if fact.contradicted else fact.status.value

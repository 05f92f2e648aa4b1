"""`change`: a person's decision about one fact, with who and why; nothing is deleted."""

import getpass
import sys
from typing import Annotated, Literal

import typer

from r_memory.cli.options import AsJson, Home, Space, settings_of
from r_memory.cli.printing import print_json, print_line
from r_memory.cli.running import with_memory
from r_memory.domain.changes import Change, towards
from r_memory.domain.facts import Fact, Status
from r_memory.errors import InvalidInput
from r_memory.facts.review.changes import Changed
from r_memory.facts.review.wording import described
from r_memory.memory import Memory
from r_memory.serving.tools import shaping
from r_memory.text.inert import inert, inert_name

To = Literal["active", "refuted", "resolved", "entered_in_error", "settled"]
Actor = Annotated[
    str,
    typer.Option("--actor", metavar="WHO", help="Who decides. [default: the user of this machine, and it is printed]"),
]


def change(
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
    home: Home = None,
    space: Space = None,
    as_json: AsJson = False,
) -> None:
    """Decides about a fact: confirmed, refuted, resolved, an error, somebody else's.

    Give one of --to, --subject-to and --map-to. The words stay, and `history` shows every decision with who made it and
    why. Exit code 2 means that the fact does not allow it, or has moved on since --version.
    """
    who = actor_of(actor)
    wish = _wish(to, subject_to, map_to)
    done = with_memory(settings_of(home, space), lambda memory: _decided(memory, fact, wish, who, reason, version))
    if as_json:
        print_json(shape_of(done, who))
    else:
        show(done, who)


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


def shape_of(done: Changed, actor: str) -> dict[str, object]:
    """A change for programs."""
    return {
        "outcome": done.outcome,
        "actor": actor,
        "subject_id": done.subject.id,
        "event_id": done.event_id,
        "before": shaping.fact(done.before),
        "after": shaping.fact(done.after),
        "elsewhere": None if done.elsewhere is None else shaping.fact(done.elsewhere),
    }


def show(done: Changed, actor: str) -> None:
    """A change for people."""
    before, after = _standing(done.before), _standing(done.after)
    fact = f"fact {done.after.short_id}"
    if done.outcome == "already":
        print_line(f"Nothing to change: {described(done.after, done.subject)} · {fact}")
        return
    print_line(f"{described(done.before, done.subject)} · {fact}")
    print_line(f'  {before} -> {after}, by {inert_name(actor)}: "{inert(done.after.changed_because)}"')
    if done.elsewhere is not None:
        there = done.elsewhere
        whose = inert_name(there.subject_uid.rsplit("/", maxsplit=1)[-1])
        print_line(f"  recorded as {there.relation} {inert_name(there.object.name)} of {whose} · fact {there.short_id}")


def on_terminal() -> bool:
    """Whether somebody sits there to be asked."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def _standing(fact: Fact) -> str:
    return f"{fact.status}, contradicted" if fact.contradicted else fact.status.value


def _wish(to: To | None, subject_to: str, map_to: str) -> tuple[Change | Status, str]:
    """What is wanted: a change with its target, or a status to be reached.

    Raises:
        InvalidInput: nothing, or more than one thing.
    """
    given: list[tuple[Change | Status, str]] = []
    if to is not None:
        given.append((Change.SETTLE_CONFLICT if to == "settled" else Status(to), ""))
    given += [(Change.REATTRIBUTE, subject_to)] * bool(subject_to) + [(Change.MAP_WORD, map_to)] * bool(map_to)
    if len(given) != 1:
        raise InvalidInput("say what was decided: exactly one of --to, --subject-to and --map-to")
    return given[0]


async def _decided(
    memory: Memory, fact_id: str, wish: tuple[Change | Status, str], actor: str, reason: str, version: int | None
) -> Changed:
    wanted, target = wish
    _, fact = await memory.find_fact(fact_id)
    decided = wanted if isinstance(wanted, Change) else towards(wanted, fact)
    return await memory.change_fact(
        fact.fact_id, decided, reason=reason, actor=actor, version=version or fact.last_seq, to=target
    )

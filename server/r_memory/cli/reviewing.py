"""`review`: what waits for a person, as a list in a pipe and one by one on a terminal; `change`: a person's decision
about one fact, with who and why. Nothing is deleted.
"""

import getpass
import sys
from collections.abc import Awaitable, Callable, Iterator
from typing import Annotated, Literal

import typer
from typer import Argument, Option

from r_memory.cli.app import Exit, message_of
from r_memory.cli.options import AsJson, Subject
from r_memory.cli.printing import Answer, Grid, Part, counted, day_of, on_settings, print_parts, progress
from r_memory.cli.running import with_memory
from r_memory.config.settings import Settings
from r_memory.domain.changes import Change, Review, Waiting, allowed, shown_status, towards
from r_memory.domain.corrections import named_all
from r_memory.domain.facts import Fact, Status
from r_memory.errors import InvalidInput
from r_memory.facts.reviewing import DECISIONS, Changed, claim_of, described
from r_memory.memory import Memory
from r_memory.serving.tools.models import FactOut, when
from r_memory.text.inert import inert, inert_name

To = Literal["active", "refuted", "resolved", "entered_in_error", "settled", "accepted", "overridden"]
Actor = Annotated[
    str,
    Option("--actor", metavar="WHO", help="Who decides. [default: the user of this machine, and it is printed]"),
]
_SETTLING = {"settled": Change.SETTLE_CONFLICT, "accepted": Change.ACCEPT, "overridden": Change.OVERRIDE}
_SHORTEST_ID = 8
_WORDS_SHOWN = 2_000
_TARGETS = {Change.REATTRIBUTE: "  whose", Change.MAP_WORD: "  term"}
Act = Callable[[Memory, Waiting], Awaitable[Answer]]


class _Enough(Exception):
    """The person ends the review."""


@on_settings
def review(
    settings: Settings,
    subject: Subject = "",
    approve: Annotated[str, Option("--approve", metavar="ID", help="Make the change that this request asks for.")] = "",
    dismiss: Annotated[
        str, Option("--dismiss", metavar="ID", help="Nothing to store in these words; or decline this request.")
    ] = "",
    store: Annotated[str, Option("--store", metavar="ID", help="Store from these words what each --fact says.")] = "",
    fact: Annotated[
        list[str] | None,
        Option("--fact", metavar="FACT", help="`RELATION: object; name=value; status=...`; may be repeated."),
    ] = None,
    reason: Annotated[str, Option("--reason", metavar="WHY", help="Why, for the record.")] = "",
    actor: Actor = "",
    as_json: AsJson = False,
) -> Answer:
    """Shows what waits for a person, and takes the decisions.

    Words that gave no fact, changes that an assistant asked for, and facts that are doubted, contradicted, under an
    unknown word, or old. On a terminal one by one; in a pipe, or with --json, as a list. Exit code 3 means that
    something could not be read.
    """
    who = actor_of(actor)

    async def approved(memory: Memory, item: Waiting) -> Answer:
        return changed(await memory.approve(item.id, actor=who, reason=reason), who)

    async def dismissed(memory: Memory, item: Waiting) -> Answer:
        await memory.dismiss(item.id, actor=who, reason=reason)
        told = f"Dismissed by {inert_name(who)}; the words stay in the ledger."
        return Answer(data={"outcome": "dismissed", "id": item.id, "actor": who}, shown=[told])

    async def stored(memory: Memory, item: Waiting) -> Answer:
        facts = await memory.store_reviewed(
            item.id, [claim_of(text, _words_of(item)) for text in fact or ()], actor=who
        )
        data = {"outcome": "stored", "id": item.id, "actor": who, "facts": [FactOut.of(each) for each in facts]}
        return Answer(data=data, shown=map(_stored, facts))

    acts = [(id_, act) for id_, act in ((approve, approved), (dismiss, dismissed), (store, stored)) if id_]
    if len(acts) > 1 or bool(fact) != bool(store):
        raise InvalidInput("give one of --approve, --dismiss and --store; --store needs --fact, the others take none")
    if acts:
        [(id_, act)] = acts
        return with_memory(settings, lambda memory: _one(memory, subject, id_, act))
    if not as_json and on_terminal():
        return with_memory(settings, lambda memory: _one_by_one(memory, subject, who))
    found = with_memory(settings, lambda memory: _everything(memory, subject))
    data = {"complete": not found.failed, "waiting": [_shape(item) for item in found.items]}
    return Answer(data=data, shown=_list(found), code=Exit.UNAVAILABLE if found.failed else Exit.DONE)


async def _one(memory: Memory, subject: str, id_: str, act: Act) -> Answer:
    """Returns the result for the item with this id, or with an id that begins so."""
    items = (await _everything(memory, subject)).items
    meant = [item for item in items if item.id == id_ or (len(id_) >= _SHORTEST_ID and item.id.startswith(id_))]
    if len(meant) != 1:
        raise InvalidInput(f"{counted(len(meant), 'thing')} that waits has the id '{id_[:36]}'; take one from the list")
    return await act(memory, meant[0])


async def _everything(memory: Memory, subject: str) -> Review:
    """Returns what waits, of the subject or of all subjects in turn."""
    everyone = [subject] if subject else await memory.subjects()
    items: list[Waiting] = []
    failed: dict[str, str] = {}
    with progress("looking", len(everyone)) as step:
        for about in everyone:
            found = await memory.review(subject=about)
            items += found.items
            failed |= found.failed
            step()
    return Review(items=tuple(items), failed=failed)


# --- the list --------------------------------------------------------------------------------------------------------


def _list(found: Review) -> Iterator[Part]:
    if found.items:
        looks = ["red" if item.critical else "" for item in found.items]
        rows = [
            (
                each.id[:_SHORTEST_ID],
                inert_name(each.subject.id),
                ", ".join(each.why),
                _what(each),
                _when_and_by_whom(each),
            )
            for each in found.items
        ]
        yield Grid(("Id", "Subject", "Why", "What", "Said"), rows, looks)
        yield f"{counted(len(found.items), 'thing')} to decide; `r-memory review` on a terminal asks one by one."
    else:
        yield "Nothing waits for a person."
    yield from _failures(found)


def _failures(found: Review) -> Iterator[str]:
    for place, reason in found.failed.items():
        yield f"COULD NOT CHECK {inert_name(place)}: {inert(reason)}"


def _shape(item: Waiting) -> dict[str, object]:
    words, asked = item.episode, item.decision
    return {
        "id": item.id,
        "subject_id": item.subject.id,
        "subject_name": item.subject.name,
        "why": item.why,
        "critical": item.critical,
        "fact": None if item.fact is None else FactOut.of(item.fact),
        "words": words
        and {
            "text": inert(words.text, _WORDS_SHOWN),
            "speaker": inert_name(words.speaker),
            "said_at": when(words.said_at),
            "status": words.status,
            "review": [inert(sentence, _WORDS_SHOWN) for sentence in words.review],
            "may_take_back": [fact.fact_id for fact in item.beside],
        },
        "request": asked
        and {
            "change": asked.change,
            "reason": inert(asked.reason),
            "version": asked.version,
            "to": asked.to,
            "outdated": item.outdated,
        },
    }


def _what(item: Waiting) -> str:
    if item.decision is not None:
        about = f" of {_fact(item.fact)}" if item.fact is not None else ""
        moved_on = "; the fact moved on since, so it can only be declined" if item.outdated else ""
        return f'{item.decision.change}{about}: "{inert(item.decision.reason)}"{moved_on}'
    if item.episode is not None:
        # Each sentence by itself: those of a document stand pages apart.
        sentences = item.episode.review or (item.episode.text,)
        words = " and ".join(f'"{inert(sentence, _WORDS_SHOWN)}"' for sentence in sentences)
        return f"{words}, may take back {inert(named_all(item.beside))}" if item.beside else words
    return _fact(item.fact) if item.fact is not None else ""


def _fact(fact: Fact) -> str:
    return f'{fact.relation} {inert_name(fact.object.name)}, {shown_status(fact)}: "{inert(fact.evidence)}"'


def _stored(fact: Fact) -> str:
    return f"stored {_fact(fact)} · fact {fact.short_id}"


def _when_and_by_whom(item: Waiting) -> str:
    source = item.episode or item.fact
    return f"{day_of(source.said_at)} by {inert_name(source.speaker)}" if source else ""


# --- one by one ------------------------------------------------------------------------------------------------------


async def _one_by_one(memory: Memory, subject: str, actor: str) -> Answer:
    found = await _everything(memory, subject)
    print_parts(f"{counted(len(found.items), 'thing')} to decide, as {inert_name(actor)}. Enter skips, q ends.")
    print_parts(*_failures(found))
    try:
        for number, item in enumerate(found.items, start=1):
            print_parts(
                f"\n{number}/{len(found.items)} {inert_name(item.subject.name)} ({inert_name(item.subject.id)})"
            )
            print_parts(f"  {', '.join(item.why)}: {_what(item)} ({_when_and_by_whom(item)})")
            await _decide(memory, item, actor)
    except (_Enough, typer.Abort, EOFError):
        print_parts("The rest still waits.")
    return Answer(data=None, code=Exit.UNAVAILABLE if found.failed else Exit.DONE)


async def _decide(memory: Memory, item: Waiting, actor: str) -> None:
    """Asks until the answer can be recorded, or the person skips the item."""
    while True:
        try:
            if item.decision is None and item.episode is None and item.fact is not None:
                await _on_fact(memory, item.fact, actor)
            else:
                await _on_statement(memory, item, actor)
        except InvalidInput as error:
            print_parts(f"  not recorded: {message_of(error)}")
        else:
            return


async def _on_statement(memory: Memory, item: Waiting, actor: str) -> None:
    """Asks about a request, or about words without a fact."""
    if item.decision is not None:
        key = _key("  [a]pprove, [d]ecline", "ad")
    else:
        key = _key("  [f]acts in it, [d]ismiss: nothing to store", "fd")
    if key == "a":
        print_parts(*changed(await memory.approve(item.id, actor=actor), actor).shown)
    elif key == "d":
        await memory.dismiss(item.id, actor=actor, reason=_answer("  why"))
    elif key == "f":
        claims = []
        while text := _answer("  RELATION: object; name=value (empty ends)"):
            claims.append(claim_of(text, _words_of(item)))
        print_parts(*map(_stored, await memory.store_reviewed(item.id, claims, actor=actor)))


async def _on_fact(memory: Memory, fact: Fact, actor: str) -> None:
    open_to = {key: choice for key, choice in DECISIONS.items() if choice[0] in allowed(fact)}
    key = _key("  " + ", ".join(label for _, label in open_to.values()), "".join(open_to))
    if not key:
        return
    change, _ = open_to[key]
    target = _answer(_TARGETS[change]) if change in _TARGETS else ""
    done = await memory.change_fact(
        fact.fact_id, change, reason=_answer("  why"), actor=actor, version=fact.last_seq, to=target
    )
    print_parts(*changed(done, actor).shown)


def _key(question: str, keys: str) -> str:
    """Returns the chosen key; empty to skip.

    Raises:
        _Enough: the person ends the review.
    """
    while (given := _answer(question).casefold()[:1]) not in {*keys, ""}:
        if given == "q":
            raise _Enough
    return given


def _answer(question: str) -> str:
    return str(typer.prompt(question, default="", show_default=False)).strip()


def _words_of(item: Waiting) -> str:
    return item.episode.text if item.episode is not None else ""


# --- one decision ----------------------------------------------------------------------------------------------------


@on_settings
def change(
    settings: Settings,
    fact: Annotated[str, Argument(metavar="FACT", help="Id of a fact; its first eight characters suffice.")],
    reason: Annotated[str, Option("--reason", metavar="WHY", help="Why, for the record: 3 to 500 characters.")],
    to: Annotated[
        To | None,
        Option(
            "--to",
            help="The status that it has from now on; settled: what stands is right, the conflict ends; accepted: it "
            "stands beside what does not go together with it; overridden: somebody went against it, and it stands.",
        ),
    ] = None,
    subject_to: Annotated[
        str, Option("--subject-to", metavar="ID", help="It was said of this subject: move it there.")
    ] = "",
    map_to: Annotated[
        str, Option("--map-to", metavar="TERM", help="Its unknown word means this term of the lexicon.")
    ] = "",
    actor: Actor = "",
    version: Annotated[
        int | None, Option("--version", metavar="N", help="Only if this is still its newest event.")
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
            wanted = _SETTLING.get(to) or towards(Status(to), found)
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
    """Returns the given actor, or the user of this machine."""
    if given.strip():
        return given.strip()
    try:
        return getpass.getuser()
    except (OSError, KeyError) as error:
        raise InvalidInput(
            "nobody is named and this machine does not know its user; name who decides with --actor"
        ) from error


def changed(done: Changed, actor: str) -> Answer:
    """Returns the result of a decision as an answer."""
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
    moved = f"{shown_status(done.before)} -> {shown_status(done.after)}"
    yield f'  {moved}, by {inert_name(actor)}: "{inert(done.after.changed_because)}"'
    if (there := done.elsewhere) is not None:
        whose = inert_name(there.subject_uid.rsplit("/", maxsplit=1)[-1])
        yield f"  recorded as {there.relation} {inert_name(there.object.name)} of {whose} · fact {there.short_id}"


def on_terminal() -> bool:
    """Whether a person can be asked at a terminal."""
    return sys.stdin.isatty() and sys.stdout.isatty()

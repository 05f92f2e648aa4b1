"""`review`: what waits for a person, as a list in a pipe and one by one on a terminal."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Annotated

import typer

from r_memory.cli.app import Exit, message_of
from r_memory.cli.changing import Actor, actor_of, on_terminal, shape_of, show
from r_memory.cli.options import AsJson, Home, Space, Subject, settings_of
from r_memory.cli.printing import counted, day_of, print_json, print_line, print_table, progress
from r_memory.cli.running import with_memory
from r_memory.domain.changes import Change, allowed
from r_memory.domain.facts import Attribute, Fact
from r_memory.domain.instants import iso_seconds
from r_memory.domain.reviews import Review, Waiting
from r_memory.errors import InvalidInput
from r_memory.facts.remember.results import Claim
from r_memory.memory import Memory
from r_memory.serving.tools import shaping
from r_memory.text.inert import inert, inert_name

_SHORTEST_ID = 8
_WORDS_SHOWN = 2_000
_KEYS: Mapping[str, Change] = {
    "c": Change.CONFIRM,
    "r": Change.REFUTE,
    "g": Change.RESOLVE,
    "e": Change.ENTERED_IN_ERROR,
    "k": Change.SETTLE_CONFLICT,
    "o": Change.REATTRIBUTE,
    "m": Change.MAP_WORD,
}
_CHOICES: Mapping[Change, str] = {
    Change.CONFIRM: "[c]onfirm",
    Change.REFUTE: "[r]efute (tested)",
    Change.RESOLVE: "is [g]one",
    Change.ENTERED_IN_ERROR: "[e]rror",
    Change.SETTLE_CONFLICT: "[k]eep, end the conflict",
    Change.REATTRIBUTE: "s[o]mebody else's",
    Change.MAP_WORD: "[m]ap the word",
}


class _Enough(Exception):
    """The person has seen enough."""


def review(
    subject: Subject = "",
    approve: Annotated[
        str, typer.Option("--approve", metavar="ID", help="Make the change that this request asks for.")
    ] = "",
    dismiss: Annotated[
        str, typer.Option("--dismiss", metavar="ID", help="Nothing to store in these words; or decline this request.")
    ] = "",
    store: Annotated[
        str, typer.Option("--store", metavar="ID", help="Store from these words what each --fact says.")
    ] = "",
    fact: Annotated[
        list[str] | None,
        typer.Option("--fact", metavar="FACT", help="`RELATION: object; name=value; status=...`; may be repeated."),
    ] = None,
    reason: Annotated[str, typer.Option("--reason", metavar="WHY", help="Why, for the record.")] = "",
    actor: Actor = "",
    home: Home = None,
    space: Space = None,
    as_json: AsJson = False,
) -> None:
    """Shows what waits for a person, and takes the decisions.

    Words that gave no fact, changes that an assistant asked for, and facts that are doubted, contradicted, under an
    unknown word, or old. On a terminal one by one; in a pipe, or with --json, as a list. Exit code 3 means that
    something could not be read.
    """
    who = actor_of(actor)
    act = _asked(approve, dismiss, store, fact or [], reason, who)
    settings = settings_of(home, space)
    if act is not None:
        id_, use = act
        shape, shown = with_memory(settings, lambda memory: _one(memory, subject, id_, use))
        if as_json:
            print_json(shape)
        else:
            shown()
        return
    if as_json or not on_terminal():
        found = with_memory(settings, lambda memory: _everything(memory, subject))
        _list(found, as_json=as_json)
    else:
        found = with_memory(settings, lambda memory: _one_by_one(memory, subject, who))
    if found.failed:
        raise typer.Exit(Exit.UNAVAILABLE)


Told = tuple[object, Callable[[], None]]
"""What became of something: for programs, and how to print it for people."""
Use = Callable[[Memory, Waiting], Awaitable[Told]]


def _asked(
    approve: str, dismiss: str, store: str, facts: Sequence[str], reason: str, actor: str
) -> tuple[str, Use] | None:
    """The id and the one thing to do with it; `None` where nothing but the list is asked for.

    Raises:
        InvalidInput: several things at once, or one without what it needs.
    """
    given = [(id_, what) for id_, what in ((approve, "approve"), (dismiss, "dismiss"), (store, "store")) if id_]
    if not given:
        return None
    if len(given) > 1 or bool(facts) != bool(store):
        raise InvalidInput("give one of --approve, --dismiss and --store; --store needs --fact, the others take none")
    [(id_, what)] = given

    async def use(memory: Memory, item: Waiting) -> Told:
        if what == "approve":
            done = await memory.approve(item.id, actor=actor, reason=reason)
            return shape_of(done, actor), partial(show, done, actor)
        if what == "dismiss":
            await memory.dismiss(item.id, actor=actor, reason=reason)
            line = f"Dismissed by {inert_name(actor)}; the words stay in the ledger."
            return {"outcome": "dismissed", "id": item.id, "actor": actor}, partial(print_line, line)
        stored = await memory.store_reviewed(item.id, [_claim(text, item) for text in facts], actor=actor)
        facts_shape = [shaping.fact(each) for each in stored]
        shape = {"outcome": "stored", "id": item.id, "actor": actor, "facts": facts_shape}
        return shape, partial(_show_stored, stored)

    return id_, use


async def _one(memory: Memory, subject: str, id_: str, use: Use) -> Told:
    """What became of the one thing that the id, or its beginning, names."""
    items = (await _everything(memory, subject)).items
    meant = [item for item in items if item.id == id_ or (len(id_) >= _SHORTEST_ID and item.id.startswith(id_))]
    if len(meant) != 1:
        raise InvalidInput(f"{counted(len(meant), 'thing')} that waits has the id '{id_[:36]}'; take one from the list")
    return await use(memory, meant[0])


async def _everything(memory: Memory, subject: str) -> Review:
    """What waits, of the subject or of everybody, one after the other."""
    everyone = [subject] if subject else await memory.subjects()
    found: list[Review] = []
    with progress("looking", len(everyone)) as step:
        for about in everyone:
            found.append(await memory.review(subject=about))
            step()
    failed = {place: reason for each in found for place, reason in each.failed.items()}
    return Review(items=tuple(item for each in found for item in each.items), failed=failed)


# --- the list --------------------------------------------------------------------------------------------------------


def _list(found: Review, *, as_json: bool) -> None:
    if as_json:
        print_json({"complete": not found.failed, "waiting": [_shape(item) for item in found.items]})
        return
    if found.items:
        print_table(
            ("Id", "Subject", "Why", "What", "Said"),
            [_row(item) for item in found.items],
            [_look(item) for item in found.items],
        )
        print_line(f"{counted(len(found.items), 'thing')} to decide; `r-memory review` on a terminal asks one by one.")
    else:
        print_line("Nothing waits for a person.")
    _told_failures(found)


def _told_failures(found: Review) -> None:
    for place, reason in found.failed.items():
        print_line(f"COULD NOT CHECK {inert_name(place)}: {inert(reason)}")


def _shape(item: Waiting) -> dict[str, object]:
    words, asked = item.episode, item.decision
    return {
        "id": item.id,
        "subject_id": item.subject.id,
        "subject_name": item.subject.name,
        "why": list(item.why),
        "critical": item.critical,
        "fact": None if item.fact is None else shaping.fact(item.fact),
        "words": None
        if words is None
        else {
            "text": inert(words.text, _WORDS_SHOWN),
            "speaker": inert_name(words.speaker),
            "said_at": iso_seconds(words.said_at),
            "status": words.status.value,
            "review": [inert(sentence, _WORDS_SHOWN) for sentence in words.review],
        },
        "request": None
        if asked is None
        else {
            "change": asked.change.value,
            "reason": inert(asked.reason),
            "version": asked.version,
            "to": asked.to,
            "outdated": item.outdated,
        },
    }


def _look(item: Waiting) -> str:
    return "red" if item.critical else ""


def _row(item: Waiting) -> tuple[str, ...]:
    why = ", ".join(item.why)
    return (item.id[:_SHORTEST_ID], inert_name(item.subject.id), why, _what(item), _said(item))


def _what(item: Waiting) -> str:
    if item.decision is not None:
        about = f" of {_fact(item.fact)}" if item.fact is not None else ""
        moved_on = "; the fact moved on since, so it can only be declined" if item.outdated else ""
        return f'{item.decision.change}{about}: "{inert(item.decision.reason)}"{moved_on}'
    if item.episode is not None:
        return f'"{inert(" ".join(item.episode.review) or item.episode.text, _WORDS_SHOWN)}"'
    return _fact(item.fact) if item.fact is not None else ""


def _fact(fact: Fact) -> str:
    conflict = ", contradicted" if fact.contradicted else ""
    return f'{fact.relation} {inert_name(fact.object.name)}, {fact.status}{conflict}: "{inert(fact.evidence)}"'


def _said(item: Waiting) -> str:
    if item.episode is not None:
        return f"{day_of(item.episode.said_at)} by {inert_name(item.episode.speaker)}"
    return "" if item.fact is None else f"{day_of(item.fact.said_at)} by {inert_name(item.fact.speaker)}"


# --- one by one ------------------------------------------------------------------------------------------------------


async def _one_by_one(memory: Memory, subject: str, actor: str) -> Review:
    found = await _everything(memory, subject)
    print_line(f"{counted(len(found.items), 'thing')} to decide, as {inert_name(actor)}. Enter skips, q ends.")
    _told_failures(found)
    try:
        for number, item in enumerate(found.items, start=1):
            print_line(f"\n{number}/{len(found.items)} {inert_name(item.subject.name)} ({inert_name(item.subject.id)})")
            print_line(f"  {', '.join(item.why)}: {_what(item)} ({_said(item)})")
            await _decide(memory, item, actor)
    except (_Enough, typer.Abort, EOFError):
        print_line("The rest still waits.")
    return found


async def _decide(memory: Memory, item: Waiting, actor: str) -> None:
    """Asks until the answer can be recorded, or the item is skipped."""
    while True:
        try:
            if item.decision is not None:
                await _on_request(memory, item, actor)
            elif item.episode is not None:
                await _on_words(memory, item, actor)
            else:
                await _on_fact(memory, item, actor)
        except InvalidInput as error:
            print_line(f"  not recorded: {message_of(error)}")
        else:
            return


async def _on_request(memory: Memory, item: Waiting, actor: str) -> None:
    key = _key("  [a]pprove, [d]ecline", "ad")
    if key == "a":
        show(await memory.approve(item.id, actor=actor), actor)
    elif key == "d":
        await memory.dismiss(item.id, actor=actor, reason=_answer("  why"))


async def _on_words(memory: Memory, item: Waiting, actor: str) -> None:
    key = _key("  [f]acts in it, [d]ismiss: nothing to store", "fd")
    if key == "f":
        claims = []
        while text := _answer("  RELATION: object; name=value (empty ends)"):
            claims.append(_claim(text, item))
        _show_stored(await memory.store_reviewed(item.id, claims, actor=actor))
    elif key == "d":
        await memory.dismiss(item.id, actor=actor, reason=_answer("  why"))


def _show_stored(facts: Sequence[Fact]) -> None:
    for fact in facts:
        print_line(f"stored {_fact(fact)} · fact {fact.short_id}")


async def _on_fact(memory: Memory, item: Waiting, actor: str) -> None:
    if item.fact is None:
        return
    open_to = [change for change in _CHOICES if change in allowed(item.fact)]
    keys = "".join(key for key, change in _KEYS.items() if change in open_to)
    key = _key("  " + ", ".join(_CHOICES[change] for change in open_to), keys)
    if not key:
        return
    change = _KEYS[key]
    target = _answer("  whose" if change is Change.REATTRIBUTE else "  term") if key in "om" else ""
    done = await memory.change_fact(
        item.fact.fact_id, change, reason=_answer("  why"), actor=actor, version=item.fact.last_seq, to=target
    )
    show(done, actor)


def _key(question: str, keys: str) -> str:
    """One of the keys, or nothing to skip.

    Raises:
        _Enough: the person ends here.
    """
    while (given := _answer(question).casefold()[:1]) not in {*keys, ""}:
        if given == "q":
            raise _Enough
    return given


def _answer(question: str) -> str:
    return str(typer.prompt(question, default="", show_default=False)).strip()


def _claim(text: str, item: Waiting) -> Claim:
    """A fact as a person types it; its evidence is the whole statement, unless one is given.

    Raises:
        InvalidInput: it is not `RELATION: object; name=value`.
    """
    relation, colon, rest = text.partition(":")
    object_, *details = (part.strip() for part in rest.split(";"))
    pairs = [part.partition("=") for part in details if part]
    if not (colon and object_ and all(equals for _, equals, _ in pairs)):
        raise InvalidInput("a fact is written as `RELATION: object; name=value`, such as `HAS_ALLERGY_TO: latex`")
    values = {name.strip(): value.strip() for name, _, value in pairs}
    words = item.episode.text if item.episode is not None else ""
    return Claim(
        relation=relation.strip(),
        object=object_,
        status=values.pop("status", "active"),
        evidence=values.pop("evidence", words),
        attrs={name: _attribute(value) for name, value in values.items()},
    )


def _attribute(text: str) -> Attribute:
    """A number where it is written as one.

    >>> _attribute("3"), _attribute("0.5"), _attribute("severe")
    (3, 0.5, 'severe')
    """
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text

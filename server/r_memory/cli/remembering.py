"""`remember`: stores what was said, from an argument, a file or standard input, and says what became of it."""

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from typer import Argument, Option

from r_memory.cli.options import AnotherThan, Subject, SubjectName, text_from
from r_memory.cli.printing import Answer, counted, on_settings, progress
from r_memory.cli.running import with_memory
from r_memory.config.settings import Settings
from r_memory.domain.facts import Fact
from r_memory.domain.instants import parse_instant
from r_memory.errors import InvalidInput, StoreError, StoreUnavailable
from r_memory.facts.recall.rendering import called
from r_memory.facts.remember.results import Remembered, Verdict
from r_memory.facts.remember.utterances import Form, checked, utterances
from r_memory.memory import Memory
from r_memory.serving.tools.models import RememberedOut, clashes_told
from r_memory.text.inert import inert, inert_name

Given = Literal["user", "assistant", "document"]
SaidAt = Annotated[str, Option("--said-at", metavar="TIME", help="When, as ISO-8601 with zone. [default: now]")]
Key = Annotated[str, Option("--key", metavar="KEY", help="Idempotency key: the same key stores nothing twice.")]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
_ELSEWHERE = frozenset({"", "-"})
"""Arguments that mean that the words are in a file or on standard input."""


@on_settings
def remember(
    settings: Settings,
    text: Annotated[
        str, Argument(metavar="TEXT", help="The words; left out (or `-`) they are read from standard input.")
    ] = "",
    subject: Subject = "",
    subject_name: SubjectName = "",
    another_than: AnotherThan = None,
    file: Annotated[Path | None, Option("--file", "-f", metavar="FILE", help="Read the words from a file.")] = None,
    whole: Annotated[bool, Option("--whole", help="Take the whole text as one utterance, not each line.")] = False,
    dialogue: Annotated[bool, Option("--dialogue", help="Lines begin with who speaks, as in `doctor: ...`.")] = False,
    speaker: Annotated[str, Option("--speaker", metavar="WHO", help="Who said it. [default: the role]")] = "",
    role: Annotated[Given, Option("--role", help="Whose words they are; an assistant's are no evidence.")] = "user",
    conversation: Annotated[
        str, Option("--conversation", metavar="ID", help="Conversation whose last turns help to read it.")
    ] = "",
    said_at: SaidAt = "",
    key: Key = "",
    dry_run: Annotated[bool, Option("--dry-run", help="Say what would be stored; store nothing.")] = False,
) -> Answer:
    """Stores what somebody said, and the facts in it.

    Prints each fact, each rejection and each sentence that a person must look at, and why. A file or standard input
    holds one utterance a line, of any number and length: repeating a command stores nothing twice, and goes on where
    the last broke off.
    """
    if whole and dialogue:
        raise InvalidInput("--whole and --dialogue were both given; give one of them")
    words, is_argument = _words(text, file), text not in _ELSEWHERE
    form: Form = "dialogue" if dialogue else "whole" if whole or is_argument else "lines"
    said: dict[str, Any] = {
        "subject": subject,
        "subject_name": subject_name,
        "another_than": tuple(another_than or ()),
        "role": role,
        "speaker": speaker,
        "conversation_id": conversation,
        "said_at": parse_instant(said_at) if said_at else None,
        "idempotency_key": key,
        "dry_run": dry_run,
    }
    is_one = is_argument and not dialogue

    async def told(memory: Memory) -> list[Remembered]:
        return [await memory.remember(words, **said)] if is_one else await _all(memory, words, form, said)

    # Of a long text, one slow answer must not end all of it.
    outcomes = with_memory(settings, told, in_bulk=not is_one)
    data = {"statements": [RememberedOut.of(outcome) for outcome in outcomes], "counts": _counts(outcomes)}
    return Answer(data=data, shown=_shown(outcomes, role))


def _words(text: str, file: Path | None) -> str:
    """Returns the text to remember, from its only source."""
    if text not in _ELSEWHERE:
        if file:
            raise InvalidInput("words were given as an argument and as a file; give one of them")
        return text
    if file is None and not text and sys.stdin.isatty():
        raise InvalidInput("nothing to remember; give the words as an argument, with --file, or on standard input")
    return text_from(file)


async def _all(memory: Memory, words: str, form: Form, said: Mapping[str, Any]) -> list[Remembered]:
    """Returns one outcome for each utterance, in order; all are checked before the first is stored."""
    size = memory.limits.text
    spoken = checked(utterances(words, form=form, speaker=said["speaker"], role=said["role"], size=size), limit=size)
    outcomes: list[Remembered] = []
    with progress("remembering", len(spoken)) as step:
        try:
            async for heard in memory.remember_transcript(words, form=form, **said):
                outcomes.append(heard.remembered)
                step()
        except StoreError as error:
            if len(spoken) == 1:
                raise
            done = f"at line {spoken[len(outcomes)].line}; {len(outcomes)} of {len(spoken)} are stored"
            raise StoreUnavailable(f"{error} ({done}, run the same command again)") from error
    return outcomes


def _counts(outcomes: Sequence[Remembered]) -> dict[str, int]:
    """Returns the numbers of statements, of those without facts, and of results by verdict."""
    verdicts = Counter(result.verdict for outcome in outcomes for result in outcome.results)
    empty = sum(not outcome.results for outcome in outcomes)
    return {"statements": len(outcomes), "without_facts": empty, **{name: verdicts[name] for name in VERDICTS}}


def _shown(outcomes: Sequence[Remembered], role: Given) -> Iterator[str]:
    for outcome in outcomes:
        for result in outcome.results:
            # `stored      HAS_ALLERGY_TO Penicillin · active · severity severe · fact 7f3a2c1e`.
            verdict = "would store" if outcome.dry_run and result.verdict == "stored" else result.verdict
            words = (
                f'"{inert(result.text)}"' if result.text else f"{result.relation} {inert_name(result.object)}".strip()
            )
            yield f"{verdict:<11} {_fact(result.fact) if result.fact else words}"
            if result.reason:
                yield f"            {inert(result.reason)}"
    yield from (f"NOT TOGETHER {told}" for outcome in outcomes for told in clashes_told(outcome.standing))
    routes = [taken for outcome in outcomes for taken in outcome.routes]
    for why, number in Counter(taken.failed for taken in routes if taken.failed).items():
        yield f"The model did not read {counted(number, 'statement')}: {inert(why)}"
        yield "            what was read offline is stored; the model is asked again later"
    for why in dict.fromkeys(taken.alone for taken in routes if taken.alone):
        yield f"The closed rules read alone: {inert(why)}; what they do not understand waits for a person."
    counts = _counts(outcomes)
    nothing = "an assistant's words are no evidence" if role == "assistant" else "nothing to keep as a fact"
    told = ", ".join(f"{counts[name]} {name}" for name in VERDICTS if counts[name]) or nothing
    kept = "nothing was written" if outcomes[0].dry_run else "the words are kept"
    yield f"{counted(len(outcomes), 'statement')} about {called(outcomes[0].subject)}: {told}; {kept}."


def _fact(fact: Fact) -> str:
    contradicted = ["contradicted"] if fact.contradicted else []
    details = [f"{name} {inert(str(value), 80)}" for name, value in sorted(fact.attrs.items())]
    parts = [f"{fact.relation} {inert_name(fact.object.name)}", fact.status, *contradicted, *details]
    return " · ".join([*parts, f"fact {fact.short_id}"])

"""`remember`: stores what was said, from an argument, a file or standard input, and says what became of it."""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Literal, TypedDict, get_args

import typer

from r_memory.cli.options import AnotherThan, AsJson, Home, Space, Subject, SubjectName, settings_of, text_from
from r_memory.cli.printing import counted, print_json, print_line, progress
from r_memory.cli.running import with_memory
from r_memory.domain.facts import Fact
from r_memory.domain.instants import Instant, parse_instant
from r_memory.errors import InvalidInput, StoreError
from r_memory.facts.recall.rendering import called
from r_memory.facts.remember.results import Remembered, Result, Verdict
from r_memory.facts.remember.transcripts import Form, checked, utterances
from r_memory.memory import Memory
from r_memory.serving.tools import shaping
from r_memory.text.inert import inert, inert_name

Given = Literal["user", "assistant", "document"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)


def remember(
    text: Annotated[str, typer.Argument(help="The words; left out (or `-`) they are read from standard input.")] = "",
    subject: Subject = "",
    subject_name: SubjectName = "",
    another_than: AnotherThan = None,
    file: Annotated[
        Path | None, typer.Option("--file", "-f", metavar="FILE", help="Read the words from a file.")
    ] = None,
    whole: Annotated[
        bool, typer.Option("--whole", help="Take the whole text as one utterance, not each line.")
    ] = False,
    dialogue: Annotated[
        bool, typer.Option("--dialogue", help="Lines begin with who speaks, as in `doctor: ...`.")
    ] = False,
    speaker: Annotated[str, typer.Option("--speaker", metavar="WHO", help="Who said it. [default: the role]")] = "",
    role: Annotated[
        Given, typer.Option("--role", help="Whose words they are; an assistant's are no evidence.")
    ] = "user",
    conversation: Annotated[
        str, typer.Option("--conversation", metavar="ID", help="Conversation whose last turns help to read it.")
    ] = "",
    said_at: Annotated[
        str, typer.Option("--said-at", metavar="TIME", help="When, as ISO-8601 with zone. [default: now]")
    ] = "",
    key: Annotated[
        str, typer.Option("--key", metavar="KEY", help="Idempotency key: the same key stores nothing twice.")
    ] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be stored; store nothing.")] = False,
    home: Home = None,
    space: Space = None,
    as_json: AsJson = False,
) -> None:
    """Stores what somebody said, and the facts in it.

    Prints each fact, each rejection and each sentence that a person must look at, and why. A file or standard input
    holds one utterance a line, of any number and length: repeating a command stores nothing twice, and goes on where
    the last broke off.
    """
    if whole and dialogue:
        raise InvalidInput("--whole and --dialogue were both given; give one of them")
    words = _words(text, file)
    form: Form = "dialogue" if dialogue else "whole" if whole or _is_argument(text) else "lines"
    said = _Said(
        subject=subject,
        subject_name=subject_name,
        another_than=tuple(another_than or ()),
        role=role,
        speaker=speaker,
        conversation_id=conversation,
        said_at=parse_instant(said_at) if said_at else None,
        idempotency_key=key,
        dry_run=dry_run,
    )
    is_one = _is_argument(text) and not dialogue

    async def told(memory: Memory) -> list[Remembered]:
        return [await memory.remember(words, **said)] if is_one else await _all(memory, words, form, said)

    # Of a long text, one slow answer must not end all of it.
    outcomes = with_memory(settings_of(home, space), told, in_bulk=not is_one, reads=True)
    if as_json:
        print_json({"statements": [shaping.remembered(outcome) for outcome in outcomes], "counts": _counts(outcomes)})
    else:
        _show(outcomes, role)


class _Said(TypedDict):
    """What holds of every utterance of one command; as `Memory.remember` takes it."""

    subject: str
    subject_name: str
    another_than: tuple[str, ...]
    role: Given
    speaker: str
    conversation_id: str
    said_at: Instant | None
    idempotency_key: str
    dry_run: bool


def _is_argument(text: str) -> bool:
    return text not in {"", "-"}


def _words(text: str, file: Path | None) -> str:
    """The text to remember, from the one place that gives it.

    Raises:
        InvalidInput: from none or from two, or a file that cannot be read as text.
    """
    if _is_argument(text) and file:
        raise InvalidInput("words were given as an argument and as a file; give one of them")
    if _is_argument(text):
        return text
    if file is None and not text and sys.stdin.isatty():
        raise InvalidInput("nothing to remember; give the words as an argument, with --file, or on standard input")
    return text_from(file)


async def _all(memory: Memory, words: str, form: Form, said: _Said) -> list[Remembered]:
    """One outcome for each utterance, in their order; all are checked before the first is stored."""
    size = memory.limits.text
    spoken = checked(utterances(words, form=form, speaker=said["speaker"], role=said["role"], size=size), limit=size)
    outcomes: list[Remembered] = []
    with progress("remembering", len(spoken)) as step:
        try:
            async for heard in memory.remember_transcript(words, form=form, **said):
                outcomes.append(heard.remembered)
                step()
        except StoreError as error:
            raise type(error)(f"{error}{_so_far(spoken[len(outcomes)].line, len(outcomes), len(spoken))}") from error
    return outcomes


def _so_far(line: int, done: int, total: int) -> str:
    """Where a longer text broke off; running it again goes on from there."""
    return f" (at line {line}; {done} of {total} are stored, run the same command again)" if total > 1 else ""


def _counts(outcomes: Sequence[Remembered]) -> dict[str, int]:
    """Statements, how many gave nothing, and results by verdict."""
    verdicts = Counter(result.verdict for outcome in outcomes for result in outcome.results)
    empty = sum(not outcome.results for outcome in outcomes)
    return {"statements": len(outcomes), "without_facts": empty, **{name: verdicts[name] for name in VERDICTS}}


def _show(outcomes: Sequence[Remembered], role: Given) -> None:
    for outcome in outcomes:
        for result in outcome.results:
            print_line(_result_line(result, dry_run=outcome.dry_run))
            if result.reason:
                print_line(f"            {inert(result.reason)}")
    for line in _models_failed(outcomes):
        print_line(line)
    for why in dict.fromkeys(taken.alone for outcome in outcomes for taken in outcome.routes if taken.alone):
        print_line(f"The closed rules read alone: {inert(why)}; what they do not understand waits for a person.")
    counts = _counts(outcomes)
    nothing = "an assistant's words are no evidence" if role == "assistant" else "nothing to keep as a fact"
    told = ", ".join(f"{counts[name]} {name}" for name in VERDICTS if counts[name]) or nothing
    kept = "nothing was written" if outcomes[0].dry_run else "the words are kept"
    print_line(f"{counted(len(outcomes), 'statement')} about {called(outcomes[0].subject)}: {told}; {kept}.")


def _models_failed(outcomes: Sequence[Remembered]) -> Iterator[str]:
    """Each reason once, with how many statements wait for the model because of it."""
    failed = Counter(taken.failed for outcome in outcomes for taken in outcome.routes if taken.failed)
    for why, number in failed.items():
        yield f"The model did not read {counted(number, 'statement')}: {inert(why)}"
        yield "            what was read offline is stored; the model is asked again later"


def _result_line(result: Result, *, dry_run: bool) -> str:
    """`stored      HAS_ALLERGY_TO Penicillin · active · severity severe · fact 7f3a2c1e`."""
    verdict = "would store" if dry_run and result.verdict == "stored" else result.verdict
    return f"{verdict:<11} {_fact(result.fact) if result.fact else _words_of(result)}"


def _fact(fact: Fact) -> str:
    contradicted = ["contradicted"] if fact.contradicted else []
    details = [f"{name} {inert(str(value), 80)}" for name, value in sorted(fact.attrs.items())]
    parts = [f"{fact.relation} {inert_name(fact.object.name)}", fact.status, *contradicted, *details]
    return " · ".join([*parts, f"fact {fact.short_id}"])


def _words_of(result: Result) -> str:
    return f'"{inert(result.text)}"' if result.text else f"{result.relation} {inert_name(result.object)}".strip()

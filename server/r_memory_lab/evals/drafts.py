"""Suite `drafts`: answers that an assistant is about to give, each against what was said about somebody of its own.

The file is YAML: `schema`, `held_out`, and `drafts: [{id, kind, said, draft, expect, or}]`; `expect` is a verdict, `or`
lists others that are right as well. Of rows that are held out no id is told, so that nobody mends by them.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Literal

from pydantic import Field

from r_memory.config.files import Source
from r_memory.config.yaml_lines import FileModel, load, parsed
from r_memory.errors import InvalidInput
from r_memory.memory import Memory
from r_memory_lab.evals.dialogues import each
from r_memory_lab.evals.measures import Figure, count, share
from r_memory_lab.evals.outcomes import CaseOutcome
from r_memory_lab.evals.rows import DataRow, checked, read_text

Verdict = Literal["conflict", "warning", "not_checkable", "nothing_found"]
CONFLICT: Verdict = "conflict"
CALM: Verdict = "nothing_found"
_VERDICTS: tuple[Verdict, ...] = (CONFLICT, "warning", "not_checkable", CALM)


class DraftEntry(FileModel):
    """One row as written in the file."""

    id: str
    kind: str
    """The difficulty; reports group by it."""
    said: str | list[str]
    """What was remembered about this subject, in order."""
    draft: str
    expect: Verdict
    other: list[Verdict] = Field(default=[], alias="or")


class DraftFile(FileModel):
    """One file of drafts."""

    schema_name: str = Field(alias="schema")
    held_out: bool
    drafts: list[DraftEntry]


class DraftRow(DataRow):
    """One row with what its file says of all."""

    kind: str
    schema_name: str
    held_out: bool
    said: tuple[str, ...]
    draft: str
    expect: Verdict
    right: frozenset[Verdict]


class DraftVerdict(DataRow):
    """What the memory said of one draft."""

    verdict: str


def rows(path: Path) -> tuple[DraftRow, ...]:
    """Returns the drafts of a file.

    Raises:
        InvalidInput: the file is missing or empty, or an id is repeated.
        ConfigurationError: the file has another form; names line and remedy.
    """
    source = Source(path=path, content=read_text(path).encode())
    file = parsed(load(source), DraftFile)
    return checked(tuple(_draft(entry, file) for entry in file.drafts), path)


async def run(memory: Memory, drafts: Sequence[DraftRow], done: Callable[[], None]) -> tuple[DraftVerdict, ...]:
    """Returns one verdict for each draft.

    Raises:
        InvalidInput: the drafts are of another domain than this memory.
    """
    if other := {draft.schema_name for draft in drafts} - {memory.schema.name}:
        name = ", ".join(sorted(other))
        raise InvalidInput(f"these drafts are of {name}, the memory is of {memory.schema.name}; set R_MEMORY_SCHEMA")

    async def one(draft: DraftRow) -> DraftVerdict:
        for number, text in enumerate(draft.said):
            await memory.remember(text, subject=draft.id, subject_name=draft.id, idempotency_key=f"{draft.id}#{number}")
        return DraftVerdict(id=draft.id, verdict=(await memory.check_text(draft.draft, subject=draft.id)).verdict)

    return await each(drafts, one, done)


def outcome(drafts: Sequence[DraftRow], judged: Sequence[DraftVerdict]) -> CaseOutcome:
    """Returns found conflicts, false conflicts, missed conflicts, and correct verdicts on harmless drafts."""
    given = {row.id: row.verdict for row in judged}
    pairs = [(draft, given[draft.id]) for draft in drafts]
    held_out = any(draft.held_out for draft in drafts)
    wrong = [(draft, verdict) for draft, verdict in pairs if verdict not in draft.right]
    details = {
        f"{verdict} where it is not": [draft.id for draft, given_ in wrong if given_ == verdict]
        for verdict in _VERDICTS
    }
    return CaseOutcome(
        figures=_figures(pairs),
        groups={
            "Right by kind": _by(pairs, lambda draft: draft.kind),
            "Right by expected verdict": _by(pairs, lambda draft: draft.expect),
        },
        details={} if held_out else details,
        notes=("Held out: nobody reads these rows or what came of each.",) if held_out else (),
    )


def _figures(pairs: Sequence[tuple[DraftRow, str]]) -> tuple[Figure, ...]:
    conflicts = [(draft, verdict) for draft, verdict in pairs if draft.expect == CONFLICT]
    others = [verdict for draft, verdict in pairs if CONFLICT not in draft.right]
    uneasy = [verdict for draft, verdict in pairs if CALM not in draft.right]
    fine = [verdict for draft, verdict in pairs if draft.expect == CALM]
    only = [verdict for draft, verdict in conflicts if draft.right == {CONFLICT}]
    found = sum(verdict in draft.right for draft, verdict in conflicts)
    return (
        share("conflicts found", found, len(conflicts), aim=">= .97"),
        share("of those that nothing else may be called", only.count(CONFLICT), len(only)),
        share("false conflicts", others.count(CONFLICT), len(others), aim="<= .03"),
        count("wrong nothing_found", uneasy.count(CALM), len(uneasy), aim="0"),
        share("fine, and called nothing_found", fine.count(CALM), len(fine)),
        share("verdict right", sum(verdict in draft.right for draft, verdict in pairs), len(pairs)),
    )


def _by(pairs: Iterable[tuple[DraftRow, str]], group: Callable[[DraftRow], str]) -> list[Figure]:
    groups: dict[str, list[bool]] = {}
    for draft, verdict in pairs:
        groups.setdefault(group(draft), []).append(verdict in draft.right)
    return [share(name, sum(right), len(right)) for name, right in sorted(groups.items())]


def _draft(entry: DraftEntry, file: DraftFile) -> DraftRow:
    return DraftRow(
        id=entry.id,
        kind=entry.kind,
        schema_name=file.schema_name,
        held_out=file.held_out,
        said=(entry.said,) if isinstance(entry.said, str) else tuple(entry.said),
        draft=entry.draft,
        expect=entry.expect,
        right=frozenset({entry.expect, *entry.other}),
    )

"""Suite `standing`: pairs of things that do or do not go together, told one after the other of somebody new.

A file is YAML: `schema`, `said` (kind of thing to the sentences that tell of one, `{}` for its name), `apart` and
`together` (`first kind, second kind` to pairs of names). A folder holds several such files, told apart in the report.
A pair is found where writing the second thing comes back with a finding; one that goes together must come back with
none, at either writing.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Annotated

from pydantic import Field

from r_memory.config.files import Source
from r_memory.config.yaml_lines import FileModel, load, parsed
from r_memory.errors import InvalidInput
from r_memory.memory import Memory
from r_memory_lab.evals.dialogues import each
from r_memory_lab.evals.measures import Figure, share
from r_memory_lab.evals.outcomes import CaseOutcome
from r_memory_lab.evals.rows import DataRow, checked, read_text

Pairs = dict[str, list[Annotated[list[str], Field(min_length=2, max_length=2)]]]


class PairFile(FileModel):
    """One file of pairs."""

    schema_name: str = Field(alias="schema")
    said: dict[str, list[str]]
    apart: Pairs = Field(default={})
    together: Pairs = Field(default={})


class StandingPair(DataRow):
    """Two things as statements."""

    schema_name: str
    part: str
    """Name of its file."""
    kind: str
    """Kinds of both things: `drug, allergy`."""
    told: tuple[str, str]
    apart: bool
    """Whether the two contradict each other."""


class PairVerdict(DataRow):
    """The result of one pair."""

    found: bool
    """Whether a write returned a contradiction."""
    read: bool
    """Whether both statements gave a fact."""


def rows(path: Path) -> tuple[StandingPair, ...]:
    """Returns the pairs of a file, or of all files in a folder.

    Raises:
        InvalidInput: the file is missing or empty, or a kind has no sentence in `said`.
        ConfigurationError: a file has another form; names line and remedy.
    """
    files = sorted(path.glob("*.yaml")) if path.is_dir() else [path]
    return checked(tuple(pair for file in files for pair in _pairs(file)), path)


def _pairs(path: Path) -> Iterable[StandingPair]:
    file = parsed(load(Source(path=path, content=read_text(path).encode())), PairFile)
    for apart, kinds in ((True, file.apart), (False, file.together)):
        for kind, pairs in kinds.items():
            for place, pair in enumerate(pairs):
                told = [
                    _told(file, path, name, thing, place) for name, thing in zip(kind.split(", "), pair, strict=True)
                ]
                # Every second pair is told the other way round: which of the two comes first must not matter.
                first, second = told if place % 2 else reversed(told)
                name = f"{path.stem}-{'apart' if apart else 'together'}-{kind.replace(', ', '-')}-{place + 1}"
                yield StandingPair(
                    id=name, schema_name=file.schema_name, part=path.stem, kind=kind, told=(first, second), apart=apart
                )


def _told(file: PairFile, path: Path, kind: str, thing: str, place: int) -> str:
    """Returns the sentence about a thing; with several for its kind, they alternate between pairs."""
    if not (forms := file.said.get(kind)):
        raise InvalidInput(f"{path} does not say how a '{kind}' is told; add it to `said`")
    return forms[place % len(forms)].replace("{}", thing)


async def run(memory: Memory, pairs: Sequence[StandingPair], done: Callable[[], None]) -> tuple[PairVerdict, ...]:
    """Returns the results of the two writes of each pair.

    Raises:
        InvalidInput: the pairs are of another domain than this memory.
    """
    if other := {pair.schema_name for pair in pairs} - {memory.schema.name}:
        name = ", ".join(sorted(other))
        raise InvalidInput(f"these pairs are of {name}, the memory is of {memory.schema.name}; set R_MEMORY_SCHEMA")

    async def one(pair: StandingPair) -> PairVerdict:
        writes = [
            await memory.remember(text, subject=pair.id, subject_name=pair.id, idempotency_key=f"{pair.id}#{place}")
            for place, text in enumerate(pair.told)
        ]
        if unchecked := next((write.standing.unchecked for write in writes if write.standing.unchecked), ""):
            raise InvalidInput(f"a write could not be checked ({unchecked}); a figure over it would be wrong")
        found = [bool(write.standing.clashes) for write in writes]
        # What one thing alone comes back with is no finding of the pair.
        return PairVerdict(
            id=pair.id, found=found[1] or (found[0] and not pair.apart), read=all(write.facts for write in writes)
        )

    return await each(pairs, one, done)


def outcome(pairs: Sequence[StandingPair], checks: Sequence[PairVerdict]) -> CaseOutcome:
    """Returns found pairs and false ones, by file and kind."""
    given = {row.id: row for row in checks}
    apart = [(pair, given[pair.id]) for pair in pairs if pair.apart]
    together = [(pair, given[pair.id]) for pair in pairs if not pair.apart]
    missed = [(pair, check) for pair, check in apart if not check.found]
    return CaseOutcome(
        figures=(
            _found("found", apart, aim=">= .97"),
            _found("false", together, aim="<= .03"),
            _found("found, of those whose two things were read", [item for item in apart if item[1].read]),
            share("both things read", sum(verdict.read for verdict in checks), len(checks)),
        ),
        groups={
            "Found by file": _by(apart, lambda pair: pair.part),
            "False by file": _by(together, lambda pair: pair.part),
            "Found by kind": _by(apart, lambda pair: pair.kind),
            "False by kind": _by(together, lambda pair: pair.kind),
        },
        details={
            "Not found, though both were read": [pair.id for pair, check in missed if check.read],
            "Not found, as one was not read": [pair.id for pair, check in missed if not check.read],
            "False": [pair.id for pair, check in together if check.found],
        },
    )


def _found(name: str, pairs: Sequence[tuple[StandingPair, PairVerdict]], *, aim: str = "") -> Figure:
    return share(name, sum(check.found for _, check in pairs), len(pairs), aim=aim)


def _by(pairs: Iterable[tuple[StandingPair, PairVerdict]], group: Callable[[StandingPair], str]) -> list[Figure]:
    groups: dict[str, list[tuple[StandingPair, PairVerdict]]] = {}
    for pair, check in pairs:
        groups.setdefault(group(pair), []).append((pair, check))
    return [_found(name, of) for name, of in sorted(groups.items())]

"""`verify`, `checkpoint` and `rebuild`: whether the ledger is whole, and the present state follows from it; `relink`:
whether each fact stands under the thing that was said; `embed`: whether every item has its vector.
"""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from r_memory.cli.app import Exit
from r_memory.cli.options import Subject, text_from
from r_memory.cli.printing import Answer, Grid, Part, counted, on_settings, progress
from r_memory.cli.running import on_memory, with_memory
from r_memory.config.settings import Settings
from r_memory.domain.facts import Entity
from r_memory.domain.instants import iso, iso_seconds
from r_memory.domain.log import Checkpoint
from r_memory.errors import LedgerBroken
from r_memory.memory import Memory
from r_memory.space.integrity import Proof, Verification
from r_memory.space.signing import KEY_FILE, read_checkpoint, signing_key, write_checkpoint
from r_memory.space.signing import public_key as public_of
from r_memory.web.case import case_file, check_case

KeyFile = Annotated[
    Path | None,
    Option("--key", metavar="FILE", help="The signing key; made where there is none. Default: beside the data."),
]


@on_settings
def verify(
    settings: Settings,
    subject: Subject = "",
    since: Annotated[
        Path | None, Option("--checkpoint", metavar="FILE", help="Also that nothing before it was changed.")
    ] = None,
    receipt: Annotated[str, Option("--receipt", metavar="ID", help="Prove this receipt, and nothing else.")] = "",
    case: Annotated[
        Path | None, Option("--case", metavar="FILE", help="Check this case file, and nothing else; opens no store.")
    ] = None,
    key: KeyFile = None,
    public_key: Annotated[
        str, Option("--public-key", metavar="HEX", help="The key that signed; default: this installation's.")
    ] = "",
) -> Answer:
    """Recomputes every log, every hash chain and every state, and reports differences.

    Without --subject, of everybody, and that nobody is missing. Who can write to the database could rewrite all of it
    so that it fits: only a checkpoint that was kept elsewhere tells. Exit code 1 means that something differs.

    Example: r-memory verify --checkpoint /mnt/usb/monday.json
    """
    if case is not None:
        return _checked(case, trusted=public_key or public_of(signing_key(_key_file(settings, key))))
    made = None
    if since is not None:
        made = read_checkpoint(since, trusted=public_key or public_of(signing_key(_key_file(settings, key))))
    if receipt:
        return _proven(with_memory(settings, lambda memory: memory.space.prove(receipt, since=made)))

    async def verified(memory: Memory) -> Verification:
        everyone = await _people(memory, subject)
        with progress("verifying", len(everyone)) as step:
            return await memory.space.verify(subject=subject, since=made, step=step)

    found = with_memory(settings, verified, in_bulk=True)
    data = {name: getattr(found, name) for name in ("whole", "subjects", "events", "facts", "records", "differences")}
    return Answer(data=data, shown=_shown(found), code=Exit.DONE if found.whole else Exit.CHECK_FAILED)


@on_settings
def case(
    settings: Settings,
    receipt: Annotated[str, Argument(metavar="RECEIPT", help="Id of a receipt, as a block or `receipts` names it.")],
    request: Annotated[str, Option("--request", metavar="TEXT", help="The request, put in if it is the one.")] = "",
    block: Annotated[Path | None, Option("--block", metavar="FILE", help="The block as it stood, likewise.")] = None,
    answer: Annotated[Path | None, Option("--answer", metavar="FILE", help="What was answered, likewise.")] = None,
    objection: Annotated[Path | None, Option("--objection", metavar="FILE", help="What was objected.")] = None,
    key: KeyFile = None,
) -> Answer:
    """Prints a receipt as one file that proves itself: facts, their words and history, proofs.

    Open it in a browser: without network it checks each record, its way to the root of the log, and the signatures, and
    says green or red. `verify --case FILE` does the same.

    Example: r-memory case 01JD5Q7M > case.html
    """
    signer = signing_key(_key_file(settings, key))
    files = {"block": block, "answer": answer, "objection": objection}
    given = {"request": request, **{name: text_from(file) for name, file in files.items() if file is not None}}
    text = with_memory(settings, lambda memory: case_file(memory, receipt, signer, given=given))
    return Answer(data={"receipt": receipt, "html": text, "public_key": public_of(signer)}, shown=[text])


def _checked(file: Path, *, trusted: str) -> Answer:
    found = check_case(text_from(file), trusted=trusted, now=time.time_ns() // 1_000_000)
    proven = f"Receipt {found.receipt}: {counted(found.records, 'record')} as recorded, signed {found.made_at}."
    return Answer(
        data={"whole": not found.wrong, "receipt": found.receipt, "made_at": found.made_at, "wrong": list(found.wrong)},
        shown=[f"NOT PROVEN: {item}." for item in found.wrong] or [proven],
        code=Exit.CHECK_FAILED if found.wrong else Exit.DONE,
    )


@on_settings
def checkpoint(
    settings: Settings,
    file: Annotated[Path, Argument(metavar="FILE", help="Keep it where the database's owner cannot reach.")],
    key: KeyFile = None,
) -> Answer:
    """Writes a signed checkpoint, by which `verify` later proves that nothing was taken away.

    It holds sizes and hashes, no name and no word, and is signed with Ed25519.

    Example: r-memory checkpoint /mnt/usb/monday.json
    """
    signer = signing_key(_key_file(settings, key))

    async def checkpointed(memory: Memory) -> Checkpoint:
        with progress("reading logs", len(await _people(memory))) as step:
            return await memory.space.checkpoint(step=step)

    made = with_memory(settings, checkpointed, in_bulk=True)
    write_checkpoint(file, made, signer)
    public = public_of(signer)
    return Answer(
        data={"file": file, "logs": len(made.logs), "root": made.root, "public_key": public},
        shown=[f"Checkpoint of {counted(len(made.logs), 'log')}: root {made.root[:16]}, key {public}."],
    )


@on_memory(in_bulk=True)
async def rebuild(memory: Memory, subject: Subject = "") -> Answer:
    """Recreates the present state from the ledger.

    Without --subject, of everybody. The ledger itself is never changed. A subject whose chain does not hold is left
    as it is, for what follows from altered events could hide a risk; exit code 1 says that there is one.
    """
    everyone = await _people(memory, subject)
    written: list[int] = []
    refused: list[str] = []
    with progress("rebuilding", len(everyone)) as step:
        for about in everyone:
            try:
                written.append(await memory.rebuild(subject=about))
            except LedgerBroken as error:
                refused.append(str(error))
            step()
    done = f"Present state rebuilt: {counted(sum(written), 'fact')} of {counted(len(written), 'subject')}."
    return Answer(
        data={"subjects": len(written), "facts": sum(written), "refused": refused},
        shown=[*(f"NOT REBUILT: {error}." for error in refused), done],
        code=Exit.CHECK_FAILED if refused else Exit.DONE,
    )


@on_memory(in_bulk=True)
async def relink(memory: Memory, subject: Subject = "") -> Answer:
    """Records facts of an earlier lexicon under the thing that was said, by events.

    Without --subject, of everybody. Once after an upgrade whose lexicon tells more things apart; a second run moves
    nothing. `rebuild` does it as well.
    """
    everyone = await _people(memory, subject)
    moved = 0
    with progress("relinking", len(everyone)) as step:
        for about in everyone:
            moved += await memory.space.relink(subject=about)
            step()
    done = f"Relinked {counted(moved, 'fact')} of {counted(len(everyone), 'subject')}."
    return Answer(data={"subjects": len(everyone), "facts": moved}, shown=[done])


def _key_file(settings: Settings, key: Path | None) -> Path:
    return key or settings.data_dir / KEY_FILE


async def _people(memory: Memory, subject: str = "") -> Sequence[str | Entity]:
    """Returns the given subject, or all subjects, erased ones included."""
    return [subject] if subject else await memory.subjects(erased=True)


def _proven(proof: Proof) -> Answer:
    receipt = proof.receipt
    place = f"entry {proof.place} of {proof.size}, root {proof.root[:16]}"
    return Answer(
        data={
            "receipt": receipt.id,
            "shown_at": iso(receipt.shown_at),
            "log": proof.log,
            "entry": proof.place,
            "size": proof.size,
            "leaf": proof.leaf,
            "path": proof.path,
            "root": proof.root,
            "covered_by_checkpoint": proof.covered,
        },
        shown=[
            f"Receipt {receipt.id} of {iso_seconds(receipt.shown_at)} is as it was recorded: {place}.",
            "The checkpoint covers it." if proof.covered else "No checkpoint that was given covers it.",
        ],
    )


def _shown(found: Verification) -> Iterator[Part]:
    looked_at = (
        f"{counted(found.subjects, 'subject')}, {counted(found.events, 'event')}, {counted(found.facts, 'fact')}"
    )
    if found.whole:
        yield f"{looked_at}: every chain and every state is whole."
        return
    rows = [(item.subject_uid, item.where, item.problem) for item in found.differences]
    yield Grid(("Subject", "Where", "Problem"), rows)
    yield f"{looked_at}: {counted(len(rows), 'difference')}."


@on_memory(in_bulk=True)
async def embed(memory: Memory) -> Answer:
    """Gives every item of the conversational memory a vector of the present embedder.

    To be run after the embedder was changed, or did not answer for a while. Items are found by their words meanwhile.
    May be stopped and run again: what has its vector keeps it.
    """
    stream = memory.talk.stream
    with progress("embedding", await stream.unmeant()) as step:
        given = await stream.embed_again(step)
    left, model = await stream.unmeant(), stream.model
    rest = f"; {counted(left, 'item')} could not be embedded" if left else ""
    nothing = "There is no embedder (R_MEMORY_EMBEDDER=none): items are found by their words."
    return Answer(
        data={"embedded": given, "left": left, "model": model},
        shown=[f"Embedded by {model}: {counted(given, 'item')}{rest}." if model else nothing],
    )

"""`verify` and `rebuild`: whether the ledger is whole and the present state follows from it, and making it follow."""

from pathlib import Path
from typing import Annotated

import typer

from r_memory.cli.app import Exit
from r_memory.cli.options import AsJson, Home, Space, Subject, settings_of
from r_memory.cli.printing import counted, print_json, print_line, print_table, progress
from r_memory.cli.running import with_memory
from r_memory.config.settings import Settings
from r_memory.domain.checkpoints import Checkpoint
from r_memory.domain.instants import iso, iso_seconds
from r_memory.errors import LedgerBroken
from r_memory.memory import Memory
from r_memory.space.integrity import Proof, Verification
from r_memory.space.signing import public_key as public_of
from r_memory.space.signing import read_checkpoint, signing_key, write_checkpoint

KeyFile = Annotated[
    Path | None,
    typer.Option("--key", metavar="FILE", help="The signing key; made where there is none. Default: beside the data."),
]


def verify(
    subject: Subject = "",
    since: Annotated[
        Path | None, typer.Option("--checkpoint", metavar="FILE", help="Also that nothing before it was changed.")
    ] = None,
    receipt: Annotated[str, typer.Option("--receipt", metavar="ID", help="Prove this receipt, and nothing else.")] = "",
    key: KeyFile = None,
    public_key: Annotated[
        str, typer.Option("--public-key", metavar="HEX", help="The key that signed; default: this installation's.")
    ] = "",
    home: Home = None,
    space: Space = None,
    as_json: AsJson = False,
) -> None:
    """Recomputes every log, every hash chain and every state, and reports differences.

    Without --subject, of everybody, and that nobody is missing. Who can write to the database could rewrite all of it
    so that it fits: only a checkpoint that was kept elsewhere tells. Exit code 1 means that something differs.

    Example: r-memory verify --checkpoint /mnt/usb/monday.json
    """
    settings = settings_of(home, space)
    made = None
    if since is not None:
        made = read_checkpoint(since, trusted=public_key or public_of(signing_key(_key_file(settings, key))))
    if receipt:
        proof = with_memory(settings, lambda memory: memory.space.prove(receipt, since=made))
        _show_proof(proof, as_json=as_json)
        return
    found = with_memory(settings, lambda memory: _verified(memory, subject, made), in_bulk=True)
    if as_json:
        print_json(_shape(found))
    else:
        _show(found)
    if not found.whole:
        raise typer.Exit(Exit.CHECK_FAILED)


def checkpoint(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Keep it where the database's owner cannot reach.")],
    key: KeyFile = None,
    home: Home = None,
    space: Space = None,
    as_json: AsJson = False,
) -> None:
    """Writes a signed checkpoint, by which `verify` later proves that nothing was taken away.

    It holds sizes and hashes, no name and no word, and is signed with Ed25519.

    Example: r-memory checkpoint /mnt/usb/monday.json
    """
    settings = settings_of(home, space)
    signer = signing_key(_key_file(settings, key))
    made = with_memory(settings, _checkpointed, in_bulk=True)
    write_checkpoint(file, made, signer)
    if as_json:
        print_json({"file": str(file), "logs": len(made.logs), "root": made.root, "public_key": public_of(signer)})
    else:
        print_line(f"Checkpoint of {counted(len(made.logs), 'log')}: root {made.root[:16]}, key {public_of(signer)}.")


def _key_file(settings: Settings, key: Path | None) -> Path:
    return key or settings.data_dir / "checkpoint.key"


async def _checkpointed(memory: Memory) -> Checkpoint:
    with progress("reading logs", len(await memory.subjects(erased=True))) as step:
        return await memory.space.checkpoint(step=step)


def rebuild(subject: Subject = "", home: Home = None, space: Space = None, as_json: AsJson = False) -> None:
    """Recreates the present state from the ledger.

    Without --subject, of everybody. The ledger itself is never changed. A subject whose chain does not hold is left
    as it is, for what follows from altered events could hide a risk; exit code 1 says that there is one.
    """
    written, refused = with_memory(settings_of(home, space), lambda memory: _rebuilt(memory, subject), in_bulk=True)
    if as_json:
        print_json({"subjects": len(written), "facts": sum(written), "refused": [str(error) for error in refused]})
    else:
        for error in refused:
            print_line(f"NOT REBUILT: {error}.")
        print_line(f"Present state rebuilt: {counted(sum(written), 'fact')} of {counted(len(written), 'subject')}.")
    if refused:
        raise typer.Exit(Exit.CHECK_FAILED)


async def _verified(memory: Memory, subject: str, since: Checkpoint | None) -> Verification:
    everyone = [subject] if subject else await memory.subjects(erased=True)
    with progress("verifying", len(everyone)) as step:
        return await memory.space.verify(subject=subject, since=since, step=step)


async def _rebuilt(memory: Memory, subject: str) -> tuple[list[int], list[LedgerBroken]]:
    """Facts of each subject, and why some are left as they are."""
    everyone = [subject] if subject else await memory.subjects(erased=True)
    written, refused = [], []
    with progress("rebuilding", len(everyone)) as step:
        for about in everyone:
            try:
                written.append(await memory.rebuild(subject=about))
            except LedgerBroken as error:
                refused.append(error)
            step()
    return written, refused


def _show_proof(proof: Proof, *, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "receipt": proof.receipt.id,
                "shown_at": iso(proof.receipt.shown_at),
                "log": proof.log,
                "entry": proof.place,
                "size": proof.size,
                "leaf": proof.leaf,
                "path": list(proof.path),
                "root": proof.root,
                "covered_by_checkpoint": proof.covered,
            }
        )
        return
    print_line(
        f"Receipt {proof.receipt.id} of {iso_seconds(proof.receipt.shown_at)} is as it was recorded: "
        f"entry {proof.place} of {proof.size}, root {proof.root[:16]}."
    )
    print_line("The checkpoint covers it." if proof.covered else "No checkpoint that was given covers it.")


def _shape(found: Verification) -> dict[str, object]:
    differences = [
        {"subject_uid": item.subject_uid, "where": item.where, "problem": item.problem} for item in found.differences
    ]
    return {
        "whole": found.whole,
        "subjects": found.subjects,
        "events": found.events,
        "facts": found.facts,
        "records": found.records,
        "differences": differences,
    }


def _show(found: Verification) -> None:
    looked_at = ", ".join(
        [counted(found.subjects, "subject"), counted(found.events, "event"), counted(found.facts, "fact")]
    )
    if found.whole:
        print_line(f"{looked_at}: every chain and every state is whole.")
        return
    print_table(
        ("Subject", "Where", "Problem"), [(item.subject_uid, item.where, item.problem) for item in found.differences]
    )
    print_line(f"{looked_at}: {counted(len(found.differences), 'difference')}.")

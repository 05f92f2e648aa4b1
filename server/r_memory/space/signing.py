"""Signed checkpoint files; the only importer of `cryptography`.

The key is stored beside the installation, outside the database. A file says which key signed it, and its reader says
which key to trust. It knows Ed25519 and JSON, not the content of a checkpoint.
"""

import json
import os
import re
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from r_memory.domain.log import Checkpoint
from r_memory.errors import InvalidInput
from r_memory.space.file import for_owner

Key = Ed25519PrivateKey
"""Type of the key of an installation."""
KEY_FILE = "checkpoint.key"
"""File name of the key, beside the data."""
_OWNER_ONLY = 0o600
_FORMAT = 1
_DIGITS = re.compile("(?:[0-9a-f]{2})+")


def signing_key(path: Path) -> Ed25519PrivateKey:
    """The key of this installation; created, readable by its owner only, if there is none.

    Raises:
        InvalidInput: the file is no such key, or cannot be written.
    """
    try:
        return Ed25519PrivateKey.from_private_bytes(bytes.fromhex(path.read_text(encoding="ascii").strip()))
    except FileNotFoundError:
        return _made(path)
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{path.name} is no signing key (64 hexadecimal digits); move it away") from error


def public_key(key: Ed25519PrivateKey) -> str:
    """The public key, in hexadecimal digits."""
    return key.public_key().public_bytes_raw().hex()


def signature(key: Ed25519PrivateKey, content: bytes) -> str:
    """The signature of the content, in hexadecimal digits."""
    return key.sign(content).hex()


def is_signed(content: bytes, signed: str, *, by: str) -> bool:
    """Whether the key `by` made the signature `signed` of the content; both in hexadecimal digits."""
    if not (_DIGITS.fullmatch(signed) and _DIGITS.fullmatch(by)):
        return False  # `fromhex` takes capitals and blanks as well, so that a changed file would pass
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(by)).verify(bytes.fromhex(signed), content)
    except (InvalidSignature, ValueError):
        return False
    return True


def write_checkpoint(path: Path, checkpoint: Checkpoint, key: Ed25519PrivateKey) -> None:
    """Writes a signed checkpoint, readable by its owner only.

    Raises:
        InvalidInput: the file cannot be written.
    """
    fields = {
        "r_memory_checkpoint": _FORMAT,
        "space": checkpoint.space,
        "made_at": checkpoint.made_at,
        "root": checkpoint.root,
        "public_key": public_key(key),
        "signature": key.sign(checkpoint.signed).hex(),
        "logs": [[name, *state] for name, state in sorted(checkpoint.logs.items())],
    }
    with for_owner(path) as file:
        file.write(f"{json.dumps(fields, indent=1)}\n".encode("ascii"))


def read_checkpoint(path: Path, *, trusted: str) -> Checkpoint:
    """The checkpoint of a file with a valid signature; `trusted` is the public key that must have made it.

    Raises:
        InvalidInput: the file is no checkpoint, was altered, or was signed by another key.
    """
    try:
        fields = json.loads(path.read_text(encoding="ascii"))
        logs = {str(name): (int(size), str(root)) for name, size, root in fields["logs"]}
        checkpoint = Checkpoint(space=fields["space"], made_at=fields["made_at"], logs=logs)
        signer, signature = fields["public_key"], bytes.fromhex(fields["signature"])
    except OSError as error:
        raise InvalidInput(f"cannot read {path.name}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidInput(f"{path.name} is no checkpoint; make one with `r-memory checkpoint`") from error
    if signer != trusted:
        raise InvalidInput(f"{path.name} was signed by the key {signer}, and you trust {trusted}; give --public-key")
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(trusted)).verify(signature, checkpoint.signed)
    except (InvalidSignature, ValueError) as error:
        raise InvalidInput(f"{path.name} was altered after it was signed; take another copy of it") from error
    return checkpoint


def _made(path: Path) -> Ed25519PrivateKey:
    key = Ed25519PrivateKey.generate()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER_ONLY), "w", encoding="ascii") as file:
            file.write(key.private_bytes_raw().hex() + "\n")
    except OSError as error:
        raise InvalidInput(f"cannot write {path}: {error.strerror}; name another place with --key") from error
    return key

"""Every error that r-memory raises on purpose.

    RMemoryError
    ├── InvalidInput                  what was given cannot be used; the message says what to give instead
    │   ├── SubjectRequired           no subject was named and the installation has many
    │   ├── SubjectUnknown            nobody of that id or name; near ones are listed
    │   ├── SubjectAmbiguous          the word may mean several subjects; all are listed
    │   ├── SubjectMismatch           the id exists under another name
    │   ├── SubjectTaken              a new subject would be called like a known one; those are listed
    │   ├── FactMoved                 a decision was about an earlier version of a fact
    │   ├── AlreadyDecided            a person decided first about words or a request that waited
    │   ├── KeyUsed                   an idempotency key came back with something else
    │   └── UnknownName               a relation, status, action type or audit that does not exist; known ones are
    listed
    ├── ConfigurationError            a file or setting is wrong: file, line, remedy
    ├── ModelError                    a language model gave nothing that can be used; what was said is kept
    │   ├── ModelUnavailable          could not be reached, is overloaded, or ran out of time: worth trying again
    │   ├── ModelRefused              refused the key, the model's name or the request: somebody must mend it
    │   └── BadReply                  answered, with nothing that can be read
    │       └── CutOff                an answer that its limit of length ended, good as far as it goes
    ├── GateClosed                    a gate let a request not through; the message is the block that says why
    └── StoreError
        ├── StoreUnavailable          could not be reached, refused the credentials, or ran out of time
        ├── WriteConflict             another writer was first; the caller reads again and retries
        ├── LedgerBroken              what was recorded was altered or is lost; nothing may follow from it
        └── NotStored                 a write was given up; the message says what of it is in the store

It knows nothing of exit codes, tools or HTTP: the surfaces translate, and an error about a subject, which every surface
mends in words of its own, carries its facts for them. Messages never hold stored text, passwords or
addresses with credentials.
"""

import json
import sys
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

_TOOLS = {"/uv/tools/": "uv tool install", "/pipx/": "pipx install --force"}
"""Folders of programs that have an environment of their own, and what made it."""


class RMemoryError(Exception):
    """Base of all errors raised on purpose."""


class InvalidInput(RMemoryError):
    """What was given cannot be used."""


class SubjectRequired(InvalidInput):
    """No subject was named and the installation is not single-subject."""


class SubjectUnknown(InvalidInput):
    """No subject has this id or name."""


class SubjectAmbiguous(InvalidInput):
    """A word may mean several subjects."""

    def __init__(self, message: str, *, candidates: Sequence[str]) -> None:
        super().__init__(message)
        self.candidates = tuple(candidates)
        """What names each of them alone: its id, or id and name together where the id is the very word."""


class SubjectMismatch(InvalidInput):
    """The id is taken by a subject of another name."""


class SubjectTaken(InvalidInput):
    """A new subject would be called like somebody who is known; nobody was declared."""

    def __init__(self, message: str, *, candidates: Sequence[str], may_share: bool) -> None:
        super().__init__(message)
        self.candidates = tuple(candidates)
        """Ids of everybody known who is called so."""
        self.may_share = may_share
        """Two people may have one name, once it is said that they are two; but nobody's id may be another's name."""


class FactMoved(InvalidInput):
    """A decision was about an earlier version of a fact."""


class AlreadyDecided(InvalidInput):
    """A person decided first about words or a request that waited; nothing was written."""

    def __init__(self) -> None:
        super().__init__(
            "this does not wait any more: somebody has decided it meanwhile, and nothing was written; "
            "see what still waits"
        )


class KeyUsed(InvalidInput):
    """An idempotency key came back with something else than before."""

    def __init__(self, key: str, *, what: str = "words") -> None:
        super().__init__(
            f"the idempotency key '{key}' was used before with other {what}; nothing of these was stored; "
            "send them again with a key of their own, or without a key"
        )
        self.key = key


class UnknownName(InvalidInput):
    """A name outside a closed list."""

    def __init__(self, kind: str, name: str, known: Sequence[str]) -> None:
        super().__init__(f"unknown {kind} '{name}'; use one of: {', '.join(known)}")
        self.kind = kind
        self.name = name
        self.known = tuple(known)


class ConfigurationError(RMemoryError):
    """A file or setting that must be mended before anything starts."""

    def __init__(self, message: str, *, file: Path | None = None, line: int | None = None) -> None:
        place = "" if file is None else f"{file}:{line}: " if line else f"{file}: "
        super().__init__(place + message)
        self.file = file
        self.line = line
        self.others: tuple[ConfigurationError, ...] = ()
        """Further mistakes found in the same reading."""

    def among(self, others: "Sequence[ConfigurationError]") -> "ConfigurationError":
        """This error, carrying the others."""
        self.others = tuple(others)
        return self


def adding(extra: str) -> str:
    """The command that adds an optional part to this installation, in the way in which it was made."""
    made = metadata.distribution("r-memory")
    place = Path(sys.prefix).as_posix()
    tool = next((command for folder, command in _TOOLS.items() if folder in place), "")
    if tool:
        # Of a folder that was cloned: its name alone would be looked up in the registry.
        source = json.loads(made.read_text("direct_url.json") or "{}").get("url", "")
        return f"{tool} 'r-memory[{extra}]{source and ' @ '}{source}'"
    uv = "uv " if (made.read_text("INSTALLER") or "").strip() == "uv" else ""
    return f"{uv}pip install 'r-memory[{extra}]'"


class ModelError(RMemoryError):
    """A language model gave nothing that can be used; no message repeats what it or anybody said."""


class ModelUnavailable(ModelError):
    """The model could not be reached, is overloaded, or ran out of time."""


class ModelRefused(ModelError):
    """The model's server refused the key, the model's name or the request."""


class BadReply(ModelError):
    """The model answered, with nothing that can be read."""

    def __init__(self, message: str, *, said: str = "") -> None:
        super().__init__(message)
        self.said = said
        """What it answered instead, where that may be of use; never part of the message."""


class CutOff(BadReply):
    """The answer reached its limit of length before its end; what a stream gave before is its beginning."""


class GateClosed(RMemoryError):
    """A gate let a request not through: the memory could not be read, and the policy says that nothing goes on then."""


class StoreError(RMemoryError):
    """The store could not do what was asked."""


class StoreUnavailable(StoreError):
    """The store could not be reached, refused the credentials, or ran out of time."""


class WriteConflict(StoreError):
    """Another writer extended the same chain first."""


ARRIVING = (
    "an import that brings something about them has not ended: wait until it has, or import the same file again if it "
    "was killed (`r-memory doctor` says so)"
)
"""Why a read could not check, and why nothing may follow from what is there."""
KNOWN_ENTRY = "an entry of the record is stored already; store each by itself"
"""Why entries are not stored together."""


class LedgerBroken(StoreError):
    """What was recorded about a subject was altered or is lost, so that nothing may be made to follow from it."""


class NotStored(StoreError):
    """A write was given up: the message says what of it is in the store, or that nobody knows."""

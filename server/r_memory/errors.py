"""Every error that r-memory raises on purpose.

    RMemoryError
    ├── InvalidInput                  an argument cannot be used; the message says what to give instead
    │   ├── SubjectRequired           no subject was named and the installation has many
    │   ├── SubjectUnknown            no subject has this id or name; similar ones are listed
    │   ├── SubjectAmbiguous          the words may mean several subjects; all are listed
    │   ├── SubjectMismatch           the id belongs to a subject with another name
    │   ├── SubjectTaken              a new subject would have the id or name of known ones; these are listed
    │   ├── FactUnknown               no fact has this id or holds these words; near ones are listed
    │   ├── FactMoved                 a decision was about an earlier version of a fact
    │   ├── AlreadyDecided            the words or the request were decided already
    │   ├── KeyUsed                   an idempotency key was used before with other content
    │   └── UnknownName               a relation, status, action type or audit is unknown; known names are listed
    ├── ConfigurationError            a file or setting is wrong: file, line, remedy
    ├── ModelError                    a language model gave nothing usable; the utterance is kept
    │   ├── ModelUnavailable          unreachable, overloaded or out of time: retry later
    │   ├── ModelRefused              refused the key, the model's name or the request: correct the settings
    │   └── BadReply                  the answer cannot be read
    │       └── CutOff                the answer was cut off at its length limit; its beginning is kept
    ├── GateClosed                    a gate stopped a request; the message is the block that says why
    └── StoreError
        ├── StoreUnavailable          could not be reached, refused the credentials, or ran out of time
        ├── WriteConflict             another writer was first; read again and retry
        ├── LedgerBroken              records were altered or lost; no fact may be derived from them
        └── NotStored                 a write was given up; the message says what is stored

The module knows no exit codes, tools or HTTP: the surfaces translate errors. An error about a subject carries its
facts, because each surface says in its own words what to do. Messages never contain stored text, passwords or
addresses with credentials.
"""

import json
import sys
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

_TOOLS = {"/uv/tools/": "uv tool install", "/pipx/": "pipx install --force"}
"""Folders of tool environments, and the command that installs into them."""


class RMemoryError(Exception):
    """Base of all errors that r-memory raises on purpose."""


class InvalidInput(RMemoryError):
    """An argument cannot be used; the message says what to give instead."""


class SubjectRequired(InvalidInput):
    """No subject was named and the installation is not single-subject."""


class SubjectUnknown(InvalidInput):
    """No subject has this id or name."""


class SubjectAmbiguous(InvalidInput):
    """The given words may mean several subjects."""

    def __init__(self, message: str, *, candidates: Sequence[str]) -> None:
        super().__init__(message)
        self.candidates = tuple(candidates)
        """For each subject what identifies it: its id, or id and name together if the id itself is the given word."""


class SubjectMismatch(InvalidInput):
    """The id belongs to a subject with another name."""


class SubjectTaken(InvalidInput):
    """A new subject would have the id or name of a known subject, and `another_than` does not list all of those."""

    def __init__(self, message: str, *, candidates: Sequence[str], may_share: bool) -> None:
        super().__init__(message)
        self.candidates = tuple(candidates)
        """Ids of all known subjects with this id or name."""
        self.may_share = may_share
        """Whether `another_than` can solve it: two people may share a name, but no id may be another person's name."""


class FactUnknown(InvalidInput):
    """No fact has this id, or holds these words."""


class FactMoved(InvalidInput):
    """A decision was about an earlier version of the fact; read the fact again."""


class AlreadyDecided(InvalidInput):
    """The words or the request were decided already; nothing was written."""

    def __init__(self) -> None:
        super().__init__(
            "this does not wait any more: somebody has decided it meanwhile, and nothing was written; "
            "see what still waits"
        )


class KeyUsed(InvalidInput):
    """An idempotency key was used before with other content; nothing was stored."""

    def __init__(self, key: str, *, what: str = "words") -> None:
        super().__init__(
            f"the idempotency key '{key}' was used before with other {what}; nothing of these was stored; "
            "send them again with a key of their own, or without a key"
        )
        self.key = key


class UnknownName(InvalidInput):
    """A name that is not in a closed list; `known` has the list."""

    def __init__(self, kind: str, name: str, known: Sequence[str]) -> None:
        super().__init__(f"unknown {kind} '{name}'; use one of: {', '.join(known)}")
        self.kind = kind
        self.name = name
        self.known = tuple(known)


class ConfigurationError(RMemoryError):
    """A file or setting is wrong and must be corrected before anything starts."""

    def __init__(self, message: str, *, file: Path | None = None, line: int | None = None) -> None:
        place = "" if file is None else f"{file}:{line}: " if line else f"{file}: "
        super().__init__(place + message)
        self.file = file
        self.line = line
        self.others: tuple[ConfigurationError, ...] = ()
        """Further mistakes in the same file."""

    def among(self, others: "Sequence[ConfigurationError]") -> "ConfigurationError":
        """Sets `others`, and returns this error."""
        self.others = tuple(others)
        return self


def adding(extra: str) -> str:
    """The command that adds an optional extra to this installation, by the tool that installed it."""
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
    """A language model gave nothing usable. No message repeats what the model or a person said."""


class ModelUnavailable(ModelError):
    """The model could not be reached, is overloaded, or ran out of time."""


class ModelRefused(ModelError):
    """The model's server refused the key, the model's name or the request."""


class BadReply(ModelError):
    """The model answered, but the answer cannot be read."""

    def __init__(self, message: str, *, said: str = "") -> None:
        super().__init__(message)
        self.said = said
        """The model's answer if it may be useful; it is never part of the message."""


class CutOff(BadReply):
    """The answer was cut off at its length limit; what a stream yielded before is its beginning."""


class GateClosed(RMemoryError):
    """A gate stopped a request: the memory could not be read, and the policy is to stop then."""


class StoreError(RMemoryError):
    """The store could not do what it was asked."""


class StoreUnavailable(StoreError):
    """The store could not be reached, refused the credentials, or ran out of time."""


class WriteConflict(StoreError):
    """Another writer extended the same chain first; read it again and retry."""


ARRIVING = (
    "an import that brings something about them has not ended: wait until it has, or import the same file again if it "
    "was killed (`r-memory doctor` says so)"
)
"""Why a read could not check a subject, and why nothing may follow from its records."""
KNOWN_ENTRY = "an entry of the record is stored already; store each by itself"
"""Why entries are not stored in one transaction."""


class LedgerBroken(StoreError):
    """Records of a subject were altered or lost; no fact may be derived from them."""


class NotStored(StoreError):
    """A write was given up; the message says what is stored, or that this is unknown."""

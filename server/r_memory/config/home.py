"""What `r-memory init` copies out."""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from r_memory.config.files import Files
from r_memory.errors import ConfigurationError, UnknownName

_FOLDERS = ("schema", "intents", "cypher")
_ENDINGS = (".yaml", ".json", ".cypher", ".md")


@dataclass(frozen=True, slots=True, kw_only=True)
class Copied:
    """What copying the defaults did, as names below the target."""

    written: tuple[str, ...]
    kept: tuple[str, ...]
    """Were there already, and were not touched."""


def copy_defaults(files: Files, target: Path, only: Sequence[str] = ()) -> Copied:
    """Copies shipped files that people edit into the target folder, all or `only` some; one that exists is kept.

    Raises:
        ConfigurationError: the folder cannot be written.
        UnknownName: no such file is shipped.
    """
    shipped = Files(defaults=files.defaults)
    names = [
        "intents.yaml",
        *(name for folder in _FOLDERS for end in _ENDINGS for name in shipped.listing(folder, end)),
    ]
    for name in only:
        if name not in names:
            near = difflib.get_close_matches(name, names, n=5, cutoff=0.4)
            raise UnknownName("file", name, near or [*_FOLDERS, "intents.yaml"])
    written: list[str] = []
    kept: list[str] = []
    for name in sorted(only or names):
        (written if _copied(shipped, name, target) else kept).append(name)
    return Copied(written=tuple(written), kept=tuple(kept))


def _copied(shipped: Files, name: str, target: Path) -> bool:
    """Whether the file was written; opening exclusively leaves no moment in which another's file could be lost."""
    content = shipped.read(name).content
    try:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        with (target / name).open("xb") as file:
            file.write(content)
    except FileExistsError:
        if (target / name).is_file():
            return False
        raise ConfigurationError("is in the way; remove it or choose another folder", file=target / name) from None
    except OSError as error:
        message = f"cannot be written ({error.strerror}); choose a folder of yours"
        raise ConfigurationError(message, file=target / name) from error
    return True

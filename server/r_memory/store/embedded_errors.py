"""What is said when the embedded database cannot be used: what is wrong, and what to do about it."""

import errno
import platform
import sys
from collections.abc import Iterable
from pathlib import Path

from r_memory.errors import ConfigurationError, StoreUnavailable
from r_memory.store.host_lock import Announcement

NEO4J_INSTEAD = "name a Neo4j in R_MEMORY_STORE_URI"
ANOTHER_FOLDER = "set R_MEMORY_DATA_DIR to another folder"
_NO_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def no_engine(error: Exception) -> ConfigurationError:
    """There is no library for this platform, or it does not load."""
    where = f"{sys.platform} {platform.machine()}, Python {platform.python_version()}"
    return ConfigurationError(
        f"the embedded database cannot be loaded on {where} ({str(error)[:200]}); {NEO4J_INSTEAD}"
    )


def unusable(folder: Path, error: OSError) -> ConfigurationError | StoreUnavailable:
    """The folder cannot be written, for want of rights or of space."""
    if error.errno in _NO_SPACE:
        return StoreUnavailable(
            f"no space is left for the data folder {folder}; free some, {ANOTHER_FOLDER}, or {NEO4J_INSTEAD}"
        )
    reason = error.strerror or type(error).__name__
    return ConfigurationError(
        f"the data folder {folder} cannot be used ({reason}); make it writable, {ANOTHER_FOLDER}, or {NEO4J_INSTEAD}"
    )


def damaged(folder: Path, damage: str) -> StoreUnavailable:
    """Files are missing that were there; opened all the same, it would look empty."""
    return StoreUnavailable(
        f"the embedded database in {folder} is damaged: {damage}; "
        f"restore the whole folder from a backup, {ANOTHER_FOLDER}, or {NEO4J_INSTEAD}"
    )


def refused(folder: Path, error: Exception) -> StoreUnavailable:
    """The engine itself does not open it."""
    return StoreUnavailable(
        f"the embedded database in {folder} did not open ({str(error)[:300]}); "
        f"end any other program that uses the folder, restore it from a backup, or {NEO4J_INSTEAD}"
    )


def unsafe(settings: Iterable[str]) -> StoreUnavailable:
    """The engine ignores settings that durability or privacy need."""
    return StoreUnavailable(
        f"the embedded database does not accept {', '.join(settings)}, without which it would not be safe; "
        f"reinstall the pinned version of arcadedb, or {NEO4J_INSTEAD}"
    )


def nobody_answers(folder: Path, there: Announcement | None, wait_s: float) -> StoreUnavailable:
    """Somebody holds the folder and cannot be reached from here."""
    holder = "another process" if there is None else f"process {there.pid} on {there.machine}"
    return StoreUnavailable(
        f"{holder} holds the data folder {folder} and did not answer for {wait_s:g} s; "
        f"end that process, {ANOTHER_FOLDER}, or {NEO4J_INSTEAD}"
    )

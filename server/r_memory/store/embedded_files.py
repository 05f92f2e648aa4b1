"""The folder of the embedded database: files written before a start, and files that must be in it.

If catalogue or data files are missing, the engine opens the database as an empty one (measured, arcadedb
26.11.1.dev2), and an empty answer would mean "nothing known". A host therefore checks the folder first. Damage inside
a file is found only when it is read or verified.
It knows the file names and formats of the engine, and does not run it.
"""

import base64
import hashlib
import json
import re
import secrets
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from r_memory.store.formats import FORMAT
from r_memory.store.host_lock import Announcement, write_private

DATABASE = "memory"
WRITER = "root"
READER = "reader"
_READERS = "readonly"
_MARK_NAME = "store.json"
_PARTS = 5
"""Number of parts of the name of a page file: content, number, page size, version, ending."""
_NAME = re.compile(rb"[A-Za-z]\w+")
"""A property name in the engine's dictionary; the byte before it may look like a letter, always the same."""

# The secrets are 192 random bits, which nobody guesses however cheap a guess is; the engine's default of 65 536 rounds
# costs 0.3 s on the first connection (measured).
_ROUNDS = 1

_UNLIMITED = {"resultSetLimit": -1, "readTimeout": -1}
_RIGHTS = {
    "admin": {
        "access": ["updateSecurity", "updateSchema", "updateDatabaseSettings"],
        "types": {"*": {"access": ["createRecord", "readRecord", "updateRecord", "deleteRecord"]}},
    },
    _READERS: {"access": [], "types": {"*": {"access": ["readRecord"]}}},
    "*": {"access": [], "types": {"*": {"access": []}}},
}
_GROUPS = {
    "version": 2,
    "databases": {"*": {"groups": {name: {**_UNLIMITED, **rights} for name, rights in _RIGHTS.items()}}},
}

# Bytes, measured with tmpfs: a new database is not made in 16 MiB, of which it leaves half; one that is there is read
# where 64 KiB are left, and does not take a fact.
_ROOM_TO_BEGIN = 32 * 2**20
_ROOM_TO_OPEN = 16 * 2**10
_ROOM_TO_WRITE = 2**20

# No console: standard output belongs to the protocol. SEVERE only: warnings of the engine quote the values of refused
# writes, and its own limit would be 1 GB of log.
LOGGING_RULES = """\
handlers = java.util.logging.FileHandler
.level = SEVERE
java.util.logging.FileHandler.level = SEVERE
java.util.logging.FileHandler.formatter = com.arcadedb.log.LogFormatter
java.util.logging.FileHandler.limit = 1000000
java.util.logging.FileHandler.count = 2
java.util.logging.FileHandler.pattern = ${arcadedb.server.logsDirectory}/arcadedb.log
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderLayout:
    """Paths of a store's folder, and checks of its files."""

    folder: Path

    @property
    def engine(self) -> Path:
        """Root folder of the engine."""
        return self.folder / "arcadedb"

    @property
    def log(self) -> Path:
        """Folder of the engine's log."""
        return self.folder / "log"

    @property
    def database(self) -> Path:
        """Folder of the database."""
        return self.engine / "databases" / DATABASE

    @property
    def _mark(self) -> Path:
        return self.folder / _MARK_NAME

    def lacks_room(self, *, to_write: bool = False) -> bool:
        """Whether the disk is too full to open the database, or with `to_write` to write to it."""
        there = next(place for place in (self.folder, *self.folder.parents) if place.is_dir())
        room = _ROOM_TO_WRITE if to_write else _ROOM_TO_OPEN
        return shutil.disk_usage(there).free < (room if self._mark.exists() else _ROOM_TO_BEGIN)

    def prepare(self, host: Announcement) -> None:
        """Creates the folders, for the owner only, and writes the engine's logins with their rights.

        Raises:
            OSError: the folder cannot be written.
        """
        config = self.engine / "config"
        for folder in (self.folder, self.engine, config, self.log):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.folder.chmod(0o700)
        write_private(config / "server-groups.json", json.dumps(_GROUPS, indent=2))
        write_private(config / "server-users.jsonl", "".join(f"{json.dumps(user)}\n" for user in _users(host)))

    def mark(self) -> None:
        """Records what the database must have from now on, beside what was recorded before. It is called when the
        engine has opened or closed the database.

        It records the names in the engine's dictionary, which never loses one: if a name is changed, all values under
        it cannot be found, as if nothing had been recorded. It also records the sizes of the files, which never shrink.

        Raises:
            OSError: it cannot be written; the earlier record stays.
        """
        names, sizes = _names(self.database).union(self._noted_names()), self._noted_sizes()
        sizes = {file.name: max(file.stat().st_size, sizes.get(file.name, 0)) for file in self._paged()}
        mark = {"format": FORMAT, "database": DATABASE, "names": sorted(names), "sizes": sizes}
        draft = self._mark.with_suffix(".draft")
        write_private(draft, json.dumps(mark))
        draft.replace(self._mark)

    @property
    def format(self) -> int:
        """Format of the version that wrote the last record; the present format if there is no readable record."""
        noted = self._noted().get("format")
        return noted if isinstance(noted, int) else FORMAT

    @property
    def was_made(self) -> bool:
        """Whether there is or was a database, so that its absence is a loss."""
        return self._mark.exists()

    def _noted(self) -> Mapping[str, object]:
        """The last record; empty before the first start, for databases of early versions, or if it cannot be read."""
        try:
            noted = json.loads(self._mark.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return noted if isinstance(noted, dict) else {}

    def _noted_names(self) -> Sequence[str]:
        names = self._noted().get("names")
        return names if isinstance(names, list) and all(isinstance(name, str) for name in names) else ()

    def _noted_sizes(self) -> Mapping[str, int]:
        sizes = self._noted().get("sizes")
        return sizes if isinstance(sizes, dict) and all(isinstance(size, int) for size in sizes.values()) else {}

    def _paged(self) -> Iterator[Path]:
        """Page files of the database; their page size is in their name."""
        return (file for file in self.database.iterdir() if _page(file))

    def _unfinished(self) -> bool:
        """Whether a killed host left entries in its log: names and pages may be only there."""
        return any(self.database.glob("*.wal"))

    def _lost_names(self) -> bool:
        return not self._unfinished() and not _names(self.database).issuperset(self._noted_names())

    def _cut(self) -> str:
        """A file that is shorter than before, or ends within a page; empty if there is none."""
        sizes, whole = self._noted_sizes(), not self._unfinished()
        for file in sorted(self._paged()):
            size, before = file.stat().st_size, sizes.get(file.name, 0)
            if size < before:
                return f"its file {file.name} has {size} bytes and had {before}"
            if whole and size % _page(file):
                return f"its file {file.name} ends within a page"
        return ""

    def damage(self) -> str:
        """What is missing or unreadable, in words; empty if nothing is, or if there never was a database."""
        path = self.database / "schema.json"
        if not self.was_made and not path.exists():
            return ""  # the very first start may have been killed halfway; nobody was ever told of this database
        catalogue = _catalogue(path)
        if catalogue is None:
            return "its catalogue schema.json is missing or unreadable"
        wanted = {"dictionary", *(file for kind in catalogue.values() for file in _files_of(kind))}
        # `Entity_0` for `Entity_0.1.65536.v0.bucket`.
        missing = sorted(wanted - {file.name.rsplit(".", 4)[0] for file in self.database.iterdir()})
        if missing:
            return f"{len(missing)} of its files are missing, {missing[0]} among them"
        return self._cut() or ("its dictionary of names has lost some" if self._lost_names() else "")


def _catalogue(path: Path) -> Mapping[str, object] | None:
    """Types of the database by name; `None` if they cannot be read."""
    try:
        types = json.loads(path.read_text(encoding="utf-8"))["types"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return types if isinstance(types, dict) else None


def _files_of(kind: object) -> Iterator[str]:
    """Names, without their numbers, of the files of a type."""
    if not isinstance(kind, dict):
        return
    for bucket in kind.get("buckets", ()):
        yield str(bucket)
        if kind.get("type") == "v":
            yield f"{bucket}_out_edges"
            yield f"{bucket}_in_edges"


def _page(file: Path) -> int:
    """Page size of a file in bytes, as in `Entity_0.1.65536.v0.bucket`; 0 if its name has none."""
    parts = file.name.rsplit(".", 4)
    return int(parts[2]) if len(parts) == _PARTS and parts[2].isdecimal() else 0


def _names(database: Path) -> frozenset[str]:
    """Property names in the engine's dictionary."""
    files = database.glob("dictionary.*")
    return frozenset(name.decode() for file in files for name in _NAME.findall(file.read_bytes()))


def _users(host: Announcement) -> Iterable[Mapping[str, object]]:
    yield {"name": WRITER, "databases": {"*": ["admin"]}, "password": _encoded(host.secret)}
    yield {"name": READER, "databases": {DATABASE: [_READERS]}, "password": _encoded(host.reader_secret)}


def _encoded(password: str) -> str:
    """A password as the engine stores it: the salt is its text, not the bytes that the text encodes."""
    salt = base64.b64encode(secrets.token_bytes(32)).decode()
    digest = hashlib.pbkdf2_hmac("sha256", password.encode(), salt.encode(), _ROUNDS)
    return f"PBKDF2WithHmacSHA256${_ROUNDS}${salt}${base64.b64encode(digest).decode()}"

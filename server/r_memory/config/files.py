"""Where the files that people edit are found: the home folder first, then the defaults that came with the package; and
how these are copied out.

Knows paths, bytes and digests; nothing of what the files mean.
"""

import difflib
import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path, PurePosixPath
from typing import Literal

from r_memory.config.places import user_place
from r_memory.errors import ConfigurationError, UnknownName

MAX_BYTES = 32 * 1024 * 1024
"""Most bytes of a file; a lexicon of 50 000 terms takes a tenth."""
_FOLDERS = ("schema", "intents", "cypher")
_ENDINGS = (".yaml", ".json", ".jsonl", ".cypher", ".md")


def packaged_defaults() -> Path:
    """Returns the shipped folder of `intents.yaml`, `schema/` and `cypher/`.

    In a wheel this is `r_memory/defaults`; an editable install uses the repository.
    """
    package = Path(str(resources.files("r_memory")))
    inside = package / "defaults"
    return inside if inside.is_dir() else package.parents[1]


def user_folder(kind: Literal["data", "cache"]) -> Path:
    """Returns the user's folder for data, or for cached data, as the system or `XDG_*` defines it."""
    return Path(user_place(kind))


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The content of one file."""

    path: Path
    """Its path on this machine."""
    content: bytes

    @property
    def text(self) -> str:
        """The content as UTF-8, without a byte order mark.

        Raises:
            ConfigurationError: the content is not UTF-8.
        """
        try:
            return self.content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = self.content[: error.start].count(b"\n") + 1
            raise ConfigurationError("not UTF-8; save the file as UTF-8", file=self.path, line=line) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """Finds files by their name below the home, such as `schema/clinical.yaml`."""

    home: Path | None = None
    """Folder whose files replace the defaults of the same name; `None`: only defaults."""
    defaults: Path = field(default_factory=packaged_defaults)
    drafts: Mapping[str, bytes] = field(default_factory=dict, hash=False)
    """Contents by name that replace both folders: unsaved changes to try out."""

    def __post_init__(self) -> None:
        if self.home is not None and not self.home.is_dir():
            message = "the home folder does not exist; create it with `r-memory init`, or name another"
            raise ConfigurationError(message, file=self.home)

    @property
    def are_shipped(self) -> bool:
        """Whether only the package's own files are found: these stay as they are while a process runs."""
        return self.home is None and not self.drafts and self.defaults == packaged_defaults()

    def find(self, relative: str) -> Path | None:
        """Returns the path of the file in the home, else of the default; `None` if there is neither."""
        name = _inside(relative)
        return next((path for folder in self._folders for path in [folder / name] if path.is_file()), None)

    def read(self, relative: str) -> Source:
        """Returns the file of the home, else the default.

        Raises:
            ConfigurationError: there is neither, or it cannot be read.
        """
        if relative in self.drafts:
            return Source(path=Path(relative), content=self.drafts[relative])
        path = self.find(relative)
        if path is None:
            looked = " and ".join(str(folder) for folder in self._folders)
            message = f"file not found, looked in {looked}; create it, or correct the name where it is mentioned"
            raise ConfigurationError(message, file=Path(relative))
        return Source(path=path, content=content_of(path))

    def text(self, relative: str) -> str:
        """Returns the text of the file; raises as `read`."""
        return self.read(relative).text

    def listing(self, folder: str, suffix: str) -> tuple[str, ...]:
        """Returns the names of all files below a folder with this suffix, in home and defaults, sorted."""
        below = _inside(folder)
        found = (
            path.relative_to(root).as_posix()
            for root in self._folders
            for path in (root / below).rglob("*" + suffix)
            if path.is_file()
        )
        return tuple(sorted(set(found)))

    @property
    def _folders(self) -> tuple[Path, ...]:
        return (self.defaults,) if self.home is None else (self.home, self.defaults)


def nearest(name: str, home: Path | None) -> Iterator[tuple[Path, str]]:
    """Yields path and text of the files with this name, in the current directory, then in the home."""
    for folder in filter(None, (Path.cwd(), home)):
        path = folder / name
        try:
            yield path, path.read_text(encoding="utf-8-sig")
        except FileNotFoundError:
            continue
        except (OSError, UnicodeDecodeError):
            raise ConfigurationError("cannot be read as text; mend or remove it", file=path) from None


def digest(contents: Iterable[bytes]) -> str:
    """Returns the first 12 digits of a SHA-256 over the contents, in order; the same for LF and CRLF."""
    total = hashlib.sha256()
    for content in contents:
        total.update(hashlib.sha256(content.replace(b"\r\n", b"\n")).digest())
    return total.hexdigest()[:12]


def write_whole(path: Path, text: str, mode: int = 0o600) -> None:
    """Replaces a file completely or not at all; by default readable by its owner only.

    Raises:
        OSError: it cannot be written; the old file stays.
    """
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "wb") as file:
        file.write(text.encode())
        file.flush()
        os.fsync(file.fileno())
    beside.chmod(mode)
    beside.replace(path)


def _inside(relative: str) -> PurePosixPath:
    path = PurePosixPath(relative.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or ":" in relative or "\0" in relative:
        message = "this name leaves the home folder; write it relative to the home, without `..`"
        raise ConfigurationError(message, file=Path(relative.replace("\0", "")))
    return path


def content_of(path: Path, *, remedy: str = "check that you may read it") -> bytes:
    """Returns the bytes of a file; `remedy` ends the error's message.

    Raises:
        ConfigurationError: the file cannot be read, or is too long.
    """
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ConfigurationError(f"longer than {MAX_BYTES // 2**20} MiB; split or shorten it", file=path)
        return path.read_bytes()
    except OSError as error:
        raise ConfigurationError(f"cannot be read ({error.strerror}); {remedy}", file=path) from error


# --- copying out -----------------------------------------------------------------------------------------------------


def copy_defaults(files: Files, target: Path, only: Sequence[str] = ()) -> Mapping[str, bool]:
    """Copies editable shipped files into the target folder, all or `only` some.

    Returns each name with whether it was written; existing files are kept.

    Raises:
        ConfigurationError: a name of `only` is unknown.
    """
    shipped = Files(defaults=files.defaults)
    single = [name for name in ("gates.yaml", "intents.yaml") if shipped.find(name) is not None]
    names = [*single, *(name for place in _FOLDERS for end in _ENDINGS for name in shipped.listing(place, end))]
    for name in only:
        if name not in names:
            near = difflib.get_close_matches(name, names, n=5, cutoff=0.4)
            raise UnknownName("file", name, near or [*_FOLDERS, *single])
    return {name: _copied(shipped, name, target) for name in sorted(only or names)}


def _copied(shipped: Files, name: str, target: Path) -> bool:
    """Whether the file was written; exclusive creation never replaces an existing file."""
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

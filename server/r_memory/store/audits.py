"""Audits, which people run and may add: files of `cypher/audit`, each a reading query that returns the space of its
rows.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path, PurePosixPath

from r_memory.errors import ConfigurationError
from r_memory.protocols import Audit
from r_memory.store.queries import parse_query

FOLDER = "cypher/audit"
_SCHEMA = re.compile(r"^// schema: (?P<schema>\S+)$", re.MULTILINE)
"""Names the domain of an audit about its relations; audits without it apply to all domains."""
_TITLE = re.compile(r"^// title: (?P<title>\S.*)$", re.MULTILINE)


def load_audits(paths: Iterable[str], read: Callable[[str], str], schema: str = "") -> Mapping[str, Audit]:
    """Audits by file name; `read` returns the text of a path such as `cypher/audit/shown.cypher`.

    With `schema`, audits of other domains are left out.

    Raises:
        ConfigurationError: a file has no title, writes, takes parameters, or does not return `space` first.
    """
    audits: dict[str, Audit] = {}
    for path in paths:
        text = read(path)
        own = _SCHEMA.search(text)
        if own is None or schema in {"", own["schema"]}:
            audits[PurePosixPath(path).stem] = _audit(path, text)
    return audits


def _audit(path: str, text: str) -> Audit:
    query = parse_query(path, text)
    title = _TITLE.search(text)
    if title is None:
        raise ConfigurationError("an audit needs a line `// title: …` in its header", file=Path(path))
    if query.mode != "read" or query.parameters:
        raise ConfigurationError("an audit reads and takes no parameters; see cypher/audit/README.md", file=Path(path))
    if query.returns[:1] != ("space",):
        raise ConfigurationError("an audit returns `space` first, so that no tenant sees another's", file=Path(path))
    return Audit(name=PurePosixPath(path).stem, title=title["title"], text=text)

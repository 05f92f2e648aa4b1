"""The audits that people run and add to: files of `cypher/audit`, each a query that reads and names its rows' space."""

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path, PurePosixPath

from r_memory.errors import ConfigurationError
from r_memory.protocols import Audit
from r_memory.store.queries import parse_query

FOLDER = "cypher/audit"
_SCHEMA = re.compile(r"^// schema: (?P<schema>\S+)$", re.MULTILINE)
"""Of an audit that asks about the relations of one domain; others are of use in all."""
_TITLE = re.compile(r"^// title: (?P<title>\S.*)$", re.MULTILINE)


def load_audits(paths: Iterable[str], read: Callable[[str], str], schema: str = "") -> Mapping[str, Audit]:
    """Audits by name, the name being that of the file; `read` gives the text of a path such as
    `cypher/audit/shown.cypher`. With `schema`, those that belong to another domain are left out.

    Raises:
        ConfigurationError: a file has no title, does not only read, takes parameters, or does not return `space` first.
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

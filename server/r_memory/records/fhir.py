"""FHIR R4 and R4B: JSON, NDJSON and XML; a resource, a Bundle, or many lines of them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from r_memory.domain.instants import Instant
from r_memory.domain.schema import Schema
from r_memory.errors import InvalidInput
from r_memory.protocols import Linker
from r_memory.records.mapping import Mapper, RecordForm, date_in
from r_memory.records.trees import Tree, at, decoded, element, of_element, of_json, tag, words
from r_memory.records.values import FileEntry, FilePerson, FileReading, Refused

LARGEST = 100_000_000
"""Most bytes of a JSON or XML file that is read at once; NDJSON is read line by line."""


def resources_of(data: bytes, name: str) -> tuple[Tree, ...]:
    """Returns every resource of a file, bundles unpacked.

    Raises:
        InvalidInput: the file is damaged, too large, or holds no resource.
    """
    if len(data) > LARGEST:
        mega = 1_000_000
        raise InvalidInput(
            f"{name} has {len(data) // mega} MB, at most {LARGEST // mega} MB are read at once; export it by resource "
            "type as NDJSON, and import each file"
        )
    text = decoded(data, name)
    found = tuple(unbundled(_whole(text, name)))
    if not found:
        raise InvalidInput(f"{name} holds no resource; give a FHIR resource, a Bundle, or NDJSON")
    return found


def _whole(text: str, name: str) -> Iterator[object]:
    bare = text.lstrip()
    if bare.startswith("<"):
        root = element(text, name)
        tree = of_element(root, primitive=True)
        yield {"resourceType": tag(root), **tree} if isinstance(tree, dict) else tree
        return
    lines = [line for line in bare.splitlines() if line.strip()]
    if len(lines) > 1 and all(line.lstrip().startswith("{") and line.rstrip().endswith("}") for line in lines):
        for number, line in enumerate(lines, start=1):
            yield of_json(line, f"{name}, line {number},")
    else:
        yield of_json(text, name)


def unbundled(values: Iterable[object]) -> Iterator[Tree]:
    """Yields every resource among the values, bundles unpacked, each with its address in the bundle."""
    for value in values:
        if isinstance(value, list):
            yield from unbundled(value)
        elif isinstance(value, Mapping):
            if _text(value, "resourceType") != "Bundle":
                if _text(value, "resourceType"):
                    yield value
                continue
            for entry in at("entry", value, value):
                if isinstance(entry, Mapping):
                    for resource in at("resource", entry, entry):
                        url = {"fullUrl": _text(entry, "fullUrl")}
                        yield from unbundled([{**url, **resource}] if isinstance(resource, Mapping) else [])


def _text(tree: Mapping[str, object], key: str) -> str:
    value = tree.get(key)
    value = value[0] if isinstance(value, list) and value else value
    return value if isinstance(value, str) else ""


def read(resources: Iterable[Tree], form: RecordForm, schema: Schema, linker: Linker) -> FileReading:
    """Returns the entries of the resources, by the table; each names its person by the file's id."""
    resources = tuple(resources)
    looked_up = {key: tree for tree in resources for key in _keys(tree, form)}
    mapper = Mapper(form=form, schema=schema, linker=linker, looked_up=looked_up)
    persons = {_text(tree, "id"): _person(tree, form) for tree in resources if _text(tree, form.type) == form.person}
    alias = {key: _text(looked_up[key], "id") for key in looked_up if _text(looked_up[key], form.type) == form.person}
    said = _sources(resources, form)
    entries: list[FileEntry] = []
    refused: list[Refused] = []
    for number, resource in enumerate(resources, start=1):
        kind = _text(resource, form.type)
        id_ = f"{kind}/{_text(resource, 'id') or f'number {number}'}"
        if kind == form.person or _source(resource, form):
            continue
        read_, not_read = mapper.read(kind, {key: item for key, item in resource.items() if key != "fullUrl"}, id_)
        about, name = _about(resource, form)
        about = alias.get(about, about.rpartition("/")[2])
        came_from, when = next((said[key] for key in _keys(resource, form) if key in said), ("", None))
        for entry in read_:
            text = f"{entry.text}\n{came_from}" if came_from else entry.text
            entries.append(replace(entry, text=text, said_at=when or entry.said_at, about=about, name=name))
        refused += not_read
    return FileReading(entries=tuple(entries), refused=tuple(refused), persons=persons)


def _sources(resources: Iterable[Tree], form: RecordForm) -> Mapping[str, tuple[str, Instant | None]]:
    """Returns the words that resources came from and when they were said, by reference."""
    found: dict[str, tuple[str, Instant | None]] = {}
    for resource in resources:
        source = _source(resource, form)
        for path in form.source.of if form.source and source else ():
            found |= {key: source for key in words(at(path, resource, resource)) if source}
    return found


def _source(resource: Tree, form: RecordForm) -> tuple[str, Instant | None] | None:
    """Returns the words and date of a resource that is the source of others; `None` for any other."""
    source = form.source
    if source is None or _text(resource, form.type) != source.kind:
        return None
    said, who = (
        [word for path in paths for word in words(at(path, resource, resource))] for paths in (source.words, source.who)
    )
    return (f'said by {", ".join(who)}: "{" ".join(said)}"', date_in(source.said, resource, resource)) if said else None


def _keys(resource: Tree, form: RecordForm) -> Iterator[str]:
    kind, id_, url = (_text(resource, key) for key in (form.type, "id", "fullUrl"))
    yield from (key for key in (f"{kind}/{id_}" if id_ else "", url) if key)


def _person(resource: Tree, form: RecordForm) -> FilePerson:
    ids = (word for path in form.known_as for value in at(path, resource, resource) for word in words(value)[:1])
    return FilePerson(
        ids=frozenset(ids),
        name=_name(resource, form),
        born=next((word for path in form.born for word in words(at(path, resource, resource))), ""),
    )


def _name(resource: Tree, form: RecordForm) -> str:
    """Returns the first name of a person: its text, else its parts."""
    first, *parts = form.named
    text = next(iter(words(at(first, resource, resource))), "")
    names = [value for value in at("name", resource, resource) if isinstance(value, Mapping)][:1]
    return text or " ".join(
        word for path in parts for value in names for word in words(at(path.removeprefix("name."), value, value))
    )


def _about(resource: Tree, form: RecordForm) -> tuple[str, str]:
    for path in form.about:
        for value in at(path, resource, resource):
            if isinstance(value, Mapping):
                number = next(iter(words(at("identifier.value", value, value))), "")
                return _text(value, "reference") or number, _text(value, "display")
    return "", ""

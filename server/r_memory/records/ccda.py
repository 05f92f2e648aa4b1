"""C-CDA: the sections of a document, their coded entries by the table, and narrative where there are no entries.

A section without entries is prose: it is handed on with its title, and nothing is read in it here.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from xml.etree import ElementTree as ET

from r_memory.domain.schema import Schema
from r_memory.errors import InvalidInput
from r_memory.protocols import Linker
from r_memory.records.mapping import NAMELESS, Mapper, RecordForm, instant_of
from r_memory.records.trees import decoded, element, of_element, tag, whole_of
from r_memory.records.values import FileEntry, FilePerson, FileReading, Narrative, Refused

_MOMENT = re.compile(r"(\d{4})(\d{2})?(\d{2})?(\d{2})?(\d{2})?(\d{2})?(?:\.\d+)?([+-]\d{4})?")
_DROPPED = frozenset({"id", "templateId", "realmCode"})
"""Elements with identifiers for programs only."""
_QUIET = frozenset({"classCode", "determinerCode", "contextConductionInd", "inversionInd", "root", "extension"})


def read(data: bytes, name: str, form: RecordForm, schema: Schema, linker: Linker) -> FileReading:
    """Returns what the sections of a document say.

    Raises:
        InvalidInput: the document is damaged, no C-CDA, or about several people.
    """
    root = element(decoded(data, name), name)
    if tag(root) != form.type:
        raise InvalidInput(f"{name} is no C-CDA document: it begins with <{tag(root)}>; give a <{form.type}>")
    persons = dict(_persons(root, form))
    if len(persons) > 1:
        raise InvalidInput(f"{name} is about {len(persons)} people; make a document of each")
    mapper = Mapper(form=form, schema=schema, linker=linker, looked_up={})
    written = instant_of(_moment(_attr(_child(root, "effectiveTime"), "value")))
    entries: list[FileEntry] = []
    refused: list[Refused] = []
    narratives: list[Narrative] = []
    for section in (item for item in root.iter() if tag(item) == "section"):
        title = _words(_child(section, "title")) or _attr(_child(section, "code"), "displayName") or "a section"
        kind = form.sections.get(_attr(_child(section, "code"), "code"), "")
        statements = [item for entry in section if tag(entry) == "entry" for item in entry]
        if section.get("nullFlavor"):
            refused.append(Refused(id=title, reason="the section says that it has no information, which is no absence"))
        elif not statements and (text := _words(_child(section, "text"))):
            narratives.append(Narrative(title=title, text=text, said_at=written))
        elif statements and not kind:
            refused.append(Refused(id=title, reason=f"its {len(statements)} entries are of a section that is not read"))
        else:
            _refer(section)
            for number, statement in enumerate(statements, start=1):
                fields = {"resourceType": kind, "statement": tag(statement), **_tree(statement)}
                read_, not_read = mapper.read(kind, fields, f"{kind} {number}")
                entries += read_
                # What has words and no code is prose as well.
                if (text := _words(_child(statement, "text"))) and any(item.reason == NAMELESS for item in not_read):
                    narratives.append(Narrative(title=title, text=text, said_at=written))
                else:
                    refused += not_read
    about = next(iter(persons), "")
    said = tuple(replace(entry, about=about) for entry in entries)
    return FileReading(entries=said, refused=tuple(refused), persons=persons, narratives=tuple(narratives))


def _persons(root: ET.Element, form: RecordForm) -> Iterator[tuple[str, FilePerson]]:
    for target in root:
        if tag(target) != "recordTarget":
            continue
        role = next(iter(target), target)
        ids = [_attr(item, "extension") or _attr(item, "root") for item in role if tag(item) == "id"]
        who = _child(role, form.person)
        name = _words(_child(who, "name"))
        born = _attr(_child(who, "birthTime"), "value")
        yield next(iter(ids), name), FilePerson(ids=frozenset(ids), name=name, born=born)


def _child(node: ET.Element | None, name: str) -> ET.Element | None:
    return None if node is None else next((item for item in node if tag(item) == name), None)


def _attr(node: ET.Element | None, name: str) -> str:
    return "" if node is None else node.get(name, "")


def _words(node: ET.Element | None) -> str:
    """Returns all words of a narrative, with cells and lines separated."""
    return "" if node is None else whole_of(node)


def _refer(section: ET.Element) -> None:
    """Puts the narrative's words where an entry refers to them."""
    told = {item.get("ID"): item for item in section.iter() if item.get("ID")}
    for node in section.iter():
        if tag(node) in {"originalText", "text"} and (reference := _child(node, "reference")) is not None:
            named = told.get(_attr(reference, "value").removeprefix("#"))
            node.text = f"{node.text or ''} {_words(named)}"


def _tree(node: ET.Element) -> Mapping[str, object]:
    """Returns a statement as a tree, without identifiers for programs, and with ISO-8601 dates."""
    for inner in list(node.iter()):
        for child in [child for child in inner if tag(child) in _DROPPED]:
            inner.remove(child)
        for key in [key for key in inner.attrib if key in _QUIET]:
            del inner.attrib[key]
        if tag(inner) in _TIMES and inner.get("value"):
            inner.set("value", _moment(inner.get("value", "")))
    tree = of_element(node)
    return tree if isinstance(tree, Mapping) else {}


_TIMES = frozenset({"low", "high", "center", "time", "effectiveTime", "birthTime", "deceasedTime"})


def _moment(value: str) -> str:
    """Returns an HL7 date as ISO-8601, without an hour as a day; unchanged if it is no date."""
    found = _MOMENT.fullmatch(value)
    if found is None:
        return value
    year, month, day, hour, *rest = found.groups()
    date = "-".join(filter(None, (year, month, day)))
    if hour is None:
        return date
    minute, second, zone = rest
    return f"{date}T{hour}:{minute or '00'}:{second or '00'}" + (f"{zone[:3]}:{zone[3:]}" if zone else "")

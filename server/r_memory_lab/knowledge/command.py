"""`knowledge`: what the pack says of a concept, how two versions differ, and names from vocabularies of one's own.

Reads files only: no store is opened, and nothing that anybody said is looked at.
"""

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated

import typer

from r_memory.cli.app import COMMANDS, Exit
from r_memory.cli.options import AsJson, Home, settings_of
from r_memory.cli.printing import counted, print_json, print_parts, print_table, progress
from r_memory.config.files import Files, Source
from r_memory.config.knowledge_file import load_knowledge, pack_of
from r_memory.config.schema_file import load_schema
from r_memory.config.settings import Settings
from r_memory.config.yaml_lines import load
from r_memory.domain.facts import HAS_INGREDIENT, Entity
from r_memory.domain.knowledge import CROSS_REACTS_WITH, MEMBER_OF, Knowledge, Link
from r_memory.domain.schema import Schema
from r_memory.errors import ConfigurationError, InvalidInput
from r_memory_lab.knowledge.atc import NOTICE as ATC_NOTICE
from r_memory_lab.knowledge.atc import read_atc
from r_memory_lab.knowledge.coverage import coverage
from r_memory_lab.knowledge.differences import PackChange, difference
from r_memory_lab.knowledge.rows import steps_of
from r_memory_lab.knowledge.rxnorm import CONCEPTS, RELATIONS, read_rxnorm
from r_memory_lab.knowledge.rxnorm import NOTICE as RXNORM_NOTICE
from r_memory_lab.knowledge.vocabulary import ImportOrigin, Vocabulary, lexicon_file, pack_file

_ABOVE = 9
"""Steps that show a complete closure."""
_SHOWN = 40
"""Members that are listed; the others are counted."""

knowledge = typer.Typer(help=COMMANDS["knowledge"][1], no_args_is_help=True, rich_markup_mode=None)
# The list of commands is compared with what each says of itself.
knowledge.__doc__ = COMMANDS["knowledge"][1]
imports = typer.Typer(help="Writes names of a vocabulary of yours into the home.", no_args_is_help=True)
knowledge.add_typer(imports, name="import")
knowledge.command()(coverage)

OwnType = Annotated[str, typer.Option("--type", metavar="TYPE", help="Type of the lexicon that the names get.")]
Version = Annotated[str, typer.Option("--version", metavar="TEXT", help="Release of the vocabulary, for the files.")]
Skip = Annotated[
    Path | None, typer.Option("--skip", metavar="FILE", help="Names to leave out, one a line: everyday words.")
]


@knowledge.command()
def show(
    term: Annotated[str, typer.Argument(help="A concept, or another word for one; without it the whole pack.")] = "",
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Shows what the pack says of a concept, with tier, source and review; without a term, what the pack holds."""
    schema, pack = _loaded(settings_of(home))
    if not term:
        _show_pack(pack, as_json=as_json)
        return
    concept = _concept_of(term, schema, pack)
    rows = [_row(link, pack) for link in _claims(concept, pack)]
    described = {
        "concept": concept.name,
        "type": concept.type,
        "synonyms": list(concept.aliases),
        "belongs_to": _names(pack, _reached(pack, concept.uid, MEMBER_OF)),
        "members": _names(pack, _below(pack, concept.uid, MEMBER_OF)),
        "ingredients": _names(pack, _reached(pack, concept.uid, HAS_INGREDIENT)),
        "contained_in": _names(pack, _below(pack, concept.uid, HAS_INGREDIENT)),
        "facts": rows,
        "pack_version": pack.version,
    }
    if as_json:
        print_json(described)
        return
    print_parts(f"{concept.name} ({concept.type}) · pack {pack.name} {pack.version}")
    for key in ("synonyms", "belongs_to", "members", "ingredients", "contained_in"):
        _print_list(key.replace("_", " "), described[key])
    if rows:
        columns = ("relation", "a", "b", "tier", "condition", "rate", "action", "source", "checked")
        print_table(columns, [[row[column] for column in columns] for row in rows])


@knowledge.command()
def diff(
    old: Annotated[Path, typer.Argument(metavar="OLD", help="A pack file, or a home folder.")],
    new: Annotated[
        Path | None, typer.Argument(metavar="[NEW]", help="The same. Default: the pack in use, of the same kind.")
    ] = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Lists what was added, removed or changed between two packs.

    A file is compared as it stands; a home with everything that adds to its pack. Exit code 1: there are differences.
    """
    settings = settings_of(home)
    schema = load_schema(settings.files, settings.schema)
    before = _pack_in(old, schema)
    if new is not None:
        after = _pack_in(new, schema)
    elif old.is_dir():
        after = load_knowledge(settings.files, schema)
    else:
        after = pack_of([load(settings.files.read(f"schema/knowledge/{schema.knowledge}.yaml"))], schema)
    changes = difference(before, after)
    known = {**before.concepts, **after.concepts}
    rows = [_changed(change, known) for change in changes]
    if as_json:
        print_json({"old": before.version, "new": after.version, "changes": rows})
    else:
        print_table(("change", "relation", "a", "b", "condition", "what"), [list(row.values()) for row in rows])
        print_parts(f"{counted(len(changes), 'difference')} between {before.version} and {after.version}.")
    if changes:
        raise typer.Exit(Exit.CHECK_FAILED)


@imports.command()
def rxnorm(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help=f"Folder with {CONCEPTS} and {RELATIONS}.")],
    type_: OwnType = "Drug",
    version: Version = "release not stated",
    skip: Skip = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Imports ingredients, brands and combinations from your own copy of RxNorm.

    Only names of the NLM itself are taken (SAB=RXNORM). The files go into the home; delete them to undo the import.
    """
    settings = settings_of(home)
    schema = load_schema(settings.files, settings.schema)
    steps = steps_of(folder / CONCEPTS) + steps_of(folder / RELATIONS)
    with progress("reading RxNorm", steps) as step:
        found = read_rxnorm(folder, stop=_stop_words(schema, skip), progressed=step)
    origin = _origin("rxnorm", "RxNorm, U.S. National Library of Medicine", RXNORM_NOTICE, version)
    _write(settings, schema, found, origin, type_=type_, group_type="", as_json=as_json)


@imports.command()
def atc(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A CSV with columns of codes and names.")],
    type_: OwnType = "Drug",
    group_type: Annotated[
        str, typer.Option("--class-type", metavar="TYPE", help="Type that the classes get.")
    ] = "DrugClass",
    version: Version = "release not stated",
    skip: Skip = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Imports substances and their classes from your own copy of the ATC table (non-commercial use only).

    Classes become concepts of the pack, never words to be looked for in texts.
    """
    settings = settings_of(home)
    schema = load_schema(settings.files, settings.schema)
    with progress("reading ATC", steps_of(file)) as step:
        found = read_atc(file, stop=_stop_words(schema, skip), progressed=step)
    origin = _origin("atc", "ATC, WHO Collaborating Centre for Drug Statistics Methodology", ATC_NOTICE, version)
    _write(settings, schema, found, origin, type_=type_, group_type=group_type, as_json=as_json)


def _loaded(settings: Settings) -> tuple[Schema, Knowledge]:
    schema = load_schema(settings.files, settings.schema)
    return schema, load_knowledge(settings.files, schema)


def _pack_in(path: Path, schema: Schema) -> Knowledge:
    if path.is_dir():
        files = Files(home=path)
        return load_knowledge(files, load_schema(files, schema.name))
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ConfigurationError(f"cannot be read ({error.strerror}); check the path", file=path) from error
    return pack_of([load(Source(path=path, content=content))], schema)


# show


def _show_pack(pack: Knowledge, *, as_json: bool) -> None:
    relations = dict.fromkeys(link.relation for link in pack.links)
    rows = [_counts(relation, [link for link in pack.links if link.relation == relation]) for relation in relations]
    if as_json:
        facts = [_row(link, pack) for link in pack.links]
        print_json({"pack": pack.name, "version": pack.version, "relations": rows, "facts": facts})
        return
    linked = {uid for link in pack.links for uid in (link.start, link.end)}
    print_parts(
        f"Pack {pack.name} {pack.version}: {len(pack.concepts)} concepts, {len(linked)} of them linked, "
        f"{counted(len(pack.rules), 'rule')} that may fire."
    )
    print_table(tuple(rows[0]) if rows else ("relation",), [list(row.values()) for row in rows])


def _counts(relation: str, links: list[Link]) -> dict[str, object]:
    tiers = {f"tier {tier}": sum(link.tier == tier for link in links) for tier in ("A", "B", "C")}
    reviewed = sum(link.reviewed for link in links)
    return {"relation": relation, "facts": len(links), **tiers, "seen": reviewed, "recall": len(links) - reviewed}


def _concept_of(term: str, schema: Schema, pack: Knowledge) -> Entity:
    wanted = term.casefold()
    exact = [entity for entity in pack.concepts.values() if entity.id == wanted]
    other = [entity for entity in pack.concepts.values() if wanted in {alias.casefold() for alias in entity.aliases}]
    found = exact or other
    if not found:
        raise InvalidInput(
            f"the pack has no concept '{term[:80]}'; add it to schema/lexicon/{schema.name}.yaml or to the pack"
        )
    return found[0]


def _claims(concept: Entity, pack: Knowledge) -> Iterator[Link]:
    """Yields the facts about the concept, and about everything above it."""
    for uid in (concept.uid, *_reached(pack, concept.uid, MEMBER_OF), *_reached(pack, concept.uid, HAS_INGREDIENT)):
        for link in pack.links:
            if link.relation not in {MEMBER_OF, HAS_INGREDIENT} and uid in {link.start, link.end}:
                yield link


def _reached(pack: Knowledge, uid: str, relation: str) -> list[str]:
    return [there for there, path in pack.upward(uid, {relation: _ABOVE}).items() if path]


def _below(pack: Knowledge, uid: str, relation: str) -> list[str]:
    return [link.start for link in pack.incoming(uid, relation)]


def _names(pack: Knowledge, uids: Iterable[str]) -> list[str]:
    return [pack.concepts[uid].name for uid in dict.fromkeys(uids)]


def _row(link: Link, pack: Knowledge) -> dict[str, object]:
    """Returns a fact in the form of docs/reference/knowledge.md."""
    return {
        "id": link.rule or f"{link.relation}: {pack.concepts[link.start].id}, {pack.concepts[link.end].id}",
        "a": pack.concepts[link.start].name,
        "relation": link.relation,
        "b": pack.concepts[link.end].name,
        "condition": link.condition,
        "action": link.action,
        "match_level": _match_level(link, pack),
        "tier": link.tier,
        "rate": link.rate,
        "source": link.source,
        "checked": "seen" if link.reviewed else "recall",
        "checked_by": link.checked_by,
        "checked_on": link.checked_on,
        "pack_version": pack.version,
    }


def _match_level(link: Link, pack: Knowledge) -> str:
    """Returns `class` if an end has members, as the fact then holds for them by class only."""
    has_members = any(pack.incoming(uid, MEMBER_OF) for uid in (link.start, link.end))
    return "class" if has_members or link.relation == CROSS_REACTS_WITH else "exact"


def _print_list(name: str, values: object) -> None:
    if isinstance(values, list) and values:
        more = f" and {len(values) - _SHOWN} more" if len(values) > _SHOWN else ""
        print_parts(f"{name}: {', '.join(map(str, values[:_SHOWN]))}{more}")


# diff


def _changed(change: PackChange, known: Mapping[str, Entity]) -> dict[str, object]:
    what = "; ".join(f"{name}: {before!s} → {after!s}" for name, (before, after) in change.what.items())
    return {
        "change": change.kind,
        "relation": change.relation,
        "a": known[change.start].name,
        "b": known[change.end].name,
        "condition": change.condition,
        "what": what,
    }


# import


def _origin(key: str, cite: str, notice: str, version: str) -> ImportOrigin:
    day = dt.datetime.now(dt.UTC).date().isoformat()
    return ImportOrigin(key=key, cite=cite, notice=notice, version=" ".join(version.split()), day=day)


def _stop_words(schema: Schema, skip: Path | None) -> frozenset[str]:
    """Returns the words of the language and of the file, which no imported name may be."""
    words = {word.casefold() for word in _words_in(dict(schema.language.sections))}
    if skip is not None:
        try:
            words |= {line.strip().casefold() for line in skip.read_text(encoding="utf-8").splitlines()}
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigurationError("cannot be read as UTF-8 text; check the path", file=skip) from error
    return frozenset(words)


def _words_in(section: object) -> Iterator[str]:
    if isinstance(section, str):
        yield section
    elif isinstance(section, Mapping):
        for value in section.values():
            yield from _words_in(value)
    elif isinstance(section, list | tuple):
        for value in section:
            yield from _words_in(value)


def _write(
    settings: Settings,
    schema: Schema,
    found: Vocabulary,
    origin: ImportOrigin,
    *,
    type_: str,
    group_type: str,
    as_json: bool,
) -> None:
    """Writes both files into the home and prints what they contain."""
    home = _home_for(settings, schema, (type_, group_type))
    files = {
        home / f"schema/lexicon/{schema.lexicon_name}.d/{origin.key}.yaml": lexicon_file(found, origin, type_=type_),
        home / f"schema/knowledge/{schema.knowledge}.d/{origin.key}.yaml": pack_file(
            found, origin, group_type=group_type
        ),
    }
    for path, text in files.items():
        _replace(path, text)
    counts = {
        "names": len(found.names),
        "synonyms": sum(map(len, found.names.values())),
        "combinations": len(found.parts),
        "groups": len(found.groups),
        "skipped": found.skipped,
    }
    if as_json:
        print_json({**counts, "files": [str(path) for path in files]})
        return
    print_parts(", ".join(f"{number} {name}" for name, number in counts.items()))
    for path in files:
        print_parts(f"written  {path}")
    print_parts(f"Now run: r-memory check --home {home}")


def _home_for(settings: Settings, schema: Schema, types: Iterable[str]) -> Path:
    """Returns the home, after checking that the schema has these types; an empty type is ignored.

    Raises:
        InvalidInput: there is no home, no pack, or no such type.
    """
    home = settings.files.home
    if home is None:
        raise InvalidInput(
            "an import needs a home to write into; make one with `r-memory init DIR` and give --home DIR"
        )
    if not schema.knowledge:
        raise InvalidInput(f"the schema '{schema.name}' names no knowledge pack; add `knowledge:` to it")
    for wanted in filter(None, types):
        if wanted not in schema.types:
            raise InvalidInput(f"the schema has no type '{wanted[:40]}'; choose one of its types with --type")
    return home


def _replace(path: Path, text: str) -> None:
    """Replaces the file completely or not at all, as half a file would prevent a start."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(".part")
        draft.write_text(text, encoding="utf-8")
        draft.replace(path)
    except OSError as error:
        raise ConfigurationError(f"cannot be written ({error.strerror}); choose a home of yours", file=path) from error

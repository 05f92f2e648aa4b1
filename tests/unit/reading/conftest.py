"""The shipped clinical schema, read once, and short ways to ask what the rules make of a sentence."""

from collections.abc import Sequence

import pytest

from r_memory.config.files import Files
from r_memory.config.schema_file import load_schema
from r_memory.domain.events import Role
from r_memory.domain.facts import Entity, Extraction
from r_memory.domain.schema import Schema
from r_memory.protocols import Utterance
from r_memory.reading.extractor import RuleExtractor
from r_memory.reading.language import LanguagePack
from r_memory.reading.linking import Gazetteer
from r_memory.reading.taught.weights import whole_words
from r_memory.reading.things import everyday_words
from tests.unit.reading.readers import JOHN, Read, Said, shown, turn


@pytest.fixture(scope="session")
def john() -> Entity:
    return JOHN


@pytest.fixture(scope="session")
def schema() -> Schema:
    return load_schema(Files())


@pytest.fixture(scope="session")
def gazetteer(schema: Schema) -> Gazetteer:
    return Gazetteer(schema.lexicon, lambda: everyday_words(schema, whole_words()))


@pytest.fixture(scope="session")
def pack(schema: Schema, gazetteer: Gazetteer) -> LanguagePack:
    return LanguagePack(schema.language, gazetteer.words)


@pytest.fixture(scope="session")
def extractor(schema: Schema, gazetteer: Gazetteer) -> RuleExtractor:
    return RuleExtractor(schema, gazetteer)


@pytest.fixture(scope="session")
def read(extractor: RuleExtractor) -> Read:
    """Reads a sentence; `before` are earlier turns as `speaker: words`."""

    def reads(text: str, *, before: Sequence[str] = (), speaker: str = "", role: Role = "user") -> Extraction:
        turns = tuple(turn(line) for line in before)
        return extractor.extract(Utterance(text=text, role=role, speaker=speaker, subject=JOHN, before=turns))

    return reads


@pytest.fixture(scope="session")
def said(read: Read) -> Said:
    """What a sentence says, each fact as `RELATION object status`, `rule` for a rule of the domain."""

    def says(text: str, *, before: Sequence[str] = (), speaker: str = "", role: Role = "user") -> set[str]:
        return {shown(proposal) for proposal in read(text, before=before, speaker=speaker, role=role).proposals}

    return says

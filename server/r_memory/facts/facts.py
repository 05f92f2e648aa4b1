"""The safety product of one space, made of a store, a reader and a clock."""

from collections.abc import Callable, Sequence
from uuid import UUID

from ulid import ULID

from r_memory.facts.across import Across
from r_memory.facts.copies import Copies
from r_memory.facts.hiding import Hiding
from r_memory.facts.limits import Limits
from r_memory.facts.listing import FactList
from r_memory.facts.naming import FactNames
from r_memory.facts.people import PeopleList
from r_memory.facts.recall.recaller import Recaller
from r_memory.facts.recall.several import Several
from r_memory.facts.reconciling import Reconciling
from r_memory.facts.remember.doubting import Doubts
from r_memory.facts.remember.remembering import Remembering
from r_memory.facts.reviewing import Reviewing
from r_memory.facts.subjects import Subjects
from r_memory.facts.wishes import Wishes
from r_memory.protocols import Clock, Store
from r_memory.reading.names import PersonNames
from r_memory.reading.reader import Reader
from r_memory.reading.whose import whose_under


def new_ulid() -> str:
    """A new unique id; later ids sort after earlier ones."""
    return str(ULID())


def uuid_of(id_: str) -> str:
    """The id of `new_ulid` as a UUID, for formats that require UUIDs."""
    return str(ULID.from_str(id_).to_uuid())


def ulid_of(uuid: UUID) -> str:
    """The id from which `uuid_of` made this UUID."""
    return str(ULID.from_uuid(uuid))


class Facts:
    """The recorded facts about the subjects of one space."""

    def __init__(
        self,
        store: Store,
        reader: Reader,
        clock: Clock,
        *,
        space: str = "default",
        single_subject: str = "",
        limits: Limits | None = None,
        retired: Sequence[str] = (),
        new_id: Callable[[], str] = new_ulid,
    ) -> None:
        """`single_subject` is the id of the one subject of a personal installation; empty in all others.

        `retired` names relations of earlier schemas; their facts are still read and listed.
        """
        self.space = space
        self.store = store
        self.clock = clock
        self.reader = reader
        self.limits = limits or Limits()
        self.retired = tuple(retired)
        self.subjects = _subjects(store, reader, space, single_subject, self.retired)
        hiding = Hiding(store=store, reader=reader, relations=(*reader.schema.relations, *self.retired))
        self.recalling = Recaller(
            store=store,
            reader=reader,
            clock=clock,
            new_id=new_id,
            subjects=self.subjects,
            limits=self.limits,
            hiding=hiding,
        )
        self.lists = FactList(
            store=store,
            clock=clock,
            subjects=self.subjects,
            schema=reader.schema,
            names=FactNames(reader.schema, reader.linker),
            doubts=Doubts(reader, clock),
            hiding=hiding,
        )
        copies = Copies(store=store, subjects=self.subjects, lists=self.lists)
        self.remembering = Remembering(
            store=store,
            reader=reader,
            clock=clock,
            subjects=self.subjects,
            limits=self.limits,
            recalling=self.recalling,
            copies=copies,
        )
        self.several = Several(recalling=self.recalling, subjects=self.subjects, schema=reader.schema)
        self.people = PeopleList(store=store, subjects=self.subjects, naming=reader.schema.naming)
        self.across = Across(store=store, reader=reader, clock=clock, subjects=self.subjects, new_id=new_id)
        self.wishes = Wishes(reader.schema, reader.linker)
        self.reconciling = Reconciling(store=store, reader=reader, lists=self.lists)
        self.reviewing = Reviewing(
            store=store, reader=reader, clock=clock, subjects=self.subjects, lists=self.lists, copies=copies
        )


def _subjects(store: Store, reader: Reader, space: str, single: str, retired: Sequence[str]) -> Subjects:
    """The subjects of a space, whose names are found in words under the reader's schema."""
    wording = [example for row in reader.table.intents.values() for example in row.examples]
    return Subjects(
        store=store,
        space=space,
        type_=reader.schema.subject,
        names=PersonNames(reader.schema, reader.linker, wording=wording),
        single=single,
        retired=retired,
        naming=reader.schema.naming,
        synonyms=whose_under(reader.schema).synonyms,
    )

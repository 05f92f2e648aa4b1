"""Which subject a call means. A name that may mean several subjects gives an error that lists them (design, section 7).

Only this module decides how subjects are named; the space comes from the configuration, not from the caller. Errors
carry the facts, and each surface says in its own words what to do.
"""

import asyncio
import unicodedata
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import ParamSpec, TypeAlias, TypeVar
from urllib.parse import unquote

from rapidfuzz import process

from r_memory.domain.blocks import Addressed
from r_memory.domain.erasure import is_trace
from r_memory.domain.events import Role
from r_memory.domain.facts import BEFORE, Entity, Fact, Status
from r_memory.domain.identity import (
    JOINERS,
    abbreviates,
    identity_key,
    initialled,
    is_called,
    label,
    labelled,
    meant,
    reached_by,
    shown,
)
from r_memory.domain.schema import Relation
from r_memory.errors import (
    ARRIVING,
    InvalidInput,
    LedgerBroken,
    SubjectAmbiguous,
    SubjectMismatch,
    SubjectRequired,
    SubjectTaken,
    SubjectUnknown,
)
from r_memory.protocols import Roll, SoCalled, Store
from r_memory.reading.names import PersonNames, runs_together
from r_memory.reading.whose import Company
from r_memory.text.inert import is_seen
from r_memory.text.lookalikes import skeletons

_LONGEST = 200
_LONG = 1_000
"""Characters of a text from which on names are searched in a thread, beside the event loop."""
PetNames: TypeAlias = Mapping[str, tuple[Entity, tuple[str, ...]]]
"""People by uid, each with words by which they are called."""
People: TypeAlias = tuple[tuple[Entity, ...], tuple[tuple[Entity, Fact], ...]]
"""People whose id or name is one of some words, and facts by which others are called so."""
Look: TypeAlias = Callable[[Entity, Sequence[str], SoCalled | None], Awaitable[People]]
"""Searches people by words. The first argument is the subject of the call, if the given word is an id."""
Given = ParamSpec("Given")
Result = TypeVar("Result")
_ME = frozenset({"me", "owner"})
"""Speaker labels that mean the owner of a personal installation."""
_EVERYBODY = "*"
"""Stands for the speakers of a name that somebody was given since they were declared."""
_ANYBODY = "user"
"""The label that clients give to any speaker, the owner or not."""
_OWNER = _ME | {_ANYBODY}
"""Speaker labels that the owner may have."""
_NEAR = 5
_MOST_ALIKE = 200
"""Maximum number of people among whom a name with initials is looked for."""
_MOST_NEAR = 10_000
"""Maximum number of people whose names are compared with an unknown word."""
_MOST_KEYS = 4_000
"""Maximum number of slices of a text that are looked up; for a longer text all known people are searched."""
_READ_ALONG = 8
"""Most people who are read along with the owner where a request means everybody."""
_ORDINARY = frozenset("LMS")
"""First letters of the Unicode categories of letters, marks and symbols such as emoji."""


class Lookalikes:
    """People of one space whose ids or names look alike; caches the people it has read."""

    def __init__(self, store: Store, space: str, type_: str) -> None:
        self._store, self._space, self._type = store, space, type_
        self._upto = 0
        """Position in the log of the space up to which people were read."""
        self._ids: defaultdict[str, set[str]] = defaultdict(set)
        """Ids by the skeleton of an id or name."""

    async def meet(self) -> None:
        """Reads the people who were declared since the last call."""
        people, self._upto = await self._store.declared(self._space, self._type, after=self._upto)
        for person in people:
            for skeleton in skeletons(person.id) | skeletons(person.name):
                self._ids[skeleton].add(person.id)

    async def of(self, *words: str) -> tuple[Entity, ...]:
        """The people whose id or name looks like one of the words, by id."""
        wanted: frozenset[str] = frozenset().union(*map(skeletons, words))
        ids = sorted(set().union(*(self._ids.get(skeleton, ()) for skeleton in wanted)))
        found = [await self._store.subjects(self._space, self._type, id_=id_) for id_ in ids]
        return tuple(item for some in found for item in some if not is_trace(item))


class Subjects:
    """Resolves and declares the subjects of one space."""

    def __init__(
        self,
        *,
        store: Store,
        space: str,
        type_: str,
        names: PersonNames,
        single: str = "",
        retired: Sequence[str] = (),
        naming: Relation | None = None,
        synonyms: Callable[[str], Iterable[str]] = lambda word: (word,),
    ) -> None:
        """`names` finds the people that a text may name; `naming` is the relation of aliases.

        `synonyms` gives all words for the same relative; `retired` are relations of other schemas that the store was
        used with.
        """
        self._names = names
        self._store = store
        self.space = space
        self._type = type_
        self._naming = naming
        self._synonyms = synonyms
        self.single = single
        """Id of the only subject of a personal installation; empty in all others."""
        self.retired = tuple(retired)
        """Relations that the store holds and the schema no longer declares; they are still read, as critical."""
        self._declaring = asyncio.Lock()
        self.alike = Lookalikes(store, space, type_)

    async def resolve(self, subject: str | Entity, *, erased: bool = False, speaker: str = "") -> Entity:
        """The subject that a word means: an id, a name, both as `ID (NAME)`, or an alias that the speaker uses.

        Names are compared by `identity_key`. An `Entity` from an earlier call is taken as it is. `erased` also finds
        the trace of an erased subject, to verify its chain.

        Raises:
            SubjectRequired: the word is empty, and the installation has no default subject.
            SubjectUnknown: no subject matches; the message lists similar ones.
            SubjectAmbiguous: several subjects match; `candidates` lists them.
        """
        if isinstance(subject, Entity):
            return await self.of_uid(subject.uid)
        wanted = self._wanted(subject)
        return await self._one(wanted, await self.meant(wanted), erased=erased, speaker=speaker)

    async def _one(self, wanted: str, found: Sequence[Entity], *, erased: bool = False, speaker: str = "") -> Entity:
        if not found and wanted != self.single:
            aliased = {item.uid: item for item, _ in await self._aliased(self._alias_words(wanted), speaker)}
            found = sorted(aliased.values(), key=lambda one: one.id) or await self._by_initials(wanted)
        if len(found) > 1:
            ways = [reached_by(entity, wanted) for entity in found]
            told = ", ".join(f"'{way}'" for way in ways)
            raise SubjectAmbiguous(
                f"'{wanted}' may mean {len(found)} subjects: {shown(found)}; call again with one of: {told}",
                candidates=ways,
            )
        if not found:
            if wanted == self.single:
                return await self._declare(wanted, wanted)
            raise await self._unknown(wanted)
        (about,) = found
        if is_trace(about) and not erased:
            raise SubjectUnknown(
                f"'{wanted}' is what is left of a {self._type} who was erased; nothing is kept of them"
            )
        return about

    async def meant(self, word: str) -> tuple[Entity, ...]:
        """All subjects that the word may mean, by id.

        There are several if they share a name, or a name is another subject's id.
        """
        return await self._meant(word, await self._store.subjects(self.space, self._type, called=word))

    async def _meant(self, word: str, known: Sequence[Entity]) -> tuple[Entity, ...]:
        found = {item.uid: item for item in meant(word, known)}
        for id_, name in labelled(word):
            for subject in await self._store.subjects(self.space, self._type, id_=id_):
                if identity_key(subject.name) == identity_key(name):
                    found[subject.uid] = subject
        return tuple(sorted(found.values(), key=lambda one: one.id))

    async def named_in(self, text: str) -> tuple[tuple[Entity, str], ...]:
        """Known subjects that the text names by id or whole name, each with the words that name it; by id."""
        called, pet = await self._called(text)
        return await _aside(text, self._named, text, called, pet)

    async def _called(self, text: str, word: str = "", look: Look | None = None) -> tuple[tuple[Entity, ...], PetNames]:
        """The people whom the text may name or the word may mean, and those whom anybody calls so, in one look-up."""
        keys = await _aside(text, lambda: {piece.key for piece in self._names.slices(text)})
        aliases = tuple(dict.fromkeys(other for key in keys for other in self._alias_words(key)))
        so_called = (self._naming, aliases) if self._naming is not None and aliases else None
        if self.single:
            keys |= {other for key in keys if key in self._names.kin for other in self._alias_words(key)}
        called = (*keys, word) if word else tuple(keys)
        if not called:
            return (), {}
        if len(keys) > _MOST_KEYS or runs_together(text):
            people, found = await self.apart((), so_called)
        else:
            people, found = await (look or self._apart_of)(self._new(word, word), called, so_called)
        return people, {} if self._naming is None else await self._pet_names(text, found)

    async def apart(self, called: Sequence[str], so_called: SoCalled | None) -> People:
        """The people whom words may name, all without words, and who is called so, by two questions to the store."""
        people = self._store.subjects(self.space, self._type, called=called, limit=1_000_000)
        if so_called is None:
            return await people, ()
        return await asyncio.gather(people, self._store.called_so(self.space, *so_called))

    async def _apart_of(self, _: Entity, called: Sequence[str], so_called: SoCalled | None) -> People:
        return await self.apart(called, so_called)

    async def _pet_names(self, text: str, so_called: Iterable[tuple[Entity, Fact]]) -> PetNames:
        """The people whom anybody calls by words of the text, by uid, each with these words.

        What the owner calls somebody is not what others do ("mum"). A word for a relative means somebody only in a
        personal installation: on a ward, everybody has a mother.
        """
        found: defaultdict[str, list[tuple[Entity, str]]] = defaultdict(list)
        for item, alias, who in self._by_alias(so_called):
            if self.single or not self._is_relative(alias):
                found[alias].append((item, "" if who == _EVERYBODY else self.by(who)))
        people: dict[str, tuple[Entity, tuple[str, ...]]] = {}
        for alias, of in found.items():
            owners = [item for item, who in of if not who]
            for owner in owners or [item for item, _ in of]:
                words = people.get(owner.uid, (owner, ()))[1]
                people[owner.uid] = owner, (*words, *self._alias_words(alias))
        for piece in self._names.slices(text):
            for person in await self._by_initials(piece.key) if _is_written_as_name(piece.text) else ():
                people[person.uid] = person, (*people.get(person.uid, (person, ()))[1], piece.key)
        return people

    def _is_relative(self, word: str) -> bool:
        return any(other != word for other in self._synonyms(word))

    def _named(
        self,
        text: str,
        called: Iterable[Entity],
        pet: PetNames,
        *,
        besides: Iterable[Entity] = (),
    ) -> tuple[tuple[Entity, str], ...]:
        people = {entity.uid: entity for entity in called if not is_trace(entity)}
        people |= {uid: each for uid, (each, _) in pet.items() if uid not in {item.uid for item in besides}}
        if not people:
            return ()
        aliases = {uid: words for uid, (_, words) in pet.items()}
        if self.single:
            # Whoever is declared as "Mum" is meant by "mum", and by "my mother".
            for uid, person in people.items():
                own = {identity_key(person.name), identity_key(person.id)} & self._names.kin
                aliases[uid] = (*aliases.get(uid, ()), *(other for word in own for other in self._alias_words(word)))
        relatives = {
            word
            for words in aliases.values()
            for word in words
            if self._is_relative(word) or (self.single and word in self._names.kin)
        }
        named = self._names.named(text, people.values(), besides=besides, aliases=aliases, relatives=relatives)
        return tuple((people[uid], words) for uid, words in named.items())

    async def addressed(self, subject: str | Entity, text: str, look: Look | None = None) -> tuple[Entity, Addressed]:
        """The subject of a call, and the other people whom its words name.

        `look` replaces the search for people, to read more in the same round trip. Without a given subject, the subject
        is the only person whom the text names.

        Raises:
            SubjectRequired: no subject is given, and the text names no known person.
            SubjectAmbiguous: no subject is given, and the text names several.
            InvalidInput: as for `resolve`.
        """
        if not (subject or self.single):
            return await self._taken_from(text)
        wanted = subject.id if isinstance(subject, Entity) else self._wanted(subject)
        called, pet = await self._called(text, wanted, look)
        if isinstance(subject, Entity):
            about = next((item for item in called if item.uid == subject.uid), None) or await self.of_uid(subject.uid)
        else:
            about = await self._one(wanted, await self._meant(wanted, called))
        addressed = await _aside(text, self._addressed, about, called, pet, text)
        if self.is_owner(about):
            # An owner who asks for himself and names another person asks about both.
            addressed = replace(addressed, others=(), also_read=addressed.others)
        return about, addressed

    async def with_everybody(self, about: Entity, addressed: Addressed, first: Collection[str] = ()) -> Addressed:
        """`addressed` with all known people to read: those that are named, those with a name of `first`, then others;
        further ones are only listed.
        """
        others = [item for item in await self.all() if item.uid != about.uid]
        keys = {identity_key(name) for name in first}
        others.sort(key=lambda item: keys.isdisjoint(map(identity_key, (item.name, item.id, *item.aliases))))
        everyone = list({item.uid: item for item in (*addressed.also_read, *others)}.values())
        most = max(_READ_ALONG, len(addressed.also_read))
        return replace(
            addressed, also_read=tuple(everyone[:most]), not_read=tuple(everyone[most:]), means_all=bool(everyone)
        )

    def now_called(self, about: Entity, facts: Iterable[Fact]) -> str:
        """The name that a person was given since they were declared, among these facts; empty if it is the same."""
        named = [fact for fact in facts if self._is_new_name(fact)]
        newest = max(named, key=lambda fact: fact.last_seq, default=None)
        return newest.object.name if newest is not None and not is_called(about, newest.object.name) else ""

    def _is_new_name(self, fact: Fact) -> bool:
        naming = self._naming
        own = naming is not None and fact.relation == naming.name and fact.status is Status.ACTIVE
        return own and bool(fact.attrs.get(BEFORE)) and not fact.attrs.get(naming.called_by if naming else "")

    async def newly_called(self, name: str) -> tuple[Entity, ...]:
        """The people who were given this name since they were declared."""
        found = await self._store.called_so(self.space, self._naming, (identity_key(name),)) if self._naming else ()
        return tuple(item for item, fact in found if self._is_new_name(fact) and not is_trace(item))

    async def with_nobody_else(self, about: Entity, addressed: Addressed) -> Addressed:
        """`addressed` for a request that means several people although nobody else is read: around an owner they are
        listed.
        """
        named = {item.uid for item in (about, *addressed.also_read)}
        others = await self.all() if self.is_owner(about) else ()
        not_read = tuple(item for item in others if item.uid not in named)
        return replace(addressed, not_read=not_read, means_all=bool(not_read) or not self.is_owner(about))

    def is_owner(self, about: Entity) -> bool:
        """Whether this is the subject of calls that give no subject."""
        return bool(self.single) and about.id == self.single

    async def with_circle(
        self, about: Entity, addressed: Addressed, names: Iterable[str], unknown: Sequence[str]
    ) -> Addressed:
        """`addressed` with further people: names and aliases of subjects are added to those to read, other names to
        those who are known of. `unknown` are words for relatives; who is called so is read, the others are strangers.
        """
        read, known_of = {item.uid: item for item in addressed.also_read}, [*addressed.known_of]
        for name in names:
            found = await self._known_as(name)
            read |= {item.uid: item for item in found if item != about}
            known_of += [] if found else [name]
        strangers = dict.fromkeys(item for item in addressed.strangers if item not in known_of)
        for word in unknown:
            found = await self._known_as(word)
            read |= {item.uid: item for item in found if item != about}
            strangers |= {} if found else {f"my {word}": None}
        return replace(addressed, also_read=tuple(read.values()), known_of=tuple(known_of), strangers=tuple(strangers))

    async def _known_as(self, name: str) -> tuple[Entity, ...]:
        """The people whose id or name this is, or else those of an alias or of another word for the same relative."""
        if found := [item for item in await self.meant(name) if not is_trace(item)]:
            return tuple(found)
        words = self._alias_words(name)
        named = await self._store.subjects(self.space, self._type, called=words)
        found = [item for item in named if is_called(item, *words) and not is_trace(item)]
        return (*found, *(each for each, _ in await self._aliased(words, "")))

    async def company(self, about: Entity, words: Sequence[str], *, speaker: str, role: Role) -> Company:
        """The people whom these words mean when the speaker says them, and whether the speaker is another than the
        subject.
        """
        if role != "user":
            return Company()
        people: defaultdict[str, dict[str, Entity]] = defaultdict(dict)
        for name in (about.name, *about.name.split()[:1]):
            people[identity_key(name)][about.uid] = about
        for each, alias in await self._aliased(words, speaker) if words else ():
            people[alias][each.uid] = each
        named = await self._store.subjects(self.space, self._type, called=words) if words else ()
        for item in named:
            if not is_trace(item):
                people[identity_key(item.name)][item.uid] = item
        return Company(
            people={word: tuple(of.values()) for word, of in people.items()},
            apart=self._is_apart(about, speaker),
            assumed=identity_key(speaker) not in (_ME | {identity_key(self.single)}) - {_ANYBODY},
            by=self.by(speaker),
            owner=self.is_owner(about) and not self.by(speaker),
        )

    async def _aliased(self, words: Sequence[str], speaker: str) -> tuple[tuple[Entity, str], ...]:
        """The people whom a speaker calls by one of the words, each with that word in normalised form."""
        by = identity_key(self.by(speaker))
        found = await self._called_so(words)
        return tuple((item, word) for item, word, who in found if who == _EVERYBODY or identity_key(who) == by)

    async def _by_initials(self, word: str) -> list[Entity]:
        """The people whose name the word may be with initials ("O. Pryce"), by id."""
        if not (holding := initialled(word)):
            return []
        found = await self._store.roll(self.space, self._type, holding=holding, limit=_MOST_ALIKE)
        return sorted((person for person, _ in found.people if abbreviates(word, person.name)), key=lambda one: one.id)

    async def _called_so(self, words: Sequence[str]) -> tuple[tuple[Entity, str, str], ...]:
        """The people called by one of the words, each with that word and the speaker who uses it."""
        naming = self._naming
        return () if naming is None else self._by_alias(await self._store.called_so(self.space, naming, words))

    def _by_alias(self, found: Iterable[tuple[Entity, Fact]]) -> tuple[tuple[Entity, str, str], ...]:
        """The people of facts by which they are called so, each with the word and the speaker who uses it."""
        by = self._naming.called_by if self._naming is not None else ""
        return tuple(
            (
                item,
                identity_key(fact.object.name),
                _EVERYBODY if self._is_new_name(fact) else str(fact.attrs.get(by, "")),
            )
            for item, fact in found
            if fact.status is Status.ACTIVE and not is_trace(item)
        )

    async def called(self, word: str) -> frozenset[str]:
        """Keys of the subjects that any speaker calls by the word, or by another word for the same relative."""
        return frozenset(item.uid for item, _, _ in await self._called_so(self._alias_words(word)))

    def _alias_words(self, word: str) -> tuple[str, ...]:
        return tuple(self._synonyms(identity_key(word)))

    def by(self, speaker: str) -> str:
        """The label recorded with an alias for its speaker; empty for the owner and for a speaker without a label."""
        key = identity_key(speaker) if speaker.strip() else ""
        return "" if key in {"", *_OWNER, identity_key(self.single)} else speaker.strip()

    def is_owners(self, speaker: str) -> bool:
        """Whether a speaker may be the owner of a personal installation; true in all others, which have no owner."""
        return not self.single or not self.by(speaker)

    def _is_apart(self, about: Entity, speaker: str) -> bool:
        """Whether the speaker is the owner of the installation, and the subject is another person."""
        owns = not self.by(speaker)
        return bool(self.single) and not self.is_owner(about) and owns

    async def _taken_from(self, text: str) -> tuple[Entity, Addressed]:
        named = await self.named_in(text)
        people = [item for item, _ in named]
        if len(named) > 1:
            ids = ", ".join(f"'{person.id}'" for person in people)
            raise SubjectAmbiguous(
                f"no subject was given, and the words name {len(named)}: {shown(people)}; "
                f"call again with one of: {ids}",
                candidates=[person.id for person in people],
            )
        strangers = self._names.strangers(text, people)
        if not named:
            unknown = f"; {' and '.join(strangers)} is not known" if strangers else ""
            raise SubjectRequired(
                f"no subject was given, and the words name nobody known{unknown}; "
                f"name the {self._type} by id, or by exact name if it is known already{self.elsewhere}"
            )
        ((about, words),) = named
        return about, Addressed(strangers=strangers, taken_from=words)

    def _addressed(
        self,
        about: Entity,
        called: Sequence[Entity],
        pet: PetNames,
        text: str,
    ) -> Addressed:
        named = self._named(text, [entity for entity in called if entity != about], pet, besides=[about])
        own = identity_key(about.name)
        others = [
            (item, identity_key(item.name) == own == identity_key(words) or abbreviates(words, about.name))
            for item, words in named
        ]
        return Addressed(
            others=tuple(other for other, is_namesake in others if not is_namesake),
            namesakes=tuple(other for other, is_namesake in others if is_namesake),
            strangers=self._names.strangers(text, (about, *(item for item, _ in named), *_under_aliases(pet))),
        )

    async def resolve_or_declare(
        self,
        subject: str | Entity,
        name: str,
        *,
        another_than: Sequence[str] = (),
        dry_run: bool = False,
        speaker: str = "",
    ) -> Entity:
        """The subject as for `resolve`; an unknown id with a name declares a new subject.

        An `Entity` of this space from an earlier call is taken as it is: the store refuses words about somebody whom it
        does not hold. `another_than` allows a name that others have: it must list the ids of all of them. With
        `dry_run` a new subject is checked and not stored.

        Raises:
            SubjectMismatch: the id exists with another name.
            SubjectTaken: the id or the name belongs to others, and `another_than` does not list all of them.
        """
        if isinstance(subject, Entity) and subject.space == self.space and not dry_run:
            return subject
        if isinstance(subject, Entity) or not name:
            return await self.resolve(subject, speaker=speaker)
        id_, wanted = self._wanted(subject), checked_word(name, "name")
        # Within this process a check and its declaration are one. Two processes that declare one name at the same
        # moment may both succeed: no store here locks a name. Then the name means two, and a read by it is refused
        # with both (`SubjectAmbiguous`), so that neither ever stands in front of the other.
        async with self._declaring:
            known = await self._store.subjects(self.space, self._type, id_=id_) or await self._spelt(id_)
            if not known:
                await self.alike.meet()
                await self.check_free(id_, wanted, another_than)
                return self._new(id_, wanted) if dry_run else await self._declare(id_, wanted)
        if is_trace(known[0]):
            return await self.resolve(id_)
        same = identity_key(known[0].name) == identity_key(wanted) or abbreviates(wanted, known[0].name)
        if not same and known[0].uid not in {item.uid for item in await self.newly_called(wanted)}:
            raise SubjectMismatch(
                f"{self._type} '{id_}' is recorded as '{known[0].name}', not '{wanted}'; leave the name out if it is "
                "the same one, give another id if it is not, or rename them if they are called so now"
            )
        return known[0]

    async def _spelt(self, id_: str) -> tuple[Entity, ...]:
        """The subjects whose id differs only in case or width, which counts as the same id."""
        called = await self._store.subjects(self.space, self._type, called=id_)
        return tuple(item for item in called if identity_key(item.id) == identity_key(id_))[:1]

    async def check_free(self, id_: str, name: str, another_than: Sequence[str] = ()) -> None:
        """Checks that the id is free, and that all people with the same or a similar name are listed in `another_than`.

        Raises:
            SubjectTaken: as for `resolve_or_declare`.
        """
        # In any spelling, and by label.
        called = await self._store.subjects(self.space, self._type, called=name)
        everyone = {item.uid: item for item in (*called, *await self._meant(name, called))}.values()
        others = sorted(everyone, key=lambda one: one.id)
        # Two people may share a name, but no name may read like another's id, or id and name.
        own = identity_key(name)
        shared = [
            other
            for other in others
            if is_called(other, name) and own not in {identity_key(other.id), identity_key(label(other))}
        ]
        for what, clashing in (
            (f"the id '{id_}'", await self.meant(id_)),
            (f"the name '{name}'", [other for other in others if other not in shared]),
        ):
            if clashing:
                raise SubjectTaken(
                    f"{what} would mean {shown(clashing)} as well, so nobody was declared",
                    candidates=[item.id for item in clashing],
                    may_share=False,
                )
        others += [person for person in await self._by_initials(name) if person not in others]
        others += [each for each in await self.newly_called(name) if each not in others]
        if any(other.id not in another_than for other in others):
            raise SubjectTaken(
                f"known already by the name '{name}': {shown(others)}; nobody was declared",
                candidates=[other.id for other in others],
                may_share=True,
            )
        alike = [item for item in await self.alike.of(id_, name) if item.id not in another_than]
        if alike:
            raise SubjectTaken(
                f"nobody could tell the id '{id_}' or the name '{name}' from {shown(alike)}; nobody was declared",
                candidates=sorted({other.id for other in (*alike, *others)}),
                may_share=True,
            )

    async def of_uid(self, uid: str) -> Entity:
        """The subject with this unique key, as events and facts carry it."""
        id_ = unquote(uid.rsplit("/", maxsplit=1)[-1])
        found = await self._store.subjects(self.space, self._type, id_=id_)
        if not found or found[0].uid != uid:
            raise SubjectUnknown(f"this space has no {self._type} of that key; run `r-memory verify`")
        return found[0]

    async def all(self, *, erased: bool = False) -> tuple[Entity, ...]:
        """All subjects of the space, by id; `erased` adds the traces of erased subjects."""
        everyone = await self._store.subjects(self.space, self._type, limit=1_000_000)
        return tuple(entity for entity in everyone if erased or not is_trace(entity))

    async def roll(self, query: str = "", *, start: int = 0, limit: int = 100) -> Roll:
        """A page of the subjects, or of those whose id or name contains the query, with the number of waiting
        statements of each; the most waiting first.
        """
        key = identity_key(query) if query.strip() else ""
        found = await self._store.roll(self.space, self._type, holding=key, start=start, limit=limit)
        if not (key or found.number):
            await self.all()  # which raises where all are lost
        return found

    async def chosen(self, subject: str | Entity = "") -> tuple[Entity, ...]:
        """The one subject, or without a name all of them, traces of erased subjects included."""
        return (await self.resolve(subject, erased=True),) if subject else await self.all(erased=True)

    def _wanted(self, subject: str) -> str:
        if subject.strip():
            return checked_word(subject, "subject")
        if self.single:
            return self.single
        raise SubjectRequired(
            f"no subject was given; name the {self._type} by id, or by exact name if it is known already"
        )

    async def _unknown(self, wanted: str) -> SubjectUnknown:
        """The error for a word that means no subject.

        Raises:
            LedgerBroken: the word means a subject that is found in another way only; a subject is lost; or an import
                has not ended.
        """
        known = await self._store.subjects(self.space, self._type, limit=1_000_000)
        there = await self._store.subjects(self.space, self._type, id_=wanted)
        if (await self._store.arriving(self.space)).file:
            raise LedgerBroken(f"nobody is found by '{wanted}' yet: {ARRIVING}")
        if there or any(is_called(item, wanted) for item in known) or await self._store.lost(self.space):
            raise LedgerBroken(
                f"nobody is found by '{wanted}', but somebody of this space is lost, or was altered and is not found "
                "any more; run `r-memory verify`, and restore the database from a backup"
            )
        aliased = [(each, who) for each, _, who in await self._called_so(self._alias_words(wanted)) if who]
        if aliased:
            told = ", ".join(f"{label(each)} by {who}" for each, who in aliased[:_NEAR])
            return SubjectUnknown(f"no {self._type} has the id or name '{wanted}'; called so: {told}; give the id")
        everyone = [entity for entity in known if not is_trace(entity)][:_MOST_NEAR]
        words = [word for entity in everyone for word in (entity.id, entity.name)]
        near = process.extract(wanted, words, limit=_NEAR, score_cutoff=70, processor=str.casefold)
        near_ones = shown([everyone[number] for number in sorted({place // 2 for _, _, place in near})])
        hint = f"; near ones: {near_ones}" if near_ones else self.elsewhere
        return SubjectUnknown(f"no {self._type} has the id or name '{wanted}'{hint}")

    @property
    def elsewhere(self) -> str:
        """A hint that people may be stored under another schema with which the store was used.

        Empty if there is none.
        """
        if not self.retired:
            return ""
        others = ", ".join(self.retired[:_NEAR]) + (", …" if len(self.retired) > _NEAR else "")
        return f"; this store was written with another schema too ({others}): use its --home or R_MEMORY_SCHEMA"

    def _new(self, id_: str, name: str) -> Entity:
        return Entity(space=self.space, type=self._type, id=id_, name=name)

    async def _declare(self, id_: str, name: str) -> Entity:
        entity = self._new(id_, name)
        await self._store.declare_subject(entity)
        return entity


async def _aside(text: str, function: Callable[Given, Result], *args: Given.args, **kwargs: Given.kwargs) -> Result:
    """The result of the function; for a long text it runs in a thread, so that other calls need not wait."""
    if len(text) <= _LONG:
        return function(*args, **kwargs)
    return await asyncio.to_thread(function, *args, **kwargs)


def _under_aliases(pet: PetNames) -> Iterator[Entity]:
    """The people under each of the words by which they are called."""
    return (replace(item, name=word) for item, words in pet.values() for word in words)


def _is_written_as_name(words: str) -> bool:
    return " " in words and all(word[:1].isupper() for word in words.split())


def checked_word(text: str, what: str) -> str:
    """The text without surrounding blanks.

    Raises:
        InvalidInput: it is empty, too long, or contains invisible characters.
    """
    text = text.strip()
    if not text or len(text) > _LONGEST:
        raise InvalidInput(f"the {what} must have 1 to {_LONGEST} characters")
    for place, character in enumerate(text):
        unseen = not is_seen(character) or unicodedata.category(character) in {"Zl", "Zp"}
        if unseen and not _joins(text, place):
            raise InvalidInput(f"the {what} holds control or invisible characters; give it as plain text")
    return text


def _joins(text: str, place: int) -> bool:
    """Whether a joiner is between two letters or emoji, as orthography requires (Persian, Malayalam)."""
    beside = (text[place - 1 : place], text[place + 1 : place + 2])
    return text[place] in JOINERS and all(item and unicodedata.category(item)[0] in _ORDINARY for item in beside)

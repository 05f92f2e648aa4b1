"""Takes words out of view that were never a fact, at the wish of the person who said them.

The words are filed as a note and marked as entered in error, in one transaction: what hides the words of an erroneous
fact (`domain/withdrawn.py`) then hides them, its history tells who wished it, and `reinstate` shows them again.
Nothing is deleted.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from r_memory.domain.changes import Change, Decision, changed, requested
from r_memory.domain.events import OPEN, Chain, Episode, EpisodeStatus, observed
from r_memory.domain.facts import Entity, Fact, Observation, Rejection, Route
from r_memory.domain.folding import fold
from r_memory.domain.withdrawn import is_withdrawn, places
from r_memory.errors import InvalidInput
from r_memory.facts.ledger import Events, Ledger
from r_memory.facts.naming import BY_THING, FactNames
from r_memory.facts.recall.waiting import WaitingStatements
from r_memory.facts.remember.results import Claim
from r_memory.protocols import Clock, Store, Utterance
from r_memory.reading.reader import Reader
from r_memory.reading.retractions import Retractions, Taking
from r_memory.text.sentences import stretches

__all__ = ["SaidWords", "Sayings", "Withdrawing", "facts_in"]

_LABEL = 60
"""Maximum characters of the name of the note; the words are its evidence, whole."""
_FEWEST, _SHARE = 2, 0.6
"""How many words, and which share of the words of a wish, a sentence has that the wish means by other words."""
_HALF = 0.5
"""Which share of them a withdrawn fact has that the wish means rather than any other fact."""
_CLIENT = "client/1"
_REASON = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidWords:
    """Words of a statement, verbatim."""

    episode: Episode
    words: str


class Sayings:
    """Finds statements by words that they hold, under one language. Pure."""

    def __init__(self, names: FactNames, retractions: Retractions) -> None:
        self._names = names
        self._retractions = retractions

    def exactly(self, words: str, told: Iterable[Episode]) -> tuple[SaidWords, ...]:
        """The newest statement of a person that holds these very words, if any does."""
        found = [
            SaidWords(episode=each, words=each.text[start:end])
            for each in told
            for start, end in places(words, each.text)[:1]
            if each.role == "user" and not self.is_wish(each.text)
        ]
        return tuple(found[-1:])

    def holding(self, words: str, told: Iterable[Episode], *, loosely: bool = False) -> tuple[SaidWords, ...]:
        """The sentences of persons that hold all that the words name; several if they differ.

        `loosely` takes the sentence that holds most of it, if that is more than one word.
        """
        wanted = self._names.significant(words)
        found: dict[str, tuple[int, SaidWords]] = {}
        for each in told:
            if each.role != "user" or requested(each) is not None:
                continue
            for part in stretches(each.text):
                if (held := self._names.count_of(wanted, part)) and not self.is_wish(part):
                    found[part.strip()] = held, SaidWords(episode=each, words=part.strip())
        most = max((held for held, _ in found.values()), default=0)
        enough = most >= _FEWEST and most >= _SHARE * len(wanted)
        if not wanted or not (most == len(wanted) or (loosely and enough)):
            return ()
        return tuple(said for held, said in found.values() if held == most)

    def is_wish(self, text: str) -> bool:
        """Whether a text begins with a wish to forget something."""
        first = next(self._retractions.of(text), None)
        return first is not None and first.taking is Taking.FORGETS and not text[: first.span.start].strip()

    def is_open(self, text: str, told: Sequence[str]) -> bool:
        """Whether a text wishes to forget what one of these other texts tells whole."""
        wishes = (each for each in self._retractions.of(text) if each.taking is Taking.FORGETS)
        named = [wanted for each in wishes if (wanted := self._names.significant(each.words))]
        return any(
            self._names.is_told_in(other, wanted, wholly=True) and not self.is_wish(other)
            for wanted in named
            for other in told
        )

    def wishes_in(self, text: str, gone: Sequence[str], known: Sequence[Fact] = ()) -> Iterator[tuple[int, int]]:
        """Where a text wishes to forget what these withdrawn words say; of the `known` facts it means withdrawn ones
        only.
        """
        for each in self._retractions.of(text):
            wanted = self._names.significant(each.words) if each.taking is Taking.FORGETS else frozenset[str]()
            held = max((self._names.count_of(wanted, words) for words in (*gone, " ".join(gone))), default=0)
            if wanted and (held >= _SHARE * len(wanted) or self._means_withdrawn(each.words, wanted, known)):
                yield each.span.start, each.span.end

    def _means_withdrawn(self, words: str, wanted: Collection[str], known: Sequence[Fact]) -> bool:
        """Whether the facts that these words mean most are withdrawn, and hold half of what they name."""
        meant = self._names.named(words, known, least=BY_THING)
        held = max((self._names.count_in(wanted, fact) for fact in meant), default=0)
        gone = all(map(is_withdrawn, meant))
        return gone and held >= _HALF * len(wanted) and bool(meant)


def facts_in(words: str, facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """The facts whose evidence overlaps the words."""
    return tuple(
        fact for fact in facts if fact.evidence and (places(fact.evidence, words) or places(words, fact.evidence))
    )


class Withdrawing:
    """Withdraws words of one space that no fact rests on."""

    def __init__(self, *, store: Store, reader: Reader, clock: Clock) -> None:
        self._store = store
        self._reader = reader
        self._clock = clock
        self._ledger = Ledger(store=store, grades=reader.schema.severity.grades)
        self._statements = WaitingStatements(reader)

    def may_hold_a_risk(self, said: SaidWords, subject: Entity) -> bool:
        """Whether the sentences of the words name a watched thing, or may hold a critical risk.

        The local reader reads them as well: what it would store along a critical relation, or leave to a person, is
        such a risk.
        """
        parts = [part for part in stretches(said.episode.text) if places(said.words, part) or places(part, said.words)]
        text = "".join(parts).strip() or said.episode.text
        read = replace(said.episode, text=text, review=(text,), disputed=said.episode.disputed)
        if self._statements.may_hold_a_risk(read):
            return True
        utterance = Utterance(text=text, role=read.role, speaker=read.speaker, subject=subject)
        heard = self._reader.extractor.extract(utterance)
        critical = self._reader.schema.critical
        return bool(heard.review) or any(proposal.relation in critical for proposal in heard.proposals)

    async def withdraw(self, subject: Entity, said: SaidWords, *, actor: str, reason: str, route: Route) -> Fact:
        """Withdraws the words, and settles their statement if nothing else of it waits; the hidden note."""
        seen = self._note(subject, said)
        now, version = self._clock.now(), self._reader.schema.version

        def events(chain: Chain) -> Events:
            own = tuple(event for event in chain.events if event.fact_id == seen.fact_id)
            told = observed((seen,), episode=said.episode, head=chain.head, now=now, schema_version=version)
            told = told if all(event.id != told[0].id for event in own) else ()
            decision = Decision(
                fact_id=seen.fact_id,
                change=Change.ENTERED_IN_ERROR,
                reason=reason[:_REASON],
                actor=actor,
                version=fold((*own, *told)).last_seq,
            )
            head = chain.head.after(told)
            gone = changed(decision, (*own, *told), head=head, now=now, schema_version=version, route=route)
            return (*told, gone)

        settled = self._settled(said, actor, reason)
        written = await self._ledger.append(subject, [seen.fact_id], events, episode=settled)
        return next(fact for fact in written.facts if fact.fact_id == seen.fact_id)

    def _settled(self, said: SaidWords, actor: str, reason: str) -> Episode | None:
        """The statement as settled; `None` if it does not wait, or words wait that stay."""
        episode = said.episode
        waits = episode.review or (episode.text,)
        if episode.status not in OPEN or not all(places(words, said.words) for words in waits):
            return None
        return replace(
            episode,
            status=EpisodeStatus.EXTRACTED,
            review=(),
            disputed=(),
            settled_by=actor,
            settled_because=reason[:_REASON],
            settled_at=self._clock.now(),
        )

    def is_possible(self, subject: Entity, said: SaidWords) -> bool:
        """Whether the words can be withdrawn."""
        return isinstance(self._noted(subject, said), Observation)

    def _note(self, subject: Entity, said: SaidWords) -> Observation:
        """The words as a note.

        Raises:
            InvalidInput: the schema has no relation for notes, or the words make none.
        """
        noted = self._noted(subject, said)
        if isinstance(noted, Observation):
            return noted
        raise InvalidInput(f"these words cannot be withdrawn, and nothing was changed: {noted}")

    def _noted(self, subject: Entity, said: SaidWords) -> Observation | str:
        """The words as a note, or why they make none."""
        notes = (each for each in self._reader.schema.relations.values() if each.derived and each.open_object)
        plain = (each.name for each in notes if each.bears == "dated" and not (each.critical or each.identity))
        if not (relation := next(plain, "")):
            return "the schema has no relation for notes"
        episode, name = said.episode, said.words
        if len(name) > _LABEL:
            name = name[:_LABEL].rpartition(" ")[0] or name[:_LABEL]
        claim = Claim(relation=relation, object=name.strip(".,;:!? "), evidence=said.words)
        utterance = Utterance(text=episode.text, role=episode.role, speaker=episode.speaker, subject=subject)
        formed = self._reader.validator.form(utterance, claim.proposal(Route.CLIENT, _CLIENT))
        return formed.reason if isinstance(formed, Rejection) else formed[0]

"""What the whole offline route makes of labelled lines: closed rules, taught reader, agreement and validator together.

    python -m r_memory_lab.teaching.route corpus/clinical/plain-1.jsonl …

prints figures by file; what the reader says alone is in `evaluation.py`. Objects are compared by the term that the
marked words mean, as places are not kept in facts.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from r_memory.config.settings import Settings
from r_memory.domain.events import Role
from r_memory.domain.facts import RISK, SCOPE_TYPE, Entity, Flag, Observation, Proposal, Status
from r_memory.domain.schema import FamilyRule
from r_memory.protocols import Turn, Utterance
from r_memory.reading.normalise import plain
from r_memory.reading.reader import Reader
from r_memory.reading.taught.claims import Person
from r_memory.wiring.language import open_reader
from r_memory_lab.teaching.corpus import CorpusLine, CorpusMark, read_file
from r_memory_lab.teaching.domains import DOMAINS, Domain
from r_memory_lab.teaching.evaluation import reassures


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """The result of one line."""

    line: CorpusLine
    facts: tuple[Observation, ...]
    in_view: bool
    """Whether something of the line waits for a person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sums:
    """Counts over lines."""

    lines: int
    right: int
    """Lines with exactly the statements of subject and relatives, each with its status."""
    risks: int
    missed: int
    silent: int
    """Missed lines of which nothing waits for a person."""
    forbidden: int
    """Active risks of the subject without a mark."""
    reassurances: int
    """Facts against a risk without a mark."""
    review: int
    """Lines that wait for a person."""


class OfflineRoute:
    """The offline route of one domain."""

    def __init__(self, domain: str) -> None:
        self.reader: Reader = open_reader(Settings(schema=domain))
        self._domain: Domain = DOMAINS[domain]
        self._family: FamilyRule | None = self.reader.schema.family

    def read(self, line: CorpusLine) -> Made:
        """Returns the facts and waiting words of a line."""
        subject = Entity(space="lab", type=self.reader.schema.subject, id="S1", name="Sam Subject")
        role: Role = "document" if line.speaker == "note" else "user"
        before = (Turn(role="user", speaker=_other(line, self._domain), text=line.question),) if line.question else ()
        utterance = Utterance(
            text=line.text, role=role, speaker=_label(line, self._domain), subject=subject, before=before
        )
        read = self.reader.extractor.extract(utterance)
        checked = [self.reader.validator.check(utterance, proposal) for proposal in _once(read.proposals)]
        return Made(
            line=line,
            facts=tuple(item for item in checked if isinstance(item, Observation)),
            in_view=bool(read.review),
        )

    def sums(self, made: Sequence[Made]) -> Sums:
        """Returns the figures of all lines together."""
        risks = [(item, mark) for item in made for mark in self._risks(item.line)]
        missed = [(risk, mark) for risk, mark in risks if not self._found(risk, mark)]
        return Sums(
            lines=len(made),
            right=sum(self.right(item) for item in made),
            risks=len(risks),
            missed=len(missed),
            silent=sum(not each.in_view for each, _ in missed),
            forbidden=sum(len(self.forbidden(item)) for item in made),
            reassurances=sum(len(self.reassurances(item)) for item in made),
            review=sum(item.in_view for item in made),
        )

    def right(self, one: Made) -> bool:
        """Whether every statement is stored with its status, without another risk or reassurance."""
        wanted = [mark for mark in one.line.marks if mark.states and self._kept(mark)]
        return (
            all(any(self._same(one.line, mark, fact) for fact in one.facts) for mark in wanted)
            and not self.forbidden(one)
            and not self.reassurances(one)
        )

    def forbidden(self, one: Made) -> tuple[Observation, ...]:
        """Returns active risks of the subject that the words do not state."""
        return tuple(
            fact
            for fact in one.facts
            if fact.status is Status.ACTIVE
            and fact.relation in self._domain.risks
            and not any(
                mark.status in RISK and mark.person is Person.SUBJECT and self._means(one.line, mark, fact)
                for mark in one.line.marks
            )
        )

    def reassurances(self, one: Made) -> tuple[Observation, ...]:
        """Returns absences and other facts against a risk that the words do not state."""
        return tuple(
            fact
            for fact in one.facts
            if reassures(fact.relation, fact.status, self._domain)
            and not any(
                mark.status is not None
                and mark.person is Person.SUBJECT
                and reassures(mark.relation, mark.status, self._domain)
                and self._means(one.line, mark, fact)
                for mark in one.line.marks
            )
        )

    def _risks(self, line: CorpusLine) -> Iterator[CorpusMark]:
        for mark in line.marks:
            if mark.status in RISK and mark.person is Person.SUBJECT and mark.relation in self._domain.risks:
                yield mark

    def _found(self, one: Made, mark: CorpusMark) -> bool:
        return any(
            fact.status in RISK and fact.relation in self._domain.risks and self._means(one.line, mark, fact)
            for fact in one.facts
        )

    def _kept(self, mark: CorpusMark) -> bool:
        """Whether the schema stores a fact about this person."""
        if mark.person is Person.SUBJECT:
            return True
        family = self._family
        return mark.person is Person.RELATIVE and family is not None and mark.relation in family.sources

    def _same(self, line: CorpusLine, mark: CorpusMark, fact: Observation) -> bool:
        """Whether both are the same statement.

        Relations on the same side of risk are equivalent; statuses must be equal.
        """
        if mark.person is Person.RELATIVE:
            return self._family is not None and fact.relation == self._family.to and self._means(line, mark, fact)
        risky = mark.relation in self._domain.risks and fact.relation in self._domain.risks
        # A rule that somebody states is kept as one, unconfirmed (docs/explanation/why.md).
        status = fact.status is mark.status or (Flag.RULE in fact.flags and mark.status is Status.ACTIVE)
        return (risky or fact.relation == mark.relation) and status and self._means(line, mark, fact)

    def _means(self, line: CorpusLine, mark: CorpusMark, fact: Observation) -> bool:
        """Whether the fact is about the marked thing, or about a term of the lexicon that contains its words."""
        if fact.object.type == SCOPE_TYPE:
            return bool(mark.classes.get("scope"))
        words = plain(mark.words).casefold()
        name = fact.object.id
        if words in name or name in words:
            return True
        meant = (*self.reader.linker.mentions(mark.words), *self.reader.linker.resolve(mark.words, self._types))
        holding = self.reader.linker.mentions(line.question if mark.place.in_question else line.text)
        around = (item for item in holding if item.start < mark.place.end and mark.place.start < item.end)
        return any(mention.name.casefold() in name for mention in (*meant, *around))

    @property
    def _types(self) -> tuple[str, ...]:
        return tuple(self.reader.schema.lexicon.terms)


def _once(proposals: Iterable[Proposal]) -> Iterator[Proposal]:
    seen = set()
    for proposal in proposals:
        key = (proposal.relation, proposal.object, proposal.status)
        if key not in seen:
            seen.add(key)
            yield proposal


def _label(line: CorpusLine, domain: Domain) -> str:
    """Returns the speaker as a client would name them."""
    return {"relative": "daughter", "note": "", domain.speakers[0]: domain.speakers[0]}.get(line.speaker, line.speaker)


def _other(line: CorpusLine, domain: Domain) -> str:
    own, professional = domain.speakers[:2]
    return own if line.speaker == professional else professional


def table(figures: Mapping[str, Sums]) -> str:
    """Returns the figures in Markdown, one row for each file."""
    head = "| file | lines | right | risks | missed | silent | forbidden | false reassurances | for a person |"
    rows = [
        f"| {name} | {row.lines} | {row.right / row.lines:.2f} | {row.risks} | {row.missed} | {row.silent} "
        f"| {row.forbidden} | {row.reassurances} | {row.review} |"
        for name, row in figures.items()
    ]
    return "\n".join([head, "|---" * 9 + "|", *rows])


def main(arguments: Sequence[str]) -> None:
    """Prints the table for the files."""
    routes: dict[str, OfflineRoute] = {}
    found = {}
    for argument in arguments:
        lines, _ = read_file(Path(argument))
        route = routes.setdefault(lines[0].domain, OfflineRoute(lines[0].domain))
        found[lines[0].file] = route.sums([route.read(line) for line in lines])
    sys.stdout.write(table(found) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])

"""Documents by their layout: headings, lists under them, rows of tables, laboratory lines and boxes.

What an entry states follows from the heading above it. An entry counts only if a known term begins it and its other
words describe that term; all else is prose, which the inner reader reads without the entries. Knows no format of files.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from r_memory.domain.facts import (
    RISK,
    Attribute,
    Entity,
    Extraction,
    Flag,
    LocalClaim,
    LocalVoice,
    Proposal,
    ReviewItem,
    Span,
    Status,
)
from r_memory.domain.schema import Relation, Schema
from r_memory.protocols import ABOVE, Extractor, Linker, Mention, Turn, Utterance
from r_memory.reading.absences import Absences
from r_memory.reading.boxes import Boxes, kin_of
from r_memory.reading.bystanders import Bystanders
from r_memory.reading.language import entries_of, listed, paired
from r_memory.reading.normalise import plain
from r_memory.reading.orders import Orders, made
from r_memory.reading.sheet import STATUS, LineReader, Sheet, SheetAct, SheetSection
from r_memory.reading.values import LaboratoryLines
from r_memory.text.cutting import words_of

_SECTION = "sheets"
_BULLET = re.compile(r"\s*(?:[-*\u2022\u25cf\u25aa\u2013]|\d{1,2}[.)]|#{1,6})?\s*")
_HEADING = re.compile(
    r"\s*(?:#{1,6}\s+)?(?:\d{1,2}[.)]\s+)?\**(?P<words>[^\W\d_][^:|.!?]{1,60}?)\**\s*(?P<colon>:?)\**\s*"
)
_INLINE = re.compile(r"\s*(?:[-*\u2022]\s+)?(?P<head>[^\W\d_][^:|.!?\n]{1,45}):[ \t]+(?P<rest>\S.*)")
_MOST_WORDS = 7
"""Words of a heading."""
_FIELD = re.compile(r"\s{3,}|\t+|\s*\|\s*")
_RULE = re.compile(r"[\s|:+=_-]*")
_PIECE = re.compile(r"(?:,(?!\d)|;|[.](?=\s)|\band\b|&)(?![^()]*\))\s*")
_DOSE = re.compile(r"\d+(?:[.,]\d+)?\s?(?P<unit>[^\W\d_]{1,11}|%)")
_ADDRESS = re.compile(r"https?://\S*|\bwww\.\S*|\S+@\S+\.\w+|\b[a-z-]+\.example\b", re.IGNORECASE)
_PAGE = re.compile(r"\s*\S+ \d+ (?:of|/) \d+\s*", re.IGNORECASE)
_LONGEST_REST = 8
"""Words that may describe an entry."""
_ITEM = re.compile(r"\s*(?:[-*\u2022]|\d{1,2}[.)])\s")
"""The beginning of an item of a list."""
_SHORT = 3
"""Words of an answer that denies all: "none", "none known"."""
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")


_NOBODY = Entity(space="", type="", id="", name="")


_QUOTED = r"[\"\u201c'\u2018][^\"\u201c\u201d\n]{1,60}[\"\u201d'\u2019]"
"""A word that is defined."""


class SheetReader:
    """Reads documents by their layout, and everything else by the inner reader. Implements `protocols.Extractor`."""

    def __init__(self, inner: Extractor, labels: Extractor, schema: Schema, linker: Linker) -> None:
        """`inner` reads prose; `labels` reads the label of a box as a statement: the closed rules."""
        self.inner, self.name = inner, inner.name
        self._layout = SheetLayout(labels, schema, linker)
        self._absences = Absences(labels, schema)

    def extract(self, utterance: Utterance) -> Extraction:
        """Returns every statement as proposals, and what a person must review. Never raises for any text."""
        if utterance.role != "document":
            told, said = self.inner.extract(utterance), self._layout.said(utterance)
            return replace(told, proposals=(*told.proposals, *said), claims=(*told.claims, *map(_claim, said)))
        sheet = self._layout.read(utterance)
        alone = replace(
            utterance, text=sheet.prose, before=tuple(each for each in utterance.before if not _is_above(each))
        )
        told = self.inner.extract(alone)
        read = [_quoted(each, utterance.text) for each in told.proposals if not self._layout.cries(each)]
        prose = [each for each in read if not self._layout.states_little(each)]
        stated = [self._layout.values.dated(each, utterance.day) for each in _each_once((*sheet.entries, *prose))]
        waits = (*sheet.waits, *told.review, *_defined(read, prose, told.review))
        kept, doubted = self._absences.settled(utterance, stated, waits)
        return replace(
            told,
            proposals=tuple(kept),
            review=(*waits, *doubted),
            claims=(*map(_claim, sheet.entries), *told.claims),
            # It is of the prose alone; a voice that counts may quote the entries.
            analysis=None if sheet.taken else told.analysis,
        )

    def above(self, text: str, before: str = "") -> str:
        """Returns the headings that are in force at the end of a text, a line each; empty if none is.

        `before` are those at its beginning.
        """
        turns = (Turn(role="document", speaker=ABOVE, text=before),) if before else ()
        return self._layout.read(Utterance(text=text, role="document", subject=_NOBODY, before=turns)).above


def _defined(read: Iterable[Proposal], kept: Sequence[Proposal], waits: Sequence[ReviewItem]) -> Iterator[ReviewItem]:
    """Yields the sentences of facts that were left out, unless they wait already."""
    for each in read:
        span = each.span
        if each in kept or span is None or any(span.start < it.span.end and it.span.start < span.end for it in waits):
            continue
        yield ReviewItem(text=each.evidence, span=span, reason="is a headline, or says what a word stands for")


def _is_above(turn: Turn) -> bool:
    return turn.speaker == ABOVE


class SheetLayout:
    """Finds the entries of documents under one schema."""

    def __init__(self, labels: Extractor, schema: Schema, linker: Linker) -> None:
        self._labels, self._schema, self._linker = labels, schema, linker
        self.values = LaboratoryLines(schema, linker)

        def words(name: str) -> frozenset[str]:
            return entries_of(schema.language, _SECTION, name)

        self._acts: dict[str, SheetAct] = {text: act for act in SheetAct for text in words(act.value)}
        self._heads = {
            " ".join(words_of(text)): relation.name
            for relation in schema.relations.values()
            for text in relation.phrasing.headers
        }
        self._joining, self._stages = words("joining"), words("stages")
        self._nothing = frozenset(listed(schema.language, "nothing_at_all"))
        self._named = dict(paired(schema.language, _SECTION, "attributes"))
        self._units, self._often = (
            frozenset(text for key in listed(schema.language, name) for text in listed(schema.language, name, key))
            for name in ("units", "periods")
        )
        self._telling = words("telling")
        self._over = frozenset(word for word, act in self._acts.items() if act in {SheetAct.ENDED, SheetAct.PAUSED})
        told = "|".join(re.escape(each) for each in sorted(listed(schema.language, _SECTION, "instructing")))
        self._spoken = re.compile(
            rf"(?:(?<=[.!?]\s)|^[ \t]*(?:[-*\u2022][ \t]*)?)(?:{told})\b"
            r"(?:[^.!?\n]|[.](?=\d)|\n(?!\s*(?:\n|[-*\u2022])))*[.!?]?"
            if told
            else "(?!)",
            re.IGNORECASE | re.MULTILINE,
        )
        """Sentences that speak to the reader of a letter or leaflet."""
        self._used = [each for each in schema.relations.values() if each.in_use_against]
        self._mentioned = {
            type_: each for each in schema.relations.values() if each.phrasing.mention for type_ in each.objects
        }
        self._kin = kin_of(schema.language)
        self._bystanders, self._orders = Bystanders(schema.language), Orders(schema, linker)
        # The first that understands a line has it; what all leave stands below the heading, or is prose.
        self._readers: tuple[LineReader, ...] = (
            self._of_other,
            self._order,
            self._columns,
            self._aside,
            Boxes(labels, schema, linker).read,
            self.values.read,
            self._opening,
            self._row,
            self._inline,
        )
        defining = "|".join(map(re.escape, sorted(words("defining"), key=len, reverse=True))) or "(?!)"
        self._defining = re.compile(rf"\((?:[\w,]+\s+){{0,4}}{_QUOTED}|{_QUOTED},?\s+(?:{defining})\b", re.IGNORECASE)

    def read(self, utterance: Utterance) -> Sheet:
        """Returns what the layout states."""
        lines = utterance.text.splitlines(keepends=True) if self._acts else []
        orders = tuple(self._orders.found(utterance.text)) if lines else ()
        sheet = Sheet(
            utterance=utterance, wards=self._bystanders.are_several(utterance.text.splitlines()), orders=orders
        )
        for turn in utterance.before if self._acts else ():
            for line in turn.text.splitlines() if _is_above(turn) else ():
                self._carry(sheet, line)
        asides = [Span(start=found.start(), end=found.end()) for found in self._spoken.finditer(utterance.text)]
        asides = [each for each in asides if not self._warns(utterance.text[each.start : each.end])]
        at = 0
        for line in lines:
            start, at, bare = at, at + len(line), line.rstrip()
            if not bare or _RULE.fullmatch(bare):
                sheet.rows, sheet.apart = (sheet.rows if bare else None), sheet.apart or not bare
                continue
            if not any(each.start < start + len(bare) and start < each.end for each in asides):
                self._line(sheet, bare, start)
            sheet.apart = False
        sheet.taken += asides
        return sheet

    def said(self, utterance: Utterance) -> tuple[Proposal, ...]:
        """Returns the orders that a person gives in the middle of what they say."""
        return tuple(self._orders.said(utterance.text)) if utterance.role == "user" else ()

    def _line(self, sheet: Sheet, line: str, start: int) -> None:
        """Reads one line."""
        if not any(reads(sheet, line, start) for reads in self._readers) and sheet.section is not None:
            self._under(sheet, sheet.section, line, start)

    def _order(self, sheet: Sheet, line: str, start: int) -> bool:
        """Reads sentences that order something, where what stands below the heading is certain and of the subject."""
        section = sheet.section
        here = [each for each in sheet.orders if start <= each.span.start < start + len(line)]
        if section is not None and (section.act not in STATUS or self._is_family(section)):
            return False
        for each in here:
            sheet.entries += each.facts
            if each.alone:
                sheet.take(each.span.start, each.span.end)
        return bool(here)

    def states_little(self, proposal: Proposal) -> bool:
        """Whether a fact in doubt rests on a headline, or on a sentence that only says what a word stands for."""
        relation, said = self._schema.relations[proposal.relation], proposal.evidence
        headline = relation in self._used and said.rstrip().endswith("!")
        defined = relation.critical and self._defining.search(said) is not None
        return proposal.status is Status.UNCONFIRMED and (headline or defined)

    def _carry(self, sheet: Sheet, line: str) -> None:
        """Goes on under a heading that stands above the text."""
        if (found := self._heading(line)) is not None:
            sheet.section, sheet.carried = found, line
        else:
            sheet.other = line

    def _of_other(self, sheet: Sheet, line: str, start: int) -> bool:
        """Keeps a line about somebody else for a person: below that person's heading, or with their name in it."""
        own = sheet.utterance.subject.name.casefold()
        is_own = bool(own) and any(name in words_of(line) for name in words_of(own))
        place = self._bystanders.place(line) if sheet.wards else ""
        if is_own:
            sheet.begin_other("")
            return False
        if place or self._bystanders.heads(line):
            sheet.begin_other(line.strip())
        elif sheet.other and self._ends_other(sheet, line):
            sheet.begin_other("")
        end = start + len(line)
        lead, known = start + len(line) - len(line.lstrip()), bool(self._linker.mentions(line))
        is_heading = bool(sheet.other) and line.strip() == sheet.other
        if is_heading and not (place and known):
            sheet.head = Span(start=lead, end=end)
            sheet.take(start, end)
        elif (sheet.other and (known or _ITEM.match(line) or self._warns(line))) or (
            known and self._bystanders.named(line)
        ):
            from_heading = bool(sheet.other) and not sheet.told_of_other and not is_heading and sheet.head is not None
            sheet.wait(sheet.head.start if from_heading and sheet.head else lead, end, "is about somebody else")
            sheet.told_of_other = True
        elif sheet.other:
            sheet.take(start, end)
        else:
            return False
        return True

    def _ends_other(self, sheet: Sheet, line: str) -> bool:
        """Whether the line, behind a blank one, begins something new."""
        return sheet.told_of_other and sheet.apart and (self._heading(line) is not None or not _ITEM.match(line))

    def _opening(self, sheet: Sheet, line: str, start: int) -> bool:
        """Reads a line that is a heading and nothing else."""
        if (found := self._heading(line)) is not None:
            sheet.open(found, Span(start=start, end=start + len(line)))
        return found is not None

    def cries(self, proposal: Proposal) -> bool:
        """Whether a critical fact rests on an exclamation about something that no lexicon knows: a headline."""
        critical = self._schema.relations[proposal.relation].critical
        return critical and Flag.UNMAPPED in proposal.flags and proposal.evidence.rstrip().endswith("!")

    # headings

    def _heading(self, line: str) -> SheetSection | None:
        """Returns the meaning of a line that is a known heading and nothing else; `None` for every other line."""
        found = _HEADING.fullmatch(plain(line))
        return None if found is None else self._meant(found["words"])

    def _meant(self, text: str) -> SheetSection | None:
        """Returns the meaning of the words of a heading, of which each must be known."""
        words = words_of(text)
        if not 0 < len(words) <= _MOST_WORDS:
            return None
        relations, acts, position = list[str](), list[SheetAct](), 0
        while position < len(words):
            for length in range(len(words) - position, 0, -1):
                said = " ".join(words[position : position + length])
                if said in self._heads or said in self._acts or (length == 1 and said in self._joining):
                    break
            else:
                return None
            relations += [self._heads[said]] if said in self._heads else []
            acts += [self._acts[said]] if said in self._acts else []
            position += length
        if not relations and not acts:
            return None
        # "Medicines to avoid": what warns counts before what is taken.
        relation = next((each for each in relations if self._schema.relations[each].critical), "".join(relations[:1]))
        return SheetSection(relation=relation, act=acts[0] if acts else SheetAct.STATED)

    def _columns(self, sheet: Sheet, line: str, start: int) -> bool:
        """Reads a line that names the columns of a table."""
        cells = [cell for cell in _FIELD.split(line.strip()) if cell.strip()]
        if len(cells) < 3 or any(any(letter.isdigit() for letter in cell) for cell in cells):
            return False
        columns = self._meant(cells[0])
        if columns is None and "|" in line and not any(map(self._linker.mentions, cells)):
            columns = SheetSection(relation="", act=SheetAct.STATED)
        if columns is not None:
            sheet.rows = columns
            sheet.take(start, start + len(line))
        return columns is not None

    # entries

    def _inline(self, sheet: Sheet, line: str, start: int) -> bool:
        """Whether the line is a heading with its list behind it; reads the list if it is understood."""
        inline = _INLINE.fullmatch(plain(line))
        meant = self._meant(inline["head"]) if inline is not None else None
        if inline is None or meant is None:
            return False
        sheet.section = None
        lead, known, at = len(line) - len(line.lstrip()), len(sheet.entries), inline.start("rest")
        denied = self._denied(sheet, meant, line[at:], Span(start=start + lead, end=start + len(line)))
        if not denied and self._entries(sheet, meant, line[at:], start + at):
            if len(sheet.entries) == known + 1:
                sheet.entries[-1] = _wider(sheet.entries[-1], line, start)
            sheet.take(start, start + at)
        return True

    def _under(self, sheet: Sheet, section: SheetSection, line: str, start: int) -> None:
        """Reads one line below a heading."""
        bullet = _BULLET.match(line)
        at = 0 if bullet is None else bullet.end()
        end = start + len(line)
        whole = Span(start=start if sheet.head is None else sheet.head.start, end=end)
        if section.act is SheetAct.NOTHING:
            if self._warns(line[at:]):
                sheet.wait(start + len(line) - len(line.lstrip()), end, "stands under a heading that states nothing")
            else:
                sheet.take(start, end)
        elif self._denied(sheet, section, line[at:], whole):
            return
        elif self._entries(sheet, section, line[at:], start + at):
            sheet.take(start, start + at)
        elif self._told_of_use(section, line):
            sheet.wait(start + len(line) - len(line.lstrip()), end, "what is listed as taken, with more to it")
        elif self._is_other(line, apart=sheet.apart):
            sheet.section = None
        else:
            self._unread(sheet, section, line, start)

    def _is_other(self, line: str, *, apart: bool) -> bool:
        """Whether the line is a heading with another meaning, or a label of its own."""
        if line.rstrip().endswith(":") or line.lstrip().startswith("#") or _INLINE.fullmatch(plain(line)):
            return True
        short = len(line.split()) <= _MOST_WORDS and not line.rstrip().endswith(".")
        return short and not _ITEM.match(line) and (apart or line.isupper())

    def _unread(self, sheet: Sheet, section: SheetSection, line: str, start: int) -> None:
        """Decides about a line that is no entry: it waits where prose would be misread, else it is left for prose."""
        short = len(line.split()) <= _MOST_WORDS and not line.rstrip().endswith(".")
        listed = bool(_ITEM.match(line)) or short
        relation = self._schema.relations.get(section.relation)
        start_of = start + len(line) - len(line.lstrip())
        if not listed and not self._is_family(section):
            sheet.section = None
        elif section.act not in STATUS or self._is_family(section):
            if self._linker.mentions(line):
                sheet.wait(start_of, start + len(line), "stands in a list")
            sheet.take(start_of, start + len(line))
        elif relation is not None and relation.critical and sheet.head is None:
            # The inner reader does not see a heading that stands in the part before.
            sheet.wait(start_of, start + len(line), f"stands in a list under '{sheet.carried.strip()}'")
        elif relation is not None and (relation.critical or len(sheet.entries) == sheet.before[0]):
            sheet.leave()
        elif relation in self._used:
            sheet.wait(start_of, start + len(line), "stands in a list, under no known name")

    def _denied(self, sheet: Sheet, section: SheetSection, body: str, whole: Span) -> bool:
        """Whether an entry says "none"; of a critical relation it waits with its heading, as no person said so."""
        words = words_of(body.lower())
        if not 0 < len(words) <= _SHORT or words[0] not in self._nothing:
            return False
        relation = self._schema.relations.get(section.relation)
        if relation is not None and relation.critical:
            sheet.wait(whole.start, whole.end, "a document denies it")
        else:
            sheet.take(whole.start, whole.end)
        return True

    def _told_of_use(self, section: SheetSection, line: str) -> bool:
        """Whether a short line in a list of what is taken begins with such a thing and says more of it."""
        bullet = _BULLET.match(line)
        named = self._first_term(line[0 if bullet is None else bullet.end() :])
        relation = None if named is None else self._relation_of(section, named)
        told = any(word in self._telling for word in words_of(line.lower()))
        return relation in self._used and told and len(line.split()) <= 2 * _LONGEST_REST

    def _entries(self, sheet: Sheet, section: SheetSection, text: str, start: int) -> bool:
        """Reads a line as one or several entries; false, with nothing read, unless all of it is understood."""
        places = list(_pieces(text))
        whole = None if self._is_family(section) and len(places) > 1 else self._entry(section, text, start, text)
        places = places if whole is None else [(0, len(text))]
        read = [self._entry(section, text[a:b], start + a, text) for a, b in places] if whole is None else [whole]
        understood = [(place, each) for place, each in zip(places, read, strict=True) if each is not None]
        risky = self._schema.relations.get(section.relation)
        least = len(places) if risky is not None and risky.critical else (len(places) + 1) // 2
        if not understood or len(understood) < least:
            return False  # an allergen that no lexicon knows needs its heading
        sheet.entries += [each for _, each in understood]
        if len(understood) == len(places):
            sheet.take(start, start + len(text))
        nexts = [first for first, _ in places[1:]] + [len(text)]
        for place, upto in zip(places, nexts, strict=True):
            if any(place == each for each, _ in understood):
                sheet.take(start + place[0], start + upto)
        return True

    def _entry(self, section: SheetSection, text: str, start: int, line: str) -> Proposal | None:
        """Returns the fact of an entry: a known term, then words that describe it; `None` for anything else."""
        if self._is_family(section):
            return self._relatives(section, text, start, line)
        named = self._first_term(text)
        if named is None:
            return None
        relation = self._relation_of(section, named)
        rest = text[named.end :]
        if relation is not None and any(each.type in relation.objects for each in self._linker.mentions(rest)):
            return None
        words = [word for word in words_of(rest) if word[0].isalnum() or word == "?"]
        if relation is None or not self._describes(relation, words):
            return None
        status = STATUS.get(section.act, Status.UNCONFIRMED)
        ends = [self._acts.get(word) for word in words]
        if status is Status.ACTIVE and (SheetAct.ENDED in ends or SheetAct.PAUSED in ends):
            status = Status.RESOLVED if SheetAct.ENDED in ends else Status.UNCONFIRMED
        return made(relation, named, status, self._attributes(relation, rest), text, start)

    def _relation_of(self, section: SheetSection, named: Mention) -> Relation | None:
        """Returns the heading's relation if it takes the term, else the one that a bare mention of the term states."""
        own = self._schema.relations.get(section.relation)
        if own is not None and named.type in own.objects and not own.rule_status:
            return own
        if own is None and section.act is not SheetAct.POSSIBLE:
            return next((each for each in self._used if named.type in each.objects), None)
        listed = own is None or own.phrasing.mention
        return self._mentioned.get(named.type) if listed else None

    def _describes(self, relation: Relation, words: Sequence[str]) -> bool:
        """Whether words behind a term only describe it."""
        other = any(self._heads.get(word, relation.name) != relation.name for word in words)
        most = _LONGEST_REST + _LONGEST_REST // 2 if relation in self._used else _LONGEST_REST
        return len(words) <= most and not other and not any(word in self._tells(relation) for word in words)

    def _tells(self, relation: Relation) -> frozenset[str]:
        """Words that make a sentence of an entry; of what is taken, "stopped" only ends it."""
        return self._telling - self._over if relation in self._used else self._telling

    def _first_term(self, text: str) -> Mention | None:
        """Returns the term that begins the text; one describing word may stand before it."""
        found = self._linker.mentions(text)
        if not found:
            return None
        before = text[: found[0].start].strip(" \t*_\"'(")
        plainly = len(before.split()) <= 1 and before.lower() not in self._telling
        return found[0] if plainly and not before.endswith((":", "?", ",", ".")) else None

    def _attributes(self, relation: Relation, rest: str) -> dict[str, Attribute]:
        """Returns what the words behind a term tell of it."""
        attrs: dict[str, Attribute] = {}
        for name, kind in relation.attrs.items():
            if kind == "year" and (year := _YEAR.search(rest)):
                attrs[name] = int(year[0])
            elif kind in self._schema.lexicon.terms or kind in self._schema.unions:
                types = self._schema.concrete(kind)
                term = next((each for each in self._linker.mentions(rest) if each.type in types), None)
                # What stands in brackets behind an allergen is its reaction, whatever else it may be.
                told = term.name if term is not None else _bracketed(rest, self._linker) if relation.critical else ""
                attrs |= {name: told} if told and relation not in self._used else {}
        if relation in self._used and (
            dose := next((each for each in _DOSE.finditer(rest) if each["unit"].lower() in self._units), None)
        ):
            attrs[self._named.get("amount", "")] = dose[0]
            parts = [part.strip(" \t,;.()") for part in re.split(r"[|;(]", rest[dose.end() :])]
            often = next((part for part in parts if self._is_often(part)), "")
            attrs |= {self._named.get("often", ""): often} if often else {}
        if (graded := self._named.get("grade", "")) in relation.attrs:
            stage = next((word for word in words_of(rest) if word in self._stages), "")
            found = re.search(rf"\b{stage}\b\s*\S+", rest, re.IGNORECASE) if stage else None
            attrs |= {graded: found[0].strip(" .,;()")} if found else {}
        return {name: value for name, value in attrs.items() if name in relation.attrs}

    def _is_often(self, words: str) -> bool:
        said = f" {' '.join(words_of(words))} "
        return any(f" {text} " in said for text in self._often)

    # relatives

    def _is_family(self, section: SheetSection) -> bool:
        return self._schema.family is not None and bool(section.relation) and section.relation == self._schema.family.to

    def _relatives(self, section: SheetSection, text: str, start: int, line: str) -> Proposal | None:
        """Returns the fact of a line under the heading of the family."""
        rule, words = self._schema.family, words_of(text)
        relation = self._schema.relations[section.relation]
        if rule is None or any(word in self._telling for word in words):
            return None
        named = next((each for each in self._linker.mentions(text) if each.type in relation.objects), None)
        if named is None:
            return None
        heads = [self._heads.get(word, "") for word in words]
        suffix = next((rule.object_suffix[name] for name in heads if name in rule.object_suffix), "")
        attrs: dict[str, Attribute] = {}
        own, every = ({self._kin[word] for word in said if word in self._kin} for said in (words, words_of(line)))
        relatives = own or (every if len(every) == 1 else set())
        attrs |= {"relative": min(relatives)} if relatives else {}
        mention = replace(named, name=named.name + suffix, type=named.type if not suffix else "")
        return made(relation, mention, Status.ACTIVE, attrs, text, start)

    # laboratory lines and tables

    def _row(self, sheet: Sheet, line: str, start: int) -> bool:
        """Reads a row of a table as an entry of its first column."""
        lead = len(line) - len(line.lstrip(" \t|"))
        text = line[lead:].rstrip(" \t|")
        return sheet.rows is not None and "|" in line and self._entries(sheet, sheet.rows, text, start + lead)

    # what states nothing

    def _warns(self, words: str) -> bool:
        """Whether the closed rules read a risk in words that stand where nothing is stated."""
        read = self._labels.extract(Utterance(text=words, role="document", subject=_NOBODY))
        return any(self._schema.relations[each.relation].critical for each in read.proposals if each.status in RISK)

    def _aside(self, sheet: Sheet, line: str, start: int) -> bool:
        """Reads a line that is a page number, or holds an address and nothing that could be a fact."""
        aside = _PAGE.fullmatch(line) or (_ADDRESS.search(line) and not self._may_state(_ADDRESS.sub(" ", line)))
        if aside:
            sheet.take(start, start + len(line))
        return bool(aside)

    def _may_state(self, words: str) -> bool:
        """Whether words name a known thing, or the closed rules read something in them."""
        said = Utterance(text=words, role="document", subject=_NOBODY)
        return bool(self._linker.mentions(words) or self._labels.extract(said).proposals)


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    """Yields the places of the parts of a list in one line."""
    start = 0
    for mark in _PIECE.finditer(text):
        if text[start : mark.start()].strip():
            yield start, mark.start()
        start = mark.end()
    if text[start:].strip(" ."):
        yield start, len(text)


def _bracketed(rest: str, linker: Linker) -> str:
    """Returns the first known thing in brackets; empty if there is none."""
    found = re.search(r"\(([^()]+)\)", rest)
    return next((each.name.lower() for each in linker.mentions(found[1])), "") if found is not None else ""


def _wider(entry: Proposal, line: str, start: int) -> Proposal:
    """Returns an entry with its whole line as evidence."""
    lead, said = len(line) - len(line.lstrip()), line.strip()
    return replace(entry, evidence=said, span=Span(start=start + lead, end=start + lead + len(said)))


def _quoted(proposal: Proposal, text: str) -> Proposal:
    """Returns the proposal with its evidence as it stands in the whole text."""
    span = proposal.span
    return proposal if span is None else replace(proposal, evidence=text[span.start : span.end])


def _each_once(proposals: Iterable[Proposal]) -> Iterator[Proposal]:
    """Yields one proposal of each that says the same: a form may be printed twice."""
    told: set[tuple[object, ...]] = set()
    for each in proposals:
        key = (each.relation, each.object, each.object_type, each.status, tuple(sorted(each.attrs.items(), key=str)))
        if key not in told:
            told.add(key)
            yield each


def _claim(entry: Proposal) -> LocalClaim:
    risk = LocalVoice.RISK if entry.status is Status.ACTIVE else LocalVoice.DOUBT
    return LocalClaim(
        relation=entry.relation,
        name=entry.object.casefold(),
        words=entry.evidence,
        span=entry.span or Span(start=0, end=0),
        voice=LocalVoice.ABSENCE if entry.status in {Status.NEGATED, Status.RESOLVED} else risk,
    )

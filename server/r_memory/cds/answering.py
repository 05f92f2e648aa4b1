"""What a call of a hook is answered: cards out of the memory and of the record that came with the call.

Chooses no drug and writes nothing but a receipt of what was shown.
"""

import re
import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from r_memory.cds.chart import (
    CHART,
    DRAFT,
    CouldNotLook,
    RecordedChart,
    chart_of,
    ordered,
    orders_of,
    patient_ids,
    reference_of,
)
from r_memory.cds.models import (
    SUMMARY,
    Action,
    Card,
    CardSource,
    CdsForm,
    HookRequest,
    Indicator,
    OrderSelect,
    OrderSign,
    PatientView,
    Suggestion,
)
from r_memory.domain.blocks import DraftCheck, Recall, gate_record
from r_memory.domain.facts import RISK, Entity, Fact
from r_memory.errors import InvalidInput
from r_memory.facts.facts import uuid_of
from r_memory.facts.reconciling import Cell, Row, source_of
from r_memory.memory import Memory
from r_memory.records.mapping import Mapper, RecordForm
from r_memory.records.trees import Tree
from r_memory.text.inert import clipped, inert, inert_name, without_secrets

GATE = "card"
"""Name of the gate in the receipts of cards."""
_MARKUP = re.compile(r"([\\`*_{}\[\]()#+!|~<>&-])")
_LISTED = 20
_GRAVITY: Sequence[Indicator] = ("critical", "warning", "info")
_OPENED = "A chart is opened."
_NO_RECEIPT = "no receipt of it could be written"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answering:
    """Answers hook calls with cards from one memory."""

    memory: Memory
    form: CdsForm
    records: RecordForm
    shown_to: str

    async def cards(self, request: HookRequest, context: PatientView) -> tuple[Card, ...]:
        """Returns the cards to show, the gravest first; empty only if everything was read and there is nothing to say.

        Raises:
            CouldNotLook: the memory or the record could not be read, or is another patient's.
            InvalidInput: the parts of the context do not fit together.
        """
        patient, prefetch = context.patient_id, request.prefetch
        orders = self._orders(context) if isinstance(context, OrderSign) else None
        about = await self._subject(patient_ids(prefetch, patient, self.records))
        chart = await chart_of(self.memory, about, patient, prefetch, self.form, self.records)
        if orders is None:
            found = await self._of_view(about, chart)
        else:
            found = [card for order in orders[0] for card in await self._of_order(about, chart, order, orders[1])]
        if chart.needs_more and all(card.indicator == "info" for card in found):
            raise CouldNotLook(f"the chart was not seen: {'; '.join(chart.missing)}")
        found += self._unseen(chart)
        return tuple(sorted(found, key=lambda card: _GRAVITY.index(card.indicator)))

    async def _subject(self, ids: Sequence[str]) -> Entity:
        """Returns the subject with one of the ids; names are not compared, as two people may share one."""
        store, space, type_ = self.memory.facts.store, self.memory.facts.space, self.memory.schema.subject
        found = {
            item.uid: item for id_ in ids for item in await store.subjects(space, type_, id_=id_) if item.id == id_
        }
        if len(found) > 1:
            raise CouldNotLook(f"this person's id and numbers are those of {len(found)} people in the memory")
        for item in found.values():
            return await self.memory.find_subject(item)
        raise CouldNotLook(
            "the memory knows nobody by this person's id or numbers; give the subject the id that the client has, or "
            "have the client send the person as prefetch, with the identifier that the memory has"
        )

    # --- orders

    def _orders(self, context: OrderSign) -> tuple[tuple[Tree, ...], tuple[Tree, ...]]:
        """Returns the orders to judge, and all draft orders."""
        drafted = orders_of(context.draft_orders.entry, context.patient_id, self.form, self.records)
        if not isinstance(context, OrderSelect):
            return drafted, drafted
        known = {reference_of(tree) for tree in drafted}
        if strays := [selection for selection in context.selections if selection not in known]:
            raise InvalidInput(f"{len(strays)} of the selections name no draft order")
        return tuple(tree for tree in drafted if reference_of(tree) in context.selections), drafted

    async def _of_order(self, about: Entity, chart: RecordedChart, order: Tree, drafted: Sequence[Tree]) -> list[Card]:
        """Returns the card with the findings against one order, if there are any."""
        kind = str(order.get(self.records.type))
        schema, linker = self.memory.schema, self.memory.facts.reader.linker
        mapper = Mapper(
            form=self.records, schema=schema, linker=linker, looked_up={reference_of(o): o for o in drafted}
        )
        thing = "; ".join(mapper.names(self.form.orders.get(kind, ()), order))
        if not thing:
            why = "names nothing in words" if kind in self.form.orders else "is of a kind that is not read"
            return [
                self._card("warning", f"NOT CHECKABLE: {inert_name(reference_of(order))} {why}; nothing was compared.")
            ]
        others = [fact for tree in drafted if tree is not order for fact in await self._ordered(about, tree)]
        recalling = self.memory.facts.recalling
        text = self.form.draft.format(thing=inert(thing, 2_000))
        check = await recalling.unrecorded_check(text, subject=about, elsewhere=(*chart.facts, *others))
        card = self._of_check(check, thing)
        _check_read(check.recall, found=card is not None and card.indicator != "info")
        decision, block = ("pass", "") if card is None else ("annotate", f"{card.summary}\n{card.detail}")
        record = gate_record(gate=GATE, decision=decision, verdict=check.verdict, asked=text, block=block)
        recorded = await recalling.recorded(_of_findings(check), self.shown_to, record, block=block)
        if card is None:
            if not recorded.receipt_id:
                raise CouldNotLook(_NO_RECEIPT)
            return []
        return [self._answerable(card, recorded.receipt_id, order, thing)]

    async def _ordered(self, about: Entity, order: Tree) -> tuple[Fact, ...]:
        return await ordered(self.memory, about, order, self.records)

    def _of_check(self, check: DraftCheck, thing: str) -> Card | None:
        named = inert_name(thing, 60)
        if not check.findings and not check.gaps:
            return None
        facts = {line.fact.fact_id: line.fact for line in check.recall.lines}
        facts |= {fact.fact_id: fact for rule in check.recall.rules for fact in rule.facts}
        found = {(finding.fact_id, finding.rule_id, finding.message): finding for finding in check.findings}
        told = [
            f"**{item.verdict}**: {_plain(item.message)}{_behind(facts.get(item.fact_id))}" for item in found.values()
        ]
        shown = {finding.fact_id for finding in check.findings}
        also = [line for line in check.recall.lines if line.matches and line.fact.fact_id not in shown]
        told += [f"also: {_plain(line.text)}{_behind(line.fact)}" for line in also]
        told += [f"not compared: {_plain(gap)}" for gap in check.gaps]
        if check.findings:
            first, more = check.findings[0].message, len(found) - 1
            indicator: Indicator = "critical" if check.verdict == "conflict" else "warning"
            counted = f" (+{more} more)" if more else ""
            return self._card(indicator, f"{clipped(first, SUMMARY - len(counted))}{counted}", told)
        asked = set(check.gaps) <= set(check.recall.unasked)
        return self._card("info" if asked else "warning", f"{named}: {inert(check.gaps[0])}", told)

    def _answerable(self, card: Card, receipt_id: str, order: Tree, thing: str) -> Card:
        """Returns the card with its possible actions.

        Without a receipt it has none, as feedback could not refer to it.
        """
        if not receipt_id:
            return card
        id_, remove = uuid_of(receipt_id), self.form.remove.format(thing=inert_name(thing, 80))
        action = Action(description=remove, resource_id=reference_of(order))
        suggestion = Suggestion(label=remove, uuid=str(uuid.uuid5(uuid.UUID(id_), "remove")), actions=(action,))
        grave = card.indicator != "info" and order.get("id") is not None
        return card.model_copy(
            update={
                "uuid": id_,
                "override_reasons": self.form.reasons,
                "suggestions": (suggestion,) if grave else None,
                "selection_behavior": "at-most-one" if grave else None,
            }
        )

    # --- a chart

    async def _of_view(self, about: Entity, chart: RecordedChart) -> list[Card]:
        """Returns the cards of an opened chart: facts that it lacks or that do not go together, what waits, and
        relations not asked for.
        """
        memory, recalling = self.memory, self.memory.facts.recalling
        recall = await recalling.unrecorded(_OPENED, subject=about, elsewhere=chart.facts)
        _check_read(recall, found=False)
        rows = await memory.facts.reconciling.rows(about, also=chart.facts)
        grave = [row for row in rows if row.cell in {Cell.CONTRADICTS, Cell.SAID} and self._is_grave(row)]
        cards = []
        if grave:
            cards.append(self._of_rows(grave, chart))
        if clashes := recall.standing.clashes:
            more = f" (+{len(clashes) - 1} more)" if len(clashes) > 1 else ""
            first = clipped(f"Recorded, does not go together: {clashes[0].text}", SUMMARY - len(more))
            told = [
                f"{_plain(inert(clash.text))}{';'.join(_behind(fact) for fact in clash.facts)}" for clash in clashes
            ]
            cards.append(self._card("critical" if clashes[0].stop else "warning", f"{first}{more}", told))
        unasked = [row for row in rows if row.cell is Cell.NEVER_ASKED and row.relation in chart.compared]
        if unasked:
            asked = "; ".join(inert(row.question) for row in unasked)
            cards.append(self._card("info", f"Never asked, and not in the chart: {asked}", [_plain(asked)]))
        if recall.pending:
            words = [f'"{_plain(inert(item.text))}"' for item in recall.pending]
            cards.append(self._card("info", f"{len(words)} statements wait to be read.", words))
        ids = {row.said.fact_id for row in grave if row.said is not None}
        lines = tuple(line for line in recall.lines if line.fact.fact_id in ids)
        shown = _without_call(replace(recall, lines=lines, rules=()))
        block = "\n".join(card.summary for card in cards)
        record = gate_record(gate=GATE, decision="annotate" if cards else "pass", asked=_OPENED, block=block)
        receipt = (await recalling.recorded(shown, self.shown_to, record, block=block)).receipt_id
        if not receipt and not cards:
            raise CouldNotLook(_NO_RECEIPT)
        if grave and receipt:
            cards[0] = cards[0].model_copy(update={"uuid": uuid_of(receipt), "override_reasons": self.form.reasons})
        return cards

    def _is_grave(self, row: Row) -> bool:
        relation = self.memory.schema.relations.get(row.relation)
        risky = any(fact is not None and fact.status in RISK for fact in (row.said, row.recorded))
        return risky and relation is not None and relation.critical

    def _of_rows(self, rows: Sequence[Row], chart: RecordedChart) -> Card:
        """Returns one card with everything that a clinician should reconcile."""
        told = [f"**{_heading(row, chart)}**: {_plain(row.thing)}: {_plain(row.question)}" for row in rows]
        names = ", ".join(dict.fromkeys(inert_name(row.thing, 40) for row in rows))
        first = _heading(rows[0], chart) if len({_heading(row, chart) for row in rows}) == 1 else "Told, and differs"
        return self._card("warning", f"{first}: {names}", told)

    # --- both

    def _unseen(self, chart: RecordedChart) -> Iterator[Card]:
        if chart.missing:
            why = f"Not compared with the whole chart: {'; '.join(map(inert, chart.missing))}."
            yield self._card("warning" if chart.needs_more else "info", why)
        if chart.unread:
            told = [_plain(inert(item)) for item in chart.unread]
            yield self._card("warning", f"{len(told)} entries of the chart could not be read.", told)

    def _card(self, indicator: Indicator, summary: str, told: Iterable[str] = ()) -> Card:
        listed = list(told)
        more = [f"and {len(listed) - _LISTED} more"] if len(listed) > _LISTED else []
        return Card(
            indicator=indicator,
            summary=clipped(inert(summary), SUMMARY),
            detail="\n".join(f"* {item}" for item in [*listed[:_LISTED], *more]) or None,
            source=CardSource(label=self.form.source),
        )


def _heading(row: Row, chart: RecordedChart) -> str:
    if row.cell is Cell.CONTRADICTS:
        return "Told, and the chart contradicts"
    return "Told, and not in the chart" if row.relation in chart.compared else "Told, and not compared with the chart"


def _check_read(recall: Recall, *, found: bool) -> None:
    """Checks that the memory was read; with `found`, a partial reading is accepted.

    Raises:
        CouldNotLook: the memory was not read completely.
    """
    if recall.unavailable or (not recall.complete and not found):
        why = without_secrets(recall.unavailable) or "some of the memory could not be read"
        raise CouldNotLook(f"{why}. {recall.ask}".strip())


def _of_findings(check: DraftCheck) -> Recall:
    """Returns the recall with the facts that a card shows."""
    facts, rules = {finding.fact_id for finding in check.findings}, {finding.rule_id for finding in check.findings}
    recall = _without_call(check.recall)
    return replace(
        recall,
        lines=tuple(line for line in recall.lines if line.fact.fact_id in facts),
        rules=tuple(rule for rule in recall.rules if rule.rule_id in rules),
    )


def _without_call(recall: Recall) -> Recall:
    """Returns the recall as its receipt has it: data of the call is in none, as it is not in the memory."""
    clashes = tuple(
        replace(clash, facts=tuple(fact for fact in clash.facts if _is_stored(fact)))
        for clash in recall.standing.clashes
    )
    return replace(
        recall,
        lines=tuple(line for line in recall.lines if _is_stored(line.fact)),
        standing=replace(recall.standing, clashes=clashes),
    )


def _is_stored(fact: Fact) -> bool:
    return fact.speaker not in {CHART, DRAFT}


def _behind(fact: Fact | None) -> str:
    """Returns the words of a fact, and who said them."""
    return "" if fact is None else f' "{_plain(inert(fact.evidence))}" ({_plain(source_of(fact))})'


def _plain(text: str) -> str:
    """Returns words with Markdown escaped, because people's words are data."""
    return _MARKUP.sub(r"\\\1", text)

"""`receipts`: what was shown, asked and decided."""

from typing import Annotated

from typer import Argument, Option

from r_memory.cli.options import Subject
from r_memory.cli.printing import Answer, Grid, day_of, on_settings
from r_memory.cli.running import with_memory
from r_memory.config.settings import Settings
from r_memory.domain.blocks import Receipt
from r_memory.domain.instants import iso
from r_memory.memory import Memory
from r_memory.text.inert import inert_name


@on_settings
def receipts(
    settings: Settings,
    receipt: Annotated[str, Argument(metavar="[ID]", help="One receipt, whole.")] = "",
    subject: Subject = "",
    gates: Annotated[bool, Option("--gates", help="Only what gates decided.")] = False,
    limit: Annotated[int, Option("--limit", metavar="N", min=1, max=10_000, help="Most of them, the newest.")] = 50,
) -> Answer:
    """Lists what was shown about somebody, and what gates asked and decided.

    The newest comes first. Of one receipt the block is shown as it stood. `asked`, `stood` and `answered` are the
    sha256 of request, block and answer, each behind `digest_salt` and a newline.
    """

    async def read(memory: Memory) -> tuple[Receipt, ...]:
        if receipt:
            found = await memory.facts.store.receipt(memory.facts.space, receipt)
            return () if found is None else (found,)
        return await memory.receipts(subject=subject, limit=limit if not gates else 10_000)

    found = [item for item in with_memory(settings, read) if item.gate.gate or not gates][:limit]
    data = [_told(item) for item in found]
    if receipt:
        data = [{**each, "block": kept.block} for each, kept in zip(data, found, strict=True)]
        shown = [f"{name}: {value}" for datum in data for name, value in datum.items() if value not in ("", [], None)]
        return Answer(data=data, shown=shown or ["No receipt has this id."])
    rows = (
        (
            day_of(item.shown_at, time=True),
            item.gate.gate or "shown",
            item.gate.decision,
            item.gate.verdict,
            len(item.fact_ids),
            item.complete,
            inert_name(item.shown_to),
            item.id,
        )
        for item in found
    )
    columns = ("when", "gate", "decided", "verdict", "facts", "complete", "to", "receipt")
    return Answer(data=data, shown=[Grid(columns, rows)] if found else ["Nothing was shown yet."])


def _told(receipt: Receipt) -> dict[str, object]:
    gate = receipt.gate
    return {
        "receipt": receipt.id,
        "shown_at": iso(receipt.shown_at),
        "shown_to": receipt.shown_to,
        "gate": gate.gate,
        "decision": gate.decision,
        "verdict": gate.verdict,
        "complete": receipt.complete,
        "intents": list(receipt.intents),
        "fact_ids": list(receipt.fact_ids),
        "rule_ids": list(receipt.rule_ids),
        "asked": gate.asked,
        "stood": gate.stood,
        "answered": gate.answered,
        "digest_salt": gate.digest_salt,
        "judged": list(gate.judged),
        "watermark": receipt.watermark,
    }

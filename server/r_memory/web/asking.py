"""What if: what a request would open and show, without leaving a receipt."""

from starlette.responses import Response

from r_memory.facts.recall.rendering import render
from r_memory.web.visit import Visit


async def form(visit: Visit) -> Response:
    """The empty form."""
    return visit.page(
        "ask.html", title="What if", query="", subject=visit.asked("id"), found=None, block="", opened=None
    )


async def answer(visit: Visit) -> Response:
    """What a request opens, the query that is run, and the block."""
    memory, query, subject = visit.memory, visit.fields.get("query", ""), visit.fields.get("subject", "").strip()
    opened = await memory.opens(query)
    found = await memory.facts.recalling.unrecorded(query, subject=subject)
    return visit.page(
        "ask.html", title="What if", query=query, subject=subject, found=found, block=render(found), opened=opened
    )

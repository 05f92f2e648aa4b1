"""`describe`: this server as a model meets it, for whoever writes or reviews its texts."""

import asyncio
from typing import Annotated

import typer

from r_memory.cli.printing import Answer, on_settings
from r_memory.config.settings import Settings
from r_memory.serving.tools import description
from r_memory.serving.tools.offer import Offer


@on_settings
def describe(
    settings: Settings,
    read_only: Annotated[bool, typer.Option("--read-only", help="As `serve --read-only` offers it.")] = False,
    audit: Annotated[bool, typer.Option("--audit", help="As `serve --audit` offers it.")] = False,
    hooks: Annotated[bool, typer.Option("--hooks", help="As `serve --hooks` offers it.")] = False,
) -> Answer:
    """Prints what a model reads of this server: names, descriptions, instructions, sizes.

    A client shows names at first, then first sentences, then the rest; it cuts what is too long. No store is opened.
    """
    offer = Offer(read_only=read_only, audit=audit, hooks=hooks).of(settings)
    listed = asyncio.run(description.listed(offer))
    data = {"instructions": listed.instructions, "tools": listed.tools}
    return Answer(data=data, shown=description.as_model(listed))

"""`describe`: this server as a model meets it, for whoever writes or reviews its texts."""

import asyncio
from typing import Annotated, Any

import typer

from r_memory.cli.options import AsJson, Home, settings_of
from r_memory.cli.printing import print_json, print_line
from r_memory.config.loading import load_domain
from r_memory.serving.tools import description
from r_memory.serving.tools.offer import Offer


def describe(
    read_only: Annotated[bool, typer.Option("--read-only", help="As `serve --read-only` offers it.")] = False,
    audit: Annotated[bool, typer.Option("--audit", help="As `serve --audit` offers it.")] = False,
    hooks: Annotated[bool, typer.Option("--hooks", help="As `serve --hooks` offers it.")] = False,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Prints what a model reads of this server: names, descriptions, instructions, sizes.

    A client shows names at first, then first sentences, then the rest; it cuts what is too long. No store is opened.
    """
    settings = settings_of(home)
    schema = load_domain(settings.files, settings.schema).schema
    offer = Offer(read_only=read_only, audit=audit, hooks=hooks)
    listed = asyncio.run(
        description.listed(single_subject=bool(settings.single_subject), about=schema.topics, offer=offer)
    )
    if as_json:
        print_json(_plain(listed))
        return
    for line in description.as_model(listed):
        print_line(line)


def _plain(listed: description.Listed) -> dict[str, Any]:
    return {"instructions": listed.instructions, "tools": [dict(tool) for tool in listed.tools]}

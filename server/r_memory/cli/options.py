"""The options that commands share, spelt once."""

from pathlib import Path
from typing import Annotated

import typer

Home = Annotated[
    Path | None,
    typer.Option(
        "--home", metavar="DIR", help="Folder of your own settings, schema, intents and queries. [R_MEMORY_HOME]"
    ),
]
Space = Annotated[
    str | None, typer.Option("--space", metavar="NAME", help="Tenant whose memory is meant. [R_MEMORY_SPACE]")
]
Subject = Annotated[
    str, typer.Option("--subject", "-s", metavar="ID", help="Whom it is about: an id, or an exact name.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs instead of text for people.")]

"""The options that commands share, spelt once, and the settings that they add up to."""

from pathlib import Path
from typing import Annotated

import typer

from r_memory.config.settings import Settings

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
AnotherThan = Annotated[
    list[str] | None,
    typer.Option(
        "--another-than",
        metavar="ID",
        help="Says that the new subject is not the known one of this id, who has the same name; once for each.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs instead of text for people.")]


def settings_of(home: Path | None, space: str | None = None) -> Settings:
    """The settings of this installation, with what the command line says on top.

    Raises:
        ConfigurationError: a setting or the home cannot be used.
    """
    return Settings.from_environment(home=home, space=space)

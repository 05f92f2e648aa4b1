"""The options that commands share, spelt once, and the settings that they add up to."""

import sys
from pathlib import Path
from typing import Annotated

from typer import Option

from r_memory.config.settings import Settings
from r_memory.errors import InvalidInput

Home = Annotated[
    Path | None,
    Option("--home", metavar="DIR", help="Folder of your own settings, schema, intents and queries. [R_MEMORY_HOME]"),
]
Space = Annotated[str | None, Option("--space", metavar="NAME", help="Tenant whose memory is meant. [R_MEMORY_SPACE]")]
Subject = Annotated[str, Option("--subject", "-s", metavar="ID", help="Whom it is about: an id, or an exact name.")]
AnotherThan = Annotated[
    list[str] | None,
    Option(
        "--another-than",
        metavar="ID",
        help="Says that the new subject is not the known one of this id, who has the same name; once for each.",
    ),
]
SubjectName = Annotated[
    str, Option("--subject-name", metavar="NAME", help="Declares a new subject under the id of --subject.")
]
AsJson = Annotated[bool, Option("--json", help="Print JSON for programs instead of text for people.")]


def settings_of(home: Path | None, space: str | None = None) -> Settings:
    """Returns the settings of this installation, with the options of the command line."""
    return Settings.from_environment(home=home, space=space)


def text_from(file: Path | None) -> str:
    """Returns the text of the file; without one, of standard input."""
    try:
        return (file.read_bytes() if file else sys.stdin.buffer.read()).decode("utf-8-sig")
    except OSError as error:
        message = f"{file} cannot be read ({error.strerror}); check the name and that you may read it"
        raise InvalidInput(message) from error
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{file or 'standard input'} is not UTF-8; convert it first") from error

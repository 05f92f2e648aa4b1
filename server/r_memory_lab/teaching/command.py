"""`teach`: a domain of one's own from labelled lines, without torch; or a check of the lines."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from r_memory.cli.app import Exit
from r_memory.cli.options import Home, settings_of
from r_memory.cli.printing import print_parts
from r_memory.config.schema_file import load_schema
from r_memory.errors import InvalidInput
from r_memory_lab.teaching.corpus import files_of, read_file
from r_memory_lab.teaching.domains import DOMAINS
from r_memory_lab.teaching.evaluation import ReaderFigures
from r_memory_lab.teaching.lint import problems
from r_memory_lab.teaching.own import domain_of, write
from r_memory_lab.teaching.own import teach as taught


def teach(
    schema: Annotated[
        str, typer.Option("--schema", metavar="NAME", help="Schema of your home, and folder of its lines.")
    ] = "",
    corpus: Annotated[
        Path | None, typer.Option("--corpus", metavar="DIR", help="Folder that holds NAME/*.jsonl.")
    ] = None,
    check: Annotated[
        Path | None,
        typer.Option(
            "--check",
            metavar="DIR",
            help="Only name what is wrong with the lines below this folder; of a schema of your own with --schema.",
        ),
    ] = None,
    home: Home = None,
) -> None:
    """Teaches the reader a domain of your own from labelled lines, or checks the lines.

    300 lines take a minute, without torch. New heads are found over the encoder that ships and written to `weights`
    below the home. The figures are cross-validated: each line is read by heads that did not see it.
    """
    settings = settings_of(home)
    if schema:
        DOMAINS.setdefault(schema, domain_of(load_schema(settings.files, schema)))
    if check is not None:
        _check(check)
    elif not schema or corpus is None:
        raise InvalidInput("`teach` needs --schema NAME and --corpus DIR, or --check DIR")
    elif settings.home is None:
        raise InvalidInput("the weights are written to your home; give it with --home, `r-memory init DIR` makes one")
    else:
        _teach(schema, corpus, settings.home / "weights")


def _check(corpus: Path) -> None:
    if not files_of(corpus):
        raise InvalidInput(f"{corpus} holds no lines of {', '.join(DOMAINS)}; lines are SCHEMA/NAME.jsonl below it")
    found = problems(corpus)
    for problem in found:
        print_parts(str(problem))
    if found:
        raise typer.Exit(Exit.CHECK_FAILED)
    print_parts("nothing is wrong with these lines")


def _teach(name: str, corpus: Path, out: Path) -> None:
    read = [read_file(file) for file in files_of(corpus) if file.parent.name == name]
    if not read:
        raise InvalidInput(f"{corpus / name} holds no .jsonl file; write the lines of the schema there")
    unreadable = [problem for _, found in read for problem in found]
    if unreadable:
        for problem in unreadable:
            print_parts(str(problem))
        raise typer.Exit(Exit.CHECK_FAILED)
    # Attributes and closed values are not taught, whatever the corpus marks of them.
    bare = replace(DOMAINS[name], attributes=(), classes={})
    lesson = taught([line for lines, _ in read for line in lines], bare)
    write(lesson, out)
    print_parts(_summary(lesson.figures))
    print_parts(f"written to {out}")


def _summary(one: ReaderFigures) -> str:
    return (
        f"{one.lines} lines, cross-validated: {one.right:.0%} right; of {one.risks} risks {one.risks_missed} missed, "
        f"{one.silent} without a trace; {one.forbidden} active risks and {one.false_reassurances} absences that no "
        "line states"
    )

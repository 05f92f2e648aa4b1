"""`explain`: what each side of the offline reading makes of a sentence, and which row of the table decided."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import typer

from r_memory.cli.options import AsJson, Home, settings_of
from r_memory.cli.printing import print_json, print_parts
from r_memory.domain.facts import Entity
from r_memory.protocols import Turn, Utterance
from r_memory.reading.local import LocalReader, Words
from r_memory.reading.sheets import SheetReader
from r_memory.wiring.language import open_reader

_ODDS = 3
"""Statements of the taught reader that are shown for the same words."""


def explain(
    sentence: Annotated[str, typer.Argument(metavar="SENTENCE", help="What somebody says.")],
    speaker: Annotated[str, typer.Option("--speaker", metavar="WHO", help="Who says it.")] = "",
    question: Annotated[str, typer.Option("--question", metavar="TEXT", help="What was asked before.")] = "",
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Shows how a sentence is read: rules, taught reader, the row that decided; stores nothing.

    Each stretch of words that either side speaks of is listed with the rules' reading, the taught reader's
    probabilities and what becomes of it (docs/reference/agreement.md). Then the facts, and what waits for a person.
    """
    reader = open_reader(settings_of(home))
    subject = Entity(space="explain", type=reader.schema.subject, id="somebody", name="Somebody")
    before = (Turn(role="user", speaker="other", text=question),) if question else ()
    utterance = Utterance(text=sentence, speaker=speaker, subject=subject, before=before)
    local = reader.extractor.inner if isinstance(reader.extractor, SheetReader) else reader.extractor
    weighed = local.weighed(utterance) if isinstance(local, LocalReader) else ()
    found = local.extract(utterance)
    shown = {
        "reader": local.name,
        "words": [_words(each) for each in weighed],
        "facts": [
            {"relation": fact.relation, "object": fact.object, "status": str(fact.status), "row": fact.template}
            for fact in found.proposals
        ],
        "waiting": [{"words": item.text, "reason": item.reason} for item in found.review],
    }
    if as_json:
        print_json(shown)
    else:
        print_parts("\n".join(_lines(shown)))


def _words(one: Words) -> dict[str, Any]:
    return {
        "words": one.words,
        "rules": {relation: str(candidate.status) for relation, candidate in one.rules.items()},
        "nothing": round(one.claim.nothing, 2),
        "taught": [
            {
                "relation": each.relation,
                "probability": round(each.probability, 2),
                "status": str(each.status),
                "person": str(each.person),
            }
            for each in one.claim.statements[:_ODDS]
        ],
        "rows": [verdict.reason for verdict in one.verdicts],
    }


def _lines(shown: Mapping[str, Any]) -> Iterator[str]:
    yield f"read by {shown['reader']}"
    for word in shown["words"]:
        rules = ", ".join(f"{relation} {status}" for relation, status in word["rules"].items()) or "-"
        taught = ", ".join(
            f"{each['relation']} {each['probability']:.2f} {each['status']} ({each['person']})"
            for each in word["taught"]
        )
        yield f"'{word['words']}'"
        yield f"  rules   {rules}"
        yield f"  taught  {taught or '-'}; states nothing {word['nothing']:.2f}"
        yield f"  row     {', '.join(word['rows'])}"
    for fact in shown["facts"]:
        yield f"fact      {fact['relation']} {fact['object']} · {fact['status']} ({fact['row']})"
    for item in shown["waiting"]:
        yield f'waits     "{item["words"]}": {item["reason"]}'
    if not shown["facts"] and not shown["waiting"]:
        yield "nothing is stored, and nothing waits"

"""Times the offline reader, sentence by sentence, with lexicons of several sizes: is it flat in their size?

Processor time of this process, so that a busy machine tells the same. Made-up names fill the lexicon up.
"""

import argparse
import random
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from r_memory.config.files import Files
from r_memory.config.loading import load_domain
from r_memory.domain.facts import Entity
from r_memory.domain.schema import Lexicon, Schema
from r_memory.protocols import Utterance
from r_memory.reading.extractor import RuleExtractor
from r_memory.reading.linking import Gazetteer
from r_memory_lab.evals.sentences import rows

SYLLABLES = ("ba", "ce", "di", "fo", "gu", "lam", "mer", "nol", "pra", "quin", "ros", "tep", "vir", "xal", "zid")
SOMEBODY = Entity(space="speed", type="Patient", id="P1", name="Ann Lee")


def grown(schema: Schema, terms: int) -> Schema:
    """The schema with made-up names of drugs until its lexicon has so many terms; as it is where it has more."""
    chance = random.Random(7)  # noqa: S311 - made-up names, no secret
    drugs = dict(schema.lexicon.terms["Drug"])
    missing = terms - sum(
        1 + len(synonyms) for of_type in schema.lexicon.terms.values() for synonyms in of_type.values()
    )
    while missing > 0:
        name = "".join(chance.choices(SYLLABLES, k=5))
        missing -= name not in drugs
        drugs.setdefault(name, ())
    return replace(schema, lexicon=Lexicon(terms={**schema.lexicon.terms, "Drug": drugs}, values=schema.lexicon.values))


def milliseconds(schema: Schema, texts: Sequence[str]) -> tuple[float, float]:
    """Median and 95th percentile of reading one sentence, once everything is warm."""
    extractor = RuleExtractor(schema, Gazetteer(schema.lexicon))
    spent = []
    for text in (*texts[:50], *texts):
        started = time.process_time()
        extractor.extract(Utterance(text=text, subject=SOMEBODY))
        spent.append((time.process_time() - started) * 1000)
    median, high = np.percentile(spent[50:], [50, 95])
    return float(median), float(high)


def main() -> None:
    """Prints a table."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("file", type=Path, help="sentences, as for `r-memory eval sentences`")
    asked.add_argument("--terms", type=int, nargs="+", default=[0, 10_000, 50_000])
    given = asked.parse_args()
    schema, texts = load_domain(Files(), "clinical").schema, [row.text for row in rows(given.file)]
    print(f"{len(texts)} sentences, processor time a sentence\n\n| terms | p50 ms | p95 ms |\n|---|---|---|")
    for terms in given.terms:
        median, high = milliseconds(grown(schema, terms), texts)
        print(f"| {terms or 'as shipped'} | {median:.2f} | {high:.2f} |", flush=True)


if __name__ == "__main__":
    main()

"""Our own sentence sets stay as good as they are: what harms is counted apart from what is only missing."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from r_memory.config.files import Files
from r_memory.config.schema_file import load_schema
from r_memory.domain.facts import Flag, Proposal
from r_memory.protocols import Turn, Utterance
from r_memory.reading.extractor import RuleExtractor
from r_memory.reading.linking import Gazetteer
from r_memory_lab.evals.sentences import FoundFact, GoldSentence, SentenceJudgement, SentencePrediction, rows, score
from tests.unit.reading.readers import JOHN

SETS = Path(__file__).parents[2] / "sentences"
RIGHT = 0.89
"""Share of items that the closed rules read right by themselves, as where there are no weights.

What ships is measured in evals/reports, and so is the first run of each batch, which estimates unseen text.
"""


def found(proposal: Proposal) -> FoundFact:
    rule = Flag.RULE in proposal.flags
    return FoundFact(
        relation=proposal.relation,
        object=proposal.object,
        status="rule" if rule else str(proposal.status),
        subject=str(proposal.attrs.get("before", "")) if rule else "patient",
        attrs=dict(proposal.attrs),
    )


def predicted(extractor: RuleExtractor, item: GoldSentence) -> SentencePrediction:
    """What the rules make of a sentence and of the turns before it."""
    turns = [Turn(role="user", speaker=who, text=text) for who, text in (*item.before, (item.speaker, item.text))]
    read = [
        extractor.extract(Utterance(text=turn.text, speaker=turn.speaker, subject=JOHN, before=tuple(turns[:position])))
        for position, turn in enumerate(turns)
    ]
    return SentencePrediction(
        id=item.id,
        facts=tuple(found(proposal) for each in read for proposal in each.proposals),
        review=tuple(review.text for each in read for review in each.review),
    )


@pytest.fixture(scope="module", params=["first", "second", "third", "fourth", "fifth"])
def judged(extractor: RuleExtractor, request: pytest.FixtureRequest) -> Sequence[SentenceJudgement]:
    return judgements(extractor, SETS / f"{request.param}.yaml")


@pytest.fixture(scope="module")
def extractors(extractor: RuleExtractor) -> dict[str, RuleExtractor]:
    """The extractor of each domain, by the folder of its sets; the clinical ones stand in none."""
    return {"": extractor} | {name: domain_extractor(name) for name in ("law", "finance")}


def domain_extractor(name: str) -> RuleExtractor:
    schema = load_schema(Files(), name)
    return RuleExtractor(schema, Gazetteer(schema.lexicon))


def judgements(extractor: RuleExtractor, path: Path) -> Sequence[SentenceJudgement]:
    items = rows(path)
    return score(items, [predicted(extractor, item) for item in items])


@pytest.mark.parametrize(
    ("name", "right", "silent"),
    [
        ("sixth", 0.75, 16),  # by the rules alone a lobster roll is no lobster; the reader that ships stores the roll
        ("seventh", 0.66, 10),
        ("eighth", 0.93, 0),
        ("law/sixth", 0.77, 1),
        ("law/seventh", 0.53, 1),
        ("finance/sixth", 0.77, 2),
        ("finance/seventh", 0.60, 2),
    ],
)
def test_blind_sets_stay_at_what_was_reached_and_do_no_harm(
    extractors: dict[str, RuleExtractor], name: str, right: float, silent: int
) -> None:
    """Batches written without a look at the rules; not every item is right, and none may do harm."""
    judged = judgements(extractors[name.rpartition("/")[0]], SETS / f"{name}.yaml")
    assert [(row.id, row.forbidden, row.reassuring) for row in judged if row.forbidden or row.reassuring] == []
    assert sum(row.right for row in judged) >= right * len(judged)
    assert sum(len(row.silent) for row in judged) <= silent


def test_no_sentence_gives_a_fact_that_does_harm(judged: Sequence[SentenceJudgement]) -> None:
    assert [(row.id, row.forbidden, row.reassuring) for row in judged if row.forbidden or row.reassuring] == []


def test_few_risks_pass_in_silence(judged: Sequence[SentenceJudgement]) -> None:
    silent, risks = sum(len(row.silent) for row in judged), sum(row.risks for row in judged)
    assert silent <= 3 * risks / 50


@pytest.mark.proves("T-14")
def test_most_items_are_right_as_they_were_written_down(judged: Sequence[SentenceJudgement]) -> None:
    wrong = [row.id for row in judged if not row.right]
    assert len(wrong) <= (1 - RIGHT) * len(judged) + 1, wrong

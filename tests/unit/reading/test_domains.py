"""Law and finance: the same rules over other files; sentences that practitioners say, and what engine keys do."""

from collections.abc import Callable
from pathlib import Path

import pytest

from r_memory.config.files import Files
from r_memory.config.schema_file import load_schema
from r_memory.domain.facts import Entity, Extraction, Flag, Observation, Rejection
from r_memory.protocols import Utterance
from r_memory.reading.extractor import RuleExtractor
from r_memory.reading.linking import Gazetteer
from r_memory.reading.validation import Validator
from r_memory_lab.evals.sentences import FoundFact, SentencePrediction, rows, score

SENTENCES = Path(__file__).parent / "sentences"
KNOWN_MISSES = {
    # "Globx": a name of five letters is kept as it was said, never corrected.
    # "The company isn't under any litigation hold": a denial that the rules leave to a person.
    # "No conflicts except with Globex", "under no circumstances may we release": left to a person.
    "law": {"LA05", "LB26", "LC12", "LC18"},
    # "No single position may exceed 7%": the "no" denies a prohibition as the rules read it; a review item is made.
    # "was removed from the sanctions list": shown as unconfirmed rather than believed to be over.
    "finance": {"FA15", "FA25"},
}
Reads = Callable[..., tuple[Extraction, list[Observation | Rejection]]]


def reader(name: str) -> Reads:
    """Reads under one schema: what the rules found, and what the validator lets through."""
    schema = load_schema(Files(), name)
    gazetteer = Gazetteer(schema.lexicon)
    extractor = RuleExtractor(schema, gazetteer)
    validator = Validator(schema, gazetteer)
    client = Entity(space="office", type=schema.subject, id="C1", name="Robin Vale")

    def read(text: str, speaker: str = "client") -> tuple[Extraction, list[Observation | Rejection]]:
        utterance = Utterance(text=text, role="user", speaker=speaker, subject=client)
        found = extractor.extract(utterance)
        return found, [validator.check(utterance, proposal) for proposal in found.proposals]

    return read


@pytest.fixture(scope="module")
def law() -> Reads:
    return reader("law")


@pytest.fixture(scope="module")
def finance() -> Reads:
    return reader("finance")


def facts(read: Reads, text: str, speaker: str = "client") -> set[str]:
    """Each fact as `RELATION object status`."""
    return {
        f"{seen.relation} {seen.object.id} {seen.status.value}"
        for seen in read(text, speaker)[1]
        if isinstance(seen, Observation)
    }


@pytest.mark.proves("RM-12")
@pytest.mark.parametrize("domain", ["law", "finance"])
def test_sentences_of_the_domain_come_out_right(domain: str) -> None:
    read, sentences = reader(domain), rows(SENTENCES / f"{domain}.yaml")
    predictions = []
    for sentence in sentences:
        found, results = read(sentence.text, sentence.speaker)
        seen = [
            FoundFact(
                relation=fact.relation,
                object=fact.object.id,
                status="rule" if Flag.RULE in fact.flags else fact.status.value,
                subject="client",
                attrs=dict(fact.attrs),
            )
            for fact in results
            if isinstance(fact, Observation)
        ]
        review = tuple(item.text for item in found.review)
        predictions.append(SentencePrediction(id=sentence.id, facts=tuple(seen), review=review))
    judged = score(sentences, predictions)
    assert {row.id for row in judged if not row.right} <= KNOWN_MISSES[domain]
    assert [row.id for row in judged if row.forbidden or row.reassuring] == []
    assert {row.id for row in judged if row.silent} <= {"LB26"}


def test_a_voice_of_the_schema_speaks_for_the_subject(law: Reads) -> None:
    said = "We have a conflict with Globex."
    assert facts(law, said, "partner") == {"HAS_CONFLICT_WITH globex active"}
    assert facts(law, said, "attorney") == {"HAS_CONFLICT_WITH globex active"}


def test_the_lawyers_own_family_is_still_not_the_client(law: Reads) -> None:
    assert facts(law, "My brother is bound by a non-compete.", "lawyer") == set()


@pytest.mark.proves("Z06")
def test_what_bears_on_the_subject_through_somebody_close_is_for_a_person(finance: Reads) -> None:
    found, results = finance("My wife is a director of Fabrikam.")
    assert results == []
    assert [item.reason for item in found.review] == ["said of somebody close: wife"]


def test_a_bare_mention_inside_a_stronger_wording_is_no_second_fact(finance: Reads) -> None:
    assert facts(finance, "She is not an insider of Contoso.") == {"IS_INSIDER_OF contoso negated"}
    assert facts(finance, "She is a restricted insider.") == {"FLAGGED_AS insider active"}


def test_words_of_the_schema_alert_the_net_of_its_domain_only(law: Reads) -> None:
    found, results = law("Privilege over Globex was lost.")
    assert results == []
    assert len(found.review) == 1


@pytest.mark.parametrize(
    ("text", "facts_"),
    [
        ("The NDA has not expired.", {"BOUND_BY nda active"}),
        ("The NDA has expired.", {"BOUND_BY nda resolved"}),
        ("The NDA may have expired.", set[str]()),
        ("If the NDA expired, she would be free.", set[str]()),
    ],
)
def test_an_agreement_ends_only_where_it_is_plainly_said(law: Reads, text: str, facts_: set[str]) -> None:
    assert facts(law, text) - {"BOUND_BY nda unconfirmed"} == facts_


@pytest.mark.proves("Z05", "Z22")
@pytest.mark.parametrize(
    "text",
    [
        "No conflicts that I know of except with Globex.",
        "I don't think there is a conflict with Globex.",
        "It's not true that there is no conflict with Globex.",
        "Nobody told me of any conflict with Globex.",
        "No conflict check has been run for Globex.",
        "The conflict check is not complete.",
        "There is no conflict with Globex, I think.",
        "We are not sure there is no conflict with Globex.",
        "Record that there is no conflict with Globex.",
        "The injunction was lifted against Acme but not against us.",
        "The litigation hold was lifted for emails only.",
        "She is no longer sure that the NDA binds her.",
        "The NDA expires on 3 May 2027.",
        "The NDA would have expired in 2024.",
        "He is not bound by the NDA until he signs.",
    ],
)
def test_nothing_less_than_a_plain_statement_clears_a_client(law: Reads, text: str) -> None:
    assert [fact for fact in facts(law, text) if not fact.endswith((" active", " unconfirmed"))] == []


@pytest.mark.proves("Z05", "Z22")
@pytest.mark.parametrize(
    "text",
    [
        "There are no restrictions on tobacco.",
        "There are no restrictions except tobacco.",
        "Crypto is not off limits yet.",
        "He was not removed from the sanctions list.",
        "If he were removed from the sanctions list we could trade.",
        "No sanctions list check was done.",
        "It is not known whether she is a PEP.",
        "Record that she is not a PEP.",
        "She is not just a PEP, she is sanctioned.",
        "Her husband is not a PEP.",
        "The blackout for Contoso has not been lifted.",
        "She is not an insider of Contoso any more, I think.",
        "There is no limit of 5 percent on crypto any more.",
    ],
)
def test_nothing_less_than_a_plain_statement_clears_an_order(finance: Reads, text: str) -> None:
    assert [fact for fact in facts(finance, text) if not fact.endswith((" active", " unconfirmed"))] == []


def test_two_dates_stay_with_their_own_deadlines(law: Reads) -> None:
    _, results = law(
        "The limitation period expires on 3 May 2027 and the appeal deadline is 4 June 2027; the hearing is on 1 July."
    )
    due = {seen.object.id: seen.attrs.get("due") for seen in results if isinstance(seen, Observation)}
    assert due == {"statute of limitations": "2027-05-03", "appeal deadline": "2027-06-04", "hearing": "1 July"}


def test_a_name_that_ends_a_sentence_loses_only_its_full_stop(law: Reads) -> None:
    assert facts(law, "We have a conflict with Hooli Ltd.") == {"HAS_CONFLICT_WITH hooli ltd active"}

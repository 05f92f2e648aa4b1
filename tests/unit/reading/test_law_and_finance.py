"""Law and finance as people say it, through both readers, beside sentences that look like it and are not."""

from collections.abc import Callable

import pytest

from r_memory.config.settings import Settings
from r_memory.domain.facts import Entity, Observation, Rejection
from r_memory.protocols import Turn, Utterance
from r_memory.reading.reader import Reader
from r_memory.wiring.language import open_reader

Told = Callable[..., set[str]]
SPEAKERS = {"law": "lawyer", "finance": "adviser"}


@pytest.fixture(scope="module")
def readers() -> dict[str, Reader]:
    return {domain: open_reader(Settings(schema=domain)) for domain in SPEAKERS}


@pytest.fixture(scope="module")
def told(readers: dict[str, Reader]) -> Told:
    """The facts of a sentence, each as `RELATION object status`; `waits` where a person must look."""

    def read(domain: str, text: str, speaker: str = "", asked: str = "") -> set[str]:
        reader = readers[domain]
        client = Entity(space="office", type=reader.schema.subject, id="C1", name="Robin Vale")
        by, other = speaker or SPEAKERS[domain], "client" if speaker == "lawyer" else "lawyer"
        before = (Turn(role="user", speaker=other, text=asked),) if asked else ()
        said = Utterance(text=text, role="user", speaker=by, subject=client, before=before)
        found = reader.extractor.extract(said)
        checked = [reader.validator.check(said, proposal) for proposal in found.proposals]
        facts = {
            f"{item.relation} {item.object.id} {item.status.value}" for item in checked if isinstance(item, Observation)
        }
        waits = bool(found.review) or any(isinstance(item, Rejection) for item in checked)
        return facts | ({"waits"} if waits else set())

    return read


SAID = [
    ("law", "We have a conflict with Mr Jones.", "HAS_CONFLICT_WITH mr jones active"),
    ("law", "Pemberton Estates Ltd is suing our client.", "HAS_CONFLICT_WITH pemberton estates ltd active"),
    ("law", "Our client is in a row with Bank of Ardmore.", "HAS_CONFLICT_WITH bank of ardmore active"),
    ("law", "We act for Harper & Co in another matter.", "FIRM_ACTS_FOR harper & co active"),
    ("law", "We no longer act for Brightwater plc.", "FIRM_ACTS_FOR brightwater plc resolved"),
    ("law", "Our firm used to act for Vexley Homes.", "FIRM_ACTS_FOR vexley homes resolved"),
    ("law", "The conflict with Tarrant & Co has been waived.", "HAS_WAIVED_CONFLICT tarrant & co unconfirmed"),
    ("law", "The conflict with Mr Jones is waived.", "HAS_WAIVED_CONFLICT mr jones active"),
    ("law", "His lawyer is Fiona Ashdown.", "REPRESENTED_BY fiona ashdown active"),
    ("law", "She sacked Mr Pell in March.", "REPRESENTED_BY mr pell resolved"),
    ("law", "The injunction was lifted last week.", "BOUND_BY injunction resolved"),
    ("law", "The freezing order was discharged on 2 October.", "BOUND_BY freezing order resolved"),
    ("law", "He sold his stake in Norrland AB two years ago.", "HAS_INTEREST_IN norrland ab resolved"),
    ("finance", "No GME for this client.", "RESTRICTED_FROM gme active"),
    ("finance", "The client refuses to hold Meta.", "RESTRICTED_FROM meta active"),
    ("finance", "The restriction on Contoso has been lifted.", "RESTRICTED_FROM contoso resolved"),
    ("finance", "He sold all his Tesla shares in spring.", "HOLDS tesla resolved"),
    ("finance", "She left the board of Contoso last year.", "IS_INSIDER_OF contoso resolved"),
    ("finance", "The client is a PEP.", "FLAGGED_AS politically exposed person active"),
    ("finance", "Harbour Logistics was added to the watch list.", "ON_WATCH_LIST harbour logistics active"),
    ("finance", "Northwind was taken off the watch list.", "ON_WATCH_LIST northwind resolved"),
    ("finance", "Keep at least 50,000 euros in cash.", "MINIMUM_HOLDING cash active"),
    ("finance", "Keep at least 50,000 in cash.", "MINIMUM_HOLDING cash active"),
    ("finance", "Half of it in cash, always.", "MINIMUM_HOLDING cash active"),
    ("finance", "At least a third has to stay in cash.", "MINIMUM_HOLDING cash active"),
    ("finance", "The mandate says no gilts and no options.", "RESTRICTED_FROM options active"),
    ("finance", "It is only gambling she objects to.", "RESTRICTED_FROM gambling active"),
    ("finance", "Palm oil she would sooner leave alone.", "RESTRICTED_FROM palm oil active"),
    ("finance", "He lost his savings in mini-bonds and will not go near them.", "RESTRICTED_FROM mini-bond active"),
    ("finance", "He has no objection to oil companies.", "RESTRICTED_FROM oil negated"),
    ("finance", "Please never go below 5,000 euros in cash.", "MINIMUM_HOLDING cash active"),
    ("finance", "Trades in Fabrikam have to be cleared by compliance.", "NEEDS_PRECLEARANCE fabrikam active"),
    ("finance", "He is a retail client.", "FLAGGED_AS retail client active"),
    ("finance", "She was classed as vulnerable in March.", "FLAGGED_AS vulnerable client active"),
    ("finance", "He has a green card.", "FLAGGED_AS green card active"),
    ("finance", "I've checked, he's not a PEP.", "FLAGGED_AS politically exposed person negated"),
    ("finance", "They put her down as cautious.", "HAS_RISK_PROFILE conservative active"),
    ("finance", "Min. 10% cash, max. 5% gold.", "MINIMUM_HOLDING cash active"),
    ("finance", "She wants income and growth.", "HAS_RISK_PROFILE growth active"),
]
NOT_SAID = [
    # who, when, whether: neither a conflict nor a client
    ("law", "Do we have a conflict with Mr Jones?", "HAS_CONFLICT_WITH mr jones active"),
    ("law", "If we had a conflict with Mr Jones we would decline.", "HAS_CONFLICT_WITH mr jones active"),
    ("law", "We have no conflict with Mr Jones.", "HAS_CONFLICT_WITH mr jones active"),
    ("law", "My sister is in a row with Bank of Ardmore.", "HAS_CONFLICT_WITH bank of ardmore active"),
    ("law", "We do not act for Harper & Co.", "FIRM_ACTS_FOR harper & co active"),
    ("law", "Do we act for Harper & Co?", "FIRM_ACTS_FOR harper & co active"),
    ("law", "Harper & Co act for Robin Vale.", "FIRM_ACTS_FOR robin vale active"),
    ("law", "We will no longer act for Brightwater plc if they sue.", "FIRM_ACTS_FOR brightwater plc resolved"),
    ("law", "Do we no longer act for Brightwater plc?", "FIRM_ACTS_FOR brightwater plc resolved"),
    # a waiver that nobody gave
    ("law", "The conflict with Mr Jones has not been waived.", "HAS_WAIVED_CONFLICT mr jones active"),
    ("law", "The client has not waived the conflict with Mr Jones.", "HAS_WAIVED_CONFLICT mr jones active"),
    ("law", "Has the conflict with Mr Jones been waived?", "HAS_WAIVED_CONFLICT mr jones active"),
    ("law", "If the conflict with Mr Jones is waived we may act.", "HAS_WAIVED_CONFLICT mr jones active"),
    ("law", "The client refused to waive the conflict with Mr Jones.", "HAS_WAIVED_CONFLICT mr jones active"),
    ("law", "We're waiting for the waiver from Orrin Wines.", "HAS_WAIVED_CONFLICT orrin wines active"),
    ("law", "Orrin Wines will sign the waiver next week.", "HAS_WAIVED_CONFLICT orrin wines active"),
    ("law", "Orrin Wines wants us to waive the conflict.", "HAS_WAIVED_CONFLICT orrin wines active"),
    # other people's lawyers
    ("law", "Opposing counsel is Ruth Calloway.", "REPRESENTED_BY ruth calloway active"),
    ("law", "Is his lawyer Fiona Ashdown?", "REPRESENTED_BY fiona ashdown active"),
    ("law", "She has not sacked Mr Pell.", "REPRESENTED_BY mr pell resolved"),
    ("law", "If she sacked Mr Pell we could act.", "REPRESENTED_BY mr pell resolved"),
    # what goes on
    ("law", "The injunction was not lifted.", "BOUND_BY freezing order resolved"),
    ("law", "The injunction was lifted for emails only.", "BOUND_BY freezing order resolved"),
    ("law", "The injunction was partly lifted.", "BOUND_BY freezing order resolved"),
    ("law", "Was the injunction lifted?", "BOUND_BY freezing order resolved"),
    ("law", "If the injunction was lifted she could talk.", "BOUND_BY freezing order resolved"),
    ("law", "The injunction may have been lifted.", "BOUND_BY freezing order resolved"),
    ("law", "The injunction will be lifted in May.", "BOUND_BY freezing order resolved"),
    ("law", "Her brother's injunction was lifted.", "BOUND_BY freezing order resolved"),
    ("law", "He has not sold his stake in Norrland AB.", "HAS_INTEREST_IN norrland ab resolved"),
    ("law", "His father sold his stake in Norrland AB.", "HAS_INTEREST_IN norrland ab resolved"),
    ("law", "Must the merger plans stay between us?", "MUST_NOT_DISCLOSE merger plans active"),
    ("law", "The client may own shares in Kestrel Motors.", "HAS_INTEREST_IN kestrel motors active"),
    ("finance", "No, Fabrikam was fine.", "RESTRICTED_FROM fabrikam active"),
    ("finance", "No GME for this client?", "RESTRICTED_FROM gme active"),
    ("finance", "The client does not refuse to hold Meta.", "RESTRICTED_FROM meta active"),
    ("finance", "If the client refuses to hold Meta we sell.", "RESTRICTED_FROM meta active"),
    ("finance", "I don't own any bonds.", "RESTRICTED_FROM bonds active"),
    ("finance", "The restriction on Contoso has not been lifted.", "RESTRICTED_FROM contoso resolved"),
    ("finance", "Has the restriction on Contoso been lifted?", "RESTRICTED_FROM contoso resolved"),
    ("finance", "The restriction on Contoso has been lifted for bonds only.", "RESTRICTED_FROM contoso resolved"),
    ("finance", "If the restriction on Contoso has been lifted, tell me.", "RESTRICTED_FROM contoso resolved"),
    ("finance", "He has not sold his Tesla shares.", "HOLDS tesla resolved"),
    ("finance", "Should he have sold his Tesla shares?", "HOLDS tesla resolved"),
    ("finance", "Her husband sold all his Tesla shares.", "HOLDS tesla resolved"),
    ("finance", "She has not left the board of Contoso.", "IS_INSIDER_OF contoso resolved"),
    ("finance", "Her brother left the board of Contoso.", "IS_INSIDER_OF contoso resolved"),
    ("finance", "The client is not a PEP.", "FLAGGED_AS politically exposed person active"),
    ("finance", "Is the client a PEP?", "FLAGGED_AS politically exposed person active"),
    ("finance", "Her father is a PEP.", "FLAGGED_AS politically exposed person active"),
    ("finance", "If the client is a PEP we need more papers.", "FLAGGED_AS politically exposed person active"),
    ("finance", "Northwind was not taken off the watch list.", "ON_WATCH_LIST northwind resolved"),
    ("finance", "Aviva, buy, limit 4.60, max 10,000 shares, day only.", "RISK_LIMIT aviva active"),
    ("finance", "Should at least a third stay in cash?", "MINIMUM_HOLDING cash active"),
    # what an adviser says of themselves
    ("finance", "I am not a PEP.", "FLAGGED_AS politically exposed person negated"),
    ("finance", "I'm not a US person, he is.", "FLAGGED_AS us person negated"),
    ("finance", "I no longer sit on the board of Fabrikam.", "IS_INSIDER_OF fabrikam resolved"),
    ("finance", "I'm a director of Fabrikam.", "IS_INSIDER_OF fabrikam active"),
    ("finance", "I don't mind tobacco myself.", "RESTRICTED_FROM tobacco negated"),
    # what is not allowed, or not yet
    ("finance", "He is not happy with tobacco.", "RESTRICTED_FROM tobacco negated"),
    ("finance", "She has no objection to tobacco yet.", "RESTRICTED_FROM tobacco negated"),
    # what speaks of no client, and of no limit
    ("finance", "We have a professional client base in Geneva.", "FLAGGED_AS professional client active"),
    ("finance", "We have sanctions training on Thursday.", "FLAGGED_AS sanctions list active"),
    ("finance", "The portfolio is vulnerable to rate rises.", "FLAGGED_AS vulnerable client active"),
    ("finance", "He was classed as vulnerable until last year.", "FLAGGED_AS vulnerable client active"),
    ("finance", "Nobody who holds gilts has complained.", "RESTRICTED_FROM government bonds active"),
    ("finance", "She'd rather not see Tesla drop.", "RESTRICTED_FROM tesla active"),
    ("finance", "No minimum in equities, please.", "RESTRICTED_FROM equities active"),
    ("finance", "Buy 500 Shell, no more than £24.", "RISK_LIMIT shell plc active"),
    ("finance", "Gold is never below two thousand dollars.", "MINIMUM_HOLDING gold active"),
    ("finance", "Inflation should be below 2 percent, good for gilts.", "RISK_LIMIT government bonds active"),
]


@pytest.mark.parametrize(("domain", "text", "fact"), SAID, ids=[text for _, text, _ in SAID])
def test_what_people_say_is_stored(told: Told, domain: str, text: str, fact: str) -> None:
    assert fact in told(domain, text)


@pytest.mark.parametrize(("domain", "text", "fact"), NOT_SAID, ids=[text for _, text, _ in NOT_SAID])
def test_what_only_looks_like_it_is_not(told: Told, domain: str, text: str, fact: str) -> None:
    assert fact not in told(domain, text)


@pytest.mark.parametrize("text", ["She is not bothered about capital gains.", "He does not mind stamp duty."])
def test_what_is_over_or_denied_does_not_hold_as_well(told: Told, text: str) -> None:
    assert not any(fact.endswith(" active") for fact in told("finance", text))


OF_CLIENTS = [
    ("client", "My wife owns a third of Larkhill Foods.", "HAS_INTEREST_IN larkhill foods active"),
    ("lawyer", "The client's wife owns a third of Larkhill Foods.", "HAS_INTEREST_IN larkhill foods active"),
    ("client", "I'm in a dispute with my lodger, Mr Tamsin.", "HAS_CONFLICT_WITH mr tamsin active"),
    ("client", "My lodger, Mr Tamsin, is suing me.", "HAS_CONFLICT_WITH mr tamsin active"),
    ("client", "The council got an injunction against me.", "BOUND_BY injunction active"),
    ("client", "My old boss made me sign an NDA.", "BOUND_BY nda active"),
    ("client", "I'm on bail until Friday.", "BOUND_BY bail active"),
    ("client", "Don't show my boss the medical records.", "MUST_NOT_DISCLOSE medical records active"),
    ("client", "Please don't tell my wife about the settlement.", "MUST_NOT_DISCLOSE settlement terms active"),
    ("lawyer", "The disclosure list is due on 14/05.", "HAS_DEADLINE disclosure active"),
    ("lawyer", "Limitation 14/03/2027.", "HAS_DEADLINE statute of limitations active"),
    ("lawyer", "We acted for Larkhill Foods in 2019.", "HAS_CONFLICT_WITH larkhill foods active"),
]
NOT_OF_CLIENTS = [
    ("lawyer", "My wife owns a third of Larkhill Foods.", "HAS_INTEREST_IN larkhill foods active"),
    ("client", "A friend of mine owns a third of Larkhill Foods.", "HAS_INTEREST_IN larkhill foods active"),
    ("client", "Does my wife own a third of Larkhill Foods?", "HAS_INTEREST_IN larkhill foods active"),
    ("client", "Globex owns 10% of Initech.", "HAS_INTEREST_IN initech active"),
    ("witness", "I signed an NDA when I left.", "BOUND_BY nda active"),
    ("witness", "I work for Larkhill Foods.", "HAS_INTEREST_IN larkhill foods active"),
    ("client", "A competitor of ours is bound by a non-compete.", "BOUND_BY non-compete active"),
    ("client", "The opponent is bound by a freezing order.", "HAS_CONFLICT_WITH bound active"),
    ("client", "My boss made my colleague sign an NDA.", "BOUND_BY nda active"),
    ("client", "They tried to get an injunction against us.", "BOUND_BY injunction active"),
    ("client", "We can't give an undertaking.", "BOUND_BY undertaking active"),
    ("client", "My company is called Larkhill Foods.", "HAS_CONFLICT_WITH larkhill foods active"),
    ("client", "My solicitor, Anna Weiss, is suing Globex for us.", "HAS_CONFLICT_WITH anna weiss active"),
    ("lawyer", "Our client is Globex's landlord.", "FIRM_ACTS_FOR globex active"),
]


@pytest.mark.parametrize(("speaker", "text", "fact"), OF_CLIENTS, ids=[text for _, text, _ in OF_CLIENTS])
def test_what_bears_on_the_client_is_stored_whoever_else_is_named(
    told: Told, speaker: str, text: str, fact: str
) -> None:
    assert fact in told("law", text, speaker)


@pytest.mark.parametrize(("speaker", "text", "fact"), NOT_OF_CLIENTS, ids=[text for _, text, _ in NOT_OF_CLIENTS])
def test_what_is_somebody_elses_is_not_the_clients(told: Told, speaker: str, text: str, fact: str) -> None:
    assert fact not in told("law", text, speaker)


def test_whose_interest_it_is_stands_beside_it(readers: dict[str, Reader]) -> None:
    client = Entity(space="office", type=readers["law"].schema.subject, id="C1", name="Robin Vale")
    said = Utterance(text="My wife works for Larkhill Foods.", role="user", speaker="client", subject=client)
    (found,) = readers["law"].extractor.extract(said).proposals
    assert (found.object, found.attrs["relative"]) == ("larkhill foods", "wife")


ANSWERS = [
    ("Yes, with Larkhill Motors.", {"HAS_CONFLICT_WITH larkhill motors active"}),
    ("No, nobody.", {"HAS_CONFLICT_WITH any_party negated"}),
    ("Only my brother.", {"waits"}),
]


@pytest.mark.parametrize(("text", "facts"), ANSWERS, ids=[text for text, _ in ANSWERS])
def test_an_answer_to_whom_one_is_in_dispute_with_counts(told: Told, text: str, facts: set[str]) -> None:
    assert facts == told("law", text, "client", "Are you in dispute with anyone?")

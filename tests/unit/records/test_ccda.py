"""C-CDA documents: what is denied is denied, what is unknown is no absence, and prose goes to the reader of prose."""

from functools import cache

import pytest

from r_memory.config.files import Files
from r_memory.domain.facts import Entity
from r_memory.domain.instants import iso_day
from r_memory.errors import InvalidInput
from r_memory.records import ccda
from r_memory.records.importing import of_person
from r_memory.records.mapping import RecordForm, load_mapping
from r_memory.records.values import FileReading
from tests.unit.records.world import form_and_reader, refused, stated

ALLERGY, INTOLERANCE, CONDITION = "HAS_ALLERGY_TO", "HAS_INTOLERANCE_TO", "HAS_CONDITION"
ALLERGIES, PROBLEMS, MEDICINES, FAMILY, IMPLANTS, SOCIAL = (
    ("48765-2", "Allergies"),
    ("11450-4", "Problems"),
    ("10160-0", "Medications"),
    ("10157-6", "Family history"),
    ("46264-8", "Implants"),
    ("29762-2", "Social history"),
)
JOHN = """<recordTarget><patientRole><id extension="JD001" root="1.2"/><patient><name><given>John</given>
<family>Doe</family></name><birthTime value="19700102"/></patient></patientRole></recordTarget>"""


@cache
def form() -> RecordForm:
    return load_mapping(Files(), "ccda", form_and_reader()[1].schema)


def document(*sections: str, target: str = JOHN) -> bytes:
    body = "".join(f"<component>{section}</component>" for section in sections)
    return f"""<?xml version="1.0"?><ClinicalDocument xmlns="urn:hl7-org:v3"><effectiveTime value="20240102"/>{target}
    <component><structuredBody>{body}</structuredBody></component></ClinicalDocument>""".encode()


def section(which: tuple[str, str], *entries: str, text: str = "") -> str:
    code, title = which
    body = "".join(f"<entry>{entry}</entry>" for entry in entries)
    return f'<section><code code="{code}"/><title>{title}</title><text>{text}</text>{body}</section>'


def concern(observation: str, status: str = "active") -> str:
    return f"""<act classCode="ACT"><code code="CONC"/><statusCode code="{status}"/>
    <effectiveTime><low value="20240102093000-0500"/></effectiveTime>
    <entryRelationship typeCode="SUBJ">{observation}</entryRelationship></act>"""


def sensitivity(thing: str, value: str = "416098002", attributes: str = "", inner: str = "") -> str:
    return f"""<observation {attributes}><statusCode code="completed"/>
    <effectiveTime><low value="2006"/></effectiveTime><value code="{value}" displayName="Allergy to drug (finding)"/>
    <participant typeCode="CSM"><participantRole><playingEntity>{thing}</playingEntity>
    </participantRole></participant>{inner}</observation>"""


def a_problem(value: str, attributes: str = "", when: str = '<low value="20140227"/>') -> str:
    return f"""<observation {attributes}><statusCode code="completed"/><effectiveTime>{when}</effectiveTime>
    {value}</observation>"""


def a_medicine(attributes: str = "", status: str = "active", name: str = '<code displayName="Warfarin"/>') -> str:
    return f"""<substanceAdministration moodCode="EVN" {attributes}><statusCode code="{status}"/>
    <effectiveTime><low value="20240101"/></effectiveTime><doseQuantity value="5" unit="mg"/><consumable>
    <manufacturedProduct><manufacturedMaterial>{name}</manufacturedMaterial></manufacturedProduct></consumable>
    </substanceAdministration>"""


def read(*sections: str, target: str = JOHN) -> FileReading:
    reader = form_and_reader()[1]
    return ccda.read(document(*sections, target=target), "chart.xml", form(), reader.schema, reader.linker)


PENICILLIN = '<code code="7980" displayName="Penicillin"/>'
NAMELESS = '<code nullFlavor="NA"/>'
DENIED = 'negationInd="true"'
ASTHMA = '<value code="195967001" displayName="Asthma (disorder)"/>'
STENT = '<code nullFlavor="OTH"><originalText><reference value="#d1"/></originalText></code>'


def a_device(device: str, attributes: str = "") -> str:
    return f"""<procedure moodCode="EVN" {attributes}><statusCode code="completed"/><participant typeCode="DEV">
    <participantRole><playingDevice>{device}</playingDevice></participantRole></participant></procedure>"""


def a_relative(observation: str) -> str:
    return f"""<organizer><statusCode code="completed"/><subject><relatedSubject><code code="FTH" displayName="father"/>
    </relatedSubject></subject><component>{observation}</component></organizer>"""


@pytest.mark.parametrize(
    ("which", "entry", "said"),
    [
        (ALLERGIES, concern(sensitivity(PENICILLIN)), (ALLERGY, "Penicillin", "active")),
        (ALLERGIES, concern(sensitivity(PENICILLIN, attributes=DENIED)), (ALLERGY, "Penicillin", "negated")),
        (ALLERGIES, concern(sensitivity(NAMELESS, attributes=DENIED)), (ALLERGY, "any_drug", "negated")),
        (ALLERGIES, concern(sensitivity(NAMELESS, "419199007", DENIED)), (ALLERGY, "any", "negated")),
        (ALLERGIES, concern(sensitivity(PENICILLIN, "59037007")), (INTOLERANCE, "Penicillin", "active")),
        (ALLERGIES, concern(sensitivity(PENICILLIN), "completed"), (ALLERGY, "Penicillin", "resolved")),
        (ALLERGIES, concern(sensitivity(PENICILLIN), "nullified"), (ALLERGY, "Penicillin", "entered_in_error")),
        (ALLERGIES, concern(sensitivity(PENICILLIN), "odd"), (ALLERGY, "Penicillin", "unconfirmed")),
        (PROBLEMS, concern(a_problem(ASTHMA)), (CONDITION, "Asthma", "active")),
        (PROBLEMS, concern(a_problem(ASTHMA, DENIED)), (CONDITION, "Asthma", "negated")),
        (PROBLEMS, concern(a_problem(ASTHMA, when='<high value="2015"/>')), (CONDITION, "Asthma", "resolved")),
        (PROBLEMS, concern(a_problem(ASTHMA, when='<high nullFlavor="UNK"/>')), (CONDITION, "Asthma", "active")),
        (PROBLEMS, concern(a_problem('<value code="55607006"/>', DENIED)), (CONDITION, "any", "negated")),
        (MEDICINES, a_medicine(), ("TAKES", "Warfarin", "active")),
        (MEDICINES, a_medicine(status="completed"), ("TAKES", "Warfarin", "resolved")),
        (MEDICINES, a_medicine(DENIED), ("TAKES", "Warfarin", "negated")),
        (FAMILY, a_relative(a_problem(ASTHMA)), ("HAS_FAMILY_HISTORY", "Asthma", "active")),
        (FAMILY, a_relative(a_problem(ASTHMA, DENIED)), ("HAS_FAMILY_HISTORY", "Asthma", "negated")),
        (
            IMPLANTS,
            a_device('<code displayName="Cardiac pacemaker"/>'),
            ("HAS_IMPLANTS", "Cardiac pacemaker", "active"),
        ),
        (IMPLANTS, a_device('<code code="40388003"/>', DENIED), ("HAS_IMPLANTS", "any", "negated")),
        (SOCIAL, a_problem('<value code="77386006"/>', DENIED), (CONDITION, "pregnancy", "negated")),
    ],
)
def test_an_entry_says_what_its_fields_say(which: tuple[str, str], entry: str, said: tuple[str, str, str]) -> None:
    assert stated(read(section(which, entry))) == {f"{which[1]} 1": said}


@pytest.mark.parametrize(
    ("which", "entry", "why"),
    [
        (SOCIAL, a_problem('<value code="77386006"/>', 'nullFlavor="UNK"'), "it says that this is not known"),
        (ALLERGIES, concern(sensitivity(NAMELESS)), "it names a kind of things, and no thing"),
        (ALLERGIES, concern(sensitivity(PENICILLIN, attributes='nullFlavor="NI"')), "it says that this is not known"),
        (
            FAMILY,
            a_relative(a_problem('<value code="55607006"/>', DENIED)),
            "it says none of one relative, which is no absence of all; ask",
        ),
    ],
)
def test_what_is_not_known_is_no_absence(which: tuple[str, str], entry: str, why: str) -> None:
    reading = read(section(which, entry))
    assert reading.entries == ()
    assert refused(reading) == {f"{which[1]} 1": why}


def test_a_section_without_information_is_no_absence() -> None:
    none = section(ALLERGIES).replace("<section>", '<section nullFlavor="NI">')
    reading = read(none)
    assert (reading.entries, reading.narratives) == ((), ())
    assert refused(reading) == {"Allergies": "the section says that it has no information, which is no absence"}


def test_details_and_days_are_those_of_the_entry() -> None:
    severity = '<observation><code code="SEV"/><value displayName="Moderate to severe"/></observation>'
    inner = f"""<entryRelationship typeCode="MFST"><observation><value displayName="Hives"/>
    <entryRelationship typeCode="SUBJ">{severity}</entryRelationship></observation></entryRelationship>"""
    [entry] = read(section(ALLERGIES, concern(sensitivity(PENICILLIN, inner=inner)))).entries
    assert entry.proposals[0].attrs == {"reaction": "Hives", "severity": "severe", "onset": "2006"}
    assert entry.said_at is not None
    assert iso_day(entry.said_at) == "2024-01-02"


def test_a_name_that_stands_only_in_the_narrative_is_found_there() -> None:
    text = '<table><tbody><tr><td ID="d1">Coronary stent</td><td>2016</td></tr></tbody></table>'
    assert stated(read(section(IMPLANTS, a_device(STENT), text=text))) == {
        "Implants 1": ("HAS_IMPLANTS", "Coronary stent", "active")
    }


def test_prose_without_entries_is_handed_on_with_its_title() -> None:
    text = "<paragraph>He cannot lie flat.</paragraph><paragraph>No known allergies.</paragraph>"
    reading = read(section(("8648-8", "Hospital course"), text=text))
    assert [(narrative.title, narrative.text) for narrative in reading.narratives] == [
        ("Hospital course", "He cannot lie flat.\nNo known allergies.")
    ]
    assert reading.narratives[0].said_at is not None


def test_a_medicine_without_a_code_keeps_its_words() -> None:
    entry = a_medicine(name='<code nullFlavor="UNK"/>').replace(
        "<consumable>", '<text><reference value="#m"/></text><consumable>'
    )
    reading = read(section(MEDICINES, entry, text='<paragraph ID="m">A trial drug, one each morning</paragraph>'))
    assert [(narrative.title, narrative.text) for narrative in reading.narratives] == [
        ("Medications", "A trial drug, one each morning")
    ]


def test_entries_of_a_section_that_is_not_read_are_named() -> None:
    reading = read(section(("11369-6", "Immunizations"), a_medicine()))
    assert refused(reading) == {"Immunizations": "its 1 entries are of a section that is not read"}


def test_the_document_is_about_whom_it_names() -> None:
    reading = read(section(PROBLEMS, concern(a_problem(ASTHMA))))
    assert [(person.name, person.born) for person in reading.persons.values()] == [("John Doe", "19700102")]
    mine = Entity(space="clinic", type="Patient", id="JD001", name="John Doe")
    assert len(of_person(reading, mine).entries) == 1
    with pytest.raises(InvalidInput, match="nothing in it says that this is 'MS002'"):
        of_person(reading, Entity(space="clinic", type="Patient", id="MS002", name="John Doe"))


BOMB = b'<!DOCTYPE a [<!ENTITY b "c"><!ENTITY d "&b;&b;">]><ClinicalDocument>&d;</ClinicalDocument>'


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (BOMB, "declares a document type or entities"),
        (document(section(PROBLEMS))[:-40], "ends early or is damaged"),
        (b"<section/>", "is no C-CDA document: it begins with <section>"),
        (document(target=JOHN + JOHN.replace("JD001", "MS002")), "is about 2 people"),
        ("<ClinicalDocument>é</ClinicalDocument>".encode("latin-1"), "is not UTF-8"),
        (b"<a>" * 100_000, "damaged|nested"),
    ],
)
def test_a_damaged_document_is_refused_with_what_to_do(data: bytes, said: str) -> None:
    reader = form_and_reader()[1]
    with pytest.raises(InvalidInput, match=said):
        ccda.read(data, "chart.xml", form(), reader.schema, reader.linker)
